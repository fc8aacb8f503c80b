"""From the syntax tree of a script to that of a Python module that does the same: what the parts have in common.

There is one machine that follows programs, and it follows Python. What a script does with text, lists and objects is
what Python does with text, lists and dictionaries, nearly; where it is not, it becomes ``Opaque``, of which nothing is
known.
"""

from __future__ import annotations

from speclint.byteindex import ByteIndex
from speclint.hosts.javascript.nodes import Opaque
from speclint.hosts.python.calls import BUILTINS
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import TypeVar

    from tree_sitter import Node

    from speclint.hosts.javascript.source import Script

    Made = TypeVar("Made", bound=ast.AST)

# Under these names Python's modules are known, which no name of a script can be.
SUBPROCESS, OS = "<subprocess>", "<os>"
_ATTRIBUTES = ("lineno", "col_offset", "end_lineno", "end_col_offset")


class Translation:
    """One script on its way to Python."""

    def __init__(self, source: Script) -> None:
        self.source = source
        self._index = ByteIndex(source.text.text)
        # Functions that are defined in an expression, which have to be defined before the statement.
        self.hoisted: list[ast.stmt] = []
        # Whether what is translated is the body of a function that is called once for each element.
        self.each = False
        self._names = 0

    def bounds(self, node: Node) -> tuple[int, int]:
        """The offsets at which a node begins and ends, in code points."""
        return self._index(node.start_byte), self._index(node.end_byte)

    def text(self, node: Node) -> str:
        """How a node is written."""
        start, end = self.bounds(node)
        return self.source.text.text[start:end]

    def at(self, node: Node, made: Made) -> Made:
        """What is made of a node, at its place."""
        start, end = self.bounds(node)
        return self.between(start, end, made)

    def between(self, start: int, end: int, made: Made) -> Made:
        """What is made of the text between two offsets."""
        row = self.source.row(start)
        for name, value in zip(_ATTRIBUTES, (row, start, self.source.row(end), end), strict=True):
            setattr(made, name, value)
        return made

    def fresh(self) -> str:
        """A name that no script can have."""
        self._names += 1
        return f"<{self._names}>"

    # ---- what is made often

    def load(self, node: Node, name: str) -> ast.Name:
        """A variable that is read."""
        return self.at(node, ast.Name(name, ast.Load()))

    def constant(self, node: Node, value: str | int | float | bool | None) -> ast.Constant:
        """A value that is written, or stands for something written."""
        return self.at(node, ast.Constant(value))

    def called(self, node: Node, function: ast.expr, *given: ast.expr) -> ast.Call:
        """A call."""
        return self.at(node, ast.Call(function, list(given), []))

    def method(self, node: Node, base: ast.expr, name: str, *given: ast.expr) -> ast.Call:
        """A call of a method."""
        return self.called(node, self.at(node, ast.Attribute(base, name, ast.Load())), *given)

    def opaque(self, node: Node, parts: Sequence[ast.expr] = ()) -> ast.expr:
        """What only the run tells."""
        made = Opaque()
        made.parts = list(parts)
        return self.at(node, made)

    def assigned(self, node: Node, name: str, value: ast.expr) -> ast.stmt:
        """A statement that sets a variable."""
        return self.at(node, ast.Assign([self.at(node, ast.Name(name, ast.Store()))], value))


def name_of(written: str) -> str:
    """The name of a variable, which is none that Python has for something of its own."""
    return f"{written}$" if written in BUILTINS else written
