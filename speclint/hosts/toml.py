"""The TOML host: tasks and scripts of projects (pixi, mise, poe, hatch …)."""

from __future__ import annotations

from speclint.hosts.jsonc import may_launch
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a file holds; one that holds no launch is not parsed. Raises SourceError."""
    base = Command((), Span(file, 0, len(file.text)), "toml", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that TOML holds. Raises SourceError."""
    if not may_launch(text.text):
        return []
    from speclint.hosts import settings
    from speclint.hosts.toml_text import Toml

    found = list(settings.commands(Toml(text), base))
    return sorted(found, key=lambda command: command.span.start)
