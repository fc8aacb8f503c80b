"""Commands that a module's documentation shows: in the strings that stand alone as statements."""

from __future__ import annotations

from bisect import bisect_right

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from speclint.hosts.python.source import Source
    from speclint.words import Command

# Where statements, and what holds them, stand in others.
_BODIES = ("body", "orelse", "handlers", "finalbody", "cases")


def statements(tree: ast.Module) -> Iterator[Any]:
    """Every statement of a module, and what holds some, in no order."""
    todo: list[Any] = [tree]
    while todo:
        node = todo.pop()
        yield node
        for name in _BODIES:
            todo += getattr(node, name, ())


def strings(tree: ast.Module) -> list[ast.Constant]:
    """The strings that stand alone as statements, from the end of the module to its start."""
    found: list[ast.Constant] = []
    for node in statements(tree):
        if type(node).__name__ == "Expr" and isinstance(getattr(node.value, "value", None), str):
            found.append(node.value)
    return sorted(found, key=lambda each: (each.lineno, each.col_offset), reverse=True)


def within(source: Source, found: Sequence[ast.Constant]) -> Callable[[int], bool]:
    """What tells of an offset whether it lies in one of some strings, which stand from the end to the start."""
    ordered = found[::-1]
    rows = [node.lineno for node in ordered]

    def told(at: int) -> bool:
        last = bisect_right(rows, source.row(at)) - 1
        if last < 0:
            return False
        start, end = source.bounds(ordered[last])
        return start <= at < end

    return told


def commands(source: Source, found: Sequence[ast.Constant], base: Command) -> Iterator[Command]:
    """The commands that start a server in some strings, read as a document is."""
    from speclint.hosts import blocks

    for node in found:
        if blocks.TRIGGER.search(str(node.value)):
            text = source.literal(node)
            yield from blocks.read(text, "markdown" if "```" in text.text else "plain", base, 1)
