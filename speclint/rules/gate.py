"""Which launches a rule need not be asked about.

Most rules are about options that a launch leaves alone. A rule is tried once, on a launch that writes nothing: where it
is false there, it is false of every launch that writes none of what was looked at to tell. So of some 200 rules a
launch is asked 40, and a build writes down which, so that the others are not even loaded.

It is tried on a launch too that may write anything: where it is not true there either, a launch of which not all is
known need not be asked unless it is to be told what is not known.
"""

from __future__ import annotations

from speclint.rules import checks, expr, signs
from speclint.sglang import blank, catalog
from speclint.sglang.blank import UntoldError
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.rules.expr import Tree
    from speclint.rules.rule import Gate, Needs, Rule
    from speclint.sglang.catalog import Release
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import View

    Names = frozenset[str]

# The programs whose parsers have no defaults of their own for SGLang's options.
_PROGRAMS = (("server",), ("server", "serve"))
_ENTRYPOINTS = ("sglang.launch_server", "sglang serve")


def names(options: Options, doubts: bool = True) -> Names | None:
    """What a launch writes, by the names of ``silent``; None where all rules have to be asked.

    ``doubts``: whether what cannot be known is to be told, as it is where more may be written than is known.
    """
    if (doubts and options.open is not None) or options.release.entrypoint.programs not in _PROGRAMS:
        return None
    launch = options.launch
    command = launch.command
    found = {*options.maybe, *options.lost, *signs.of(options)}
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
    """The same for a rule with ``find``; what looks at whatever is written is asked always, or by its signs."""
    stated = signs.NEEDS.get(function)
    if stated is not None:
        return stated
    read: set[str] = set()
    try:
        places = [place for view in _blanks(releases, read) for place in checks.function(function)(view)]
    except UntoldError:
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
    except UntoldError:
        return None
    certain = all(way is answer for way in ways[::2]) and not any(way is (not answer) for way in ways[1::2])
    return (tuple(sorted(read)),) if certain else None


def _blanks(releases: Sequence[Release], read: set[str]) -> list[View]:
    """For each release a launch that writes nothing, and one of which it is not known what it writes."""
    absent = (None, Unknown("it may be given"))
    return [blank.view(release, read, one) for release in releases for one in absent]
