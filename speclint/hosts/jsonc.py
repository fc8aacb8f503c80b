"""The JSON host: settings of editors and containers for development, scripts of packages, manifests in JSON."""

from __future__ import annotations

from speclint.hosts.json_text import Json
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile

# Written so that the word is looked for first, which takes a fraction of what trying every place takes.
_LAUNCH = pattern(r"sglang(?:(?<=\bsglang)\b[\s\S]{0,60}\bserve\b|(?<=\w\.sglang)\b|\.\w)")

_OPTION = pattern(r"\"(?:\s|\\[nrt])*--[a-z]")
# Larger files are data of other kinds.
_MAX_OPTIONS = 2_000_000


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a file holds; one that holds no launch is not parsed. Raises SourceError."""
    base = Command((), Span(file, 0, len(file.text)), "json", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that JSON holds, comments allowed. Raises SourceError."""
    if not may_launch(text.text):
        return _options(text, depth)
    from speclint.hosts import settings

    source = Json(text, comments=True)
    if any(source.get(source.root, *key) is not None for key in (("apiVersion",), ("services",))):
        from speclint.hosts import yaml

        return yaml.read_text(text, [], base.fixable, depth + 1)
    found = [*settings.commands(source, base), *_options(text, depth)]
    return sorted(found, key=lambda command: command.span.start)


def may_launch(text: str) -> bool:
    """Whether settings in a text may start something."""
    return "launch_server" in text or _LAUNCH.search(text) is not None


def _options(text: Mapped, depth: int) -> list[Command]:
    """Lists of options without a program; mappings of them are what a program has told of itself as often as not."""
    lowered = text.text.lower() if len(text) < _MAX_OPTIONS else ""
    if "sglang" not in lowered or '"--' not in lowered or not _OPTION.search(lowered):
        return []
    from speclint.hosts import yaml

    # Nothing is edited there: what is right in YAML may be wrong in JSON.
    found = [command for command in yaml.read_text(text, [], False, depth + 1) if command.under]
    for command in found:
        command.host = "json"
    return [command for command in found if command.keywords is None]
