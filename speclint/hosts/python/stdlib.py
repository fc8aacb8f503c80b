"""Functions of the standard library whose value can be told."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from speclint.hosts.python import commands, containers, expressions, methods
from speclint.hosts.python.values import (
    NEVER,
    Map,
    Parser,
    Seq,
    Text,
    alt,
    known,
    plain,
    unknown,
    value_of,
)
from speclint.value import Known, Unknown, join

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import (
        Obj,
    )
    from speclint.text import Span


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


def _chain(m: Machine, given: Arguments) -> Obj | None:
    items = [item for part in given.positional for item in m.items(part.obj, part.span)]
    return containers.new_seq(m, items, given.node)


def _shlex_split(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "s")
    if first is None:
        return None
    return containers.new_seq(m, commands.pieces(first.obj, m.source.span(given.node), True), given.node)


def _shlex_join(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "split_command")
    if first is None:
        return None
    return commands.joined(known(" ", None), m.items(first.obj, first.span), quoting=True)


def _shlex_quote(m: Machine, given: Arguments) -> Obj | None:
    first = given.get(0, "s")
    return None if first is None else Text(commands.quoted(value_of(first.obj)), "str")


def _path(m: Machine, given: Arguments) -> Obj | None:
    parts = [value_of(item.obj) for item in given.positional]
    texts = [p.text.text if isinstance(p, Known) else None for p in parts]
    if not texts or any(t is not None and (t.endswith("/") or "//" in t or "/./" in t or t[:2] == "./") for t in texts):
        return unknown("it is a path that is worked out when it runs")
    if any(t is None or t.startswith("/") for t in texts[1:]):
        return unknown("it is a path that is worked out when it runs")
    slash = value_of(known("/", None))
    return Text(join(p for index, part in enumerate(parts) for p in ((slash, part) if index else (part,))), "str")


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


def _field(m: Machine, given: Arguments) -> Obj | None:
    default = given.keyword("default") or given.get(0)
    if default is not None:
        return default.obj
    for keyword in given.node.keywords:
        if keyword.arg == "default_factory" and isinstance(keyword.value, ast.Lambda):
            return expressions.evaluate(m, keyword.value.body)
    return unknown("it has no default")


def _argument_parser(m: Machine, given: Arguments) -> Obj | None:
    return Parser()


def _never(m: Machine, given: Arguments) -> Obj | None:
    return NEVER


FUNCTIONS: dict[str, Callable[[Machine, Arguments], Obj | None]] = {
    "itertools.chain": _chain,
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
    "copy.deepcopy": _copy,
    "dataclasses.field": _field,
    "pydantic.Field": _field,
    "argparse.ArgumentParser": _argument_parser,
    "sys.exit": _never,
    "os._exit": _never,
    "builtins.exit": _never,
    "builtins.quit": _never,
}
