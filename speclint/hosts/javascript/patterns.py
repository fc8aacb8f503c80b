"""What is set: variables, attributes, and the parts of a list or an object that several variables take."""

from __future__ import annotations

from speclint.hosts.javascript import expressions, texts
from speclint.hosts.javascript.translation import name_of
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation

    Get = Callable[[], ast.expr]

_SHORT = frozenset(("shorthand_property_identifier_pattern", "identifier"))


def target(
    t: Translation, node: Node, context: ast.expr_context | None = None
) -> ast.Name | ast.Attribute | ast.Subscript:
    """What is set by ``node = …``; something that nothing reads, if it is nothing that is known."""
    context = context or ast.Store()
    if node.type == "parenthesized_expression":
        return target(t, node.named_children[0], context)
    if node.type in _SHORT:
        return t.at(node, ast.Name(name_of(t.text(node)), context))
    base = node.child_by_field_name("object")
    if node.type == "member_expression" and base is not None:
        name = node.child_by_field_name("property")
        written = t.text(name) if name is not None else ""
        if isinstance(context, ast.Del):
            held = t.constant(name or node, written)
            return t.at(node, ast.Subscript(expressions.expression(t, base), held, context))
        return t.at(node, ast.Attribute(expressions.expression(t, base), written, context))
    key = node.child_by_field_name("index")
    if node.type == "subscript_expression" and base is not None and key is not None:
        return t.at(node, ast.Subscript(expressions.expression(t, base), expressions.expression(t, key), context))
    return t.at(node, ast.Name(t.fresh(), context))


def variable(t: Translation, node: Node) -> tuple[ast.Name, list[ast.stmt]]:
    """The variable of a loop, or a parameter, and what sets those that take its parts."""
    if node.type in _SHORT:
        return t.at(node, ast.Name(name_of(t.text(node)), ast.Store())), []
    name = t.fresh()
    return t.at(node, ast.Name(name, ast.Store())), taken(t, node, lambda: t.load(node, name))


def unpacked(t: Translation, pattern: Node, value: Node) -> list[ast.stmt]:
    """Several variables that take the parts of a value."""
    if value.type in ("identifier", "member_expression", "this"):
        return taken(t, pattern, lambda: expressions.expression(t, value))
    name = t.fresh()
    return [
        t.assigned(value, name, expressions.expression(t, value)),
        *taken(t, pattern, lambda: t.load(value, name)),
    ]


def taken(t: Translation, pattern: Node, get: Get) -> list[ast.stmt]:
    """What sets the variables of a pattern; ``get`` gives the value that they take parts of."""
    if pattern.type in ("assignment_pattern", "object_assignment_pattern"):
        left, right = pattern.child_by_field_name("left"), pattern.child_by_field_name("right")
        assert left is not None
        assert right is not None
        inner = right
        return taken(t, left, lambda: expressions.or_default(t, pattern, get, inner))
    if pattern.type == "object_pattern":
        return [each for part in pattern.named_children for each in _member(t, part, get)]
    if pattern.type == "array_pattern":
        return _elements(t, pattern, get)
    if pattern.type == "rest_pattern":
        return taken(t, pattern.named_children[0], lambda: t.opaque(pattern))
    if pattern.type in _SHORT:
        return [t.assigned(pattern, name_of(t.text(pattern)), get())]
    return []


def _elements(t: Translation, pattern: Node, get: Get) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    index = 0
    for part in pattern.children:
        if part.type == ",":
            index += 1
        elif part.is_named and part.type != "comment":
            found += taken(t, part, _part(t, part, get, index))
    return found


def _member(t: Translation, part: Node, get: Get) -> list[ast.stmt]:
    """What sets the variables that take one key of an object."""
    if part.type == "rest_pattern":
        return taken(t, part, get)
    key, below = part.child_by_field_name("key"), part.child_by_field_name("value")
    if part.type == "pair_pattern" and key is not None and below is not None:
        if key.type == "computed_property_name":
            return taken(t, below, lambda: t.opaque(part))
        return taken(t, below, _part(t, key, get, texts.key_text(t, key)))
    short = part.child_by_field_name("left") if part.type == "object_assignment_pattern" else part
    if short is None or short.type not in _SHORT:
        return []
    return taken(t, part, _part(t, short, get, t.text(short)))


def _part(t: Translation, node: Node, get: Get, key: str | int) -> Get:
    if isinstance(key, str):
        return lambda: t.at(node, ast.Attribute(get(), key, ast.Load()))
    return lambda: t.at(node, ast.Subscript(get(), t.constant(node, key), ast.Load()))
