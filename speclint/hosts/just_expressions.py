"""The expressions of a justfile: strings, variables, ``+`` and ``/``, and ``if … { … } else { … }``.

What calls a function or a command is not known.
"""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Choice, Known, OneOf, Unknown, join
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.value import Value

_TOKEN = pattern(
    r"[ \t\r\n]*(?:(?P<raw>'[^']*')|(?P<string>\"(?:[^\"\\]|\\.)*\")|(?P<name>[A-Za-z_][\w-]*)"
    r"|(?P<sign>==|!=|=~|!~|.))",
    re.DOTALL,
)
_ESCAPE = pattern(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t", '"': '"', "\\": "\\", "\n": ""}
_TRIPLE = ("'''", '"""')
_DEEPEST = 20


def evaluated(text: Mapped, lookup: Callable[[str], Value]) -> Value:
    """The value of an expression; ``lookup`` gives those of variables."""
    written = text.text
    try:
        if any(mark in written for mark in _TRIPLE):
            raise _UnknownError
        parser = _Parser(text, lookup)
        value = parser.expression(0)
        if parser.peek() is not None:
            raise _UnknownError
        return value
    except _UnknownError:
        return Unknown(f"`{' '.join(written.split())[:80]}` is not followed")


class _UnknownError(Exception):
    """What is not read here."""


class _Parser:
    def __init__(self, text: Mapped, lookup: Callable[[str], Value]) -> None:
        self.text = text
        self.lookup = lookup
        self.tokens = list(_TOKEN.finditer(text.text.rstrip(" \t\r\n")))
        self.at = 0

    def peek(self) -> str | None:
        """The next token, None at the end."""
        return self.tokens[self.at][0].strip(" \t\r\n") if self.at < len(self.tokens) else None

    def _next(self) -> re.Match[str]:
        if self.at == len(self.tokens):
            raise _UnknownError
        self.at += 1
        return self.tokens[self.at - 1]

    def _expect(self, token: str) -> None:
        if self._next()[0].strip(" \t\r\n") != token:
            raise _UnknownError

    def expression(self, depth: int) -> Value:
        """Terms that are put together."""
        if depth > _DEEPEST:
            raise _UnknownError
        if self.peek() == "if":
            return self._if(depth)
        parts = [self._term(depth)]
        while self.peek() in ("+", "/"):
            if self._next()["sign"] == "/":
                parts.append(Known(Mapped.new("/")))
            parts.append(self._term(depth))
        return join(parts)

    def _term(self, depth: int) -> Value:
        token = self._next()
        if token["raw"] is not None:
            return Known(self.text[token.start("raw") + 1 : token.end("raw") - 1])
        if token["string"] is not None:
            return Known(_unescaped(self.text[token.start("string") + 1 : token.end("string") - 1]))
        if token["name"] is not None and self.peek() != "(":
            return self.lookup(token["name"])
        if token["sign"] != "(":
            raise _UnknownError
        value = self.expression(depth + 1)
        self._expect(")")
        return value

    def _if(self, depth: int) -> Value:
        first = self._next()
        left = self.expression(depth + 1)
        sign = self._next()["sign"]
        if sign not in ("==", "!=", "=~", "!~"):
            raise _UnknownError
        right = self.expression(depth + 1)
        end = self.tokens[self.at - 1].end()
        self._expect("{")
        then = self.expression(depth + 1)
        self._expect("}")
        self._expect("else")
        if self.peek() == "if":
            other = self.expression(depth + 1)
        else:
            self._expect("{")
            other = self.expression(depth + 1)
            self._expect("}")

        def arm(sides: Sequence[Known]) -> Value:
            return then if (sides[0].text.text == sides[1].text.text) is (sign == "==") else other

        asked = self.text.text[first.end() : end].strip()
        choice = Choice("branch", (f"`{asked}` holds", f"`{asked}` does not hold"), self.text.place(first.end(), end))
        found = combine([left, right], arm) if sign in ("==", "!=") else Unknown("")
        return _settled(found, OneOf(choice, (then, other)))


def _settled(value: Value, otherwise: Value) -> Value:
    """A value with what it is in any case where it is not known: both alternatives."""
    if isinstance(value, Unknown):
        return otherwise
    if isinstance(value, OneOf):
        return OneOf(value.choice, [_settled(arm, otherwise) for arm in value.arms], value.place)
    return value


def _unescaped(text: Mapped) -> Mapped:
    """The text of a string with its escapes put in."""
    parts: list[Mapped] = []
    at = 0
    for found in _ESCAPE.finditer(text.text):
        new = _ESCAPED.get(found[1])
        if new is None:
            raise _UnknownError
        parts += (text[at : found.start()], Mapped.new(new, text.place(*found.span())))
        at = found.end()
    return Mapped.join([*parts, text[at:]])
