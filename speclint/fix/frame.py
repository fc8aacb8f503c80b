"""Text that a file holds with escapes: the cells of a notebook, strings of JSON. It is edited as what it reads as.

A frame is that text as a file of its own, in which layouts find rows, commas and comments as in any other; edits of it
are put back with the escapes, and with a string of its own for each line where the cell is written so.
"""

from __future__ import annotations

from bisect import bisect_right

from speclint.finding import Edit
from speclint.lean import pattern
from speclint.source import SourceError, SourceFile
from speclint.text import Mapped, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.json_text import Node, Tree

_SUFFIX = {"python": ".py", "shell": ".sh", "markdown": ".md"}
_SHELL_LINE = pattern(r"[ \t]*(?:\w[\w, \t]*=[ \t]*)?(?:!!?|%(?:sx|system|bash)[ \t])")
_MAGIC = pattern(r"\s*%%[ \t]*(?:script[ \t]+)?(?:\S*/)?(\w+|!)")
_GAP = pattern(r"[ \t\r\n]*(?:,[ \t\r\n]*)?")
_SHELLS = frozenset(("bash", "sh", "!", "system", "sx"))


class Frame:
    """``text`` as it reads, in ``host``; ``between``: what parts the strings of its lines, None for one string."""

    def __init__(self, text: Mapped, span: Span, host: str, between: str | None) -> None:
        self.text = text
        self.span = span
        self.host = host
        self.between = between
        self.pieces = [piece for piece in text.pieces if piece.span is not None]
        self._starts = [piece.span.start for piece in self.pieces if piece.span is not None]
        self._files: dict[str, SourceFile] = {}
        self._offsets: list[int] = []
        at = 0
        for piece in text.pieces:
            if piece.span is not None:
                self._offsets.append(at)
            at += piece.length

    def into(self, span: Span) -> Span | None:
        """The same place in the text as it reads; None where it begins or ends within an escape."""
        start, end = self._at(span.start, False), self._at(span.end, True)
        if start is None or end is None or start > end:
            return None
        file = self._file(self._language(start))
        return Span(file, start, end) if file is not None else None

    def _file(self, language: str) -> SourceFile | None:
        """The text as a file of a language; None where no file could hold it."""
        if language not in self._files:
            text = self.text.text
            try:
                # A name that tells the language, for whoever asks the file.
                found = SourceFile("frame" + _SUFFIX.get(language, ""), text.encode())
            except (SourceError, UnicodeEncodeError):
                return None
            if found.text != text:
                return None
            self._files[language] = found
        return self._files[language]

    def out(self, edit: Edit) -> Edit | None:
        """An edit of the text as it reads, as one of the file; None where that cannot be."""
        start, end = edit.span.start, edit.span.end
        if start < end:
            place = self.text.span(start, end)
        else:
            point = self.text.point(start)
            place = Span(point.file, point.start, point.start) if point is not None else None
        if place is None:
            return None
        if not edit.content and start < end and self.between is not None:
            place = self._whole(place)
        return Edit(place, self._escaped(edit.content))

    def _at(self, offset: int, end: bool) -> int | None:
        """Where an offset of the file lies in the text; ``end``: behind a character rather than before one."""
        index = bisect_right(self._starts, offset - 1 if end else offset) - 1
        if index < 0:
            return None
        piece, at = self.pieces[index], self._offsets[index]
        assert piece.span is not None
        if piece.exact:
            inside = offset - piece.span.start
            return at + inside if 0 <= inside <= piece.length else None
        if offset == piece.span.start:
            return at
        return at + piece.length if offset == piece.span.end else None

    def _language(self, at: int) -> str:
        """The language of the text at an offset: lines of a cell may be for the shell."""
        if self.host != "notebook":
            return self.host
        text = self.text.text
        magic = _MAGIC.match(text)
        if magic is not None and magic[1] in _SHELLS:
            return "shell"
        row = text.rfind("\n", 0, at) + 1
        while row and text[:row].endswith("\\\n"):
            row = text.rfind("\n", 0, row - 1) + 1
        return "shell" if _SHELL_LINE.match(text, row) else "python"

    def _escaped(self, content: str) -> str:
        import json

        lines = [json.dumps(line, ensure_ascii=False)[1:-1] for line in content.split("\n")]
        return f"\\n{self.between or ''}".join(lines)

    def _whole(self, place: Span) -> Span:
        """Lines that are taken out whole go with their quotes and their comma."""
        text = place.file.text
        if text[place.start - 1 : place.start] != '"' or text[place.end : place.end + 1] != '"':
            return place
        start, end = place.start - 1, place.end + 1
        gap = _GAP.match(text, end)
        if gap is not None and "," in gap.group():
            return Span(place.file, start, gap.end())
        before = text[:start].rstrip()
        return Span(place.file, len(before) - 1, end) if before.endswith(",") else place


# The file that was asked about last, its frames, and where each of them begins.
_last: tuple[SourceFile, list[Frame], list[int]] | None = None


def frame_of(span: Span, host: str) -> Frame | None:
    """The frame that a place of a file lies in; None where the text is what it reads as."""
    global _last
    if host not in ("notebook", "json"):
        return None
    if _last is None or _last[0] is not span.file:
        found = sorted(_frames(span.file, host), key=lambda frame: frame.span.start)
        _last = (span.file, found, [frame.span.start for frame in found])
    _, frames, starts = _last
    at = bisect_right(starts, span.start) - 1
    # The whole of a string, with its quotes, is an item of the file itself.
    return frames[at] if at >= 0 and frames[at].span.start < span.start < frames[at].span.end else None


def _frames(file: SourceFile, host: str) -> Iterator[Frame]:
    from speclint.hosts.json_text import Json
    from speclint.hosts.notebook import cells

    text = Mapped.of(file)
    try:
        source = Json(text, host == "json")
    except SourceError:
        return
    if host == "json":
        yield from (frame for node in _strings(source.root) if (frame := _string(source, node)) is not None)
        return
    shell = source.plain(source.get(source.root, "metadata", "kernelspec", "language")) in ("bash", "shell", "sh")
    for cell in cells(source):
        kind = cell.kind if cell.kind == "markdown" else "shell" if shell else "notebook"
        yield Frame(cell.text, cell.span, kind, _between(cell.span))


def _strings(root: Node) -> Iterator[Node]:
    todo = [root]
    while todo:
        node = todo.pop()
        if node.kind == "string":
            yield node
        todo.extend(node.items)


def _string(source: Tree, node: Node) -> Frame | None:
    text, span = source.string(node), source.span(node)
    return Frame(text, span, "shell", None) if text is not None and text.text and span is not None else None


def _between(span: Span) -> str | None:
    """What stands between the strings of a cell's lines, as the first of them has it."""
    text = span.file.text
    if not text.startswith("[", span.start):
        return None
    first = span.start + 1
    while text[first : first + 1] in " \t\r\n" and first < span.end:
        first += 1
    return '",' + (text[span.start + 1 : first] or " ") + '"'
