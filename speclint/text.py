"""Text that remembers where it came from.

A flag may stand in a shell string in a YAML block scalar in a ConfigMap. Each layer decodes its own text; ``Mapped``
carries for every character the place in the file, through every layer, so that a finding has its own row and column
and a fix replaces exactly the characters it means.
"""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.source import SourceFile
    from speclint.value import Value

# Stands for text that is not known here (a template, an f-string field); see Piece.hole.
HOLE = "\ufffc"


class Span:
    """A half-open range of code points in one file."""

    __slots__ = ("end", "file", "start")

    def __init__(self, file: SourceFile, start: int, end: int) -> None:
        self.file = file
        self.start = start
        self.end = end

    @property
    def text(self) -> str:
        """The characters in the file."""
        return self.file.text[self.start : self.end]

    def to(self, other: Span | None) -> Span:
        """The span from the start of this to the end of ``other``, where they are in one file and in order."""
        if other is None or other.file is not self.file:
            return self
        return Span(self.file, min(self.start, other.start), max(self.end, other.end))

    def key(self) -> tuple[str, int, int]:
        """For sorting."""
        return (self.file.path, self.start, self.end)

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, Span) and self.file is other.file and self.start == other.start and self.end == other.end
        )

    def __hash__(self) -> int:
        return hash((id(self.file), self.start, self.end))

    def __repr__(self) -> str:
        return f"Span({self.file.path}, {self.start}, {self.end})"


class Piece:
    """``length`` characters of a Mapped and their origin.

    ``span`` is where they were written, or None. ``exact``: one character here is one character there, in order;
    otherwise the characters stand for the span as a whole (an escape, a folded line end). ``hole``: the value that
    the placeholder characters stand for. ``via``: the place (``$TP``) through which characters that were written
    elsewhere came into this text.
    """

    __slots__ = ("exact", "hole", "length", "span", "via")

    def __init__(
        self,
        length: int,
        span: Span | None,
        exact: bool = False,
        hole: Value | None = None,
        via: Span | None = None,
    ) -> None:
        self.length = length
        self.span = span
        self.exact = exact
        self.hole = hole
        self.via = via

    def cut(self, start: int, end: int) -> Piece:
        """Characters ``start`` to ``end`` of the piece."""
        if start <= 0 and end >= self.length:
            return self
        return Piece(end - start, self.part(start, end), self.exact, self.hole, self.via)

    def part(self, start: int, end: int) -> Span | None:
        """The origin of characters ``start`` to ``end``."""
        span = self.span
        if span is None or not self.exact or (start <= 0 and end >= self.length):
            return span
        return Span(span.file, span.start + start, span.start + end)


# What is made by the ten thousand is made without __init__, whose call takes longer than all that it does.
_new = object.__new__


class Mapped:
    """Immutable text with origins."""

    __slots__ = ("_offsets", "pieces", "text")

    def __init__(self, text: str, pieces: Iterable[Piece]) -> None:
        self.text = text
        self.pieces = tuple([p for p in pieces if p.length])
        self._offsets: list[int] | None = None
        covered = sum([p.length for p in self.pieces])
        if covered != len(text):
            raise ValueError(f"pieces cover {covered} of {len(text)} characters")

    @classmethod
    def _made(cls, text: str, pieces: tuple[Piece, ...]) -> Mapped:
        """What __init__ makes of pieces that are known to fit."""
        made = _new(cls)
        made.text = text
        made.pieces = pieces
        made._offsets = None
        return made

    @classmethod
    def of(cls, file: SourceFile, start: int = 0, end: int | None = None) -> Mapped:
        """The characters of a file as they stand."""
        end = len(file.text) if end is None else end
        if end <= start:
            return cls("", ())
        span, piece = _new(Span), _new(Piece)
        span.file, span.start, span.end = file, start, end
        piece.length, piece.span, piece.exact, piece.hole, piece.via = end - start, span, True, None, None
        return cls._made(file.text[start:end], (piece,))

    @classmethod
    def new(cls, text: str, span: Span | None = None) -> Mapped:
        """Text that stands nowhere as such; ``span`` is what it was made from."""
        made = _new(cls)
        made.text = text
        if text:
            piece = _new(Piece)
            piece.length, piece.span, piece.exact, piece.hole, piece.via = len(text), span, False, None, None
            made.pieces = (piece,)
        else:
            made.pieces = ()
        made._offsets = None
        return made

    @classmethod
    def hole(cls, value: Value, span: Span | None, length: int = 1) -> Mapped:
        """A placeholder for a value that is not plain text."""
        return cls(HOLE * length, (Piece(length, span, False, value),))

    @classmethod
    def join(cls, parts: Iterable[Mapped]) -> Mapped:
        """Concatenation."""
        parts = list(parts)
        if len(parts) == 1:
            return parts[0]
        pieces: list[Piece] = []
        for part in parts:
            for piece in part.pieces:
                last = pieces[-1] if pieces else None
                if last is not None and _adjoins(last, piece):
                    assert last.span is not None
                    assert piece.span is not None
                    pieces[-1] = Piece(last.length + piece.length, last.span.to(piece.span), True, None, last.via)
                else:
                    pieces.append(piece)
        return cls._made("".join([p.text for p in parts]), tuple(pieces))

    def __len__(self) -> int:
        return len(self.text)

    def __add__(self, other: Mapped) -> Mapped:
        return Mapped.join((self, other))

    def __getitem__(self, key: slice) -> Mapped:
        start, end, _ = key.indices(len(self.text))
        return self.part(start, end)

    def part(self, start: int, end: int) -> Mapped:
        """What a slice gives, of bounds that lie within the text."""
        text = self.text
        if start == 0 and end == len(text):
            return self
        if end <= start:
            return Mapped._made("", ())
        pieces = self.pieces
        made = _new(Mapped)
        made.text = text[start:end]
        if len(pieces) == 1:
            whole = pieces[0]
            piece = _new(Piece)
            piece.length, piece.exact, piece.hole, piece.via = end - start, whole.exact, whole.hole, whole.via
            span = whole.span
            if span is not None and whole.exact:
                cut = _new(Span)
                cut.file, cut.start, cut.end = span.file, span.start + start, span.start + end
                span = cut
            piece.span = span
            made.pieces = (piece,)
        else:
            made.pieces = tuple(self.cut(start, end))
        made._offsets = None
        return made

    def cut(self, start: int, end: int) -> Sequence[Piece]:
        """The pieces of characters ``start`` to ``end``."""
        pieces = self.pieces
        if end <= start:
            return ()
        if len(pieces) == 1:
            return (pieces[0].cut(max(start, 0), min(end, pieces[0].length)),) if start < pieces[0].length else ()
        offsets = self._offsets
        if offsets is None:
            at = 0
            offsets = self._offsets = []
            for piece in pieces:
                offsets.append(at)
                at += piece.length
        index = max(bisect_right(offsets, start) - 1, 0)
        found: list[Piece] = []
        while index < len(pieces) and offsets[index] < end:
            at = offsets[index]
            part = pieces[index].cut(max(start - at, 0), min(end - at, pieces[index].length))
            if part.length > 0:
                found.append(part)
            index += 1
        return found

    def span(self, start: int = 0, end: int | None = None) -> Span | None:
        """Where the characters were written: the range that covers them, None if they come from nowhere.

        Where they come from several files or from places out of order, it is that of the first run in order.
        """
        pieces = self.pieces
        if start == 0 and (end is None or end == len(self.text)):
            return pieces[0].span if len(pieces) == 1 else _cover([piece.span for piece in pieces])
        end = len(self.text) if end is None else end
        if len(pieces) == 1 and 0 <= start < end <= len(self.text):
            return pieces[0].part(start, end)
        return _cover([piece.span for piece in self.cut(start, end)])

    def place(self, start: int = 0, end: int | None = None) -> Span | None:
        """Where the characters are used: as ``span``, but a value that was spliced in counts where that was done."""
        end = len(self.text) if end is None else end
        pieces = self.pieces
        if len(pieces) == 1 and 0 <= start < end <= len(self.text):
            return pieces[0].via or pieces[0].part(start, end)
        return _cover([piece.via or piece.span for piece in self.cut(start, end)])

    def through(self, via: Span) -> Mapped:
        """The same text, spliced into other text at ``via``; what was spliced in before keeps its place."""
        return Mapped._made(
            self.text, tuple([Piece(p.length, p.span, p.exact, p.hole, p.via or via) for p in self.pieces])
        )

    def point(self, offset: int) -> Span | None:
        """The empty span before the character at ``offset`` (after the last one, at the end)."""
        if offset < len(self.text):
            found = self.span(offset, offset + 1)
            return Span(found.file, found.start, found.start) if found else None
        found = self.span(offset - 1, offset) if offset else None
        return Span(found.file, found.end, found.end) if found else None

    def exact(self, start: int = 0, end: int | None = None) -> Span | None:
        """The span whose replacement replaces these characters and nothing else; None where there is none.

        That is one unbroken run of exact pieces of one file.
        """
        end = len(self.text) if end is None else end
        result: Span | None = None
        for piece in self.cut(start, end):
            if piece.span is None or not piece.exact:
                return None
            if result is None:
                result = piece.span
            elif piece.span.file is not result.file or piece.span.start != result.end:
                return None
            else:
                result = result.to(piece.span)
        return result

    def holes(self) -> bool:
        """Whether any part is a placeholder."""
        pieces = self.pieces
        if len(pieces) == 1:
            return pieces[0].hole is not None
        return any(p.hole is not None for p in pieces)

    def __repr__(self) -> str:
        return f"Mapped({self.text!r})"


def _cover(spans: Iterable[Span | None]) -> Span | None:
    result: Span | None = None
    for span in spans:
        if span is None:
            continue
        if result is None:
            result = span
        elif span.file is not result.file or span.start < result.start:
            break
        else:
            result = result.to(span)
    return result


def _adjoins(last: Piece, piece: Piece) -> bool:
    return bool(
        last.exact
        and piece.exact
        and last.via == piece.via
        and last.span is not None
        and piece.span is not None
        and last.span.file is piece.span.file
        and last.span.end == piece.span.start
    )
