"""A file as it lies on disk: its bytes, its text, and rows and columns in it.

Nothing is normalised: newlines, a byte order mark and a missing last newline stay what they are, so that
text outside an edit can be written back byte for byte.
"""

from __future__ import annotations

from bisect import bisect_right

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_NEWLINE = pattern(r"\r\n|\n|\r")
_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
# From here on it pays to import array, which takes 3 ms.
_MANY = 1_000
_PIECE = 1 << 20
UTF8_BOM = b"\xef\xbb\xbf"


class SourceError(Exception):
    """An input that cannot be read or parsed; ``str()`` says why, for people.

    ``row`` and ``column`` (from 1, code points) tell the place where one is known.
    """

    def __init__(self, message: str, row: int | None = None, column: int | None = None) -> None:
        super().__init__(message)
        self.row = row
        self.column = column


def _wide(raw: bytes) -> bool:
    """Whether every other byte is zero, as in UTF-16 without a mark."""
    zeros = sorted((raw[0:512:2].count(0), raw[1:512:2].count(0)))
    half = len(raw[:512]) // 2
    return zeros[1] * 5 > half * 4 and zeros[0] * 5 < half


def _compact(numbers: Sequence[int]) -> Sequence[int]:
    """Numbers in 8 bytes each, if they are many: a list takes 40, and a run keeps those of all files with a finding."""
    if len(numbers) < _MANY or not isinstance(numbers, list):
        return numbers
    from array import array

    return array("q", numbers)


def row_starts(text: str) -> Sequence[int]:
    """The offsets (code points) at which the rows of a text begin."""
    if len(text) > _PIECE:
        return _large_starts(text)
    if "\r" in text:
        return [0, *[match.end() for match in _NEWLINE.finditer(text)]]
    starts = [0]
    at = 0
    for line in text.split("\n"):
        at += len(line) + 1
        starts.append(at)
    starts.pop()
    return starts


def _large_starts(text: str) -> Sequence[int]:
    """As ``row_starts``, with room for the lines of one piece at a time: that of all is several times the text."""
    from array import array

    starts = array("q", (0,))
    if "\r" in text:
        starts.extend(match.end() for match in _NEWLINE.finditer(text))
        return starts
    for at in range(0, len(text), _PIECE):
        *lines, _ = text[at : at + _PIECE].split("\n")
        for line in lines:
            at += len(line) + 1
            starts.append(at)
    return starts


class SourceFile:
    """One input.

    ``path`` is the name as it was given, joined with what the walk added. ``text`` is the decoded content
    without a byte order mark; bytes that are no UTF-8 are kept as lone surrogates and ``clean`` is false then.
    ``host`` is the language that it is in, once somebody has asked for that (fix.origin). Compared by identity: two
    readings of a path are two files.
    """

    __slots__ = ("_starts", "bom", "clean", "host", "path", "raw", "text")

    def __init__(self, path: str, raw: bytes) -> None:
        """Decode ``raw``. Raises SourceError for binary data and for UTF-16 or UTF-32."""
        for mark, name in _BOMS:
            if raw.startswith(mark):
                raise SourceError(f"the file is {name}; speclint reads UTF-8")
        if b"\0" in raw:
            told = "the file looks like UTF-16; speclint reads UTF-8" if _wide(raw) else "the file is binary"
            raise SourceError(told)
        self.path = path
        self.raw = raw
        self.bom = UTF8_BOM if raw.startswith(UTF8_BOM) else b""
        body = raw[len(self.bom) :] if self.bom else raw
        try:
            self.text = body.decode("utf-8")
            self.clean = True
        except UnicodeDecodeError:
            self.text = body.decode("utf-8", "surrogateescape")
            self.clean = False
        self.host: str | None = None
        self._starts: Sequence[int] | None = None

    @property
    def line_starts(self) -> Sequence[int]:
        """Offsets (code points) at which rows begin; computed once."""
        if self._starts is None:
            self._starts = _compact(row_starts(self.text))
        return self._starts

    def location(self, offset: int) -> tuple[int, int]:
        """Row and column, both from 1, of an offset in code points."""
        starts = self.line_starts
        row = bisect_right(starts, offset)
        return row, offset - starts[row - 1] + 1

    def offset(self, row: int, column: int = 1) -> int:
        """The offset of a row and column (from 1); past the end it is the end of the text."""
        starts = self.line_starts
        if row > len(starts):
            return len(self.text)
        return min(starts[row - 1] + column - 1, len(self.text))

    def line(self, row: int) -> str:
        """The text of a row without its newline; empty for a row that is not there."""
        starts = self.line_starts
        if not 1 <= row <= len(starts):
            return ""
        end = starts[row] if row < len(starts) else len(self.text)
        return self.text[starts[row - 1] : end].rstrip("\r\n")

    def newline(self, offset: int = 0) -> str:
        """The newline in use at an offset: that of its row, else the first of the file, else ``\\n``."""
        found = _NEWLINE.search(self.text, offset) or _NEWLINE.search(self.text)
        return found.group() if found else "\n"

    def encode(self, text: str) -> bytes:
        """The bytes of this file with ``text`` in place of its content."""
        return self.bom + text.encode("utf-8", "strict" if self.clean else "surrogateescape")

    def __repr__(self) -> str:
        return f"SourceFile({self.path!r})"
