"""Methods of lists, dictionaries, text and argument parsers."""

from __future__ import annotations

from speclint.hosts.python import calls, containers, edits, stdlib, textmethods
from speclint.hosts.python.facts import number, plain, python_value
from speclint.hosts.python.keys import keys_of
from speclint.hosts.python.values import (
    NEVER,
    Alt,
    Entry,
    Item,
    Map,
    Parser,
    Seq,
    Text,
    alt,
    known,
    open_entry,
    several,
    unknown,
)
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import (
        Obj,
    )

_NONE = "none"
# Whose ``get`` takes the name of a section and that of a key.
_INI = pattern(r"[Cc]onfig[Pp]arser")


def method(m: Machine, base: Obj, name: str, given: Arguments) -> Obj | None:
    """What a method of a known kind of object gives, after what it does; None if it is not one."""
    if m.containers(base, Seq):
        return _list(m, base, name, given)
    maps = m.containers(base, Map)
    if maps:
        return _dict(m, base, name, given)
    if isinstance(base, Parser):
        return _parser(m, base, name, given)
    if name == "get" and isinstance(base, Text) and base.kind is None:
        return _option(m, given)
    if isinstance(base, (Text, Alt)):
        return textmethods.method(m, base, name, given)
    return None


def _option(m: Machine, given: Arguments) -> Obj | None:
    """``config.get("tp_size", 8)`` of what is not known: a setting that has a default."""
    key, default = given.get(0), given.get(1, "default")
    name = plain(key.obj) if key is not None else None
    if name is None or default is None or not name.isidentifier():
        return None
    sure, value = python_value(default.obj)
    if not sure or value is None or (isinstance(value, str) and m.source.has(_INI)):
        return None
    return m.default(name, default.obj, default.span)


def _nothing(m: Machine, given: Arguments) -> Obj:
    return known("None", m.source.span(given.node), _NONE)


def _list(m: Machine, base: Obj, name: str, given: Arguments) -> Obj | None:
    first = given.get(0)
    span = m.source.span(given.node)
    if name == "append" and first is not None:
        m.extend(base, (first,))
    elif name == "extend" and first is not None:
        m.extend(
            base,
            containers.splice(m, given.node.args[0]) if _is_named(given) else m.items(first.obj, first.span),
        )
    elif name == "insert" and len(given.positional) == 2:
        at = number(given.positional[0].obj)
        if at is None:
            m.extend(base, (several("the place of insertion is not known", span),))
        else:
            m.extend(base, (given.positional[1],), at)
    elif name == "copy":
        return containers.new_seq(m, m.items(base, span), given.node)
    elif name in ("pop", "remove", "clear", "sort", "reverse"):
        return _removed(m, base, name, given)
    else:
        found = edits.index(m, base, first.obj, span) if name == "index" and first is not None else None
        return found or unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")
    return _nothing(m, given)


def _is_named(given: Arguments) -> bool:
    """Whether the argument is only a name, so that evaluating it again does nothing."""
    from speclint.pyast import ast

    return bool(given.node.args) and isinstance(given.node.args[0], (ast.Name, ast.Attribute))


def _removed(m: Machine, base: Obj, name: str, given: Arguments) -> Obj:
    lists = m.containers(base, Seq)
    taken = unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")
    result: Obj = taken if name == "pop" else _nothing(m, given)
    for seq in lists:
        items = m.state.items(seq)
        left: tuple[Item, ...] | None = None
        if name == "clear":
            left = ()
        elif not any(i.guard or i.many for i in items):
            if name == "reverse":
                left = items[::-1]
            elif name == "remove" and given.positional:
                left = _without(items, python_value(given.positional[0].obj))
            elif name == "pop":
                at = number(given.positional[0].obj) if given.positional else -1
                if at is not None and -len(items) <= at < len(items):
                    result = items[at].obj if len(lists) == 1 else taken
                    left = tuple(item for item in items if item is not items[at])
        if left is None:
            edits.changed(m, seq, given.node)
            continue
        if not left:
            m.launches.outgrown(seq)
        m.state.set(seq, left)
    return result


def _without(items: tuple[Item, ...], wanted: tuple[bool, object]) -> tuple[Item, ...] | None:
    values = [python_value(i.obj) for i in items]
    if not wanted[0] or not all(sure for sure, _ in values):
        return None
    for index, (_, value) in enumerate(values):
        if value == wanted[1]:
            return (*items[:index], *items[index + 1 :])
    return items


def _dict(m: Machine, base: Obj, name: str, given: Arguments) -> Obj | None:
    if isinstance(base, Alt) and name in ("get", "items", "keys", "values", "copy"):
        arms = [
            _dict(m, arm, name, given) if isinstance(arm, (Alt, Map)) else unknown("it is not known")
            for arm in base.arms
        ]
        return alt(base.choice, [arm or unknown("it is not known") for arm in arms])
    results = [_one_dict(m, c, name, given) for c in m.containers(base, Map) if isinstance(c, Map)]
    return results[0] if results else None


def _one_dict(m: Machine, base: Map, name: str, given: Arguments) -> Obj:
    span = m.source.span(given.node)
    entries = m.state.items(base)
    first = given.get(0)
    key = plain(first.obj) if first is not None else None
    if name == "get" and first is not None:
        return got(m, base, key, given)
    if name == "copy":
        return m.state.new_map(_all_of(m, base))
    if name == "update":
        more = containers.entries_of(m, first.obj, given.node.args[0]) if first is not None else ()
        m.state.set(base, (*entries, *more, *given.keywords))
    elif name == "setdefault" and first is not None and len(given.positional) > 1:
        return _set_default(m, base, first, given.positional[1])
    elif name == "pop" and first is not None:
        found = containers.lookup(m, base, key) if key is not None else None
        if key is None:
            m.state.set(base, (*entries, open_entry("an unknown key is removed", span)))
        else:
            m.state.set(base, tuple(e for e in entries if not (isinstance(e, Entry) and calls.key_text(e) == key)))
        return found or unknown("it is removed from a dictionary")
    elif name in ("items", "keys", "values"):
        return _view(m, base, name, given)
    elif name == "clear":
        m.state.set(base, ())
    else:
        return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")
    return _nothing(m, given)


def _all_of(m: Machine, base: Map) -> tuple[Item, ...]:
    return m.state.items(base)


def _view(m: Machine, base: Map, name: str, given: Arguments) -> Obj:
    span = m.source.span(given.node)
    entries = m.state.items(base)
    keys = keys_of(entries)
    last = {python_value(e.key)[1]: e for e in entries if isinstance(e, Entry) and e.key is not None}
    if keys is None or any(key.many for key in keys):
        return containers.new_seq(m, (several("the dictionary is not wholly known", span),), given.node)
    found: list[Item] = []
    for key in keys:
        entry = last[python_value(key.obj)[1]]
        # What a branch replaces is there all the same, with one value or the other.
        obj = entry.obj if entry.guard == key.guard else containers.lookup(m, base, plain(key.obj) or "") or entry.obj
        value = key.obj if name == "keys" else obj
        if name == "items":
            value = m.state.new_seq((Item(key.obj, key.span), Item(obj, entry.span)))
        found.append(Item(value, entry.span, key.guard))
    return containers.new_seq(m, found, given.node)


def _set_default(m: Machine, base: Map, key: Item, value: Item) -> Obj:
    text = plain(key.obj)
    found = containers.lookup(m, base, text) if text is not None else None
    if found is not None and m.truth(found) is not None:
        return found
    obj = value.obj
    if base is m.environ and text is not None:
        obj = stdlib.variable(m, text, value.obj, value.span)
    entry_key = key.obj if isinstance(key.obj, Text) and text is not None else None
    entry = Entry(entry_key, key.span, obj, value.span)
    # What is there already, or may be, comes behind it, and so before it.
    m.state.set(base, (entry, *m.state.items(base)) if found is not None else (*m.state.items(base), entry))
    return obj if found is None or text is None else containers.lookup(m, base, text) or obj


def got(m: Machine, base: Map, key: str | None, given: Arguments) -> Obj:
    """``base.get(key, default)``; a variable of the environment that the file does not set may have any value."""
    default = given.get(1, "default")
    found = containers.lookup(m, base, key) if key is not None else None
    if found is not None:
        told = any(isinstance(e, Entry) and e.key is not None and calls.key_text(e) == key for e in m.state.items(base))
        return found if told or default is None else _option(m, given) or found
    fallback = default.obj if default is not None else _nothing(m, given)
    if key is None:
        return _picked(m, base, given, fallback)
    if base is m.environ:
        return stdlib.variable(m, key, fallback, default.span if default is not None else None)
    return fallback


def _picked(m: Machine, base: Map, given: Arguments, fallback: Obj) -> Obj:
    """What a dictionary has for a key that is not known."""
    first = given.get(0)
    if first is not None and given.node.args and base is not m.environ:
        from speclint.hosts.python import picked

        found = picked.command(m, base, first.obj, given.node.args[0], fallback)
        if found is not None:
            return found
    return unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs")


_PARSERS = frozenset(("add_argument_group", "add_mutually_exclusive_group"))


def _parser(m: Machine, base: Parser, name: str, given: Arguments) -> Obj | None:
    if name in _PARSERS:
        return base
    if name in ("parse_args", "parse_known_args"):
        from speclint.hosts.python.parsing import parsed

        args = parsed(m, base, given)
        if name == "parse_args":
            return args
        rest = containers.new_seq(m, (several("the rest of the command line", m.source.span(given.node)),), given.node)
        return m.state.new_seq((Item(args, None), Item(rest, None)))
    if name == "set_defaults":
        for entry in given.keywords:
            name = calls.key_text(entry) or ""
            base.options.setdefault(name, (name, given))
            m.state.set((base, name), m.default(name, entry.obj, entry.span))
        return _nothing(m, given)
    if name == "add_argument":
        _add_argument(m, base, given)
        return _nothing(m, given)
    return NEVER if name in ("error", "exit") else unknown("it is worked out when it runs")


def _add_argument(m: Machine, parser: Parser, given: Arguments) -> None:
    flags = [text for item in given.positional if (text := plain(item.obj)) is not None]
    named = given.keyword("dest")
    long = next((f for f in flags if f.startswith("--")), flags[0] if flags else "")
    dest = plain(named.obj) if named is not None else long.lstrip("-").replace("-", "_")
    action = given.keyword("action")
    default = given.keyword("default")
    kind = plain(action.obj) if action is not None else None
    if not dest:
        return
    parser.options.update(dict.fromkeys(flags, (dest, given)))
    required = given.keyword("required")
    if not long.startswith("-") or (required is not None and m.truth(required.obj) is not False):
        m.state.set((parser, dest), unknown(f"`{long}` is given on the command line"))
        return
    obj: Obj = default.obj if default is not None else known("None", m.source.span(given.node), _NONE)
    span = default.span if default is not None else m.source.span(given.node)
    if kind in ("store_true", "store_false"):
        value = kind == "store_false" if default is None else m.truth(obj)
        if value is None:
            m.state.set((parser, dest), unknown(f"`{long}` may be given or not"))
            return
        choice = m.default_choice(
            f"{long}@{span.start if span else 0}", f"`{long}` is not given", f"`{long}` is given", span
        )
        arms = [known(str(value), span, "bool"), known(str(kind == "store_true"), span, "bool")]
        m.state.set((parser, dest), alt(choice, arms))
        return
    m.state.set((parser, dest), m.default(long, obj, span))
