"""The value of a YAML scalar, with the place of each of its characters.

A parser gives a scalar's value and the range in which it is written, not what became of what. This module decodes the
range once more, piece by piece. The parser stays the authority: where the two differ, the parser's value stands and
its origin is the scalar as a whole, so that nothing in it can be edited.
"""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.text import Mapped, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

# Text of a value, the range it stands for, and whether that range is the very same text.
Part = tuple[str, int, int, bool]

# YAML 1.1 knows five line breaks; the first three are one newline in a value, the last two stay what they are.
BREAK = "(?:\r\n|[\r\n\x85\u2028\u2029])"
_KEPT = "\u2028\u2029"
_BREAK = pattern(BREAK)
_PROPERTY = pattern(rf"(?:!<[^>\s]*>|[&!][^\s,\[\]{{}}]*|#[^\r\n\x85\u2028\u2029]*|[ \t]|{BREAK})*")
_FOLD = rf"[ \t]*{BREAK}(?:[ \t]*{BREAK})*[ \t]*"
# The last part keeps a long run of blanks from being tried again from each of its characters.
_PLAIN = pattern(rf"(?P<fold>{_FOLD})|[ \t]+")
_SINGLE = pattern(rf"(?P<quote>'')|(?P<fold>{_FOLD})|[ \t]+")
_DOUBLE = pattern(
    rf"\\(?P<join>{BREAK}(?:[ \t]*{BREAK})*[ \t]*)|\\(?P<hex>x.{{2}}|u.{{4}}|U.{{8}})|\\(?P<char>.)"
    rf"|(?P<fold>{_FOLD})|[ \t]+",
    re.DOTALL,
)
_LINE = pattern(rf"([^\r\n\x85\u2028\u2029]*)({BREAK}|\Z)")
_HEADER = pattern(rf"[|>]([-+0-9]*)[ \t]*(?:#[^\r\n\x85\u2028\u2029]*)?(?:{BREAK}|\Z)")
_ESCAPES = {
    "0": "\0", "a": "\x07", "b": "\x08", "t": "\t", "\t": "\t", "n": "\n", "v": "\x0b", "f": "\x0c", "r": "\r",
    "e": "\x1b", " ": " ", '"': '"', "/": "/", "\\": "\\", "N": "\x85", "_": "\xa0", "L": "\u2028", "P": "\u2029",
}  # fmt: skip


def read(source: Mapped, start: int, end: int, style: str, value: str) -> Mapped:
    """The scalar that stands at ``start`` to ``end`` of ``source`` and of which a parser says that it is ``value``.

    ``style`` is the parser's: "" or None for plain, or one of the characters that begin the others.
    """
    at = skip_properties(source.text, start, end)
    first, last = (at + 1, end - 1) if style in ("'", '"') else (at, end)
    if style not in ("|", ">") and source.text[first:last] == value:  # most are written as they read
        return source[first:last]
    try:
        parts = decode(source.text, at, end, style or "", _indent(source.text, at, end, style, value))
    except (ValueError, OverflowError):
        parts = []
    if "".join(part[0] for part in parts) != value:
        return Mapped.new(value, source.span(at, end))
    return _compose(source, parts)


def skip_properties(text: str, start: int, end: int) -> int:
    """Where a node itself begins: marks count the anchor and the tag before it as part of it."""
    if text[start : start + 1] not in ("&", "!"):
        return start
    found = _PROPERTY.match(text, start, end)
    return found.end() if found else start


def decode(text: str, start: int, end: int, style: str, indent: int | None = None) -> list[Part]:
    """The parts of the value of the scalar at ``start`` to ``end``, properties left out.

    ``indent`` is the column in which the lines of a block scalar begin, where its header tells it relative to the
    parent (``|2``). Raises ValueError for what is no scalar of that style.
    """
    if style in ("|", ">"):
        return list(_block(text, start, end, style == ">", indent))
    if style == "'":
        return list(_flow(text, start + 1, end - 1, _SINGLE))
    if style == '"':
        return list(_flow(text, start + 1, end - 1, _DOUBLE))
    return list(_flow(text, start, end, _PLAIN))


def _compose(source: Mapped, parts: list[Part]) -> Mapped:
    """The parts as text whose origins are those of ``source``."""
    pieces: list[Piece] = []
    for text, start, end, exact in parts:
        if exact:
            pieces.extend(source.cut(start, end))
        else:
            pieces.append(Piece(len(text), source.span(start, end)))
    return Mapped("".join(part[0] for part in parts), pieces)


def _newline(char: str) -> str:
    return char if char in _KEPT else "\n"


def _folded(breaks: list[str]) -> str:
    """What a line end within a flow scalar means: one is a blank, of several the first is dropped."""
    first, rest = _newline(breaks[0]), "".join(_newline(b) for b in breaks[1:])
    return first + rest if first != "\n" else rest or " "


def _flow(text: str, start: int, end: int, pattern: re.Pattern[str]) -> Iterator[Part]:
    at = start
    for found in pattern.finditer(text, start, end):
        kind = found.lastgroup
        if kind is None:
            continue
        if found.start() > at:
            yield text[at : found.start()], at, found.start(), True
        at = found.end()
        yield _replacement(kind, found), found.start(), at, False
    if end > at:
        yield text[at:end], at, end, True


def _replacement(kind: str, found: re.Match[str]) -> str:
    written = found.group(kind)
    if kind == "quote":
        return "'"
    if kind == "hex":
        return chr(int(written[1:], 16))
    if kind == "char":
        if written not in _ESCAPES:
            raise ValueError(written)
        return _ESCAPES[written]
    breaks = _BREAK.findall(written)
    return "".join(_newline(b) for b in breaks[1:]) if kind == "join" else _folded(breaks)


def _indent(text: str, start: int, end: int, style: str | None, value: str) -> int | None:
    """The column in which the text of a block scalar with an indentation indicator begins.

    The indicator counts from the parent, which is not at hand; the value says how many blanks are its own of the first
    line that is not blank or, where all are, of the longest.
    """
    header = _HEADER.match(text, start, end) if style in ("|", ">") else None
    if header is None or not any(c.isdigit() for c in header.group(1)):
        return None
    lines = [line for line, _ in _LINE.findall(text, header.end(), end)]
    kept = re.split("[\n\u2028\u2029]", value)
    for line in lines:
        if line.strip(" "):
            return _lead(line) - _lead(next((v for v in kept if v.strip(" ")), ""))
    return max(map(len, lines)) - max(map(len, kept))


def _lead(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _block(text: str, start: int, end: int, fold: bool, indent: int | None) -> Iterator[Part]:
    header = _HEADER.match(text, start, end)
    if header is None:
        raise ValueError("no header")
    lines = list(_lines(text, header.end(), end))
    if indent is None:
        indent = _detect(lines)
    last: tuple[str, int, int, bool] | None = None  # the break after the last line with text, and whether it folds
    breaks: list[Part] = []
    for line, at, stop, brk in lines:
        lead = min(_lead(line), indent)
        body = line[lead:]
        begin = at + lead
        if not body:
            breaks.append(_break_part(brk, begin, stop))
            continue
        if last is not None:
            yield from _between(last, breaks, fold and body[0] not in " \t")
        else:
            yield from breaks
        breaks = []
        yield body, begin, begin + len(body), True
        last = (brk, begin + len(body), stop, body[0] not in " \t")
    yield from _tail(header.group(1), last, breaks)


def _lines(text: str, start: int, end: int) -> Iterator[tuple[str, int, int, str]]:
    """Each line: its text, where it begins, where its break ends, its break."""
    for found in _LINE.finditer(text, start, end):
        if found.end() > found.start():
            yield found.group(1), found.start(), found.end(), found.group(2)


def _detect(lines: list[tuple[str, int, int, str]]) -> int:
    """The indentation where none is told: that of the first line with text, or of a longer blank one before it."""
    most = 1
    for line, _, _, _ in lines:
        most = max(most, _lead(line))
        if line.strip(" "):
            break
    return most


def _break_part(written: str, start: int, end: int) -> Part:
    return (_newline(written) if written else "", start, end, written == "\n" or written in _KEPT)


def _between(last: tuple[str, int, int, bool], breaks: list[Part], fold: bool) -> Iterator[Part]:
    """What stands between two lines with text."""
    brk, start, end, folds = last
    if fold and folds and _newline(brk) == "\n":
        if not breaks:
            yield " ", start, end, False
    else:
        yield _break_part(brk, start, end)
    yield from breaks


def _tail(header: str, last: tuple[str, int, int, bool] | None, breaks: list[Part]) -> Iterator[Part]:
    """The line ends after the last text, as the chomping indicator wants them."""
    if "-" in header:
        return
    if last is not None and last[0]:
        yield _break_part(last[0], last[1], last[2])
    if "+" in header:
        yield from breaks
