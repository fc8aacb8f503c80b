"""Lists and dictionaries: literals, comprehensions, elements."""

from __future__ import annotations

from speclint.hosts.python import conditions, expressions, keys
from speclint.hosts.python.facts import number, plain, python_value, stepped
from speclint.hosts.python.values import (
    MAX_ITEMS,
    Alt,
    Class,
    Entry,
    Instance,
    Item,
    Map,
    Scope,
    Seq,
    Text,
    alt,
    open_entry,
    several,
    unknown,
    value_of,
)
from speclint.pyast import ast
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.words import Guard

    # What a round makes is put together by this, where choices go the ways of a guard; or many of them.
    _Collect = Callable[[Guard, bool], None]
    _Comprehension = ast.ListComp | ast.SetComp | ast.GeneratorExp | ast.DictComp


# Functions and methods that make text, numbers and lists of what they are given.
_CALM = frozenset(
    (
        *("str", "int", "float", "bool", "len", "repr", "list", "tuple", "dict", "set", "range", "zip", "enumerate"),
        *("isinstance", "format", "replace", "join", "split", "strip", "lstrip", "rstrip", "lower", "upper", "get"),
        *("items", "keys", "values", "startswith", "endswith", "getattr", "min", "max", "sorted", "Path", "quote"),
    )
)
_KINDS: dict[type[ast.expr], str] = {
    **dict.fromkeys((ast.List, ast.ListComp), "list"),
    **dict.fromkeys((ast.Set, ast.SetComp), "set"),
    ast.Tuple: "tuple",
}


def _list(m: Machine, node: ast.List | ast.Tuple | ast.Set) -> Obj:
    items: list[Item] = []
    if len(node.elts) > MAX_ITEMS:
        return new_seq(m, (several("the list is too long to follow", m.source.span(node)),), node)
    for element in node.elts:
        if isinstance(element, ast.Starred):
            m.fragments.names.append("*()")
            items.extend(splice(m, element.value))
            m.fragments.names.pop()
        else:
            items.append(Item(expressions.evaluate(m, element), m.source.span(element)))
    made = new_seq(m, items, node)
    m.fragments.note(made, m.source.span(node))
    return made


def new_seq(m: Machine, items: Sequence[Item], node: ast.expr) -> Seq:
    """A list with contents, written at ``node``."""
    seq = Seq(m.source.span(node), _KINDS.get(type(node)))
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
    if len(node.keys) > MAX_ITEMS:
        return m.state.new_map((open_entry("the dictionary is too long to follow", m.source.span(node)),))
    for key, value in zip(node.keys, node.values, strict=False):
        if key is None:
            entries.extend(entries_of(m, expressions.evaluate(m, value), value))
        else:
            obj = expressions.evaluate(m, key)
            entries.append(entry(m, obj, key, expressions.named(m, plain(obj) or "", value), value))
    made = m.state.new_map(entries)
    m.fragments.note(made, m.source.span(node))
    return made


def entry(m: Machine, key: Obj, key_node: ast.AST, obj: Obj, node: ast.expr, guard: Guard = ()) -> Entry:
    """An entry of a dictionary; its key stands where its characters do, without quotes."""
    span = m.source.span(key_node)
    if isinstance(key, Text) and isinstance(key.value, Known):
        return Entry(key, key.value.text.exact() or span, obj, m.source.span(node), guard)
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
    elif isinstance(base, Map) and isinstance(node, ast.Subscript):
        from speclint.hosts.python import picked

        found = picked.command(m, base, key, node.slice)
    elif isinstance(base, Class) and text is not None:
        found = m.attribute(base, text)  # a member of an enumeration
    elif isinstance(base, Instance) and at is not None:
        parts = elements(m, base) or ()
        found = parts[at] if -len(parts) <= at < len(parts) else None
    elif isinstance(base, Seq) and at is not None:
        items = m.state.items(base)
        if -len(items) <= at < len(items) and not any(i.guard or i.many for i in items[: at + 1 if at >= 0 else None]):
            found = items[at].obj
    return found or unknown(f"`{m.source.snippet(node)}` is not set in this file")


def _slice(m: Machine, base: Obj, node: ast.Slice, whole: ast.expr) -> Obj:
    limits = [None if n is None else expressions.evaluate(m, n) for n in (node.lower, node.upper, node.step)]
    numbers = [None if limit is None else number(limit) for limit in limits]
    if isinstance(base, Seq) and all(n is not None or limit is None for n, limit in zip(numbers, limits, strict=False)):
        items = m.state.items(base)
        # What is cut off at the start has to be known, and for any other part all.
        fixed = numbers[0] if numbers[0] is not None and numbers[0] >= 0 and numbers[1:] == [None, None] else None
        if limits == [None, None, None] or not any(i.guard or i.many for i in items[:fixed]):
            return new_seq(m, items[slice(*numbers)] if numbers[2] != 0 else (), whole)
    return unknown(f"`{m.source.snippet(whole)}` is worked out when it runs")


def _comprehension(m: Machine, node: ast.ListComp | ast.GeneratorExp | ast.SetComp) -> Obj:
    items: list[Item] = []

    def collect(guard: Guard, many: bool) -> None:
        obj = unknown("it changes from round to round") if many else expressions.evaluate(m, node.elt)
        items.append(Item(obj, m.source.span(node.elt), guard, many))

    if _generate(m, node, (node.elt,), collect):
        return new_seq(m, items, node)
    return new_seq(m, [several(f"`{m.source.snippet(node)}` is worked out when it runs", m.source.span(node))], node)


def _dict_comprehension(m: Machine, node: ast.DictComp) -> Obj:
    entries: list[Item] = []

    def collect(guard: Guard, many: bool) -> None:
        key = unknown("it changes from round to round") if many else expressions.evaluate(m, node.key)
        value = key if many else expressions.evaluate(m, node.value)
        entries.append(entry(m, key, node.key, value, node.value, guard))

    if _generate(m, node, (node.key, node.value), collect):
        return m.state.new_map(entries)
    return m.state.new_map([open_entry(f"`{m.source.snippet(node)}` is worked out when it runs", m.source.span(node))])


def _generate(m: Machine, node: _Comprehension, parts: Sequence[ast.expr], collect: _Collect) -> bool:
    """Run ``collect`` for each round of a comprehension, which makes ``parts``, or for any number of them at once that
    are not known; False if the rounds cannot be told.
    """
    outer, taken, record, budget = m.scope, m.state.taken, m.record, m.budget
    m.scope = Scope(node, outer)
    try:
        if record and _calls(m, parts):
            from speclint.hosts.python import loops

            # As a loop is: what is started is noted once, with one of the values that it goes through.
            loops.read_comprehension(m, node.generators, parts)
            m.record = False
        return _rounds(m, node.generators, (), collect)
    finally:
        if record and not m.record:
            m.record, m.budget = record, budget
        m.scope, m.state.taken = outer, taken


def _calls(m: Machine, parts: Sequence[ast.expr]) -> bool:
    """Whether some parts of a comprehension call what may start something."""
    for part in parts:
        found = m.calling.get(part)
        if found is None:
            found = m.calling[part] = any(
                isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) not in _CALM
                for node in ast.walk(part)
            )
        if found:
            return True
    return False


def _rounds(m: Machine, generators: Sequence[ast.comprehension], guard: Guard, collect: _Collect) -> bool:
    m.state.taken = {**m.state.taken, **{choice: frozenset((arm,)) for choice, arm in guard}}
    if not generators:
        collect(guard, False)
        return True
    first, taken = generators[0], m.state.taken
    values = rounds(m, expressions.evaluate(m, first.iter), True)
    for value in values or ():
        if not m.spend():
            return False
        m.state.taken = taken
        unpack(m, first.target, value.obj)
        kept = None if value.many else _kept(m, first.ifs)
        if kept is None:
            collect((*guard, *value.guard), True)
            continue
        for more in kept:
            if not _rounds(m, generators[1:], (*guard, *value.guard, *more), collect):
                return False
    return values is not None


def _kept(m: Machine, tests: Sequence[ast.expr]) -> list[Guard] | None:
    """When a round passes the conditions of a comprehension: never, always or where choices go one way.

    None if it cannot be told so.
    """
    guard: Guard = ()
    for node in tests:
        found = list(conditions.paths(conditions.branched(m, node)))
        if not found:
            return []
        if len(found) > 1:
            return None
        guard = (*guard, *found[0])
    return [guard]


def rounds(m: Machine, obj: Obj, open_ended: bool = False, limit: int = 64) -> list[Item] | None:
    """What a loop goes through, some only where a choice went one way; None if it cannot be told one by one.

    ``open_ended``: some of it may be any number of elements that are not known.
    """
    if not m.containers(obj, Seq) and not m.containers(obj, Map):
        return None
    items = keys.keys_of(m.items(obj, None))
    if items is None or len(items) > limit:
        return None
    return items if open_ended or not any(i.many and not i.guard for i in items) else None


def elements(m: Machine, obj: Obj) -> list[Obj] | None:
    """The elements that a loop is sure to go through; None if they cannot be told one by one."""
    if isinstance(obj, Instance):
        from speclint.hosts.python import records

        return records.parts(m, obj)
    found = rounds(m, obj) if isinstance(obj, (Seq, Map)) else None
    return None if found is None or any(item.guard or item.many for item in found) else [item.obj for item in found]


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
