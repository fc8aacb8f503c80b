"""``--output-format github``: workflow commands, which GitHub shows as annotations on the changed lines."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from speclint.finding import LEVELS

if TYPE_CHECKING:
    from speclint.finding import Finding
    from speclint.run import Outcome

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def findings(outcome: Outcome) -> str:
    """One command a finding, errors first: GitHub shows only the first ten of a kind."""
    ordered = sorted(outcome.findings, key=lambda finding: -LEVELS.index(finding.level))
    return "".join(f"{_command(finding)}\n" for finding in ordered)


def _command(finding: Finding) -> str:
    file = finding.span.file
    row, column = file.location(finding.span.start)
    end_row, end_column = file.location(finding.span.end)
    path = os.path.normpath(file.path).replace(os.sep, "/")
    places = {"title": f"speclint ({finding.code})", "file": path, "line": row}
    if row == end_row:  # GitHub takes columns for one line only
        places.update(col=column, endLine=end_row, endColumn=end_column)
    else:
        places.update(endLine=end_row)
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in places.items())
    message = f"{path}:{row}:{column}: {finding.code} {finding.message}"
    return f"::{_COMMANDS[finding.level]} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """Text as the runner reads it back."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
