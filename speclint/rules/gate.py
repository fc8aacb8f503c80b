"""Which launches a rule need not be asked about.

Most rules are about options that a launch leaves alone. A rule is tried once, on a launch that writes nothing: where it
is false there, it is false of every launch that writes none of what was looked at to tell. So of some 200 rules a
launch is asked 40, and a build writes down which, so that the others are not even loaded.

It is tried on a launch too that may write anything: where it is not true there either, a launch of which not all is
known need not be asked unless it is to be told what is not known.
"""

from __future__ import annotations

from speclint.rules import checks, expr
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from speclint.rules.expr import Tree
    from speclint.rules.rule import Rule
    from speclint.sglang.catalog import Release

    Names = frozenset[str]

# The programs whose parsers have no defaults of their own for SGLang's options.
_PROGRAMS = (("server",), ("server", "serve"))
_ENTRYPOINTS = ("sglang.launch_server", "sglang serve")


class _UntoldError(Exception):
    """What a launch that writes nothing cannot tell was asked of it."""


def names(options: Options, doubts: bool = True) -> Names | None:
    """What a launch writes, by the names of ``silent``; None where all rules have to be asked.

    ``doubts``: whether what cannot be known is to be told, as it is where more may be written than is known.
    """
    if (doubts and options.open is not None) or options.release.entrypoint.programs not in _PROGRAMS:
        return None
    launch = options.launch
    command = launch.command
    found = {setting.dest for setting in (*options.settings, *options.foreign)}
    found.update(options.lost)
    if command.env:
        found.add("env")
        found.update(f"env.{name}" for name in command.env)
    if launch.pod is not None:
        found.add("pod")
    if command.image is not None:
        found.add("image")
    return frozenset(found)


def silent(rule: Rule, version: str) -> Names | None:
    """What a launch has to write some of for a rule to speak in a release; None where that cannot be told.

    ``env.X`` and ``env`` are a variable and any, ``pod`` and ``image`` what the file tells of the surroundings.
    """
    found: set[str] = set()
    for entrypoint in _ENTRYPOINTS:
        release = catalog.release(version, entrypoint)
        some = _silent(rule.when.tree, release, False) if rule.find is None else _found(rule.find, release)
        if some is None:
            return None
        found |= some
    return frozenset(found)


def _found(function: str, release: Release) -> Names | None:
    """The same for a rule with ``find``; what looks at whatever is written is asked always."""
    read: set[str] = set()
    try:
        places = [place for view in _blanks(release, read) for place in checks.function(function)(view)]
    except _UntoldError:
        return None
    return None if places else frozenset(read)


def _silent(tree: Tree, release: Release, answer: bool) -> Names | None:
    """What an expression's being ``answer`` on a launch that writes nothing hangs on; None where it is not that."""
    kind, *parts = tree
    if kind == "not":
        return _silent(tuple(parts[0]), release, not answer)
    if kind not in ("and", "or"):
        return _leaf(tree, release, answer)
    found = [_silent(tuple(part), release, answer) for part in parts]
    if (kind == "or") is answer:
        # One part decides; best one that hangs on few names, and not on the model, which every launch names.
        told = [some for some in found if some is not None]
        return min(told, key=lambda some: ("model_path" in some, len(some), sorted(some)), default=None)
    union: set[str] = set()
    for some in found:
        if some is None:
            return None
        union |= some
    return frozenset(union)


def _leaf(tree: Tree, release: Release, answer: bool) -> Names | None:
    read: set[str] = set()
    try:
        nothing, anything = [expr.truth(expr.evaluate(tree, view)) for view in _blanks(release, read)]
    except _UntoldError:
        return None
    return frozenset(read) if nothing is answer and anything is not (not answer) else None


def _blanks(release: Release, read: set[str]) -> list[View]:
    """A launch that writes nothing, and one of which it is not known what it writes."""
    ways: list[Any] = [_Blank(release, read, absent) for absent in (None, Unknown("it may be given"))]
    return [View(blank, {}, lambda _: None) for blank in ways]


class _Blank:
    """The options of a launch that is not known to write any; ``read``: what is asked for."""

    def __init__(self, release: Release, read: set[str], absent: Unknown | None) -> None:
        self.read = read
        self.release = release
        self.absent = absent
        self.launch = _BlankLaunch(read)

    def at(self, dest: str, world: object, foreign: bool = False) -> Unknown | None:
        self.read.add(dest)
        return self.absent

    def written(self, dest: str) -> tuple[()]:
        self.read.add(dest)
        return ()

    choices = written

    def env_choices(self, name: str) -> tuple[()]:
        self.read.add(f"env.{name}")
        return ()

    spelling = Options.spelling

    def __getattr__(self, name: str) -> NoReturn:
        raise _UntoldError(name)


class _BlankLaunch:
    """Its launch and, the same object, its command."""

    def __init__(self, read: set[str]) -> None:
        self._read = read
        self.command = self
        self.env = _NoEnv(read)

    @property
    def pod(self) -> None:
        self._read.add("pod")

    @property
    def image(self) -> None:
        self._read.add("image")

    def __getattr__(self, name: str) -> NoReturn:
        raise _UntoldError(name)


class _NoEnv(dict[str, "Any"]):
    """An environment in which no variable is set."""

    def __init__(self, read: set[str]) -> None:
        super().__init__()
        self._read = read

    def get(self, name: str, default: Any = None) -> Any:
        self._read.add(f"env.{name}")
        return default

    def __contains__(self, name: object) -> bool:
        self._read.add(f"env.{name}")
        return False

    def __iter__(self) -> Iterator[str]:
        self._read.add("env")
        return iter(())

    def items(self) -> Any:
        self._read.add("env")
        return ()

    keys = values = items
    __len__ = __bool__ = None  # type: ignore[assignment]
