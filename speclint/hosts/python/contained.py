"""Containers that a module describes: their image, command, arguments and variables, in a dictionary or a call."""

from __future__ import annotations

from speclint.hosts.python import launchers, strings
from speclint.hosts.python.commands import pieces
from speclint.hosts.python.data import image_in
from speclint.hosts.python.facts import plain
from speclint.hosts.python.values import Entry, Map, Seq, Text, known, several, unknown, value_of
from speclint.lean import pattern
from speclint.pyast import ast
from speclint.value import Known, Unknown
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from speclint.hosts.python.calls import Arguments
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.lean import re
    from speclint.value import Value

# What a container runs, in the order in which it is put together, and the variables that it gets.
_PARTS = (("entrypoint", "entry_point"), ("command", "cmd", "cmds"), ("args", "arguments"))
_ENV = ("env", "environment", "env_vars", "envs")

_REFERENCE = pattern(r"\$\((?P<name>[A-Za-z_][\w.-]*)\)")
_MODAL = pattern(r"\bmodal\.Image\b|\bfrom modal import\b[^\n]*\bImage\b")
# What an image for Modal is begun with, and what goes on from one that has a name.
_IMAGE = pattern(r"\bImage\.(?:from_\w+|debian_slim|micromamba)\(")
_BRANCHED = pattern(r"\w\s*\.env\(")


class Contained:
    """What a container runs: ``used`` are the objects that it is made of."""

    __slots__ = ("env", "image", "used", "words")

    def __init__(self, words: list[Word], env: Mapping[str, Value], image: Value | None, used: Collection[Obj]) -> None:
        self.words = words
        self.env = env
        self.image = image
        self.used = used


def called(m: Machine, given: Arguments) -> Contained | None:
    """What the arguments of a call tell of a container; None if they tell of none that is a launch."""
    entries: list[Item] = list(given.keywords)
    if is_docker(given.node) and not any(item.many or item.guard for item in given.positional):
        for key, item in zip(("image", "command"), given.positional, strict=False):
            entries.append(Entry(known(key, item.span), None, item.obj, item.span))
    return of(m, entries)


def built(m: Machine, given: Arguments) -> None:
    """Note the variables of an image that is built for Modal, in which the module's functions run.

    Where there are several, each function has those of one of them.
    """
    if len(given.positional) != 1 or not m.source.has(_MODAL):
        return
    (variables,) = given.positional
    if not isinstance(variables.obj, Map) or m.environ is variables.obj:
        return
    entries = m.state.items(variables.obj)
    if len(_IMAGE.findall(m.source.text.text)) > 1 or m.source.has(_BRANCHED):
        reason = "it is a variable of one of several images"
        entries = tuple(
            Entry(e.key, e.key_span, unknown(reason), e.span, e.guard) for e in entries if isinstance(e, Entry)
        )
    m.state.set(m.environ, (*m.state.items(m.environ), *entries))


def is_docker(node: ast.Call) -> bool:
    """Whether a call is ``client.containers.run`` of Docker's library, which is given the image first."""
    func = node.func
    return (
        isinstance(func, ast.Attribute)
        and func.attr in ("run", "create")
        and isinstance(func.value, ast.Attribute)
        and func.value.attr == "containers"
    )


def of(m: Machine, entries: Sequence[Item]) -> Contained | None:
    """What keys tell of a container; None where that is no launch, or no more than a command."""
    named = {key: entry for entry in entries if (key := _key(entry)) is not None}
    parts = [found for names in _PARTS if (found := next((named[n] for n in names if n in named), None)) is not None]
    parts = [part for part in parts if not isinstance(part.obj, Text) or part.obj.kind != "none"]
    variables = next((named[name] for name in _ENV if name in named), None)
    image = image_in(entries)
    if not parts or (len(parts) < 2 and variables is None and image is None):
        return None
    if not any(launchers.mentions(m, part.obj) for part in parts):
        return None
    words = _words(m, parts)
    if not words:
        return None
    inside = {} if image is not None else launchers.environment(m, m.environ)
    env = {**inside, **(_variables(m, variables.obj) if variables is not None else {})}
    words = [_filled(word, env) for word in words] if env else words
    return Contained(words, env, image, [part.obj for part in parts])


def _key(entry: Item) -> str | None:
    return plain(entry.key) if isinstance(entry, Entry) and entry.key is not None and not entry.guard else None


def _words(m: Machine, parts: Sequence[Item]) -> list[Word]:
    """The words of parts that follow one another; none where they are no command."""
    if len(parts) == 1:
        (only,) = parts
        items = launchers.held_by(m, only.obj, only.span)
        if items is None:
            return launchers.script_of(only.obj, only.span) if launchers.is_script(only.obj) else []
        return launchers.line_of(items) if m.launches.begin(items) or _shell(items) else []
    found: list[Item] = []
    for part in parts:
        items = launchers.held_by(m, part.obj, part.span)
        if items is None and plain(part.obj) is not None and part.span is not None:
            items = pieces(part.obj, part.span, True)
        found.extend((several("it is no list that can be followed", part.span),) if items is None else items)
    return launchers.line_of(found) if launchers.is_start(found) or _shell(found) else []


def _filled(word: Word, env: Mapping[str, Value]) -> Word:
    """A word with the variables of the container put in for ``$(NAME)``, as Kubernetes does."""
    value = word.value
    if not isinstance(value, Known) or "$(" not in value.text.text:
        return word

    def put(found: re.Match[str]) -> Obj | None:
        held = env.get(found["name"])
        return known(found.group(), word.span) if held is None else Text(held)

    return Word(value_of(strings.filled(value.text, _REFERENCE, put)), word.span, word.guard, word.many)


def _shell(items: Sequence[Item]) -> bool:
    """Whether the last of some elements is the text that a shell is told to run."""
    return len(items) > 2 and launchers.is_script(items[-1].obj) and not any(item.many for item in items)


def _variables(m: Machine, obj: Obj) -> dict[str, Value]:
    """The variables that a dictionary sets, or a list of ``NAME=value`` or of names and values."""
    if isinstance(obj, Map):
        return launchers.environment(m, obj)
    found: dict[str, Value] = {}
    for item in m.state.items(obj) if isinstance(obj, Seq) else ():
        if item.guard or item.many:
            continue
        if isinstance(item.obj, Map):
            inner = {key: entry for entry in m.state.items(item.obj) if (key := _key(entry)) is not None}
            name = plain(inner["name"].obj) if "name" in inner else None
            if name is not None and len(inner) > 1:
                found[name] = inner["value"].value if "value" in inner else Unknown("it is read from elsewhere")
        elif isinstance(item.value, Known) and "=" in item.value.text.text:
            name, _, _ = item.value.text.text.partition("=")
            found[name] = Known(item.value.text[len(name) + 1 :], item.value.steps)
    return found
