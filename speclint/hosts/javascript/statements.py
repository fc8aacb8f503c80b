"""Statements of a script as those of Python."""

from __future__ import annotations

from speclint.hosts.javascript import expressions, functions, patterns
from speclint.hosts.javascript.translation import name_of
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tree_sitter import Node

    from speclint.hosts.javascript.translation import Translation

_FUNCTIONS = frozenset(("arrow_function", "function_expression", "generator_function", "function"))
_EMPTY = frozenset(
    ("comment", "html_comment", "empty_statement", "import_statement", "debugger_statement", "hash_bang_line")
)
_IN_PLACE = {"+=": ast.Add, "-=": ast.Sub, "*=": ast.Mult, "%=": ast.Mod}


def block(t: Translation, nodes: Iterable[Node]) -> list[ast.stmt]:
    """Statements in order, each behind the functions that are defined in it."""
    found: list[ast.stmt] = []
    for node in nodes:
        if node.type in _EMPTY or not node.is_named:
            continue
        outer, t.hoisted = t.hoisted, []
        handler = _HANDLERS.get(node.type)
        made = handler(t, node) if handler is not None else [_expression(t, node)]
        found += [*t.hoisted, *made]
        t.hoisted = outer
    return found


def body(t: Translation, node: Node | None) -> list[ast.stmt]:
    """What a statement does that stands below another one, in braces or not."""
    if node is None:
        return []
    return block(t, node.named_children if node.type in ("statement_block", "class_body") else (node,))


def filled(t: Translation, node: Node, found: list[ast.stmt]) -> list[ast.stmt]:
    """Statements where there has to be one."""
    return found or [t.at(node, ast.Pass())]


def _expression(t: Translation, node: Node) -> ast.stmt:
    return t.at(node, ast.Expr(expressions.expression(t, node)))


def _statement(t: Translation, node: Node) -> list[ast.stmt]:
    inner = node.named_children[0] if node.named_children else None
    while inner is not None and inner.type in ("parenthesized_expression", "await_expression", "unary_expression"):
        if inner.type == "unary_expression" and inner.children[0].type not in ("delete", "void"):
            break
        if inner.children[0].type == "delete":
            return _deleted(t, node, inner.named_children[0])
        inner = inner.named_children[0]
    if inner is None or inner.type == "comment":
        return []
    return expressed(t, inner)


def expressed(t: Translation, node: Node) -> list[ast.stmt]:
    """What an expression does that stands as a statement."""
    handler = _EXPRESSIONS.get(node.type)
    found = handler(t, node) if handler is not None else None
    return found if found is not None else [_expression(t, node)]


def _deleted(t: Translation, node: Node, what: Node) -> list[ast.stmt]:
    target = patterns.target(t, what, ast.Del())
    return [t.at(node, ast.Delete([target]))] if isinstance(target, ast.Subscript) else []


def _sequence(t: Translation, node: Node) -> list[ast.stmt]:
    return [made for each in node.named_children for made in expressed(t, each)]


def _assignment(t: Translation, node: Node) -> list[ast.stmt]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    assert left is not None
    assert right is not None
    return assigned(t, node, left, right)


def assigned(t: Translation, node: Node, left: Node, right: Node) -> list[ast.stmt]:
    """What sets a variable, an attribute or several of them."""
    if left.type == "identifier" and right.type in _FUNCTIONS:
        return [functions.definition(t, right, name_of(t.text(left)))]
    if left.type in ("object_pattern", "array_pattern"):
        return patterns.unpacked(t, left, right)
    return [t.at(node, ast.Assign([patterns.target(t, left)], expressions.answer(t, right)))]


def _augmented(t: Translation, node: Node) -> list[ast.stmt]:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    assert left is not None
    assert right is not None
    kind = _IN_PLACE.get(operator.type) if operator is not None else None
    value = expressions.expression(t, right)
    if kind is not None:
        return [t.at(node, ast.AugAssign(patterns.target(t, left), kind(), value))]
    return [t.at(node, ast.Assign([patterns.target(t, left)], t.opaque(node, [value])))]


def _update(t: Translation, node: Node) -> list[ast.stmt]:
    what = node.child_by_field_name("argument")
    assert what is not None
    one = t.constant(node, 1)
    kind = ast.Sub() if "--" in (child.type for child in node.children) else ast.Add()
    return [t.at(node, ast.AugAssign(patterns.target(t, what), kind, one))]


def _declaration(t: Translation, node: Node) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for each in node.named_children:
        name, value = each.child_by_field_name("name"), each.child_by_field_name("value")
        if name is None:
            continue
        if value is not None:
            found += assigned(t, each, name, value)
        elif name.type == "identifier":
            found.append(t.assigned(each, name_of(t.text(name)), t.constant(each, None)))
    return found


def _function(t: Translation, node: Node) -> list[ast.stmt]:
    name = node.child_by_field_name("name")
    return [functions.definition(t, node, name_of(t.text(name)) if name is not None else t.fresh())]


def _class(t: Translation, node: Node) -> list[ast.stmt]:
    name, inner = node.child_by_field_name("name"), node.child_by_field_name("body")
    heritage = next((child for child in node.named_children if child.type == "class_heritage"), None)
    bases = [expressions.expression(t, heritage.named_children[0])] if heritage is not None else []
    found = filled(t, node, body(t, inner))
    called = name_of(t.text(name)) if name is not None else t.fresh()
    return [t.at(node, ast.ClassDef(called, bases, [], found, []))]


def _method(t: Translation, node: Node) -> list[ast.stmt]:
    name = node.child_by_field_name("name")
    written = t.text(name) if name is not None else ""
    return [functions.definition(t, node, "__init__" if written == "constructor" else written, method=True)]


def _field(t: Translation, node: Node) -> list[ast.stmt]:
    name, value = node.child_by_field_name("property"), node.child_by_field_name("value")
    if name is None or value is None:
        return []
    return [t.assigned(node, t.text(name), expressions.expression(t, value))]


def _if(t: Translation, node: Node) -> list[ast.stmt]:
    condition, other = node.child_by_field_name("condition"), node.child_by_field_name("alternative")
    assert condition is not None
    test = expressions.expression(t, condition)
    then = filled(t, node, body(t, node.child_by_field_name("consequence")))
    orelse = block(t, (child for child in other.named_children)) if other is not None else []
    if other is not None and len(other.named_children) == 1:
        orelse = body(t, other.named_children[0])
    return [t.at(node, ast.If(test, then, orelse))]


def _switch(t: Translation, node: Node) -> list[ast.stmt]:
    """A ``switch``, as one ``if`` behind the other; a case without ``break`` runs on into the next one."""
    value, inner = node.child_by_field_name("value"), node.child_by_field_name("body")
    assert value is not None
    cases = [case for case in (inner.named_children if inner is not None else ()) if case.type.startswith("switch_")]
    found: list[ast.stmt] = []
    for index in range(len(cases) - 1, -1, -1):
        asked = cases[index].child_by_field_name("value")
        then = filled(t, node, _case(t, cases[index:]))
        if asked is None:
            if index != len(cases) - 1:
                return [t.at(node, ast.While(t.opaque(node), block(t, inner.named_children if inner else ()), []))]
            found = then
            continue
        test = t.at(
            asked, ast.Compare(expressions.expression(t, value), [ast.Eq()], [expressions.expression(t, asked)])
        )
        found = [t.at(cases[index], ast.If(test, then, found))]
    return found


def _case(t: Translation, cases: list[Node]) -> list[ast.stmt]:
    found: list[ast.stmt] = []
    for case in cases:
        for node in case.children_by_field_name("body"):
            nodes = node.named_children if node.type == "statement_block" else (node,)
            for each in nodes:
                if each.type == "break_statement":
                    return found
                found += block(t, (each,))
                if each.type in ("return_statement", "throw_statement", "continue_statement"):
                    return found
    return found


def _for_in(t: Translation, node: Node) -> list[ast.stmt]:
    left, right, operator = (node.child_by_field_name(name) for name in ("left", "right", "operator"))
    assert left is not None
    assert right is not None
    iterated = expressions.expression(t, right)
    if operator is not None and operator.type == "in":
        iterated = t.method(right, iterated, "keys")
    target, first = patterns.variable(t, left)
    inner = [*first, *body(t, node.child_by_field_name("body"))]
    return [t.at(node, ast.For(target, iterated, filled(t, node, inner), []))]


def _for(t: Translation, node: Node) -> list[ast.stmt]:
    start, condition, step = (node.child_by_field_name(name) for name in ("initializer", "condition", "increment"))
    test = t.opaque(node)
    if condition is not None and condition.named_children:
        test = expressions.expression(t, condition.named_children[0] if condition.type.endswith("t") else condition)
    inner = body(t, node.child_by_field_name("body"))
    if step is not None:
        inner += expressed(t, step)
    first = block(t, (start,)) if start is not None else []
    return [*first, t.at(node, ast.While(test, filled(t, node, inner), []))]


def _while(t: Translation, node: Node) -> list[ast.stmt]:
    condition = node.child_by_field_name("condition")
    assert condition is not None
    inner = filled(t, node, body(t, node.child_by_field_name("body")))
    return [t.at(node, ast.While(expressions.expression(t, condition), inner, []))]


def _try(t: Translation, node: Node) -> list[ast.stmt]:
    handler, finalizer = node.child_by_field_name("handler"), node.child_by_field_name("finalizer")
    tried = filled(t, node, body(t, node.child_by_field_name("body")))
    handlers: list[ast.ExceptHandler] = []
    if handler is not None:
        name = handler.child_by_field_name("parameter")
        called = name_of(t.text(name)) if name is not None and name.type == "identifier" else None
        inner = filled(t, handler, body(t, handler.child_by_field_name("body")))
        handlers.append(t.at(handler, ast.ExceptHandler(None, called, inner)))
    last = body(t, finalizer.child_by_field_name("body")) if finalizer is not None else []
    return [t.at(node, ast.Try(tried, handlers, [], last))]


def _return(t: Translation, node: Node) -> list[ast.stmt]:
    value = next((child for child in node.named_children if child.type != "comment"), None)
    made = expressions.expression(t, value) if value is not None else None
    if t.each:
        return [*([t.at(node, ast.Expr(made))] if made is not None else []), t.at(node, ast.Continue())]
    return [t.at(node, ast.Return(made))]


def _throw(t: Translation, node: Node) -> list[ast.stmt]:
    return [t.at(node, ast.Raise(None, None))]


def _export(t: Translation, node: Node) -> list[ast.stmt]:
    declared, value = node.child_by_field_name("declaration"), node.child_by_field_name("value")
    if declared is not None:
        return block(t, (declared,))
    return [t.assigned(node, t.fresh(), expressions.expression(t, value))] if value is not None else []


def _labeled(t: Translation, node: Node) -> list[ast.stmt]:
    return body(t, node.child_by_field_name("body"))


_EXPRESSIONS: dict[str, Callable[[Translation, Node], list[ast.stmt] | None]] = {
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _augmented,
    "update_expression": _update,
    "sequence_expression": _sequence,
    "call_expression": lambda t, node: functions.statement(t, node),
}
_HANDLERS: dict[str, Callable[[Translation, Node], list[ast.stmt]]] = {
    "expression_statement": _statement,
    "lexical_declaration": _declaration,
    "variable_declaration": _declaration,
    "function_declaration": _function,
    "generator_function_declaration": _function,
    "class_declaration": _class,
    "method_definition": _method,
    "field_definition": _field,
    "statement_block": lambda t, node: block(t, node.named_children),
    "class_static_block": lambda t, node: body(t, node.child_by_field_name("body")),
    "if_statement": _if,
    "switch_statement": _switch,
    "for_in_statement": _for_in,
    "for_statement": _for,
    "while_statement": _while,
    "do_statement": _while,
    "try_statement": _try,
    "return_statement": _return,
    "throw_statement": _throw,
    "break_statement": lambda t, node: [t.at(node, ast.Break())],
    "continue_statement": lambda t, node: [t.at(node, ast.Continue())],
    "export_statement": _export,
    "labeled_statement": _labeled,
}
