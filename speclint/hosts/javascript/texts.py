"""Text of a script: in quotes, in backquotes with expressions in it, and sums of both."""

from __future__ import annotations

from speclint.hosts.javascript import expressions
from speclint.hosts.javascript.nodes import Shown
from speclint.hosts.python.literal import Field, compact
from speclint.pyast import ast
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation
    from speclint.hosts.python.literal import Part

_TEXT = frozenset(("string", "template_string"))


def string(t: Translation, node: Node) -> ast.expr:
    """Text in quotes."""
    start, end = t.bounds(node)
    text = t.source.decoded(start + 1, max(end - 1, start + 1))
    made = t.constant(node, text.text)
    t.source.literals[made] = text
    return made


def template(t: Translation, node: Node) -> ast.expr:
    """Text in backquotes."""
    return _text(t, node, template_parts(t, node))


def template_parts(t: Translation, node: Node) -> list[Part]:
    """The parts of text in backquotes."""
    start, end = t.bounds(node)
    parts: list[Part] = []
    at = start + 1
    for child in node.named_children:
        if child.type == "template_substitution":
            first, last = t.bounds(child)
            parts += (t.source.decoded(at, first), _field(t, expressions.within(t, child)))
            at = last
    return [*parts, t.source.decoded(at, max(end - 1, at))]


def _field(t: Translation, value: ast.expr) -> Field:
    start, end = t.source.bounds(value)
    shown = t.between(start, end, Shown())
    shown.value = value
    t.source.fields[start, end] = shown
    return Field(start, end)


def _text(t: Translation, node: Node, parts: Sequence[Part]) -> ast.expr:
    """Text that is made of parts, of which some are expressions."""
    if len(parts) == 1 and isinstance(parts[0], Mapped):
        only = t.constant(node, parts[0].text)
        t.source.literals[only] = parts[0]
        return only
    fields = [t.source.fields[part.start, part.end] for part in parts if isinstance(part, Field)]
    values: list[ast.expr] = [t.at(node, ast.FormattedValue(value, -1, None)) for value in fields]
    made = t.at(node, ast.JoinedStr(values))
    t.source.parts[made] = [part for part in parts if not isinstance(part, Mapped) or part.text]
    return made


def sum_of(t: Translation, node: Node) -> ast.expr:
    """``a + b``, which is text if one of both is."""
    operands: list[Node] = []
    todo = [node]
    while todo:  # no recursion: a sum of a thousand parts is a thousand deep
        each = todo.pop()
        if each.type == "binary_expression" and expressions.operator(each) == "+":
            left, right = each.child_by_field_name("left"), each.child_by_field_name("right")
            todo += [part for part in (left, right) if part is not None]
        else:
            operands.append(each)
    operands.reverse()
    first = next((index for index, each in enumerate(operands) if each.type in _TEXT), None)
    if first is None or first > 1:  # numbers before the first text are added up
        made = expressions.expression(t, operands[0])
        for each in operands[1:]:
            made = t.at(node, ast.BinOp(made, ast.Add(), expressions.expression(t, each)))
        return made
    parts: list[Part] = []
    for each in operands:
        if each.type == "template_string":
            parts += template_parts(t, each)
        elif each.type == "string":
            start, end = t.bounds(each)
            parts.append(t.source.decoded(start + 1, max(end - 1, start + 1)))
        else:
            parts.append(_field(t, expressions.expression(t, each)))
    return _text(t, node, compact(parts))


def key_text(t: Translation, node: Node) -> str:
    """The name of a key that is written out."""
    if node.type == "string":
        start, end = t.bounds(node)
        return t.source.decoded(start + 1, max(end - 1, start + 1)).text
    return t.text(node)
