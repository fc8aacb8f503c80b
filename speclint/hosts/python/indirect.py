"""Calls that hand a function on to be called: threads, executors, partial functions, and what frameworks put around."""

from __future__ import annotations

from speclint.hosts.python.values import Class, Entry, Func, Item, Map, Partial, Ref, Seq, alt, unknown
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj

# What is called -> the position of the function (by position, or as `target`), and that of its arguments: a list of
# them at a position, or, with None, all that follow.
_HANDS_ON: dict[str, tuple[int, int | None]] = {
    "Thread": (1, 3),
    "Process": (1, 3),
    "Timer": (1, 2),
    "start_new_thread": (0, 1),
    "apply_async": (0, 1),
    "submit": (0, None),
    "to_thread": (0, None),
    "run_in_executor": (1, None),
    "run_sync": (0, None),
    "call_soon": (0, None),
    "partial": (0, None),
    "Fire": (0, None),
    "remote": (0, None),
}
# What calls a function once for each element of a list, or of several; the second kind, with the parts of the element.
_MAPS = frozenset(("map", "imap", "imap_unordered", "map_async"))
_STARMAPS = frozenset(("starmap", "starmap_async"))
# Methods by which Ray and Modal run what they wrap, and those that only say how.
REMOTE = frozenset(("remote", "spawn", "local", "remote_gen", "bind"))
OPTIONS = frozenset(("options", "with_options"))

# Modules, of which no function is a method of this one.
_LIBRARIES = frozenset(("asyncio", "json", "logging", "os", "shlex", "shutil", "subprocess", "sys", "time"))


def hands_on(name: str) -> bool:
    """Whether calls of that name hand on a function."""
    return name in _HANDS_ON or name in REMOTE or name in OPTIONS


def function_of(node: ast.Call) -> ast.expr | None:
    """The function that a call hands on."""
    name = _last(node.func)
    found = _HANDS_ON.get(name)
    if found is None:
        return node.args[0] if len(node.args) > 1 and (name in _MAPS or name in _STARMAPS) else None
    named = next((k.value for k in node.keywords if k.arg in ("target", "function", "func")), None)
    return named if named is not None else node.args[found[0]] if len(node.args) > found[0] else None


def called(node: ast.Call) -> list[str]:
    """The names of what a call calls, and of what it hands on to be called."""
    return [name for name in (_callee(node), named(function_of(node))) if name]


def _callee(node: ast.Call) -> str:
    """The last name of what is called, with a dot before it if it is an attribute, "super." if it is the base's."""
    func = node.func
    if isinstance(func, ast.Attribute) and func.attr in REMOTE:
        inner = named(wrapped(func.value))
        return inner or f".{func.attr}"
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Call) and named(func.value.func) == "super":
        return f"super.{func.attr}"
    if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and func.value.id in _LIBRARIES:
        return f"{func.value.id}.{func.attr}"
    return named(func)


def named(node: ast.expr | None) -> str:
    """The name, or with a dot before it the attribute, that an expression is."""
    return node.id if isinstance(node, ast.Name) else f".{node.attr}" if isinstance(node, ast.Attribute) else ""


def wrapped(node: ast.expr) -> ast.expr:
    """What ``.remote`` is called on, without the options that are set on it: ``f`` of ``f.options(…).remote(…)``."""
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in OPTIONS:
        node = node.func.value
    return node


def handed_on(m: Machine, given: Arguments) -> tuple[Obj, Arguments] | None:
    """The function that a call hands on, and the arguments that it will get; None if there is no such function."""
    name = _last(given.node.func)
    place = _HANDS_ON.get(name)
    if place is None:
        return _mapped(m, given, name in _STARMAPS) if name in _MAPS or name in _STARMAPS else None
    from speclint.hosts.python.calls import Arguments

    target = given.keyword("target") or given.keyword("func") or given.get(place[0])
    if target is None or not isinstance(target.obj, (Func, Class, Partial, Ref)):
        return None
    if place[1] is None:
        own = [k for k in given.keywords if k is not target]
        return target.obj, Arguments(given.node, given.positional[place[0] + 1 :], own, given.open)
    listed = given.keyword("args") or given.get(place[1])
    named = given.keyword("kwargs") or given.keyword("kwds") or given.get(place[1] + 1)
    positional = m.items(listed.obj, listed.span) if listed is not None and isinstance(listed.obj, Seq) else ()
    keywords = _entries(m.state.items(named.obj) if named is not None and isinstance(named.obj, Map) else ())
    unclear = [i for i in (listed, named) if i is not None and not isinstance(i.obj, (Seq, Map))]
    more = bool(unclear) or any(i.many for i in (*positional, *keywords))
    return target.obj, Arguments(given.node, list(positional), keywords, more)


def _mapped(m: Machine, given: Arguments, apart: bool) -> tuple[Obj, Arguments] | None:
    """The function that is called for each element of lists, and what it gets: one of them."""
    from speclint.hosts.python import containers, loops
    from speclint.hosts.python.calls import Arguments

    target, *lists = given.positional or (None,)
    if target is None or not lists or not isinstance(target.obj, (Func, Class, Partial, Ref)):
        return None
    columns = [containers.elements(m, item.obj) for item in lists]
    rows: list[list[Obj]] = []
    if all(column is not None for column in columns):
        rows = [list(row) for row in zip(*(column for column in columns if column is not None), strict=False)]
        if apart:
            rows = [containers.elements(m, row[0]) or [] for row in rows]
    width = len(rows[0]) if rows else 0
    if not width or len(rows) > loops.MAX_ARMS or any(len(row) != width for row in rows):
        count = len(lists) if not apart else 1
        items = [Item(unknown("it changes from round to round"), lists[0].span, many=apart)] * count
        return target.obj, Arguments(given.node, items, [], apart)
    choice = loops.choice_of(m, "its argument", given.node.args[1], [row[0] for row in rows])
    objs = rows[0] if len(rows) == 1 else [alt(choice, column) for column in zip(*rows, strict=True)]
    return target.obj, Arguments(given.node, [Item(obj, lists[0].span) for obj in objs], [], False)


def _entries(items: tuple[Item, ...]) -> list[Entry]:
    return [item for item in items if isinstance(item, Entry)]


def remote(m: Machine, base: Obj, name: str) -> bool:
    """Whether a method runs what it is called on."""
    if isinstance(base, Ref):
        return name in REMOTE and base.name.startswith("sglang.")
    return name in REMOTE and isinstance(base, (Func, Class, Partial))


def wrapper(name: str, given: Arguments) -> Obj | None:
    """What ``ray.remote`` gives: its argument, or something that will give its own argument."""
    if name not in ("ray.remote", "ray.remote()"):
        return None
    if not given.positional:
        return Ref("ray.remote()")
    return given.positional[0].obj


def joined(target: Partial, given: Arguments) -> Arguments:
    """The arguments of a partial function with those of its call."""
    from speclint.hosts.python.calls import Arguments, key_text

    later = {key_text(k) for k in given.keywords}
    kept = [k for k in target.keywords if key_text(k) not in later]
    positional = [*target.positional, *given.positional]
    return Arguments(given.node, positional, [*kept, *given.keywords], given.open or target.open)


def is_partial(given: Arguments) -> bool:
    """Whether a call makes a function of a function."""
    return _last(given.node.func) == "partial"


def _last(func: ast.expr) -> str:
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
