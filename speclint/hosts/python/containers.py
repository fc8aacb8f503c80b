"""Lists and dictionaries: literals, comprehensions, elements."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from speclint.hosts.python import expressions
from speclint.hosts.python.values import (
    Alt,
    Entry,
    Item,
    Map,
    Scope,
    Seq,
    Text,
    alt,
    number,
    open_entry,
    plain,
    python_value,
    several,
    stepped,
    unknown,
    value_of,
)
from speclint.value import Known

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import (
        Obj,
    )


def _list(m: Machine, node: ast.List | ast.Tuple | ast.Set) -> Obj:
    items: list[Item] = []
    for element in node.elts:
        if isinstance(element, ast.Starred):
            items.extend(splice(m, element.value))
        else:
            items.append(Item(expressions.evaluate(m, element), m.source.span(element)))
    return new_seq(m, items, node)


def new_seq(m: Machine, items: Sequence[Item], node: ast.expr) -> Seq:
    """A list with contents, written at ``node``."""
    seq = Seq(m.source.span(node))
    m.state.set(seq, tuple(items))
    return seq


def splice(m: Machine, node: ast.expr) -> tuple[Item, ...]:
    """The elements of a list that is put into another; those of a named list say which one they belong to."""
    items = m.items(expressions.evaluate(m, node), m.source.span(node))
    name = node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""
    uses = m.index.loads.get(name, 0) if isinstance(node, ast.Name) else m.index.attribute_loads.get(name, 0)
    if not name or uses < 2:
        return items
    step = m.definition(name, node, uses)
    step.note = f"an element of `{name}`"
    return tuple(item.having(stepped(item.obj, step)) if isinstance(item.obj, Text) else item for item in items)


def _dict(m: Machine, node: ast.Dict) -> Obj:
    entries: list[Item] = []
    for key, value in zip(node.keys, node.values, strict=False):
        if key is None:
            entries.extend(entries_of(m, expressions.evaluate(m, value), value))
        else:
            obj = expressions.evaluate(m, key)
            entries.append(entry(m, obj, key, expressions.evaluate(m, value), value))
    return m.state.new_map(entries)


def entry(m: Machine, key: Obj, key_node: ast.AST, obj: Obj, node: ast.expr) -> Entry:
    """An entry of a dictionary; its key stands where its characters do, without quotes."""
    span = m.source.span(key_node)
    if isinstance(key, Text) and isinstance(key.value, Known):
        return Entry(key, key.value.text.exact() or span, obj, m.source.span(node))
    return open_entry("its key is not known", span)


def entries_of(m: Machine, obj: Obj, node: ast.expr) -> tuple[Item, ...]:
    """The entries of a dictionary that is put into another."""
    span = m.source.span(node)
    items = m.items(obj, span)
    more = f"`{m.source.snippet(node)}` is not known"
    return tuple(i if isinstance(i, Entry) and i.key is not None else open_entry(more, span) for i in items)


def lookup(m: Machine, container: Map, key: str) -> Obj | None:
    """The value that a dictionary has for a key; None if it has none."""
    return _lookup(m.state.items(container), key)


def _lookup(entries: Sequence[Item], key: str) -> Obj | None:
    for index in range(len(entries) - 1, -1, -1):
        found = entries[index]
        if not isinstance(found, Entry) or found.key is None:
            return unknown(f"`{key}` may be set in more than one way")
        if value_of(found.key) and python_value(found.key)[1] != key:
            continue
        obj = found.obj
        if found.guard:
            rest = _lookup(entries[:index], key)
            for choice, arm in reversed(found.guard):
                other = rest if rest is not None else unknown(f"`{key}` is not set in every branch")
                obj = alt(choice, [obj if i == arm else other for i in range(len(choice.labels))])
        return obj
    return None


def _subscript(m: Machine, node: ast.Subscript) -> Obj:
    base = expressions.evaluate(m, node.value)
    if isinstance(node.slice, ast.Slice):
        return _slice(m, base, node.slice, node)
    return subscript(m, base, expressions.evaluate(m, node.slice), node)


def subscript(m: Machine, base: Obj, key: Obj, node: ast.expr) -> Obj:
    """An element of a list or dictionary."""
    found: Obj | None = None
    text, at = plain(key), number(key)
    if isinstance(base, Alt):
        return alt(base.choice, [subscript(m, arm, key, node) for arm in base.arms])
    if isinstance(key, Alt):
        return alt(key.choice, [subscript(m, base, arm, node) for arm in key.arms])
    if isinstance(base, Map) and text is not None:
        found = lookup(m, base, text)
    elif isinstance(base, Seq) and at is not None:
        items = m.state.items(base)
        if -len(items) <= at < len(items) and not any(i.guard or i.many for i in items):
            found = items[at].obj
    return found or unknown(f"`{m.source.snippet(node)}` is not set in this file")


def _slice(m: Machine, base: Obj, node: ast.Slice, whole: ast.expr) -> Obj:
    limits = [None if n is None else expressions.evaluate(m, n) for n in (node.lower, node.upper, node.step)]
    numbers = [None if limit is None else number(limit) for limit in limits]
    if isinstance(base, Seq) and all(n is not None or limit is None for n, limit in zip(numbers, limits, strict=False)):
        items = m.state.items(base)
        if limits == [None, None, None] or not any(i.guard or i.many for i in items):
            return new_seq(m, items[slice(*numbers)] if numbers[2] != 0 else (), whole)
    return unknown(f"`{m.source.snippet(whole)}` is worked out when it runs")


def _comprehension(m: Machine, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Obj:
    items: list[Item] = []

    def collect() -> None:
        items.append(Item(expressions.evaluate(m, node.elt), m.source.span(node.elt)))

    if _generate(m, node, node.generators, collect):
        return new_seq(m, items, node)
    return new_seq(m, [several(f"`{m.source.snippet(node)}` is worked out when it runs", m.source.span(node))], node)


def _dict_comprehension(m: Machine, node: ast.DictComp) -> Obj:
    entries: list[Item] = []

    def collect() -> None:
        entries.append(
            entry(m, expressions.evaluate(m, node.key), node.key, expressions.evaluate(m, node.value), node.value)
        )

    if _generate(m, node, node.generators, collect):
        return m.state.new_map(entries)
    return m.state.new_map([open_entry(f"`{m.source.snippet(node)}` is worked out when it runs", m.source.span(node))])


def _generate(m: Machine, node: ast.expr, generators: Sequence[ast.comprehension], collect: Callable[[], None]) -> bool:
    """Run ``collect`` for each round of a comprehension; False if the rounds cannot be told."""
    outer = m.scope
    m.scope = Scope(node, outer)
    try:
        return _rounds(m, generators, collect)
    finally:
        m.scope = outer


def _rounds(m: Machine, generators: Sequence[ast.comprehension], collect: Callable[[], None]) -> bool:
    if not generators:
        collect()
        return True
    first = generators[0]
    values = elements(m, expressions.evaluate(m, first.iter))
    if values is None:
        return False
    for value in values:
        if not m.spend():
            return False
        unpack(m, first.target, value)
        verdicts = [expressions.test(m, c) for c in first.ifs]
        if not all(isinstance(v, bool) for v in verdicts):
            return False
        if all(verdicts) and not _rounds(m, generators[1:], collect):
            return False
    return True


def elements(m: Machine, obj: Obj, limit: int = 64) -> list[Obj] | None:
    """The elements that a loop goes through; None if they cannot be told one by one."""
    if not isinstance(obj, (Seq, Map)):
        return None
    items = m.state.items(obj)
    if len(items) > limit or any(i.guard or i.many for i in items):
        return None
    if isinstance(obj, Map):
        keys = {python_value(i.key)[1]: i.key for i in reversed(items) if isinstance(i, Entry) and i.key is not None}
        order = dict.fromkeys(python_value(i.key)[1] for i in items if isinstance(i, Entry) and i.key is not None)
        return [keys[name] for name in order]
    return [i.obj for i in items]


def unpack(m: Machine, target: ast.expr, obj: Obj) -> None:
    """Bind the names of a loop's target."""
    if isinstance(target, ast.Name):
        m.bind(target.id, obj)
        return
    if isinstance(target, (ast.Tuple, ast.List)):
        values = elements(m, obj)
        fits = values is not None and len(values) == len(target.elts)
        for index, part in enumerate(target.elts):
            unpack(m, part, values[index] if values is not None and fits else unknown("its parts are not known"))


HANDLERS: dict[type[ast.expr], Callable[..., Obj]] = {
    ast.List: _list,
    ast.Tuple: _list,
    ast.Set: _list,
    ast.Dict: _dict,
    ast.Subscript: _subscript,
    ast.ListComp: _comprehension,
    ast.GeneratorExp: _comprehension,
    ast.SetComp: _comprehension,
    ast.DictComp: _dict_comprehension,
}
