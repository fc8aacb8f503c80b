"""Assignments: names, attributes, subscripts."""

from __future__ import annotations

from speclint.hosts.python import containers, edits, expressions, launchers, objects, strings
from speclint.hosts.python.facts import number, plain, stepped
from speclint.hosts.python.values import (
    Alt,
    Entry,
    Item,
    Map,
    Seq,
    Text,
    known,
    open_entry,
    unknown,
)
from speclint.pyast import ast
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.state import Key
    from speclint.hosts.python.values import (
        Obj,
    )

# A history longer than this is of no use to anyone.
_MAX_STEPS = 8
_NOT_COMMANDS = (
    *("help", "usage", "doc", "epilog", "description", "example", "message", "msg", "note", "hint", "readme"),
    "expected",
)


def _assign(m: Machine, node: ast.Assign) -> None:
    obj = expressions.named(m, _name(node.targets[0]), node.value)
    for target in node.targets:
        store(m, target, obj, node)


def _annotated(m: Machine, node: ast.AnnAssign) -> None:
    if node.value is None:
        return
    obj = expressions.named(m, _name(node.target), node.value)
    cls = m.scope.cls
    if cls is not None and cls.fields and isinstance(node.target, ast.Name):
        obj = m.default(node.target.id, obj, m.source.span(node.value))
    store(m, node.target, obj, node)


def _name(target: ast.expr) -> str:
    """The name that a target gives what is put there."""
    if isinstance(target, ast.Subscript):
        key = target.slice
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else _name(target.value)
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""


def store(m: Machine, target: ast.expr, obj: Obj, node: ast.stmt) -> None:
    """Put an object where a target says."""
    if isinstance(target, ast.Name):
        obj = _named(m, target.id, obj, node, m.index.loads.get(target.id, 0))
        m.bind(target.id, obj)
        scope = m.scope.elsewhere.get(target.id, m.scope)
        _keep(m, (scope, target.id), target.id, obj, node)
    elif isinstance(target, ast.Attribute):
        base = expressions.evaluate(m, target.value)
        obj = _named(m, target.attr, obj, node, m.index.attribute_loads.get(target.attr, 0))
        _store_attribute(m, target, base, obj, node)
    elif isinstance(target, ast.Subscript):
        _set_item(m, target, obj, node)
    elif isinstance(target, (ast.Tuple, ast.List)):
        containers.unpack(m, target, obj)


def _store_attribute(m: Machine, target: ast.Attribute, base: Obj, obj: Obj, node: ast.stmt) -> None:
    key = objects.set_attribute(m, base, target.attr, obj)
    if key is not None:
        _keep(m, key, target.attr, obj, node)
        return
    span = m.source.span(target)
    for container in m.containers(base, Map):
        entry = Entry(known(target.attr, span), span, obj, m.source.span(getattr(node, "value", target)))
        m.state.set(container, (*m.state.items(container), entry))
    m.emit(obj, "bound")


def _named(m: Machine, name: str, obj: Obj, node: ast.stmt, uses: int) -> Obj:
    """The object with the step that it was bound to a name."""
    if not isinstance(obj, (Text, Alt)):
        return obj  # which has no steps
    if isinstance(obj, Text) and isinstance(obj.value, Known) and len(obj.value.steps) >= _MAX_STEPS:
        return obj
    return stepped(obj, m.definition(name, node, uses))


def _keep(m: Machine, key: Key, name: str, obj: Obj, node: ast.stmt, old: Obj | None = None) -> None:
    """Note a command that is kept in a variable, to look at again when the function ends; it grew out of ``old``."""
    if not m.record or not launchers.mentions(m, obj):
        return
    lower = name.lower().replace("docker", "").replace("notebook", "")  # in which "doc" and "note" tell nothing
    if not any(word in lower for word in _NOT_COMMANDS):
        if old is not None:
            m.launches.outgrown(old)
        m.launches.mentioned(obj, "bound")
        m.frame.kept[key] = node


def flush(m: Machine) -> None:
    """Note the commands that variables hold at the end of a function."""
    if not m.record:
        return
    for key, node in m.frame.kept.items():
        m.statement = node
        obj = m.state.obj(key)
        if obj is not None and not m.launches.runs(obj):
            m.emit(obj, "bound")


def _set_item(m: Machine, target: ast.Subscript, obj: Obj, node: ast.stmt) -> None:
    base = expressions.evaluate(m, target.value)
    value = getattr(node, "value", target)
    if isinstance(target.slice, ast.Slice):
        part = target.slice
        bounds = [None if n is None else expressions.evaluate(m, n) for n in (part.lower, part.upper, part.step)]
        if not edits.set_slice(m, base, bounds, m.items(obj, m.source.span(value))):
            edits.changed(m, base, target)
        return
    key = expressions.evaluate(m, target.slice)
    for container in m.containers(base, Map):
        entry = containers.entry(m, key, target.slice, obj, value)
        m.state.set(container, (*m.state.items(container), entry))
    for container in m.containers(base, Seq):
        items, at = m.state.items(container), number(key)
        before = items[: at + 1] if at is not None and at >= 0 else items
        if at is None or not -len(items) <= at < len(items) or any(i.guard or i.many for i in before):
            edits.changed(m, container, target)
            continue
        at %= len(items)
        m.state.set(container, (*items[:at], Item(obj, m.source.span(value)), *items[at + 1 :]))
    m.emit(obj, "bound")


def _augmented(m: Machine, node: ast.AugAssign) -> None:
    target = node.target
    if isinstance(target, ast.Subscript) and isinstance(target.slice, ast.Slice):
        expressions.evaluate(m, node.value)
        edits.changed(m, expressions.evaluate(m, target.value), target)
        return
    load = _loaded(target)
    old = expressions.evaluate(m, load)
    if isinstance(node.op, ast.Add) and m.containers(old, Seq):
        m.extend(old, containers.splice(m, node.value))
        return
    if isinstance(node.op, ast.BitOr) and m.containers(old, Map):
        entries = containers.entries_of(m, expressions.evaluate(m, node.value), node.value)
        for container in m.containers(old, Map):
            m.state.set(container, (*m.state.items(container), *entries))
        return
    if isinstance(node.op, ast.Add):
        new = expressions.add(m, old, None, node.value, load)
    else:
        new = strings.operated(node.op, old, expressions.evaluate(m, node.value), None, m.source.span(node))
    _rebind(m, target, new, node, old)


def _loaded(target: ast.Name | ast.Attribute | ast.Subscript) -> ast.expr:
    """What a target holds, to be read before it is set."""
    load: ast.expr
    if isinstance(target, ast.Name):
        load = ast.Name(target.id, ast.Load())
    elif isinstance(target, ast.Attribute):
        load = ast.Attribute(target.value, target.attr, ast.Load())
    else:
        load = ast.Subscript(target.value, target.slice, ast.Load())
    return ast.copy_location(load, target)


def _rebind(
    m: Machine, target: ast.Name | ast.Attribute | ast.Subscript, obj: Obj, node: ast.stmt, old: Obj
) -> None:
    """Bind a name that was added to; the parts keep the steps that they have."""
    if isinstance(target, ast.Name):
        m.bind(target.id, obj)
        _keep(m, (m.scope.elsewhere.get(target.id, m.scope), target.id), target.id, obj, node, old)
    elif isinstance(target, ast.Attribute):
        _store_attribute(m, target, expressions.evaluate(m, target.value), obj, node)
    else:
        _set_item(m, target, obj, node)


def _delete(m: Machine, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            m.bind(target.id, unknown(f"`{target.id}` is deleted"))
        elif isinstance(target, ast.Subscript):
            base, key = expressions.evaluate(m, target.value), plain(expressions.evaluate(m, target.slice))
            if isinstance(base, Seq):
                _shorten(m, base, target)
                continue
            edits.changed(m, base, target)
            for container in m.containers(base, Map):
                left = [e for e in m.state.items(container) if key is None or not _is_key(e, key)]
                more = [open_entry("an unknown key is deleted", m.source.span(target))] if key is None else []
                m.state.set(container, (*left, *more))


def _shorten(m: Machine, seq: Seq, target: ast.Subscript) -> None:
    """Delete elements of a list."""
    part = target.slice
    nodes = (part.lower, part.upper, part.step) if isinstance(part, ast.Slice) else (part,)
    places = [None if node is None else number(expressions.evaluate(m, node)) for node in nodes]
    items = list(m.state.items(seq))
    known = all(place is not None or node is None for place, node in zip(places, nodes, strict=True))
    if not known or 0 in places[2:] or any(item.guard or item.many for item in items):
        edits.changed(m, seq, target)
    elif isinstance(part, ast.Slice):
        del items[slice(*places)]
        m.state.set(seq, tuple(items))
    elif places[0] is not None and -len(items) <= places[0] < len(items):
        del items[places[0]]
        m.state.set(seq, tuple(items))


def _is_key(item: Item, key: str) -> bool:
    return isinstance(item, Entry) and item.key is not None and plain(item.key) == key


HANDLERS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.Assign: _assign,
    ast.AnnAssign: _annotated,
    ast.AugAssign: _augmented,
    ast.Delete: _delete,
}
