"""Expressions of a Python module, as far as their value can be told without running it."""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.hosts.python import (
    calls,
    conditions,
    containers,
    defs,
    functions,
    generators,
    membership,
    objects,
    strings,
)
from speclint.hosts.python.facts import python_value
from speclint.hosts.python.values import Alt, Func, Instance, Map, Ref, Seq, Text, alt, known, unknown, value_of
from speclint.pyast import ast
from speclint.text import Mapped
from speclint.value import Known, Unknown, join, spliced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.python import literal
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.value import Value


# An `a if b else c if d else …` of more parts than this is not followed.
_MAX_CHAIN = 100


def evaluate(m: Machine, node: ast.expr) -> Obj:
    """The object that an expression gives."""
    if not m.record:
        m.budget -= 1
    handler = _HANDLERS.get(node.__class__)
    if handler is None:
        handler = _HANDLERS[node.__class__] = containers.HANDLERS.get(node.__class__, _other)
    obj = handler(m, node)
    return m.state.settled(obj) if obj.__class__ is Alt else obj


def named(m: Machine, name: str, node: ast.expr) -> Obj:
    """The object that an expression gives which stands under a name."""
    m.fragments.names.append(name)
    try:
        return evaluate(m, node)
    finally:
        m.fragments.names.pop()


def _other(m: Machine, node: ast.expr) -> Obj:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            evaluate(m, child)
    return unknown(f"`{m.source.snippet(node)}` is worked out when it runs")


def _constant(m: Machine, node: ast.Constant) -> Obj:
    found = m.constants.get(node)
    if found is None:
        found = m.constants[node] = _read(m, node)
    return found


def _read(m: Machine, node: ast.Constant) -> Obj:
    value = node.value
    if isinstance(value, (str, bytes)):
        text = m.source.literal(node)
        return Text(_filled(text) if m.source.holes else Known(text), "str")
    if value is None or isinstance(value, bool):
        return known(str(value), m.source.span(node), "none" if value is None else "bool")
    if isinstance(value, int):
        return _number(m, node, value) if value.bit_length() < 200 else unknown("the number is too long")
    return _number(m, node, value) if isinstance(value, float) else unknown("it is no text")


def _filled(text: Mapped) -> Value:
    """The value of literal text of which parts may be filled in by a template."""
    from speclint.hosts.shell.syntax import literal

    return join(value for value, _ in literal(text, True))


def _number(m: Machine, node: ast.expr, value: int | float) -> Text:
    written = m.source.text[slice(*m.source.bounds(node))]
    kind = "int" if isinstance(value, int) else "float"
    return Text(Known(written), kind) if written.text == repr(value) else known(repr(value), m.source.span(node), kind)


def _name(m: Machine, node: ast.Name) -> Obj:
    found = m.find(node.id)
    if found is not None:
        return found[1]
    if node.id in calls.BUILTINS:
        return Ref(f"builtins.{node.id}")
    return unknown(f"`{node.id}` is not set in this file")


def _attribute(m: Machine, node: ast.Attribute) -> Obj:
    if not isinstance(node.value, ast.Attribute):
        return member(m, evaluate(m, node.value), node)
    chain = [node]  # no recursion along a.b.c
    while isinstance(chain[-1].value, ast.Attribute):
        m.spend()
        chain.append(chain[-1].value)
    obj = evaluate(m, chain[-1].value)
    for each in reversed(chain[1:]):
        obj = m.state.settled(member(m, obj, each))
    return member(m, obj, node)


def member(m: Machine, base: Obj, node: ast.Attribute) -> Obj:
    """An attribute of an object."""
    if isinstance(base, Ref):
        name = f"{base.name}.{node.attr}"
        if name == "sys.executable":
            return known("python", m.source.span(node))
        if name == "sys.argv":
            return m.state.obj((m.module, name)) or Ref(name)
        return m.environ if name == "os.environ" else Ref(name)
    if isinstance(base, Alt):
        arms = [member(m, arm, node) for arm in base.arms]
        return objects.method(arms, base.choice) or alt(base.choice, arms)
    found = m.held(base, node.attr)
    if node.attr == "__dict__" and isinstance(base, Instance) and base.cls.fields:
        from speclint.hosts.python import records

        found = records.entries(m, base, False)
    if isinstance(base, Text) and isinstance(base.value, Known) and node.attr == "value":
        found = base  # a member of an enumeration
    if isinstance(found, Func) and functions.is_property(found):
        return functions.get_property(m, found)
    return found or unknown(f"`{m.source.snippet(node)}` is not set in this file")


def _formatted(m: Machine, node: ast.JoinedStr) -> Obj:
    parts = m.source.formatted(node)
    if parts is None:
        return _formatted_by_ast(m, node)
    return Text(bounded(join([_part(m, part) for part in parts])), "str")


def _part(m: Machine, part: literal.Part) -> Value:
    if isinstance(part, Mapped):
        return _filled(part) if m.source.holes else Known(part)
    expression = m.source.expression(part.start, part.end)
    if expression is None:
        return Unknown("the field cannot be read")
    obj = evaluate(m, expression)
    if part.spec is not None or part.conversion is not None or not strings.prints(obj):
        spec = join([_part(m, each) for each in part.spec or ()])
        obj = strings.converted(obj, part.conversion, spec, m.source.span(expression))
    value = spliced(value_of(obj), m.source.between(part.start, part.end))
    return value if part.debug is None else join((Known(part.debug), value))


def _formatted_by_ast(m: Machine, node: ast.JoinedStr) -> Obj:
    """For a literal that the decoder does not read: the same text, with no exact places."""
    span = m.source.span(node)
    parts = [
        Known(Mapped.new(str(v.value), span)) if isinstance(v, ast.Constant) else Unknown("the field cannot be read")
        for v in node.values
    ]
    return Text(join(parts), "str")


def _if_expression(m: Machine, node: ast.IfExp) -> Obj:
    if _is_long(node):
        return unknown("it depends on too many alternatives")
    tree = conditions.branched(m, node.test)
    if isinstance(tree, bool):
        return evaluate(m, node.body if tree else node.orelse)
    one = conditions.under(m, node.body, conditions.ways(tree, True))
    return conditions.chosen(tree, one, conditions.under(m, node.orelse, conditions.ways(tree, False)))


def _is_long(node: ast.expr) -> bool:
    for _ in range(_MAX_CHAIN):
        if not isinstance(node, ast.IfExp):
            return False
        node = node.orelse
    return True


def _boolean(m: Machine, node: ast.BoolOp) -> Obj:
    result = evaluate(m, node.values[0])
    for index, value in enumerate(node.values[1:]):
        result = _either(m, result, value, isinstance(node.op, ast.Or), node.values[index])
    return result


def _either(m: Machine, left: Obj, node: ast.expr, stops: bool, first: ast.expr) -> Obj:
    """``left or node`` (``stops`` true) or ``left and node``."""
    sure = m.truth(left)
    if sure is not None:
        return left if sure == stops else evaluate(m, node)
    return _chosen(m, left, evaluate(m, node), stops, first)


def _chosen(m: Machine, left: Obj, right: Obj, stops: bool, first: ast.expr, given: Obj | None = None) -> Obj:
    """``left or right``; ``given`` is ``left`` where it is one of several."""
    sure = m.truth(left)
    if sure is not None:
        return left if sure == stops else right
    if isinstance(left, Alt):
        return alt(left.choice, [_chosen(m, arm, right, stops, first, arm) for arm in left.arms])
    text = m.source.snippet(first)
    if given is not None and stops:
        return given  # that what is given is empty after all is not worth a word
    if not stops:
        return unknown(f"`{text} and …` is worked out when it runs")
    choice = m.default_choice(f"or {text}", f"`{text}` is not set", f"`{text}` is set", m.source.span(first))
    return alt(choice, [right, left])


def _compare(m: Machine, node: ast.Compare) -> Obj:
    left = evaluate(m, node.left)
    rights = [evaluate(m, c) for c in node.comparators]
    if len(rights) != 1:
        return unknown(f"`{m.source.snippet(node)}` is worked out when it runs")
    return _compared(m, left, node.ops[0], rights[0], node)


def _compared(m: Machine, left: Obj, op: ast.cmpop, right: Obj, node: ast.Compare) -> Obj:
    if isinstance(left, Alt):
        return alt(left.choice, [_compared(m, arm, op, right, node) for arm in left.arms])
    if isinstance(right, Alt):
        return alt(right.choice, [_compared(m, left, op, arm, node) for arm in right.arms])
    if isinstance(op, (ast.In, ast.NotIn)) and isinstance(right, (Seq, Map)):
        sure, value = python_value(left)
        if sure:
            found = m.source.span(node), m.source.snippet(node)
            return membership.contained(m, value, right, isinstance(op, ast.In), *found)
    result = strings.compared(op, left, right)
    if result is None:
        return unknown(f"`{m.source.snippet(node)}` is worked out when it runs")
    return known(str(result), m.source.span(node), "bool")


def _unary(m: Machine, node: ast.UnaryOp) -> Obj:
    return _negated(m, evaluate(m, node.operand), node)


def _negated(m: Machine, obj: Obj, node: ast.UnaryOp) -> Obj:
    if isinstance(obj, Alt):
        return alt(obj.choice, [_negated(m, arm, node) for arm in obj.arms])
    if isinstance(node.op, ast.Not):
        sure = m.truth(obj)
        return (
            unknown("it is worked out when it runs")
            if sure is None
            else known(str(not sure), m.source.span(node), "bool")
        )
    _, value = python_value(obj)
    if isinstance(node.op, ast.USub) and isinstance(value, (int, float)):
        return _number(m, node, -value)
    return obj if isinstance(node.op, ast.UAdd) and value is not None else unknown("it is worked out when it runs")


def _binary(m: Machine, node: ast.BinOp) -> Obj:
    chain = [node]
    while isinstance(chain[-1].left, ast.BinOp):
        chain.append(chain[-1].left)
    result = evaluate(m, chain[-1].left)
    first: ast.expr | None = chain[-1].left
    for each in reversed(chain):
        if isinstance(each.op, ast.Add):
            result = add(m, result, first, each.right, each)
        else:
            right = evaluate(m, each.right)
            if isinstance(each.op, ast.BitOr) and (m.containers(result, Map) or m.containers(right, Map)):
                more = containers.entries_of(m, right, each.right)
                result = m.state.new_map((*containers.entries_of(m, result, each), *more))
                first = None
                continue
            items = m.state.items(right) if isinstance(right, (Seq, Map)) else None
            result = strings.operated(each.op, result, right, items, m.source.span(each))
        first = None
    return result


def add(m: Machine, left: Obj, left_node: ast.expr | None, right_node: ast.expr, node: ast.expr) -> Obj:
    """``left + right_node``: of lists, of text or of numbers."""
    right = evaluate(m, right_node)
    if m.containers(left, Seq) or m.containers(right, Seq):
        start = (
            containers.splice(m, left_node)
            if isinstance(left_node, (ast.Name, ast.Attribute))
            else m.items(left, m.source.span(node))
        )
        end = (
            containers.splice(m, right_node)
            if isinstance(right_node, (ast.Name, ast.Attribute))
            else m.items(right, m.source.span(right_node))
        )
        return containers.new_seq(m, (*start, *end), node)
    return strings.added(left, right, m.source.span(node))


def _named(m: Machine, node: ast.NamedExpr) -> Obj:
    obj = evaluate(m, node.value)
    m.bind(node.target.id, obj)
    return obj


def _awaited(m: Machine, node: ast.Await) -> Obj:
    return evaluate(m, node.value)


def _call(m: Machine, node: ast.Call) -> Obj:
    return calls.call(m, node)


def _lambda(m: Machine, node: ast.Lambda) -> Obj:
    return defs.function(m, m.index.lambdas[node]) if node in m.index.lambdas else unknown("it is a function")


_HANDLERS: dict[type[ast.expr], Callable[..., Obj]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _attribute,
    ast.JoinedStr: _formatted,
    ast.IfExp: _if_expression,
    ast.BoolOp: _boolean,
    ast.Compare: _compare,
    ast.UnaryOp: _unary,
    ast.BinOp: _binary,
    ast.NamedExpr: _named,
    ast.Await: _awaited,
    ast.Lambda: _lambda,
    ast.Call: _call,
    ast.Yield: generators.give,
    ast.YieldFrom: generators.give_all,
}
