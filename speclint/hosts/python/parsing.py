"""Command lines that a module hands to an ``argparse`` parser of its own, in the place of the one that it is given."""

from __future__ import annotations

from speclint.hosts.python import calls
from speclint.hosts.python.facts import plain
from speclint.hosts.python.values import Alt, Args, Item, Parser, Ref, Seq, Text, known, unknown
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj


def parsed(m: Machine, parser: Parser, given: Arguments) -> Args:
    """What a parser returns: for the command line of the program, or for the one that it is handed."""
    item = given.get(0, "args")
    items = m.state.items(item.obj) if item is not None and isinstance(item.obj, Seq) else None
    # A list of which nothing is known is most often what another parser has left of the program's own.
    if items is None or (items and all(plain(each.obj) is None for each in items)):
        return Args(parser)
    made, whole = _read(m, parser, items)
    result = Parser()
    for dest in {dest for dest, _ in parser.options.values()}:
        obj = made.get(dest) or m.state.obj((parser, dest))
        if obj is not None:
            default = whole and isinstance(obj, Alt) and obj.choice.kind == "default"
            m.state.set((result, dest), obj.arms[0] if default and isinstance(obj, Alt) else obj)
    return Args(result)


def _read(m: Machine, parser: Parser, items: Sequence[Item]) -> tuple[dict[str, Obj], bool]:
    """What a command line sets, and whether that is all that it sets."""
    made: dict[str, Obj] = {}
    whole = True
    at = 0
    while at < len(items):
        item = items[at]
        text = plain(item.obj)
        flag = text.partition("=")[0] if text is not None else ""
        dest, declared = _option(parser, flag)
        at += 1
        if declared is None:
            whole = whole and text is not None and not item.many and not flag.startswith("-")
            continue
        kind = _kind(declared)
        takes = kind == "store" and flag == text
        following = items[at] if takes and at < len(items) else None
        at += takes
        if item.guard or (following is not None and (following.guard or following.many)):
            made[dest], whole = unknown(f"`{flag}` may be given or not"), False
        else:
            made[dest] = _value(m, kind, declared, item, flag, following)
    return made, whole


def _option(parser: Parser, flag: str) -> tuple[str, Arguments | None]:
    """The option that a word is, which may be cut short; none where it is not one."""
    if not flag.startswith("-"):
        return "", None
    found = parser.options.get(flag)
    if found is None and flag.startswith("--"):
        longer = [name for name in parser.options if name.startswith(flag)]
        found = parser.options[longer[0]] if len(longer) == 1 else None
    return found or ("", None)


def _kind(declared: Arguments) -> str | None:
    """What an option does with a value: "store" one, set one of its own, or None for anything else."""
    action = declared.keyword("action")
    kind = "store" if action is None else plain(action.obj)
    return None if declared.keyword("nargs") is not None else kind


def _value(
    m: Machine, kind: str | None, declared: Arguments, item: Item, flag: str, following: Item | None
) -> Obj:
    if kind in ("store_true", "store_false"):
        return known(str(kind == "store_true"), item.span, "bool")
    if kind == "store" and following is None and isinstance(item.obj, Text) and isinstance(item.obj.value, Known):
        rest = item.obj.value.text[len(flag) + 1 :]
        following = Item(Text(Known(rest, item.obj.value.steps), "str"), item.span)
    if kind != "store" or following is None:
        return unknown(f"`{flag}` is given")
    cast = declared.keyword("type")
    if cast is None:
        return following.obj
    if not isinstance(cast.obj, Ref) or not cast.obj.name.startswith("builtins."):
        return unknown(f"`{flag}` is worked out when it runs")
    return calls.apply(m, cast.obj, calls.Arguments(declared.node, [following], [], False))
