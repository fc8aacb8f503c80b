"""The AsciiDoc host: listing and literal blocks, between lines of ``----``, ``....`` or backquotes."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile

_FENCE = pattern(r"(?P<fence>-{4,}|\.{4,}|`{3,})(?P<tag>(?:(?<=`)[\w+-]+)?)[ \t]*(?=[\r\n]|\Z)")
# Blocks whose text is not shown at all.
_COMMENT = pattern(r"/{4,}[ \t]*(?=[\r\n]|\Z)")
# ``[source,bash]``, ``[,bash]``, ``[source%linenums,bash,subs=+quotes]``.
_STYLE = pattern(r"\[(?:source|listing)?(?:[%.#][^,\]\r\n]*)?,[ \t]*(?P<tag>[\w+-]+)[^\]\r\n]*\][ \t]*(?=[\r\n]|\Z)")
_ATTRIBUTES = pattern(r"\[[^\r\n]*\][ \t]*(?=[\r\n]|\Z)|\.[^\s.][^\r\n]*|\+[ \t]*(?=[\r\n]|\Z)")
# A number at the end of a line that a list below explains, and what may make a comment of it. No line has more of them.
_CALLOUT = pattern(r"<(?:\d{1,3}|\.)>")
_GUARDS = ("#", "//")
_LONGEST, _MOST = 5, 16


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a document shows. Text is never unreadable."""
    base = Command((), Span(file, 0, len(file.text)), "asciidoc", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that AsciiDoc shows."""
    found: list[Command] = []
    imports: list[Mapped] = []
    tag = ""
    fence: str | None = None
    begun = 0
    for start, end in blocks.lines(text.text):
        if fence is not None:
            if text.text[start:end].rstrip() != fence:
                continue
            kind = blocks.language(tag) if fence[0] != "/" else None
            if kind is not None and blocks.triggers(text.text, begun, start):
                body = _without_callouts(text, begun, start)
                found += blocks.read(blocks.dedent(body), kind, base, depth, imports)
                if kind == "python":
                    imports += blocks.import_lines(body)
            fence, tag = None, ""
            continue
        opens = _FENCE.match(text.text, start, end) or _COMMENT.match(text.text, start, end)
        if opens is not None:
            fence, begun = opens[0].rstrip(), end
            if fence[0] == "`":
                fence, tag = opens["fence"], opens["tag"] or tag
            continue
        style = _STYLE.match(text.text, start, end)
        tag = style["tag"] if style is not None else tag if _ATTRIBUTES.match(text.text, start, end) else ""
    return found


def _without_callouts(text: Mapped, start: int, end: int) -> Mapped:
    """The text of a block without the numbers at the ends of its lines."""
    whole = text.text
    parts: list[Mapped] = []
    at = start
    for first, last in blocks.lines(whole, start, end):
        stop = last - len(whole[first:last]) + len(whole[first:last].rstrip())
        kept = stop
        for _ in range(_MOST):
            opens = whole.rfind("<", max(first, kept - _LONGEST), kept)
            if opens <= first or whole[opens - 1] not in " \t" or _CALLOUT.fullmatch(whole, opens, kept) is None:
                break
            kept = first + len(whole[first:opens].rstrip())
        if kept == stop:
            continue
        guard = next((one for one in _GUARDS if whole.endswith((" " + one, "\t" + one), first, kept)), "")
        kept -= len(guard)
        parts.append(text[at : first + len(whole[first:kept].rstrip())])
        at = stop
    return Mapped.join([*parts, text[at:end]]) if parts else text[start:end]
