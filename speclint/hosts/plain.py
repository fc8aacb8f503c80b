"""The plain text host: commands among prose, in ``.txt`` files."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that stands on lines of its own. Text is never unreadable."""
    text = Mapped.of(file)
    base = Command((), Span(file, 0, len(file.text)), "text", fixable=file.clean)
    kind = "shell" if file.text.startswith("#!") else "plain"
    if "```" in file.text:
        kind = "markdown"
    return blocks.read(text, kind, base, 0)
