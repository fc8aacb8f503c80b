"""Python string literals with origins.

The grammar is that of Python 3.14; what an older Python accepts reads the same. The value is what Python gives the
literal (``ast`` is asked to confirm it by those who call this), and every character knows where it was written.
"""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_OPEN = pattern(r"([A-Za-z]{0,2})('''|\"\"\"|'|\")")
_GAP = pattern(r"(?:[ \t\f\r\n]+|#[^\r\n]*|\\\r?\n|\\\r)*")
_PREFIXES = frozenset(("", "r", "u", "b", "br", "rb", "f", "fr", "rf"))
_CLOSE = {quote: pattern(rf"\\.|{quote}", re.DOTALL) for quote in ("'", '"', "'''", '"""')}
_NEWLINE = r"\r\n?"
_ESCAPE = r"\\(?:\r\n|N\{[^}]*\}|[0-7]{1,3}|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|(?=[{}])|[^{}])"
_PLAIN = pattern(rf"{_ESCAPE}|\\[{{}}]|{_NEWLINE}", re.DOTALL)
_RAW = pattern(_NEWLINE)
_SIMPLE = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
# What an f-string is read by: by its quotes, and whether it is raw and what is read the format of a field.
_F_BODY = {
    (quote, raw, spec): pattern(rf"{escape}|{_NEWLINE}|{braces}|{quote}", re.DOTALL)
    for quote in _CLOSE
    for raw, escape in ((True, r"\\[^{}]"), (False, _ESCAPE))
    for spec, braces in ((True, r"[{}]"), (False, r"\{\{|\}\}|[{}]"))
}


class LiteralError(Exception):
    """A literal that this module does not read; its value has to come from elsewhere."""


class Field:
    """A replacement field of an f-string: the expression stands at ``start`` to ``end`` of the text.

    ``conversion`` is "r", "s", "a" or None; ``spec`` the format specification, itself parts; ``debug`` the text that
    ``{x=}`` puts before the value.
    """

    __slots__ = ("conversion", "debug", "end", "spec", "start")

    def __init__(self, start: int, end: int) -> None:
        self.start = start
        self.end = end
        self.conversion: str | None = None
        self.spec: list[Part] | None = None
        self.debug: Mapped | None = None


Part = Mapped | Field


def read(text: Mapped, start: int, end: int) -> list[Part]:
    """The parts of the literal, or of several that stand side by side, at ``start`` to ``end``.

    Text without fields is one Mapped. Characters of a bytes literal are its bytes. Raises LiteralError.
    """
    scanner = _Scanner(text, end)
    parts: list[Part] = []
    while True:
        found = _GAP.match(text.text, start, end)
        start = found.end() if found else start
        if start >= end:
            break
        start = scanner.literal(start, parts)
    return compact(parts) or [text[start:start]]


def compact(parts: Sequence[Part]) -> list[Part]:
    """The same parts with neighbouring texts joined."""
    result: list[Part] = []
    run: list[Mapped] = []
    for part in parts:
        if isinstance(part, Mapped):
            run.append(part)
            continue
        if run:
            result.append(Mapped.join(run))
            run = []
        result.append(part)
    if run:
        result.append(Mapped.join(run))
    return result


class _Scanner:
    def __init__(self, text: Mapped, end: int) -> None:
        self.text = text
        self.source = text.text
        self.end = end

    def literal(self, at: int, parts: list[Part]) -> int:
        """Read one literal at ``at``; returns the offset after it."""
        found = _OPEN.match(self.source, at, self.end)
        prefix = found.group(1).lower() if found else "?"
        if found is None or prefix not in _PREFIXES:
            raise LiteralError(f"no string literal at {at}")
        quote = found.group(2)
        raw = "r" in prefix
        if "f" in prefix:
            return self.formatted(found.end(), quote, raw, parts, False)
        close = self.closing(found.end(), quote)
        parts.extend(self.plain(found.end(), close, raw, "b" in prefix))
        return close + len(quote)

    def closing(self, at: int, quote: str) -> int:
        """The offset of the quotes that end a literal without fields."""
        pattern = _CLOSE[quote]
        while True:
            found = pattern.search(self.source, at, self.end)
            if found is None:
                raise LiteralError("the literal does not end")
            if found.group() == quote:
                return found.start()
            at = found.end()

    def plain(self, at: int, end: int, raw: bool, binary: bool) -> list[Mapped]:
        parts: list[Mapped] = []
        for found in (_RAW if raw else _PLAIN).finditer(self.source, at, end):
            if found.start() > at:
                parts.append(self.text[at : found.start()])
            parts.append(self.special(found.start(), found.end(), binary))
            at = found.end()
        if end > at:
            parts.append(self.text[at:end])
        return parts

    def special(self, start: int, end: int, binary: bool) -> Mapped:
        """The characters of an escape or a newline."""
        written = self.source[start:end]
        value = "\n" if written[0] == "\r" else _escape(written[1:], binary)
        if value is None:
            return self.text[start:end]
        return Mapped.new(value, self.text.span(start, end))

    def formatted(self, at: int, quote: str, raw: bool, parts: list[Part], spec: bool) -> int:
        """Read an f-string's body, or a format specification up to its brace; returns the offset after it."""
        pattern = _F_BODY[quote, raw, spec]
        while True:
            found = pattern.search(self.source, at, self.end)
            if found is None:
                raise LiteralError("the f-string does not end")
            start, end = found.span()
            token = found.group()
            if start > at:
                parts.append(self.text[at:start])
            at = end
            if token == quote:
                if spec:
                    raise LiteralError("the f-string ends in a field")
                return end
            if token == "{":
                field, at = self.field(end, quote, raw)
                parts.append(field)
            elif token == "}":
                if spec:
                    return end
                raise LiteralError("a single brace")
            elif token in ("{{", "}}"):
                parts.append(Mapped.new(token[0], self.text.span(start, end)))
            elif raw and token[0] == "\\":
                parts.extend(self.plain(start, end, True, False))
            else:
                parts.append(self.special(start, end, False))

    def field(self, at: int, quote: str, raw: bool) -> tuple[Field, int]:
        """Read a field after its brace; returns it and the offset after the closing brace."""
        end = self.expression(at)
        field = Field(at, end)
        if self.source[end] == "=":
            stop = end + 1
            while self.source[stop : stop + 1].isspace():
                stop += 1
            field.debug = self.text[at:stop]
            end = stop
        if self.source[end : end + 1] == "!":
            field.conversion = self.source[end + 1 : end + 2]
            if field.conversion not in ("r", "s", "a"):
                raise LiteralError("an unknown conversion")
            end += 2
            while self.source[end : end + 1].isspace():
                end += 1
        sign = self.source[end : end + 1]
        if sign == "}":
            if field.debug is not None and field.conversion is None:
                field.conversion = "r"
            return field, end + 1
        if sign != ":":
            raise LiteralError("a field that does not end")
        field.spec = []
        return field, self.formatted(end + 1, quote, raw, field.spec, True)

    def expression(self, at: int) -> int:
        """The offset at which the expression of a field ends: at ``=``, ``!``, ``:`` or ``}``."""
        source, start, depth = self.source, at, 0
        while at < self.end:
            char = source[at]
            if char in "'\"":
                at = self.nested(at, start)
                continue
            if char == "#":
                while at < self.end and source[at] not in "\r\n":
                    at += 1
                continue
            if char in "([{":
                depth += 1
            elif depth:
                depth -= char in ")]}"
            elif char in "=!<>" and source[at + 1 : at + 2] == "=":
                at += 1
            elif char in "}!:" or (char == "=" and source[at + 1 :].lstrip()[:1] in ("}", "!", ":")):
                return at
            at += 1
        raise LiteralError("a field that does not end")

    def nested(self, at: int, start: int) -> int:
        """The offset after the string literal inside a field whose quotes begin at ``at``."""
        begin = at
        while begin > start and at - begin < 2 and self.source[begin - 1].isalpha():
            begin -= 1
        while self.source[begin:at].lower() not in _PREFIXES:
            begin += 1
        return self.literal(begin, [])


def _escape(code: str, binary: bool) -> str | None:
    """What follows a backslash, decoded; None if the backslash is only a backslash."""
    if code[:1] in ("\n", "\r"):
        return ""
    if code in _SIMPLE:
        return _SIMPLE[code]
    head = code[:1]
    if head and head in "01234567":
        number = int(code, 8)
        return chr(number & 0xFF if binary else number)
    if head == "x" and len(code) == 3:
        return chr(int(code[1:], 16))
    if binary:
        return None
    if head in ("u", "U") and len(code) > 1:
        return chr(int(code[1:], 16))
    if head == "N" and len(code) > 1:
        from unicodedata import lookup

        try:
            return lookup(code[2:-1])
        except KeyError:
            raise LiteralError("an unknown character name") from None
    return None
