"""Shell text as a tree: tree-sitter's nodes with origins in the file.

tree-sitter counts bytes of the text it was given; here every range becomes a ``Mapped`` slice, so that shell text
in a string or a block scalar keeps its places in the file.
"""

from __future__ import annotations

from bisect import bisect_left

from speclint.byteindex import ByteIndex
from speclint.hosts.shell.grammar import parsed
from speclint.hosts.shell.survey import Survey
from speclint.hosts.shell.trigger import Telling
from speclint.lean import pattern
from speclint.text import Mapped, Piece, Span
from speclint.value import EMPTY, Known
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.outline import Outline
    from speclint.splitting import Part

# White space of the grammar between two nodes, up to the end of the line.
_BLANK = pattern(rb"\\(?:\r?\n|[ \t\v\f])|[ \t]+|\r?\n")
_LINE_END = pattern(rb"(?<!\\)(?<!\\\r)\n")
_GAP = pattern(rb"(?:\\(?:\r?\n|[ \t\v\f])|[ \t])*")
_QUOTED_COMMENT = pattern(rb"(?<![^ \t\n])`#[^`\n]*`(?![^ \t\r\n\\])")
# Of a line no more is looked at than so many bytes.
_LINE = 1000
# Words that something may be put into.
TEXTS = frozenset(("string", "raw_string", "concatenation", "expansion", "simple_expansion"))
# What stands between two nodes is mostly one of a few things; what they are is kept.
_MAX_GAPS = 256
_MAX_GAP = 64
_gaps: dict[bytes, bool | None] = {}
_new = object.__new__


class Syntax:
    """One parsed piece of shell text.

    ``path``: the script that it is the whole of, seen from the folder of the script that is linted; None for others.
    ``events``: where names are read and set, by the bounds for which that was asked; ``effects``: those of functions,
    by where their bodies begin (see changes). ``tells``: whether what tells a launch stands in a node. ``wanted``: the
    places of what has to be followed, in order; None for all.
    """

    __slots__ = (
        "_data", "_outline", "_survey", "_whole", "effects", "events", "index", "path", "root", "telling", "tells",
        "text", "wanted", "wide",
    )  # fmt: skip

    def __init__(self, text: Mapped, path: str | None = None) -> None:
        self.text = text
        self.path = path
        data = text.text.encode("utf-8", "surrogateescape")
        self._data = _uncommented(data) if b"`#" in data else data
        self.index = ByteIndex(text.text)
        self.wide = len(self._data) > len(text.text)
        pieces = text.pieces
        whole = pieces[0] if len(pieces) == 1 else None
        self._whole = whole.span if whole is not None and whole.exact and whole.via is None else None
        self.root = parsed(self._data)
        self._survey: Survey | None = None
        self._outline: Outline | None = None
        self.telling = Telling(self._data)
        self.tells = self.telling.holds
        self.wanted: list[int] | None = None
        self.events: dict[tuple[int, int], list[tuple[int, str, int, int]]] = {}
        self.effects: dict[int, list[tuple[str, int]]] = {}

    def slice(self, start: int, end: int) -> Mapped:
        """The text between two byte offsets."""
        if self.wide:
            start, end = self.index(start), self.index(end)
        return self.text.part(start, end)

    def word(self, start: int, end: int, quote: int) -> Word | None:
        """A word that stands in the text as it is read, but for so many quotes at both ends; None if it is a value."""
        whole = self._whole
        if whole is None:
            text = self.text.part(start, end)
            if quote and (len(text.pieces) != 1 or text.holes()):
                return None
            return Word(Known(text.part(quote, end - start - quote)), text.place())
        # What follows is the same, without a call for each thing that is made: most words come this way.
        span, word, known, text, piece = _new(Span), _new(Word), _new(Known), _new(Mapped), _new(Piece)
        file, at = whole.file, whole.start
        span.file, span.start, span.end = file, at + start, at + end
        piece.length, piece.exact, piece.hole, piece.via, piece.span = end - start, True, None, None, span
        if quote:
            piece.length -= 2 * quote
            piece.span = Span(file, span.start + quote, span.end - quote)
        text.text, text.pieces, text._offsets = self.text.text[start + quote : end - quote], (piece,), None
        known.text, known.steps = text, ()
        word.value, word.span, word.guard, word.many = known, span, (), False
        return word

    def mapped(self, node: Node) -> Mapped:
        """The text of a node."""
        return self.slice(node.start_byte, node.end_byte)

    def bounds(self, first: Node, last: Node) -> tuple[Mapped, int, int]:
        """The whole text, and where in it two nodes begin and end."""
        return self.text, self.index(first.start_byte), self.index(last.end_byte)

    def apart(self, first: Node, second: Node) -> bool:
        """Whether a line ends between two nodes."""
        return b"\n" in self._data[first.end_byte : second.start_byte]

    def has(self, wanted: re.Pattern[bytes]) -> bool:
        """Whether an expression matches anywhere in the text."""
        return wanted.search(self._data) is not None

    @property
    def size(self) -> int:
        """How many bytes the text is."""
        return len(self._data)

    def holds(self, node: Node, *wanted: bytes) -> bool:
        """Whether one of some texts stands in a node."""
        start, end = node.start_byte, node.end_byte
        find = self._data.find
        for text in wanted:
            if find(text, start, end) >= 0:
                break
        else:
            return False
        return True

    def ends_line(self, node: Node, following: Node) -> bool:
        """Whether a line ends between two nodes that no backslash continues."""
        return _LINE_END.search(self._data, node.end_byte, following.start_byte) is not None

    def string(self, node: Node) -> str:
        """The plain text of a node."""
        return self._data[node.start_byte : node.end_byte].decode("utf-8", "surrogateescape")

    def head(self, node: Node, size: int) -> str:
        """The first bytes of the text of a node, where they are a text: without a look at the rest of a long one."""
        end = min(node.end_byte, node.start_byte + size)
        return self._data[node.start_byte : end].decode("utf-8", "replace")

    def span(self, node: Node) -> Span | None:
        """Where a node stands in the file, without blanks that the grammar counts to it."""
        start, end = node.start_byte, node.end_byte
        if self.wide:
            start, end = self.index(start), self.index(end)
        text = self.text.text
        while start < end and text[start] in " \t":
            start += 1
        return self.text.place(start, end)

    def words(self, nodes: Sequence[Node]) -> Iterator[list[Node | Mapped]]:
        """The words that consecutive nodes make.

        The grammar takes a backslash and a blank for white space, but to the shell it is a blank in a word: nodes
        around it are one word, and it may be a word of its own.
        """
        group: list[Node | Mapped] = []
        data, last = self._data, len(nodes) - 1
        for index, node in enumerate(nodes):
            group.append(node)
            at = node.end_byte
            limit = nodes[index + 1].start_byte if index < last else len(data)
            if limit <= at:
                continue
            gap = data[at:limit] if index < last else b""
            parts = (_gaps[gap] if gap in _gaps else _parts(gap)) if gap else None
            if parts is True:
                yield group
                group = []
            elif parts is None:
                yield from self._after(group, at, limit, index == last)
        if group:
            yield group

    def _after(self, group: list[Node | Mapped], at: int, limit: int, is_last: bool) -> Iterator[list[Node | Mapped]]:
        """The words that end in the text behind a node; ``group`` is left with what belongs to the next one."""
        gap = _GAP.match(self._data, at, limit)
        end = gap.end() if gap is not None else at
        for token in _BLANK.finditer(self._data, at, end):
            if token.group()[:1] == b"\\" and token.group()[1:2] not in b"\r\n":
                group.append(self.slice(token.start() + 1, token.end()))
            elif token.group()[:1] != b"\\" and group:
                yield group[:]
                group.clear()
        if not is_last and end < limit and group:
            yield group[:]
            group.clear()

    @property
    def outline(self) -> Outline:
        """What stands where in the text; made when it is asked for."""
        if self._outline is None:
            from speclint.hosts.shell.outline import Outline

            self._outline = Outline(self.root, self._data)
        return self._outline

    def wants(self, node: Node) -> bool:
        """Whether a node has to be followed."""
        wanted = self.wanted
        if wanted is None:
            return True
        at = bisect_left(wanted, node.start_byte)
        return at < len(wanted) and wanted[at] < node.end_byte

    @property
    def survey(self) -> Survey:
        """What the text reads, sets and calls; made when it is asked for."""
        if self._survey is None:
            self._survey = Survey(self.root, self._data, self.telling)
        return self._survey

    def uses(self, name: str) -> int:
        """How many places read the variable ``name``, those that only show it left out."""
        return self.survey.uses.get(name, 0)


def _uncommented(data: bytes) -> bytes:
    """A script with blanks for comments between backquotes, which the grammar takes to go on behind the second one."""

    def blanks(found: re.Match[bytes]) -> bytes:
        at = found.start()
        first = max(at - _LINE, 0)
        line = max(data.rfind(b"\n", first, at) + 1, first)
        return found[0] if data.count(b'"', line, at) % 2 else b" " * len(found[0])

    return _QUOTED_COMMENT.sub(blanks, data)


def _parts(gap: bytes) -> bool | None:
    """Whether the words around some text are two; None where it holds a blank that belongs to a word."""
    found = _GAP.match(gap)
    end = found.end() if found is not None else 0
    tokens = [token.group() for token in _BLANK.finditer(gap, 0, end)]
    parts: bool | None = end < len(gap) or any(token[:1] != b"\\" for token in tokens)
    if any(token[:1] == b"\\" and token[1:2] not in b"\r\n" for token in tokens):
        parts = None
    if len(gap) <= _MAX_GAP and len(_gaps) < _MAX_GAPS:
        _gaps[gap] = parts
    return parts


def literal(text: Mapped, quoted: bool) -> Iterator[Part]:
    """The parts of literal text: runs of plain text, and the values of its holes."""
    at = 0
    for piece in text.pieces:
        if piece.hole is not None:
            yield piece.hole, not quoted
        else:
            yield Known(text[at : at + piece.length]), False
        at += piece.length
    if not at:
        yield EMPTY, False


def escapes(source: str) -> Iterator[int]:
    """The places of backslashes that something follows, those left out that are themselves what follows one."""
    at = source.find("\\")
    while 0 <= at < len(source) - 1:
        yield at
        at = source.find("\\", at + 2)


def unescape(text: Mapped, escapable: str | None) -> Mapped:
    """Text with backslashes taken away: before any character, or (in double quotes) only before ``escapable``."""
    source = text.text
    if "\\" not in source:
        return text
    parts: list[Mapped] = []
    start = 0
    for at in escapes(source):
        width = 2 if source.startswith("\r\n", at + 1) and escapable is None else 1
        char = source[at + 1 : at + 1 + width]
        if char == "\n":
            parts.append(text[start:at])
            start = at + 2
        elif escapable is None or char in escapable:
            parts.append(text[start:at])
            start = at + 1
    return Mapped.join((*parts, text[start:])) if parts else text
