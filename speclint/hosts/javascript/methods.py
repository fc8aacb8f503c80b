"""Methods of lists, objects and text, and functions of the language, as Python has them."""

from __future__ import annotations

from speclint.hosts.javascript import expressions, functions
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation

# Methods that Python has under another name, and those that both have under one.
_RENAMED = {
    "trim": "strip",
    "trimStart": "lstrip",
    "trimEnd": "rstrip",
    "toLowerCase": "lower",
    "toUpperCase": "upper",
    "startsWith": "startswith",
    "endsWith": "endswith",
    "replaceAll": "replace",
    "shift": "pop",
    **{name: name for name in ("pop", "sort", "reverse", "split")},
}
# Methods of Python's own objects that a script's objects may have for something else.
_OTHERS = frozenset(
    (
        *("append", "extend", "insert", "remove", "clear", "update", "setdefault", "popitem", "copy", "get", "items"),
        *("keys", "values", "join", "format", "format_map", "replace", "strip", "lstrip", "rstrip", "lower", "upper"),
        *("startswith", "endswith", "title", "encode", "decode", "resolve", "absolute", "expanduser", "as_posix"),
        *("splitlines", "substitute", "safe_substitute", "removeprefix", "removesuffix", "index", "count", "find"),
        *("options", "with_options", "remote", "spawn", "local", "bind", "add_argument", "parse_args"),
    )
)
# Methods that change a list in a way that is not followed.
_CHANGES = frozenset(("splice", "fill", "copyWithin"))


def call(t: Translation, node: Node, base: Node, name: str, nodes: Sequence[Node]) -> ast.expr:
    """What a call of the method ``name`` of ``base`` gives; ``nodes`` are its arguments."""
    static = _STATIC.get((t.text(base), name))
    if static is not None:
        return static(t, node, nodes)
    handler = _METHODS.get(name)
    found = handler(t, node, base, nodes) if handler is not None else None
    if found is not None:
        return found
    held = expressions.expression(t, base)
    if name in _RENAMED:
        more = [t.constant(node, 0)] if name == "shift" else functions.given(t, node)
        return t.method(node, held, _RENAMED[name], *more)
    if name in _CHANGES:
        return t.method(node, held, "remove", t.opaque(node))
    return t.method(node, held, f"{name}$" if name in _OTHERS else name, *functions.given(t, node))


def _join(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    between = expressions.expression(t, nodes[0]) if nodes else t.constant(node, ",")
    return t.method(node, between, "join", expressions.expression(t, base))


def _includes(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr | None:
    if len(nodes) != 1:
        return None
    held = expressions.expression(t, base)
    return t.at(node, ast.Compare(expressions.expression(t, nodes[0]), [ast.In()], [held]))


def _push(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    held = expressions.expression(t, base)
    if len(nodes) == 1 and nodes[0].type != "spread_element":
        return t.method(node, held, "append", expressions.expression(t, nodes[0]))
    if len(nodes) == 1:
        return t.method(node, held, "extend", expressions.expression(t, nodes[0].named_children[0]))
    return t.method(node, held, "extend", t.at(node, ast.List(functions.given(t, node), ast.Load())))


def _unshift(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    held = expressions.expression(t, base)
    if len(nodes) != 1 or nodes[0].type == "spread_element":
        return t.method(node, held, "remove", t.opaque(node))
    return t.method(node, held, "insert", t.constant(node, 0), expressions.expression(t, nodes[0]))


def _concat(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr | None:
    made = expressions.expression(t, base)
    if not nodes or any(each.type != "array" for each in nodes):
        return t.opaque(node, [made])
    for each in nodes:
        made = t.at(node, ast.BinOp(made, ast.Add(), expressions.expression(t, each)))
    return made


def _slice(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    limits = [expressions.expression(t, each) for each in nodes[:2]]
    part = t.at(node, ast.Slice(*limits))
    return t.at(node, ast.Subscript(expressions.expression(t, base), part, ast.Load()))


def _filter(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr | None:
    if len(nodes) != 1:
        return None
    name = t.fresh()
    asked: ast.expr = t.load(node, name)
    if t.text(nodes[0]) != "Boolean":
        asked = _applied(t, nodes[0], name)
    return _comprehension(t, node, base, name, t.load(node, name), [asked])


def _map(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr | None:
    if len(nodes) != 1:
        return None
    name = t.fresh()
    return _comprehension(t, node, base, name, _applied(t, nodes[0], name), [])


def _applied(t: Translation, function: Node, name: str) -> ast.expr:
    """A call of a function with one element."""
    return t.called(function, expressions.expression(t, function), t.load(function, name))


def _comprehension(
    t: Translation, node: Node, base: Node, name: str, element: ast.expr, tests: list[ast.expr]
) -> ast.expr:
    target = t.at(node, ast.Name(name, ast.Store()))
    rounds = ast.comprehension(target, expressions.expression(t, base), tests, 0)
    return t.at(node, ast.ListComp(element, [rounds]))


def _unfollowed(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    return t.opaque(node, [expressions.expression(t, base), *functions.given(t, node)])


def _asked(t: Translation, node: Node, base: Node, nodes: Sequence[Node]) -> ast.expr:
    """What an expression finds in a text, or a text by one."""
    return t.opaque(node, [expressions.expression(t, base)])


_METHODS: dict[str, Callable[[Translation, Node, Node, Sequence[Node]], ast.expr | None]] = {
    "join": _join,
    "includes": _includes,
    "push": _push,
    "unshift": _unshift,
    "concat": _concat,
    "slice": _slice,
    "filter": _filter,
    "map": _map,
    **dict.fromkeys(("replace", "flatMap", "flat", "reduce", "find", "some", "every", "repeat", "at"), _unfollowed),
    **dict.fromkeys(("exec", "test", "match", "matchAll", "search"), _asked),
}


def _view(name: str) -> Callable[[Translation, Node, Sequence[Node]], ast.expr]:
    def made(t: Translation, node: Node, nodes: Sequence[Node]) -> ast.expr:
        return t.method(node, expressions.expression(t, nodes[0]), name) if nodes else t.opaque(node)

    return made


def _assign(t: Translation, node: Node, nodes: Sequence[Node]) -> ast.expr:
    if len(nodes) < 2 or nodes[0].type == "object":
        held = [expressions.expression(t, each) for each in nodes]
        return t.at(node, ast.Dict([None] * len(held), held))
    made = expressions.expression(t, nodes[0])
    return t.method(node, made, "update", expressions.expression(t, nodes[1])) if len(nodes) == 2 else t.opaque(node)


def _floor(t: Translation, node: Node, nodes: Sequence[Node]) -> ast.expr:
    inner = nodes[0] if len(nodes) == 1 else None
    operator = inner.child_by_field_name("operator") if inner is not None else None
    if inner is None or inner.type != "binary_expression" or operator is None or operator.type != "/":
        return t.opaque(node)
    sides = [inner.child_by_field_name(name) for name in ("left", "right")]
    left, right = (expressions.expression(t, side) if side is not None else t.opaque(node) for side in sides)
    return t.at(node, ast.BinOp(left, ast.FloorDiv(), right))


def _builtin(name: str) -> Callable[[Translation, Node, Sequence[Node]], ast.expr]:
    def made(t: Translation, node: Node, nodes: Sequence[Node]) -> ast.expr:
        return t.called(node, t.load(node, name), *functions.given(t, node))

    return made


_STATIC: dict[tuple[str, str], Callable[[Translation, Node, Sequence[Node]], ast.expr]] = {
    ("Object", "entries"): _view("items"),
    ("Object", "keys"): _view("keys"),
    ("Object", "values"): _view("values"),
    ("Object", "assign"): _assign,
    ("Math", "floor"): _floor,
    ("Math", "max"): _builtin("max"),
    ("Math", "min"): _builtin("min"),
}
