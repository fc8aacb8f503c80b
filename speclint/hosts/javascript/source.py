"""JavaScript source with its origins, for the machine that follows Python: places of nodes, and literals of text.

A node that is made of JavaScript has its offsets in code points in the place of columns.
"""

from __future__ import annotations

from speclint.hosts.python.literal import compact
from speclint.hosts.python.source import Source
from speclint.hosts.recipes import with_holes
from speclint.lean import pattern
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence
    from typing import Any

    from speclint.hosts.python.literal import Part

# An escape, or a line break that text in backquotes has as one character.
_SPECIAL = pattern(r"\\(?:\r\n|x[0-9A-Fa-f]{2}|u[0-9A-Fa-f]{4}|u\{[0-9A-Fa-f]{1,6}\}|[\s\S])|\r\n?")
# Only text with options is a command, or a part of one.
_OPTION = "--"
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r": ""}


class Script(Source):
    """Text of a script and the offsets of the nodes that are made of it."""

    def __init__(self, text: Mapped) -> None:
        super().__init__(text)
        # The parts of text in backquotes, and the expressions in it by their offsets.
        self.parts: dict[ast.AST, Sequence[Part]] = {}
        self.fields: dict[tuple[int, int], ast.expr] = {}
        self.literals: dict[ast.AST, Mapped] = {}
        # Text for people has words that they fill in.
        self.holes = True

    def bounds(self, node: Any) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        return node.col_offset, node.end_col_offset

    def literal(self, node: ast.Constant) -> Mapped:
        """The value of a string, or of a name that stands for one."""
        found = self.literals.get(node)
        return found if found is not None else Mapped.new(str(node.value), self.span(node))

    def formatted(self, node: ast.JoinedStr) -> Sequence[Part] | None:
        """The parts of text in backquotes, or of a sum of texts."""
        return self.parts.get(node)

    def expression(self, start: int, end: int) -> ast.expr | None:
        """The expression in a text, by its offsets."""
        return self.fields.get((start, end))

    def decoded(self, start: int, end: int) -> Mapped:
        """The text that is written between two offsets in quotes."""
        parts: list[Part] = []
        at = start
        for found in _SPECIAL.finditer(self.text.text, start, end):
            parts += (self.text[at : found.start()], self._special(found.group(), found.start()))
            at = found.end()
        made = compact([*parts, self.text[at:end]])
        text = made[0] if made and isinstance(made[0], Mapped) else self.text[start:start]
        return with_holes(text) if _OPTION in text.text else text

    def _special(self, written: str, at: int) -> Mapped:
        span = self.between(at, at + len(written))
        value = "\n" if written[0] == "\r" else _escaped(written[1:])
        # A backslash before any other character changes nothing, and that character stands where it stands.
        return self.text[at + 1 : at + 2] if value is None else Mapped.new(value, span)


def _escaped(written: str) -> str | None:
    """What an escape stands for, without its backslash; None for any other character."""
    if written[0] in "xu" and len(written) > 1:
        number = int(written[1:].strip("{}"), 16)
        # One half of a character outside of the first plane is no character.
        return chr(number) if number < 0xD800 or 0xDFFF < number < 0x110000 else "\ufffd"
    return "" if written == "\r\n" else _ESCAPES.get(written)
