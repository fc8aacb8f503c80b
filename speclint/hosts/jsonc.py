"""The JSON host: settings of editors and containers for development, scripts of packages, manifests in JSON."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from speclint.hosts.json_text import Json
from speclint.text import Mapped, Span
from speclint.words import Command

if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile

_LAUNCH = re.compile(r"launch_server|\bsglang\b[\s\S]{0,60}\bserve\b|\w\.sglang\b|sglang\.\w")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a file holds; one that holds no launch is not parsed. Raises SourceError."""
    base = Command((), Span(file, 0, len(file.text)), "json", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that JSON holds, comments allowed. Raises SourceError."""
    if not _LAUNCH.search(text.text):
        return []
    from speclint.hosts import settings

    source = Json(text, comments=True)
    if any(source.get(source.root, *key) is not None for key in (("apiVersion",), ("services",))):
        from speclint.hosts import yaml

        return yaml.read_text(text, [], base.fixable, depth + 1)
    found = list(settings.commands(source, base))
    return sorted(found, key=lambda command: command.span.start)
