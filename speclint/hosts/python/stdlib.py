"""Functions of the standard library whose value can be told."""

from __future__ import annotations

from speclint.hosts.python import calls, commands, containers, data, expressions, methods, strings
from speclint.hosts.python.facts import plain
from speclint.hosts.python.values import (
    NEVER,
    Alt,
    Class,
    Func,
    Instance,
    Item,
    Map,
    Parser,
    Ref,
    Seq,
    Text,
    alt,
    known,
    several,
    unknown,
    value_of,
)
from speclint.pyast import ast
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj
    from speclint.text import Span

# So deep a copy is followed.
_DEPTH = 20


def variable(m: Machine, name: str, default: Obj, span: Span | None) -> Obj:
    """A variable of the environment that the file does not set."""
    choice = m.default_choice(
        f"env {name}", f"`{name}` is not set in the environment", f"`{name}` is set in the environment", span
    )
    kind = "given" if isinstance(default, Text) and default.kind == "none" else "str"
    return alt(choice, [default, Text(Unknown(f"`{name}` is read from the environment"), kind)])


def _getenv(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "key")
    if first is None:
        return None
    return methods.got(m, m.environ, plain(first.obj), given)


def _chain_of(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    parts = m.items(first.obj, first.span) if first is not None else ()
    items = [item for part in parts for item in _under(m, part)]
    return containers.new_seq(m, items, given.node)


def _under(m: Machine, part: Item) -> list[Item]:
    """The elements of an element, each there when that one is."""
    found = [part] if part.many else list(m.items(part.obj, part.span))
    for choice, arm in reversed(() if part.many else part.guard):
        found = [item.when(choice, arm) for item in found]
    return found


def _chain(m: Machine, given: Arguments) -> Obj | None:
    items = [item for part in given.positional for item in m.items(part.obj, part.span)]
    return containers.new_seq(m, items, given.node)


def _shlex_split(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "s")
    if first is None:
        return None
    asked = given.get(1, "comments")
    comments = asked is not None and m.truth(asked.obj) is True
    return containers.new_seq(m, commands.pieces(first.obj, m.source.span(given.node), True, comments), given.node)


def _shlex_join(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "split_command")
    if first is None:
        return None
    return commands.joined(known(" ", None), m.items(first.obj, first.span), quoting=True)


def _shlex_quote(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "s")
    return None if first is None else Text(commands.quoted(value_of(first.obj)), "str")


def _path(m: Machine, given: Arguments) -> Obj | None:
    return strings.path([item.obj for item in given.positional])


def _same(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    return first.obj if first is not None else None


def _cast_type(m: Machine, given: Arguments) -> Obj | None:
    second = given.get(1)
    return second.obj if second is not None else None


def _copy(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0)
    if first is None:
        return None
    if isinstance(first.obj, Seq):
        return containers.new_seq(m, m.state.items(first.obj), given.node)
    return m.state.new_map(m.state.items(first.obj)) if isinstance(first.obj, Map) else first.obj


def _deepcopy(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "x")
    return None if first is None else _deep(m, first.obj, {}, _DEPTH)


def _deep(m: Machine, obj: Obj, made: dict[Obj, Obj], depth: int) -> Obj:
    """A copy of an object and of what it holds; ``made`` are the copies of what was met before."""
    if isinstance(obj, Alt):
        return alt(obj.choice, [_deep(m, arm, made, depth - 1) for arm in obj.arms])
    if not isinstance(obj, (Seq, Map)):
        return obj
    if depth < 0:
        return unknown("it is nested too deeply to follow")
    found = made.get(obj)
    if found is None:
        found = made[obj] = Seq(obj.span, obj.kind) if isinstance(obj, Seq) else Map(obj.span)
        items = m.state.items(obj)
        m.state.set(found, tuple([item.having(_deep(m, item.obj, made, depth - 1)) for item in items]))
    return found


def _field(m: Machine, given: Arguments) -> Obj | None:
    default = given.keyword("default") or given.get(0)
    if default is not None:
        return default.obj
    for keyword in given.node.keywords:
        if keyword.arg == "default_factory" and isinstance(keyword.value, ast.Lambda):
            return expressions.evaluate(m, keyword.value.body)
    return unknown("it has no default")


def _case(m: Machine, given: Arguments) -> Obj | None:
    """A case of a test: ``pytest.param(1, 2, id="one")``."""
    if len(given.positional) == 1:
        return given.positional[0].obj
    return containers.new_seq(m, given.positional, given.node)


def _parameter(m: Machine, given: Arguments) -> Obj | None:
    """A parameter of a class, with its default: ``modal.parameter(default=…)``."""
    default = given.keyword("default")
    if default is None:
        return unknown("it is a parameter")
    return m.default(m.source.snippet(given.node), default.obj, default.span)


def _option(m: Machine, given: Arguments) -> Obj | None:
    """The default of a parameter that is an option of the command line."""
    default = given.get(0, "default")
    if default is None or m.source.snippet(given.node.args[0] if given.node.args else given.node) == "...":
        return unknown("it is given on the command line")
    return default.obj


def _made(m: Machine, given: Arguments) -> Obj | None:
    """An object of a class whose fields are options of the command line."""
    first = given.get(0, "config_class")
    return Instance(first.obj) if first is not None and isinstance(first.obj, Class) else None


def _sum(m: Machine, given: Arguments) -> Obj | None:
    start = given.get(1, "start")
    return _chain_of(m, given) if start is not None and isinstance(start.obj, Seq) else None


def _module(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "name")
    name = plain(first.obj) if first is not None else None
    return Ref(name) if name is not None and not name.startswith(".") else None


def _reduce(m: Machine, given: Arguments) -> Obj | None:
    target, first, start = given.get(0), given.get(1), given.get(2)
    values = containers.elements(m, first.obj) if first is not None else None
    if target is None or start is None or not isinstance(target.obj, Func):
        return None
    if values is None:
        more = several(f"`{m.source.snippet(given.node)}` is worked out when it runs", m.source.span(given.node))
        return containers.new_seq(m, (*m.items(start.obj, start.span), more), given.node)
    record, m.record = m.record, False
    try:
        result = start.obj
        for value in values:
            items = [Item(result, start.span), Item(value, start.span)]
            result = calls.apply(m, target.obj, calls.Arguments(given.node, items, [], False))
    finally:
        m.record = record
    return result


def _dumps(m: Machine, given: Arguments) -> Obj | None:
    """``json.dumps`` of what is wholly known, as it is without further arguments."""
    first = given.get(0, "obj")
    sure, value = data.python_data(m, first.obj) if first is not None else (False, None)
    if not sure or any(calls.key_text(k) != "obj" for k in given.keywords):
        return Text(Unknown(f"`{m.source.snippet(given.node)}` is worked out when it runs"), "str")
    import json

    return known(json.dumps(value), m.source.span(given.node))


def _argument_parser(m: Machine, given: Arguments) -> Obj | None:
    return Parser()


def _never(m: Machine, given: Arguments) -> Obj | None:
    return NEVER


FUNCTIONS: dict[str, Callable[[Machine, Arguments], Obj | None]] = {
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_of,
    "builtins.sum": _sum,
    "functools.reduce": _reduce,
    "importlib.import_module": _module,
    "json.dumps": _dumps,
    "string.Template": _same,
    "omegaconf.OmegaConf.create": _same,
    "omegaconf.DictConfig": _same,
    "easydict.EasyDict": _same,
    "addict.Dict": _same,
    "box.Box": _same,
    "munch.munchify": _same,
    "ml_collections.ConfigDict": _same,
    "modal.parameter": _parameter,
    "pytest.param": _case,
    "typer.Option": _option,
    "typer.Argument": _option,
    "tyro.cli": _made,
    "draccus.parse": _made,
    "simple_parsing.parse": _made,
    "os.getenv": _getenv,
    "os.path.join": _path,
    "pathlib.Path": _path,
    "pathlib.PurePosixPath": _path,
    "shlex.split": _shlex_split,
    "shlex.join": _shlex_join,
    "shlex.quote": _shlex_quote,
    "pipes.quote": _shlex_quote,
    "textwrap.dedent": _same,
    "inspect.cleandoc": _same,
    "typing.cast": _cast_type,
    "copy.copy": _copy,
    "copy.deepcopy": _deepcopy,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "argparse.ArgumentParser": _argument_parser,
    "sys.exit": _never,
    "os._exit": _never,
    "builtins.exit": _never,
    "builtins.quit": _never,
}
