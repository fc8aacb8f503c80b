"""Joining the lines of a command again that a blank, a comment or an empty line tore apart."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.lean import pattern
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.shell.lost import Break
    from speclint.text import Mapped

_MARGIN = pattern(r"[ \t>]*")


def joined(text: Mapped, start: int, breaks: Sequence[Break]) -> tuple[Edit, ...]:
    """The edits after which a command that begins at ``start`` has all its lines; none where they cannot be made.

    No comment can stand among continued lines, so comments go above the command.
    """
    edits: list[Edit] = []
    comments: list[str] = []
    for one in breaks:
        edit = _whole_line(text, one) if one.kind in ("line", "empty") else _line_end(text, one)
        if edit is None:
            return ()
        edits.append(edit)
        comment = text.text[one.start : one.end].strip().lstrip("\\").strip().rstrip("\\").rstrip()
        if comment.startswith("#"):
            comments.append(comment)
    if comments:
        above = _above(text, start, comments)
        if above is None:
            return ()
        edits.insert(0, above)
    return tuple(edits)


def trimmed(text: Mapped, at: int, end: int) -> tuple[Edit, ...]:
    """The edit that takes out the characters ``at`` to ``end``."""
    span = text.exact(at, end)
    return (Edit(span, ""),) if span is not None else ()


def _line_end(text: Mapped, one: Break) -> Edit | None:
    """A backslash as the last character of a line."""
    source = text.text
    if one.kind == "blank":
        span = text.exact(one.start + 1, one.end)
        return Edit(span, "") if span is not None else None
    at = one.start
    if one.kind == "end":
        return next(iter(trimmed(text, len(source[:at].rstrip(" \t")), one.end)), None)
    while at and source[at - 1] in " \t":
        at -= 1
    if at == one.end:
        point = text.point(at)
        return Edit(point, " \\") if point is not None and text.exact(max(at - 1, 0), at) is not None else None
    span = text.exact(at, one.end)
    return Edit(span, " \\") if span is not None else None


def _whole_line(text: Mapped, one: Break) -> Edit | None:
    """A line taken out, with what stands in the margin before it."""
    place = text.exact(one.start, one.end) if one.end > one.start else text.point(one.start)
    if place is None:
        return None
    file = place.file
    begin = _line_start(file.text, place.start)
    after = file.text.find("\n", place.end)
    if not _MARGIN.fullmatch(file.text, begin, place.start) or after < 0 or file.text[place.end : after].strip():
        return None
    return Edit(Span(file, begin, after + 1), "")


def _above(text: Mapped, start: int, comments: Sequence[str]) -> Edit | None:
    """Comments on lines of their own before a command that begins its line."""
    place = text.point(start)
    if place is None or text.text[:start].rstrip(" \t").endswith(("\\\n", "\\\r\n")):
        return None
    source = place.file.text
    begin = _line_start(source, place.start)
    if not _MARGIN.fullmatch(source, begin, place.start):
        return None
    newline = "\r\n" if source[: source.find("\n") + 1].endswith("\r\n") else "\n"
    margin = source[begin : place.start]
    return Edit(Span(place.file, place.start, place.start), "".join(f"{c}{newline}{margin}" for c in comments))


def _line_start(source: str, at: int) -> int:
    return source.rfind("\n", 0, at) + 1
