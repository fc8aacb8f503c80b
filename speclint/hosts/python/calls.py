"""Calls: which function it is, its arguments, and what is done with calls that nothing is known of."""

from __future__ import annotations

from speclint.hosts.python import (
    builtin,
    containers,
    expressions,
    functions,
    indirect,
    methods,
    starts,
)
from speclint.hosts.python.facts import plain
from speclint.hosts.python.values import (
    Alt,
    Class,
    Entry,
    Func,
    Instance,
    Item,
    Map,
    Partial,
    Ref,
    Seq,
    Text,
    alt,
    known,
    several,
    unknown,
)
from speclint.lean import pattern
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import (
        Obj,
    )
    from speclint.text import Span

BUILTINS = frozenset(
    (
        *("str", "int", "float", "bool", "list", "tuple", "set", "dict", "len", "print", "range", "enumerate"),
        *("zip", "map", "filter", "sorted", "reversed", "open", "isinstance", "getattr", "setattr", "repr", "format"),
        *("min", "max", "sum", "any", "all", "abs", "round", "iter", "next", "super", "type", "object"),
        *("input", "vars", "exit", "quit"),
    )
)
# Functions that show, search or describe text; it is not run by them.
_SHOWS = frozenset(
    (
        *("print", "log", "debug", "info", "warning", "warn", "error", "exception", "critical", "write"),
        *("writelines", "echo", "skip", "skipTest", "skipUnless", "skipIf", "fail", "format", "startswith"),
        *("endswith", "find", "index", "count", "replace", "match", "search", "compile", "sub", "fullmatch"),
        *("findall", "add_argument", "ArgumentParser", "join", "len", "str", "repr", "add_parser", "field"),
        *("Field", "dedent", "markdown", "code", "Markdown", "get", "pop", "setdefault", "append", "insert"),
        *("remove", "isinstance", "hasattr", "setattr", "getattr", "mark", "parametrize", "register_cuda_ci"),
        *("success", "secho", "fatal"),
    )
)
_SHOWN = frozenset(
    (
        *("help", "description", "epilog", "usage", "message", "msg", "reason", "title", "doc", "docs"),
        *("summary", "label", "text", "note", "example", "hint"),
    )
)

# Keywords that tell what a container runs.
_CONTAINED = frozenset(("entrypoint", "entry_point", "command", "cmd", "cmds", "args", "arguments"))
# Methods of Docker's library that are given such without keywords.
_DOCKER = frozenset(("run", "create"))
# How the name of what holds a command ends.
_COMMAND = pattern(r"(?i)(?:cmd|command|argv|cmdline|command_line)s?\Z")


class Arguments:
    """The evaluated arguments of a call: ``open`` if there may be more than are listed."""

    __slots__ = ("keywords", "node", "open", "positional")

    def __init__(self, node: ast.Call, positional: Sequence[Item], keywords: Sequence[Entry], more: bool) -> None:
        self.node = node
        self.positional = list(positional)
        self.keywords = list(keywords)
        self.open = more

    def keyword(self, name: str) -> Entry | None:
        """The keyword argument of a name."""
        return next((k for k in reversed(self.keywords) if key_text(k) == name), None)

    def get(self, index: int, name: str = "") -> Item | None:
        """The argument at a position or by its name."""
        if 0 <= index < len(self.positional) and not any(p.many or p.guard for p in self.positional[: index + 1]):
            return self.positional[index]
        return self.keyword(name) if name else None


def key_text(entry: Entry) -> str | None:
    """The name of a keyword argument or the key of an entry; None if it stands for any."""
    return None if entry.key is None else plain(entry.key)


def arguments(m: Machine, node: ast.Call) -> Arguments:
    """Evaluate the arguments of a call."""
    positional: list[Item] = []
    keywords: list[Entry] = []
    if not node.args and not node.keywords:
        return Arguments(node, positional, keywords, False)
    called = f"{_last(node)}()"
    more = False
    for arg in node.args:
        if isinstance(arg, ast.Starred):
            items = containers.splice(m, arg.value)
            more = more or any(item.many for item in items)
            positional.extend(items)
        else:
            positional.append(Item(expressions.named(m, called, arg), m.source.span(arg)))
    for keyword in node.keywords:
        obj = expressions.named(m, keyword.arg or called, keyword.value)
        if keyword.arg is None:
            found = [e for e in containers.entries_of(m, obj, keyword.value) if isinstance(e, Entry)]
            more = more or any(entry.key is None for entry in found)
            keywords.extend(found)
            continue
        key, span = m.keys.get(keyword) or _key(m, keyword, keyword.arg)
        keywords.append(Entry(key, span, obj, m.source.span(keyword.value)))
    return Arguments(node, positional, keywords, more)


def _key(m: Machine, node: ast.keyword, name: str) -> tuple[Text, Span]:
    """The name of a keyword argument, and where it stands."""
    start, _ = m.source.bounds(node)
    span = m.source.between(start, start + len(name))
    m.keys[node] = found = known(name, span), span
    return found


def call(m: Machine, node: ast.Call) -> Obj:
    """What a call gives, after what it does."""
    func: ast.expr = node.func
    if not isinstance(func, ast.Attribute) or not isinstance(func.value, ast.Call):
        return _call(m, node, None)
    chain = [node]  # no recursion along a.b().c()
    while isinstance(func := chain[-1].func, ast.Attribute) and isinstance(func.value, ast.Call):
        if _is_super(func.value):
            break
        m.spend()
        chain.append(func.value)
    result: Obj | None = None
    for each in reversed(chain[1:]):
        result = m.state.settled(_call(m, each, result))
    return _call(m, node, result)


def _call(m: Machine, node: ast.Call, inner: Obj | None) -> Obj:
    """One call; ``inner`` is what the call gives that it is a method of."""
    func = node.func
    base: Obj | None = None
    target: Obj | None
    if isinstance(func, ast.Attribute):
        target = _super(m, func) if isinstance(func.value, ast.Call) else None
        if target is None:
            base = inner if inner is not None else expressions.evaluate(m, func.value)
            if not isinstance(base, (Text, Seq, Map)):
                target = expressions.member(m, base, func)
    else:
        target = expressions.evaluate(m, func)
    given = arguments(m, node)
    if base is not None and isinstance(func, ast.Attribute):
        if func.attr in indirect.OPTIONS and isinstance(base, (Func, Class, Ref)):
            return base
        if indirect.remote(m, base, func.attr):
            return apply(m, base, given)
        if isinstance(base, Map) and m.objects:
            target = m.held(base, func.attr.removesuffix("$"))
            if isinstance(target, Func):
                return apply(m, target, given)
        result = methods.method(m, base, func.attr, given)
        if result is not None:
            return result
        if target is None:
            target = expressions.member(m, base, func)
    assert target is not None
    return apply(m, target, given)


def apply(m: Machine, target: Obj, given: Arguments) -> Obj:
    """Call an object with arguments."""
    name = target.name if isinstance(target, Ref) else ""
    wrapped = indirect.wrapper(name, given) if name else None
    if wrapped is not None:
        return wrapped
    if isinstance(target, Partial):
        more = indirect.joined(target, given)
        if isinstance(target.target, Func):
            return functions.invoke(m, target.target, more, again=True)
        return apply(m, target.target, more)
    found = starts.started(m, name or _last(given.node), given)
    if found is not None:
        return found
    if name:
        result = builtin.function(m, name, given)
        if result is not None:
            return result
    found = _of_module(m, target, given)
    if found is not None:
        return found
    # Where all but one are no functions (`Engine = None` without SGLang), following them all multiplies nothing.
    if isinstance(target, Alt) and (m.depth < 2 or sum(not isinstance(arm, Text) for arm in target.arms) < 2):
        return alt(target.choice, [apply(m, arm, given) for arm in target.arms])
    handed = indirect.handed_on(m, given)
    if handed is not None:
        if indirect.is_partial(given):
            return Partial(handed[0], handed[1].positional, handed[1].keywords, handed[1].open)
        apply(m, *handed)
    return _opaque(m, name, given)


def _of_module(m: Machine, target: Obj, given: Arguments) -> Obj | None:
    """What a call of something that the module defines gives; None of anything else."""
    if isinstance(target, Func):
        return functions.invoke(m, target, given)
    if isinstance(target, Class):
        return functions.construct(m, target, given)
    return functions.call_object(m, target, given) if isinstance(target, Instance) else None


def _super(m: Machine, func: ast.Attribute) -> Obj | None:
    """The method that ``super().name`` is."""
    if not _is_super(func.value):
        return None
    owner = m.frame.func.owner if m.frame.func is not None else None
    for base in owner.bases if owner is not None else ():
        found = m.attribute(base, func.attr)
        if isinstance(found, Func) and owner is not None:
            bound = m.frame.func.bound if m.frame.func is not None else None
            return Func(found.node, found.scope, found.owner, bound or Instance(owner))
    if owner is not None and owner.engine:
        return Ref(f"{owner.engine}.{func.attr}")
    return unknown("the base class is in another file")


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _last(node: ast.Call) -> str:
    func = node.func
    return func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""


def _described(m: Machine, given: Arguments) -> Collection[Obj]:
    """Note what a call tells of a container that it makes; what that is made of."""
    if _last(given.node) not in _DOCKER and not any(key_text(entry) in _CONTAINED for entry in given.keywords):
        return ()
    from speclint.hosts.python import contained

    found = contained.called(m, given)
    if found is None:
        return ()
    m.launches.describes(found, "passed")
    return found.used


def _makes_command(statement: ast.stmt | None, node: ast.Call) -> bool:
    """Whether a call gives another command for the one that it is given, by the name that its result gets."""
    if not isinstance(statement, ast.Assign) or statement.value is not node:
        return False
    names = {indirect.named(target) for target in statement.targets}
    return any(_COMMAND.search(name) for name in names) or any(
        name and name in names for name in map(indirect.named, node.args)
    )


def _opaque(m: Machine, name: str, given: Arguments) -> Obj:
    """A call of which nothing is known: what it is given may be run, and a list may be added to."""
    node = given.node
    last = _last(node)
    span = m.source.span(node)
    if last == "env" and given.positional:
        from speclint.hosts.python import contained

        contained.built(m, given)
    if last not in _SHOWS and not last.startswith("assert") and not name.startswith("builtins."):
        if m.record:
            how = "changed" if _makes_command(m.statement, node) else "passed"
            described = _described(m, given)
            for item in given.positional:
                if item.obj not in described:
                    m.emit(item.obj, how)
            for entry in given.keywords:
                if (key_text(entry) or "") not in _SHOWN and entry.obj not in described:
                    m.emit(entry.obj, how)
        if isinstance(m.statement, ast.Expr) and m.statement.value is node:
            for item in given.positional:
                for seq in m.containers(item.obj, Seq):
                    m.extend(seq, (several(f"`{m.source.snippet(node)}` may add to it", span),))
    return unknown(f"`{m.source.snippet(node)}` is worked out when it runs")
