"""Environment variables of SGLang's releases; reads ``data/envs.json``, whose form ``tools/envs_file.py`` describes.

The file is read when a launch has such a variable, and not before.
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import stored
from speclint.sglang.spelling import distance
from speclint.sglang.versions import parse

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

PREFIXES = ("SGLANG_", "SGL_")


class Variable(NamedTuple):
    """One variable in one release.

    ``kind`` tells how its text is read and ``flags`` what is done with it, as in tools/envs_file.py. ``default`` is
    None where there is none or it is not told. ``new``: what takes its place, a variable or an option with its value.
    """

    name: str
    kind: str = ""
    default: Any = None
    flags: str = ""
    new: str = ""

    @property
    def read(self) -> bool:
        """Whether the server, or another program of the wheel, reads it."""
        return "r" in self.flags


class Meaning(NamedTuple):
    """What a variable comes to in a release.

    ``kind``: "read"; "deprecated" (it works, SGLang warns); "refused" (it stops the launch); "renamed" and "unread" (it
    was read until ``gone``); "newer" (it is read since ``since``); "like" (no release knows it, ``new`` is most like
    it); "" where nothing is known. ``new``: a variable, or an option with its value, to use instead, or "". ``sure``:
    whether ``new`` with the same value says the same; not where one disables what the other enables.
    """

    kind: str
    new: str = ""
    sure: bool = False
    since: str = ""
    gone: str = ""


class _Store:
    def __init__(self) -> None:
        self.stored: dict[str, Any] = stored.read("envs")
        self.releases: list[str] = self.stored["releases"].split(" ")
        self.points: dict[str, list[int]] = {}
        every = self.stored["points"]
        end = 0
        for name in self.stored["names"].split(" "):
            start, end = end + 1, end + 1 + every[end]
            self.points[name] = every[start:end]

    def index(self, version: str) -> int:
        """The newest release that is not newer than ``version``; the oldest for anything before it."""
        if version in self.releases:
            return self.releases.index(version)
        key = parse(version)
        return max(0, sum(parse(release) <= key for release in self.releases) - 1)

    def at(self, name: str, index: int) -> Variable | None:
        """A variable in a release, None where its wheel has nothing of it."""
        points = self.points.get(name, ())
        record = -1
        for edge in range(0, len(points), 2):
            if points[edge] <= index:
                record = points[edge + 1]
        return self.variable(name, record) if record >= 0 else None

    def variable(self, name: str, record: int) -> Variable:
        cells = [*self.stored["records"][record].split("|"), "", "", "", ""]
        return Variable(name, cells[0], stored.literal(cells[1]) if cells[1] else None, cells[2], cells[3])

    def spans(self, name: str) -> Iterator[tuple[int, int, Variable]]:
        """The stretches of releases, first and behind last, in which a variable is one and the same."""
        points = self.points.get(name, ())
        edges = [*points[::2], len(self.releases)]
        for number, record in enumerate(points[1::2]):
            if record >= 0:
                yield edges[number], edges[number + 1], self.variable(name, record)

    def converts(self, index: int) -> bool:
        """Whether SGL_NAME is taken for SGLANG_NAME too."""
        edges: list[int] = self.stored["converts"]
        return sum(edge <= index for edge in edges) % 2 == 1

    def outcomes(self, kind: str, index: int) -> list[str]:
        found = "||"
        points = self.stored["classes"].get(kind, ())
        for edge in range(0, len(points), 2):
            if points[edge] <= index:
                found = points[edge + 1]
        return found.split("|")


_store: _Store | None = None
_meanings: dict[tuple[str, str], Meaning] = {}


def _loaded() -> _Store:
    global _store
    if _store is None:
        _store = _Store()
    return _store


def known() -> tuple[str, ...]:
    """The name of every variable that any release has something of."""
    return tuple(_loaded().points)


def variable(name: str, version: str) -> Variable | None:
    """A variable in the newest known release that is not newer than ``version``; None where it has nothing of it."""
    store = _loaded()
    return store.at(name, store.index(version))


def outcomes(kind: str, version: str) -> list[str]:
    """Words that are true, words that are false, and what other texts come to (default, false, raises), for a kind."""
    store = _loaded()
    return store.outcomes(kind, store.index(version))


def meaning(name: str, version: str) -> Meaning:
    """What a variable whose name begins with one of PREFIXES comes to in a release."""
    key = (name, version)
    found = _meanings.get(key)
    if found is None:
        found = _meanings[key] = _meaning(name, version)
    return found


def _meaning(name: str, version: str) -> Meaning:
    store = _loaded()
    at = store.index(version)
    here = store.at(name, at)
    if here is not None:
        found = _here(store, here, at)
        if found is not None:
            return found
    if name.startswith("SGL_") and store.converts(at):
        full = "SGLANG_" + name[4:]
        told = meaning(full, version)
        if told.kind == "read":
            return Meaning("deprecated", full, True)
        if told.kind in ("deprecated", "refused") or (told.kind != "like" and store.points.get(full)):
            return told
    if (here is not None and ("t" in here.flags or "m" in here.flags)) or _put_together(store, name, at):
        return Meaning("")
    return _elsewhere(store, name, at) or (Meaning("") if here is not None else _like(store, name, at))


def _here(store: _Store, here: Variable, at: int) -> Meaning | None:
    """What a release itself tells of a variable."""
    if "x" in here.flags:
        return Meaning("refused", here.new)
    if here.read:
        return Meaning("deprecated", here.new) if "n" in here.flags else Meaning("read")
    if "c" in here.flags.lower() and _reads(store, here.new, at):
        return Meaning("deprecated", here.new, _same(here))
    if "n" in here.flags:
        return Meaning("unread", here.new, gone=_gone(store, here.name, at))
    return None


def _elsewhere(store: _Store, name: str, at: int) -> Meaning | None:
    """What other releases tell of a variable that this one does not read; only tests may have read it last."""
    used = [(start, end, v) for start, end, v in store.spans(name) if v.read or "c" in v.flags.lower()]
    before = [span for span in used if span[0] <= at]
    if not before and used:
        short = "SGL_" + _rest(name)
        is_short = _reads(store, short, at)
        return Meaning("renamed" if is_short else "newer", short if is_short else "", since=store.releases[used[0][0]])
    if not before:
        return None
    for _, _, last in reversed([span for span in store.spans(name) if span[0] <= at]):
        if last.new and not last.new.startswith("-") and _reads(store, last.new, at):
            return Meaning("renamed", last.new, _same(last), gone=_gone(store, name, at))
    return Meaning("unread", _option(store, name, at), gone=_gone(store, name, at))


def _option(store: _Store, name: str, at: int) -> str:
    """The option that took the place of a variable, or of the one that did so before; "" for none."""
    told = [v.new for start, _, v in store.spans(name) if start <= at and v.new]
    option = next((new for new in reversed(told) if new.startswith("-")), "")
    return option or next((found for new in told if new != name and (found := _option(store, new, at))), "")


def _gone(store: _Store, name: str, at: int) -> str:
    """The first release that did not read a variable any more; "" where none ever read it."""
    ends = [end for start, end, v in store.spans(name) if start <= at and (v.read or "c" in v.flags.lower())]
    return store.releases[min(max(ends), at)] if ends else ""


def _reads(store: _Store, name: str, at: int) -> bool:
    found = store.at(name, at)
    return found is not None and found.read


def _same(old: Variable) -> bool:
    """Whether the value that is copied says the same under the new name; SGLang once copied DISABLE to ENABLE."""
    return "c" in old.flags and ("DISABLE" in old.name) == ("DISABLE" in old.new)


def _like(store: _Store, name: str, at: int) -> Meaning:
    """The variable that a release reads and that is most like a name, if there is one and no more."""
    rest = _rest(name)
    allowed = max(1, min(3, len(rest) // 6))
    best: list[str] = []
    least = allowed + 1
    for other in store.points:
        theirs = _rest(other)
        if len(set(rest) ^ set(theirs)) > 2 * allowed or not _reads(store, other, at):
            continue
        apart = 0 if sorted(rest.split("_")) == sorted(theirs.split("_")) else distance(rest, theirs, allowed)
        if apart > allowed or _opposite(rest, theirs):
            continue
        if apart < least:
            best, least = [], apart
        if apart == least:
            best.append(other)
    return Meaning("like", best[0]) if len(best) == 1 else Meaning("")


def _put_together(store: _Store, name: str, at: int) -> bool:
    """Whether a release makes names of this kind from parts."""
    return any(other.endswith("_") and name.startswith(other) and _reads(store, other, at) for other in store.points)


def _rest(name: str) -> str:
    return name.removeprefix("SGLANG_").removeprefix("SGL_")


# Words that make another variable of one, however few letters they are.
_OTHER = frozenset(
    (
        *("ENABLE", "DISABLE", "MIN", "MAX", "IN", "OUT", "IS", "NO", "ON", "OFF", "USE", "PREFILL", "DECODE"),
        *(
            "TP",
            "DP",
            "PP",
            "EP",
            "CP",
            "FP4",
            "FP8",
            "FP16",
            "BF16",
            "INT4",
            "INT8",
            "K",
            "V",
            "SM90",
            "SM100",
            "SM120",
        ),
    )
)


def _opposite(one: str, other: str) -> bool:
    """Whether two names differ in a word that says something else, or in a number."""
    odd = {*one.split("_")} ^ {*other.split("_")}
    if odd & _OTHER or any(not word or word.isdecimal() for word in odd):
        return True
    digits = [[char for char in name if char.isdigit()] for name in (one, other)]
    return digits[0] != digits[1]
