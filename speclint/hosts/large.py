"""Large files, of which only those statements are read that can matter.

A tree takes twenty times the room of a script, and two hundred times that of a module. So a large text is parsed
stretch by stretch, and of each is kept only what its statements define and name. What is then read, with its places in
the file, are the statements that matter by themselves, and those that share names with them: what these define, or use
of what is defined there.
"""

from __future__ import annotations

from bisect import bisect_left

from speclint.lean import NamedTuple, pattern
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Sequence

# How long a stretch is at least, in characters; and how long one becomes at most before the whole is given up, in which
# then something is wrong.
LEAST = 50_000
_MOST = 1_000_000
_NAME = pattern(r"[^\W\d]\w*")


class Statement(NamedTuple):
    """A statement, up to the next one: where it begins, in characters of the whole text.

    ``matters``: it does by itself. ``spreads``: where it matters, so does what uses the names that it ``defines``.
    """

    start: int
    matters: bool
    spreads: bool
    defines: Iterable[str]


def kept(
    text: str, begins: re.Pattern[str], look: Callable[[int, int], list[Statement] | None]
) -> list[tuple[int, int]] | None:
    """The bounds of the statements of a text that may matter, in order; None where it cannot be told what they are.

    ``begins`` finds the end of a line behind which a statement may begin. ``look`` gives the statements between two
    offsets; None where they are no whole ones: then more is added to them.
    """
    links = _Links(text)
    start = 0
    while start < len(text):
        size = LEAST
        found: list[Statement] | None = None
        while found is None:
            match = begins.search(text, start + size)
            end = match.end() if match is not None else len(text)
            found = look(start, end) if end - start <= 2 * _MOST else None
            if found is None and (end == len(text) or size > _MOST):
                return None
            size *= 2
        links.add(found, start, end)
        start = end
    return links.kept()


def joined(text: Mapped, bounds: Iterable[tuple[int, int]]) -> Mapped:
    """What stands between some bounds, one behind the other."""
    return Mapped.join(text[start:end] for start, end in bounds)


def moved(places: Iterable[int], bounds: Sequence[tuple[int, int]]) -> list[int]:
    """Where places are in what ``joined`` gives, in which all of them are."""
    found: list[int] = []
    before = number = 0
    for place in places:
        while bounds[number][1] <= place:
            before += bounds[number][1] - bounds[number][0]
            number += 1
        found.append(before + place - bounds[number][0])
    return found


class _Links:
    """What statements share names with."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts: list[int] = []
        self._matter: list[int] = []
        self._spread: set[int] = set()
        # The statements that define a name, and those that name it, by their numbers.
        self._definers: dict[str, list[int]] = {}
        self._users: dict[str, list[int]] = {}

    def add(self, found: list[Statement], start: int, end: int) -> None:
        """Take up the statements of a stretch; what stands before the first belongs to it."""
        starts = [start, *(one.start for one in found[1:]), end]
        for at, one in enumerate(found):
            number = len(self._starts)
            self._starts.append(starts[at])
            if one.matters:
                self._matter.append(number)
            if one.spreads:
                self._spread.add(number)
            for name in set(one.defines):
                self._definers.setdefault(name, []).append(number)
            for name in self._names(starts[at], starts[at + 1]):
                self._users.setdefault(name, []).append(number)

    def _names(self, start: int, end: int) -> set[str]:
        return set(_NAME.findall(self._text, start, end))

    def kept(self) -> list[tuple[int, int]]:
        """The bounds of the statements that matter, with what defines the names in them, and what uses theirs."""
        bounds = [*self._starts, len(self._text)]
        found: dict[int, bool] = {}
        met: set[tuple[str, bool]] = set()
        todo = [(at, True) for at in self._matter]
        while todo:
            at, spreads = todo.pop()
            spreads = spreads or at in self._spread
            if found.get(at, -1) >= spreads:
                continue
            found[at] = spreads
            for name in self._names(bounds[at], bounds[at + 1]):
                definers = self._definers.get(name, [])
                if definers and (name, False) not in met:
                    met.add((name, False))
                    todo += [(one, False) for one in definers]
                own = definers[bisect_left(definers, at) : bisect_left(definers, at + 1)]
                if spreads and own and (name, True) not in met:
                    met.add((name, True))
                    todo += [(one, True) for one in self._users[name]]
        return [(bounds[at], bounds[at + 1]) for at in sorted(found)]
