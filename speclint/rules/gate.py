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
    from collections.abc import Iterator, Sequence
    from typing import Any, NoReturn

    from speclint.rules.expr import Tree
    from speclint.rules.rule import Gate, Needs, Rule
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


def silent(rule: Rule, version: str) -> Gate:
    """What a launch has to write for a rule to speak in a release, for each of the ways in which it does.

    These are the function of a rule with ``find``, else the arms of its condition (``expr.arms``). ``env.X`` and
    ``env`` are a variable and any, ``pod`` and ``image`` what the file tells of the surroundings.
    """
    releases = [catalog.release(version, entrypoint) for entrypoint in _ENTRYPOINTS]
    if rule.find is not None:
        return (_found(rule.find, releases),)
    return tuple([_needs(arm, releases, False) or () for arm in expr.arms(rule.when.tree)])


def _found(function: str, releases: Sequence[Release]) -> Needs:
    """The same for a rule with ``find``; what looks at whatever is written is asked always."""
    read: set[str] = set()
    try:
        places = [place for view in _blanks(releases, read) for place in checks.function(function)(view)]
    except _UntoldError:
        return ()
    return () if places else (tuple(sorted(read)),)


def _needs(tree: Tree, releases: Sequence[Release], answer: bool) -> Needs | None:
    """What has to be written for an expression not to be ``answer``; None where it is not that anyway."""
    kind, *parts = tree
    if kind == "not":
        return _needs(tuple(parts[0]), releases, not answer)
    if kind not in ("and", "or"):
        return _leaf(tree, releases, answer)
    found = [_needs(tuple(part), releases, answer) for part in parts]
    if (kind == "or") is answer:
        # One part decides, so some of what each hangs on has to be written.
        told = {some for one in found if one is not None for some in one}
        return tuple(sorted(told, key=_rarity)) if told else None
    union: set[str] = set()
    for one in found:
        if one is None:
            return None
        union.update(one[0])
    return (tuple(sorted(union)),)


def _rarity(some: tuple[str, ...]) -> tuple[bool, int, tuple[str, ...]]:
    """Best what is few names, and not the model, which every launch names."""
    return "model_path" in some, len(some), some


def _leaf(tree: Tree, releases: Sequence[Release], answer: bool) -> Needs | None:
    read: set[str] = set()
    try:
        # Of a launch of which it is not known what it writes no more is asked than that it is not the opposite.
        ways = [expr.truth(expr.evaluate(tree, view)) for view in _blanks(releases, read)]
    except _UntoldError:
        return None
    certain = all(way is answer for way in ways[::2]) and not any(way is (not answer) for way in ways[1::2])
    return (tuple(sorted(read)),) if certain else None


def _blanks(releases: Sequence[Release], read: set[str]) -> list[View]:
    """For each release a launch that writes nothing, and one of which it is not known what it writes."""
    absent = (None, Unknown("it may be given"))
    ways: list[Any] = [_Blank(release, read, one) for release in releases for one in absent]
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
