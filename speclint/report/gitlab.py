"""``--output-format gitlab``: a code quality report; what is the same finding is told without line numbers."""

from __future__ import annotations

from speclint import identity
from speclint.report import paths
from speclint.report.json import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from speclint.analysis import Outcome
    from speclint.text import Span

_SEVERITIES = {"error": "major", "warning": "minor", "info": "info"}


def findings(outcome: Outcome) -> str:
    """One array of findings."""
    found = [(item, paths.relative(item.span.file.path)) for item in outcome.findings]
    return dump(
        [
            {
                "check_name": item.code,
                "description": f"{item.code} {item.name}: {item.message}",
                "severity": _SEVERITIES[item.level],
                "fingerprint": mark,
                "location": {"path": path, "positions": _positions(item.span)},
            }
            for (item, path), mark in zip(found, identity.fingerprints(found), strict=True)
        ]
    )


def _positions(span: Span) -> dict[str, Any]:
    row, column = span.file.location(span.start)
    end_row, end_column = span.file.location(span.end)
    return {"begin": {"line": row, "column": column}, "end": {"line": end_row, "column": end_column}}
