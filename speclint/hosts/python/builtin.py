"""Functions of Python and its standard library whose value can be told."""

from __future__ import annotations

from speclint.hosts.python import containers, data, stdlib
from speclint.hosts.python.facts import number, plain, python_value
from speclint.hosts.python.values import (
    Alt,
    Args,
    Entry,
    Func,
    Instance,
    Item,
    Map,
    Ref,
    Seq,
    Text,
    alt,
    known,
    settled,
    several,
    unknown,
    value_of,
)
from speclint.value import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import (
        Obj,
    )
    from speclint.text import Span


def function(m: Machine, name: str, given: Arguments) -> Obj | None:
    """What a call of a known function gives; None if it is not one."""
    if name in _RECORDS:
        from speclint.hosts.python import records

        return records.function(m, name.rsplit(".", 1)[-1], given)
    handler = _FUNCTIONS.get(name) or stdlib.FUNCTIONS.get(name)
    if handler is None and name in _FOLDED:
        from speclint.hosts.python import folded

        handler = folded.FUNCTIONS[name]
    return handler(m, given) if handler is not None else None


def _str(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    if first is None:
        return known("", m.source.span(given.node))
    return as_str(first.obj)


def as_str(obj: Obj) -> Obj:
    """``str(obj)``."""
    if isinstance(obj, Alt):
        return alt(obj.choice, [as_str(arm) for arm in obj.printed()])
    return Text(value_of(obj), "str")


def _number_of(kind: str) -> Callable[[Machine, Arguments], Obj | None]:
    def handler(m: Machine, given: Arguments) -> Obj | None:
        first = given.get(0)
        return None if first is None else _cast(first.obj, kind, m.source.span(given.node))

    return handler


def _cast(obj: Obj, kind: str, span: Span) -> Obj:
    if isinstance(obj, Alt):
        return alt(obj.choice, [_cast(arm, kind, span) for arm in obj.arms])
    sure, value = python_value(obj)
    if not sure or value is None:
        return (
            Text(value_of(obj), kind)
            if isinstance(value_of(obj), Unknown)
            else unknown("it is worked out when it runs")
        )
    try:
        result = int(value) if kind == "int" else float(value)
    except (ValueError, OverflowError):
        return unknown("it is no number")
    if isinstance(result, int) and result.bit_length() > 200:
        return unknown("the number is too long")
    same = isinstance(obj, Text) and isinstance(obj.value, Known) and obj.value.text.text == repr(result)
    return Text(value_of(obj), kind) if same else known(repr(result), span, kind)


def _bool(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    sure = m.truth(first.obj) if first is not None else False
    return None if sure is None else known(str(sure), m.source.span(given.node), "bool")


def _list(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    if first is None:
        return containers.new_seq(m, (), given.node)
    items = m.items(first.obj, first.span)
    keys = [Item(i.key, i.key_span, i.guard) if isinstance(i, Entry) and i.key is not None else i for i in items]
    return containers.new_seq(m, keys, given.node)


def _dict(m: Machine, given: Arguments) -> Obj | None:
    entries: list[Item] = []
    if given.positional:
        first = given.positional[0]
        entries.extend(_pairs(m, first.obj, given) or containers.entries_of(m, first.obj, given.node.args[0]))
    return m.state.new_map((*entries, *given.keywords))


def _pairs(m: Machine, obj: Obj, given: Arguments) -> list[Item] | None:
    if not isinstance(obj, Seq):
        return None
    from speclint.hosts.python import folded

    return folded.pairs(m, obj, m.source.span(given.node))


def _isinstance(m: Machine, given: Arguments) -> Obj | None:
    first, second = given.get(0), given.get(1)
    if first is None or second is None:
        return None
    wanted = [i.obj for i in m.state.items(second.obj)] if isinstance(second.obj, Seq) else [second.obj]
    names = {obj.name.removeprefix("builtins.") for obj in wanted if isinstance(obj, Ref)}
    return _of_type(m, first.obj, frozenset(names), given) if len(names) == len(wanted) else None


def _of_type(m: Machine, obj: Obj, names: frozenset[str], given: Arguments) -> Obj:
    if isinstance(obj, Alt):
        return alt(obj.choice, [_of_type(m, arm, names, given) for arm in obj.arms])
    sure = data.is_a(obj, names)
    if sure is None:
        return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")
    return known(str(sure), m.source.span(given.node), "bool")


def _sorted(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    found = containers.elements(m, first.obj) if first is not None and not given.keywords else None
    keys = [data.python_data(m, obj) for obj in found or ()]
    if found is None or first is None or not all(sure for sure, _ in keys):
        return None
    try:
        order = sorted(range(len(found)), key=lambda index: keys[index][1])  # type: ignore[arg-type, return-value]
    except TypeError:
        return None
    spans = [item.span for item in m.items(first.obj, first.span)]
    same = len(spans) == len(found)
    return containers.new_seq(m, [Item(found[i], spans[i] if same else None) for i in order], given.node)


def _reversed(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    items = m.items(first.obj, first.span) if first is not None else ()
    return None if any(i.guard or i.many for i in items) else containers.new_seq(m, items[::-1], given.node)


def _filter(m: Machine, given: Arguments) -> Obj | None:
    """``filter(None, …)``."""
    if len(given.positional) != 2 or m.source.snippet(given.node.args[0]) not in ("None", "bool"):
        return None
    kept: list[Item] = []
    for item in m.items(given.positional[1].obj, given.positional[1].span):
        sure = None if item.many else m.truth(item.obj)
        if sure is not False:
            kept.append(item if sure or item.many else several("it may be left out", item.span))
    return containers.new_seq(m, kept, given.node)


def _len(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    if first is None:
        return None
    size: int | None = None
    if isinstance(first.obj, (Seq, Map)):
        items = m.state.items(first.obj)
        values = {python_value(i.key)[1] for i in items if isinstance(i, Entry) and i.key is not None}
        count = len(values) if isinstance(first.obj, Map) else len(items)
        size = None if any(i.guard or i.many for i in items) else count
    text = plain(first.obj)
    size = len(text) if text is not None else size
    return None if size is None else known(str(size), m.source.span(given.node), "int")


def _range(m: Machine, given: Arguments) -> Obj | None:
    return _numbers(m, [item.obj for item in given.positional], given)


def _numbers(m: Machine, bounds_given: Sequence[Obj], given: Arguments) -> Obj:
    point = next((obj.choice for obj in bounds_given if isinstance(obj, Alt)), None)
    if point is not None:
        ways = [frozenset((way,)) for way in range(len(point.labels))]
        return alt(point, [_numbers(m, [settled(obj, {point: way}) for obj in bounds_given], given) for way in ways])
    limits = [number(obj) for obj in bounds_given]
    bounds = [n for n in limits if n is not None]
    span = m.source.span(given.node)
    if len(bounds) != len(limits) or not bounds or len(bounds) > 3 or (len(bounds) == 3 and not bounds[2]):
        return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")
    numbers = range(*bounds)
    if len(numbers) > 64:
        return unknown("the loop is too long to follow")
    return containers.new_seq(m, [Item(known(str(n), span, "int"), span) for n in numbers], given.node)


def _enumerate(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    values = containers.elements(m, first.obj) if first is not None else None
    start = given.get(1, "start")
    offset = number(start.obj) if start is not None else 0
    if values is None or offset is None:
        return None
    span = m.source.span(given.node)
    pairs = [
        m.state.new_seq((Item(known(str(n), span, "int"), span), Item(value, span)))
        for n, value in enumerate(values, offset)
    ]
    return containers.new_seq(m, [Item(pair, span) for pair in pairs], given.node)


def _zip(m: Machine, given: Arguments) -> Obj | None:
    columns = [containers.elements(m, item.obj) for item in given.positional]
    found = [c for c in columns if c is not None]
    if len(found) != len(columns) or given.keywords:
        return None
    span = m.source.span(given.node)
    rows = [m.state.new_seq([Item(value, span) for value in row]) for row in zip(*found, strict=False)]
    return containers.new_seq(m, [Item(row, span) for row in rows], given.node)


def _map(m: Machine, given: Arguments) -> Obj | None:
    import ast as syntax

    from speclint.hosts.python import calls, indirect

    if len(given.positional) != 2:
        return None
    target = given.node.args[0]
    items = m.items(given.positional[1].obj, given.positional[1].span)
    if isinstance(target, syntax.Name) and target.id == "str" and m.find("str") is None:
        return containers.new_seq(m, [i.having(as_str(i.obj)) for i in items], given.node)
    handed = indirect.handed_on(m, given)
    if handed is not None and isinstance(handed[0], Func):
        calls.apply(m, *handed)
    return containers.new_seq(m, (several("`map` is worked out when it runs", m.source.span(given.node)),), given.node)


def _getattr(m: Machine, given: Arguments) -> Obj | None:
    name = given.get(1)
    default = given.get(2)
    text = plain(name.obj) if name is not None else None
    base = given.positional[0].obj if given.positional else None
    found: Obj | None = None
    if text is not None and isinstance(base, Instance):
        found = m.member(base, text)
    elif text is not None and isinstance(base, Args):
        found = m.state.obj((base.parser, text))
    elif text is not None and isinstance(base, Ref) and base.name.startswith("sglang"):
        found = Ref(f"{base.name}.{text}")
        if default is not None:
            has = f"`{base.name}` has `{text}`", f"`{base.name}` has no `{text}`"
            choice = m.default_choice(m.source.snippet(given.node), *has, default.span)
            found = alt(choice, [found, default.obj])
    if found is not None or default is None:
        return found
    return m.default(m.source.snippet(given.node), default.obj, default.span)


def _setattr(m: Machine, given: Arguments) -> Obj | None:
    from speclint.hosts.python.objects import set_attribute

    name, value = given.get(1), given.get(2)
    text = plain(name.obj) if name is not None else None
    if text is not None and value is not None:
        set_attribute(m, given.positional[0].obj, text, value.obj)
    return known("None", m.source.span(given.node), "none")


# What is asked for seldom, in a module of its own.
_FOLDED = frozenset(
    (
        *("builtins.min", "builtins.max", "builtins.round", "builtins.abs", "os.path.basename", "itertools.product"),
        *("collections.ChainMap", "collections.namedtuple", "json.loads", "huggingface_hub.snapshot_download"),
        *("bentoml.models.HuggingFaceModel", "modelscope.snapshot_download"),
    )
)
# What takes a record of data.
_RECORDS = frozenset(
    (
        *("builtins.vars", "dataclasses.asdict", "dataclasses.replace"),
        *(f"{module}.{name}" for module in ("attr", "attrs") for name in ("asdict", "evolve")),
    )
)
_FUNCTIONS: dict[str, Callable[[Machine, Arguments], Obj | None]] = {
    "builtins.str": _str,
    "builtins.int": _number_of("int"),
    "builtins.float": _number_of("float"),
    "builtins.bool": _bool,
    "builtins.list": _list,
    "builtins.tuple": _list,
    "builtins.iter": _list,
    "builtins.dict": _dict,
    "builtins.len": _len,
    "builtins.isinstance": _isinstance,
    "builtins.sorted": _sorted,
    "builtins.reversed": _reversed,
    "builtins.filter": _filter,
    "types.SimpleNamespace": _dict,
    "argparse.Namespace": _dict,
    "kubernetes.client.V1EnvVar": _dict,
    "builtins.range": _range,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.map": _map,
    "builtins.getattr": _getattr,
    "builtins.setattr": _setattr,
    "builtins.object.__setattr__": _setattr,
    "os.fspath": _str,
}
