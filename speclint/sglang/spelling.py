"""What somebody meant who wrote an option that a release does not have."""

from __future__ import annotations

import os.path

from speclint.lean import NamedTuple
from speclint.sglang import catalog, versions
from speclint.sglang.stored import DATA

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.sglang.catalog import Release

_OPPOSITES = (("enable", "disable"), ("min", "max"), ("no", "enable"), ("decode", "prefill"), ("input", "output"))


class Meaning(NamedTuple):
    """What a name comes to in a release.

    ``kind``: "removed" and "newer" (another release has it, since ``since``, gone in ``gone``), "written" (``new`` is
    the name as SGLang writes it), "engine" (another engine's option, see ``engine``), "like" (``new`` is the name most
    like it), "opposite" (``new`` turns it off) or "unknown". ``name``: the option as SGLang writes it. ``new``: words
    to write instead in this release, None where there are none. ``how``: how sure that is, as in catalog.Replacement
    ("safe" where the words say the same).
    """

    kind: str
    name: str
    new: str | None = None
    how: str = ""
    since: str = ""
    gone: str | None = None
    engine: str = ""


_known: dict[tuple[str, str], Meaning] = {}


def meaning(name: str, release: Release) -> Meaning:
    """What an option string that a release does not have was meant to be; ``name`` and ``new`` begin with ``--``."""
    key = (name, release.version)
    if key not in _known:
        _known[key] = _meaning(name, release)
    return _known[key]


def meaning_of_keyword(name: str, release: Release) -> Meaning:
    """What the keyword of an argument that ``ServerArgs`` does not have was meant to be.

    ``name`` and ``new`` are the option strings that go with it: ``tp`` is ``--tp``.
    """
    key = (name, f"keyword {release.version}")
    if key not in _known:
        _known[key] = _meaning_of_keyword(name, release)
    return _known[key]


def _meaning_of_keyword(name: str, release: Release) -> Meaning:
    option = "--" + name.replace("_", "-")
    having = [version for version in catalog.known() if catalog.release(version).has_field(name)]
    if not having:
        options = server(release).options
        full = [other for other in options if other.startswith(option)]
        if option in options or len(full) == 1:
            written = option if option in options else full[0]
            return Meaning("written", written, written, "safe")
        found = meaning(option, release)
        return found if found.kind not in ("removed", "newer") else found._replace(kind="unknown", since="", gone=None)
    if versions.parse(having[0]) > versions.parse(release.version):
        return Meaning("newer", option, since=having[0])
    last = max((v for v in having if versions.parse(v) < versions.parse(release.version)), key=versions.parse)
    gone = catalog.known()[catalog.known().index(last) + 1]
    replaced = catalog.replacement(option, release.version)
    new, how = (replaced.words, replaced.kind) if replaced is not None else (None, "")
    return Meaning("removed", option, new, how, having[0], gone)


def _meaning(name: str, release: Release) -> Meaning:
    other = _elsewhere(name, release)
    if other is not None:
        return other
    usual = f"--{name.lstrip('-').replace('_', '-').lower()}"
    options = server(release).options
    if usual in options:
        return Meaning("written", usual, usual, "safe")
    found = _elsewhere(usual, release) or _of_engine((name, usual), release)
    if found is not None:
        return found
    if usual != name:
        full = [option for option in options if option.startswith(usual)]
        if len(full) == 1:
            return Meaning("written", full[0], full[0], "safe")
    opposite = usual.replace("--enable-", "--disable-")
    if opposite != usual and opposite in options:
        return Meaning("opposite", usual, opposite)
    return _like(usual, release) or Meaning("unknown", usual)


def server(release: Release) -> Release:
    """The same release with the plain names of its options."""
    return catalog.release(release.version)


def _elsewhere(name: str, release: Release) -> Meaning | None:
    """What another release makes of a name."""
    known = catalog.history(name)
    if known is None:
        return None
    if versions.parse(known.since) > versions.parse(release.version):
        return Meaning("newer", name, since=known.since, gone=known.removed)
    found = catalog.replacement(name, release.version)
    new, how = (found.words, found.kind) if found is not None else (None, "")
    return Meaning("removed", name, new, how, known.since, known.removed)


def _of_engine(names: Iterable[str], release: Release) -> Meaning | None:
    """An option of another engine by the first of its spellings that one has, with what SGLang has for it."""
    with open(os.path.join(DATA, "engines.tsv"), encoding="utf-8") as file:
        text = "\n" + file.read()
    for name in names:
        _, found, rest = text.partition(f"\n{name}\t")
        if not found:
            continue
        engine, words, how = rest.partition("\n")[0].split("\t")
        for one in words.split(" / "):
            if one and catalog.all_known(server(release), one):
                return Meaning("engine", name, one, how, engine=engine)
        return Meaning("engine", name, None, "none" if words else how, engine=engine)
    return None


def _like(name: str, release: Release) -> Meaning | None:
    """The option most like a name: of this release, or of an earlier one that has a successor in it."""
    options = server(release).options
    best = nearest(name, options)
    if best is not None and _apart(name, best) == 0.5:
        return Meaning("like", best, best, "like")
    all_known = catalog.spellings()
    like = {other for other in _comparable(name, all_known) if (_apart(name, other) or _ONE_WORD) < _ONE_WORD}
    for other in all_known:
        if not (other in like or other.startswith(name)) or other in options:
            continue
        found = _elsewhere(other, release)
        if found is not None and found.new is not None and found.how in ("safe", "review"):
            return Meaning("like", other, found.new, "like", found.since, found.gone)
    return Meaning("like", best, best, "like") if best is not None else None


def nearest(name: str, names: Iterable[str]) -> str | None:
    """The name most like another one; None where none is, or several are alike.

    Like are names of the same words in another order, names few letters apart, and names with one word more or less.
    """
    found: dict[str, float] = {}
    for other in _comparable(name, names):
        apart = _apart(name, other)
        if apart is not None:
            found[other] = apart
    best = min(found.values(), default=0.0)
    alike = [other for other, apart in found.items() if apart == best]
    return alike[0] if alike and (len(alike) == 1 or best < _ONE_WORD) else None


# Names of which one has a word more, as against a number of letters that differ.
_ONE_WORD = 3.5


def _comparable(one: str, names: Iterable[str]) -> Iterator[str]:
    """Those of some names that may be like one: most are told apart by their lengths, hyphens and letters."""
    allowed, size, hyphens, letters = _allowed(one), len(one), one.count("-"), set(one)
    words = one.lstrip("-").split("-")
    for other in names:
        more = len(other) - size
        if -allowed <= more <= allowed:
            if len(letters.symmetric_difference(other)) <= 2 * allowed:
                yield other
        # Only a word more or less can make up for that. (A name may begin with one hyphen.)
        elif abs(other.count("-") - hyphens) <= 2 and (words[0] in other or words[-1] in other):
            yield other


def _allowed(name: str) -> int:
    return max(1, min(3, len(name) // 6))


def _apart(one: str, other: str) -> float | None:
    """How far apart two names are; None for names that are not alike."""
    allowed = _allowed(one)
    if abs(len(one) - len(other)) > allowed:
        hyphens, others = one.lstrip("-").count("-"), other.lstrip("-").count("-")
        if abs(hyphens - others) != 1 or not (hyphens and others):
            return None
    mine, theirs = one.lstrip("-").split("-"), other.lstrip("-").split("-")
    if mine == theirs or sorted(mine) == sorted(theirs):
        return 0.5
    odd, others_odd = set(mine).difference(theirs), set(theirs).difference(mine)
    if any((a in odd and b in others_odd) or (b in odd and a in others_odd) for a, b in _OPPOSITES):
        return None
    if odd and others_odd and max(map(len, odd)) < 4 and max(map(len, others_odd)) < 4:
        return None  # tp is no misspelt dp
    if len(odd) + len(others_odd) == 1 and abs(len(mine) - len(theirs)) == 1 and min(len(mine), len(theirs)) > 1:
        return None if (odd | others_odd) & _SWITCHES else _ONE_WORD
    if len(set(one) ^ set(other)) > 2 * allowed:
        return None
    found = distance(one, other, allowed)
    return float(found) if found <= allowed else None


# A word of these more or less says something else.
_SWITCHES = frozenset(("enable", "disable", "no", "decode", "prefill", "min", "max", "draft", "only"))


def distance(one: str, other: str, limit: int) -> int:
    """How many letters have to be put in, left out, replaced or swapped with the next; ``limit`` + 1 for more."""
    if abs(len(one) - len(other)) > limit:
        return limit + 1
    size, far = len(other), limit + 1
    before: list[int] = [far] * (size + 1)
    row: list[int] = [*range(far), *before][: size + 1]
    for i, a in enumerate(one, 1):
        last, before, row = before, row, [far] * (size + 1)
        if i < far:
            row[0] = i
        for j in range(max(1, i - limit), min(size, i + limit) + 1):  # elsewhere are more letters than that
            b = other[j - 1]
            cost = before[j - 1] if a == b else min(before[j], row[j - 1], before[j - 1]) + 1
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row[j] = cost
        if min(row) > limit and min(before) >= limit:
            return far  # letters that are swapped skip a row
    return min(row[-1], far)
