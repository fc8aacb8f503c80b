"""Expressions of a script as those of Python."""

from __future__ import annotations

from speclint.hosts.javascript import functions, texts
from speclint.hosts.javascript.translation import OS, name_of
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation

_COMPARES: dict[str, type[ast.cmpop]] = {
    **dict.fromkeys(("===", "=="), ast.Eq),
    **dict.fromkeys(("!==", "!="), ast.NotEq),
    "<": ast.Lt,
    "<=": ast.LtE,
    ">": ast.Gt,
    ">=": ast.GtE,
    "in": ast.In,
}
_CALCULATES: dict[str, type[ast.operator]] = {"-": ast.Sub, "*": ast.Mult, "**": ast.Pow, "+": ast.Add}
# Of what a part of a page holds, that is looked at which may hold text.
_PAGE = frozenset(("jsx_element", "jsx_self_closing_element", "jsx_opening_element", "jsx_attribute", "jsx_expression"))


def expression(t: Translation, node: Node) -> ast.expr:
    """What gives the value of an expression."""
    handler = _HANDLERS.get(node.type)
    return handler(t, node) if handler is not None else _other(t, node)


def _other(t: Translation, node: Node) -> ast.expr:
    return t.opaque(node, [expression(t, child) for child in node.named_children if child.type in _HANDLERS])


def within(t: Translation, node: Node) -> ast.expr:
    """What stands in brackets; of several expressions the last one."""
    inner = [child for child in node.named_children if child.type != "comment"]
    return expression(t, inner[-1]) if inner else t.opaque(node)


def _name(t: Translation, node: Node) -> ast.expr:
    return t.load(node, name_of(t.text(node)))


def _nothing(t: Translation, node: Node) -> ast.expr:
    return t.constant(node, None)


def _boolean(t: Translation, node: Node) -> ast.expr:
    return t.constant(node, node.type == "true")


def _number(t: Translation, node: Node) -> ast.expr:
    written = t.text(node).replace("_", "")
    try:
        return t.constant(node, float(written) if set(written) & set(".eE") and "x" not in written else int(written, 0))
    except ValueError:  # 010, 5n
        return t.opaque(node)


def operator(node: Node) -> str:
    """The sign of an operation; empty for anything else."""
    found = node.child_by_field_name("operator")
    return found.type if found is not None else ""


def _binary(t: Translation, node: Node) -> ast.expr:
    sign = operator(node)
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return t.opaque(node)
    if sign == "+":
        return texts.sum_of(t, node)
    if sign in ("||", "??") and (variable := _variable(t, left)) is not None:
        return t.method(node, variable[0], "get", variable[1], expression(t, right))
    if sign == "||" and left.type == "subscript_expression":
        # What an unknown key gives is no default that somebody may leave out.
        return t.at(node, ast.IfExp(expression(t, left), expression(t, left), expression(t, right)))
    if sign == "??":
        return or_default(t, node, lambda: expression(t, left), right)
    if sign in ("&&", "||"):
        kind = ast.And() if sign == "&&" else ast.Or()
        return t.at(node, ast.BoolOp(kind, [expression(t, left), expression(t, right)]))
    one, other = expression(t, left), expression(t, right)
    if sign in _COMPARES:
        return t.at(node, ast.Compare(one, [_COMPARES[sign]()], [other]))
    if sign in _CALCULATES:
        return t.at(node, ast.BinOp(one, _CALCULATES[sign](), other))
    return t.opaque(node, [one, other])


def or_default(t: Translation, node: Node, get: Callable[[], ast.expr], default: Node) -> ast.expr:
    """What ``get`` gives, or a default in the place of nothing."""
    test = t.at(node, ast.Compare(get(), [ast.Is()], [t.constant(node, None)]))
    return t.at(node, ast.IfExp(test, expression(t, default), get()))


def _variable(t: Translation, node: Node) -> tuple[ast.expr, ast.expr] | None:
    """The environment and the name of a variable of it, where a node reads one: ``process.env.NAME``."""
    base = node.child_by_field_name("object")
    if base is None or t.text(base).replace("?.", ".") != "process.env":
        return None
    name = node.child_by_field_name("property")
    key = node.child_by_field_name("index")
    if name is None and key is None:
        return None
    environment = t.at(base, ast.Attribute(t.load(base, OS), "environ", ast.Load()))
    return environment, t.constant(name, t.text(name)) if name is not None else expression(t, key or node)


def answer(t: Translation, node: Node) -> ast.expr:
    """The value of an expression; of one that asks something, what it asks is kept, to be asked of the variable."""
    made = expression(t, node)
    if not _asks(node):
        return made
    return t.at(node, ast.IfExp(made, t.constant(node, True), t.constant(node, False)))


def _asks(node: Node) -> bool:
    """Whether an expression is true or false, by how it is written."""
    if node.type == "parenthesized_expression":
        return len(node.named_children) == 1 and _asks(node.named_children[0])
    sign = operator(node)
    if sign in ("&&", "||"):
        return all(_asks(child) for child in node.named_children)
    return sign in _COMPARES or (node.type == "unary_expression" and sign == "!")


def _unary(t: Translation, node: Node) -> ast.expr:
    inner = node.child_by_field_name("argument")
    sign = operator(node)
    if inner is None:
        return t.opaque(node)
    value = expression(t, inner)
    if sign == "!":
        return t.at(node, ast.UnaryOp(ast.Not(), value))
    if sign == "-":
        return t.at(node, ast.UnaryOp(ast.USub(), value))
    return t.constant(node, None) if sign == "void" else t.opaque(node, [value])


def _ternary(t: Translation, node: Node) -> ast.expr:
    test, then, other = (node.child_by_field_name(name) for name in ("condition", "consequence", "alternative"))
    if test is None or then is None or other is None:
        return t.opaque(node)
    if t.text(test) == f"Array.isArray({t.text(then)})" and t.text(other) == "[]":
        return expression(t, then)  # a list, whatever is given
    return t.at(node, ast.IfExp(expression(t, test), expression(t, then), expression(t, other)))


def _member(t: Translation, node: Node) -> ast.expr:
    base, name = node.child_by_field_name("object"), node.child_by_field_name("property")
    if base is None or name is None:
        return t.opaque(node)
    variable = _variable(t, node)
    if variable is not None:
        return t.method(node, variable[0], "get", variable[1])
    if t.text(node) == "process.env":
        return t.at(node, ast.Attribute(t.load(base, OS), "environ", ast.Load()))
    written = t.text(name)
    if written == "length":
        return t.called(node, t.load(node, "len"), expression(t, base))
    return t.at(node, ast.Attribute(expression(t, base), written, ast.Load()))


def _subscript(t: Translation, node: Node) -> ast.expr:
    base, key = node.child_by_field_name("object"), node.child_by_field_name("index")
    if base is None or key is None:
        return t.opaque(node)
    variable = _variable(t, node)
    if variable is not None:
        return t.method(node, variable[0], "get", variable[1])
    if key.type == "string":
        return t.at(node, ast.Attribute(expression(t, base), texts.key_text(t, key), ast.Load()))
    return t.at(node, ast.Subscript(expression(t, base), expression(t, key), ast.Load()))


def _array(t: Translation, node: Node) -> ast.expr:
    found: list[ast.expr] = []
    for child in node.named_children:
        if child.type == "spread_element":
            found.append(t.at(child, ast.Starred(expression(t, child.named_children[0]), ast.Load())))
        elif child.type != "comment":
            found.append(expression(t, child))
    return t.at(node, ast.List(found, ast.Load()))


def _object(t: Translation, node: Node) -> ast.expr:
    keys: list[ast.expr | None] = []
    values: list[ast.expr] = []
    for child in node.named_children:
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type == "spread_element":
            keys.append(None)
            values.append(expression(t, child.named_children[0]))
        elif child.type == "shorthand_property_identifier":
            keys.append(t.constant(child, t.text(child)))
            values.append(_name(t, child))
        elif child.type == "method_definition":
            name = child.child_by_field_name("name")
            keys.append(_key(t, name) if name is not None else None)
            values.append(functions.value(t, child))
        elif key is not None and value is not None:
            keys.append(_key(t, key))
            values.append(expression(t, value))
    return t.at(node, ast.Dict(keys, values))


def _key(t: Translation, node: Node) -> ast.expr:
    if node.type == "computed_property_name":
        return expression(t, node.named_children[0]) if node.named_children else t.opaque(node)
    if node.type == "string":
        return texts.string(t, node)
    start, end = t.bounds(node)
    made = t.constant(node, texts.key_text(t, node))
    t.source.literals[made] = t.source.text.part(start, end)
    return made


def _await(t: Translation, node: Node) -> ast.expr:
    return t.at(node, ast.Await(within(t, node)))


def _page(t: Translation, node: Node) -> ast.expr:
    """A part of a page: what it shows may be a command."""
    return t.opaque(node, _shown(t, node))


def _shown(t: Translation, node: Node) -> list[ast.expr]:
    found: list[ast.expr] = []
    for child in node.named_children:
        if child.type in _PAGE:
            found += _shown(t, child)
        elif node.type == "jsx_expression" and child.type in _HANDLERS:
            found.append(t.called(child, t.load(child, "<page>"), expression(t, child)))
    return found


# Functions of other modules are asked for when they are called, as these import one another.
_HANDLERS: dict[str, Callable[[Translation, Node], ast.expr]] = {
    **dict.fromkeys(("identifier", "this", "super"), _name),
    **dict.fromkeys(("null", "undefined"), _nothing),
    **dict.fromkeys(("true", "false"), _boolean),
    "number": _number,
    "string": lambda t, node: texts.string(t, node),
    "template_string": lambda t, node: texts.template(t, node),
    "binary_expression": _binary,
    "unary_expression": _unary,
    "ternary_expression": _ternary,
    "member_expression": _member,
    "subscript_expression": _subscript,
    "array": _array,
    "object": _object,
    "await_expression": _await,
    **dict.fromkeys(("parenthesized_expression", "sequence_expression"), within),
    **dict.fromkeys(
        ("arrow_function", "function_expression", "generator_function"), lambda t, node: functions.value(t, node)
    ),
    **dict.fromkeys(("call_expression", "new_expression"), lambda t, node: functions.call(t, node)),
    **dict.fromkeys(("jsx_element", "jsx_self_closing_element"), _page),
    "assignment_expression": _other,
    "augmented_assignment_expression": _other,
    "regex": _other,
}
