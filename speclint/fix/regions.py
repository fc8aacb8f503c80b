"""Where edits are in the text before and after them, and how two texts differ."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Sequence

Range = tuple[int, int]


class Region(NamedTuple):
    """One edit: the characters that it replaces and those that stand there afterwards (code points, half-open)."""

    start: int
    end: int
    new_start: int
    new_end: int


class Edited:
    """Where edits, which are apart, are in the text before or after them.

    One look finds those near a place, however many there are.
    """

    __slots__ = ("_ends", "_starts")

    def __init__(self, regions: Iterable[Region], new: bool) -> None:
        order = sorted(regions)
        self._starts = [r.new_start if new else r.start for r in order]
        self._ends = [r.new_end if new else r.end for r in order]

    def near(self, start: int, end: int) -> bool:
        """Whether an edit replaces (or wrote) or adjoins any of the characters ``start`` to ``end``."""
        at = bisect_left(self._ends, start)
        return at < len(self._starts) and self._starts[at] <= end

    def among(self, start: int, end: int) -> bool:
        """Whether an edit replaces (or wrote) any of the characters, or puts some between them."""
        at = bisect_right(self._ends, start)
        return at < len(self._starts) and self._starts[at] < end

    def whole(self, start: int, end: int) -> bool:
        """Whether one edit replaces (or wrote) all of the characters."""
        at = bisect_right(self._starts, start) - 1
        return start < end and at >= 0 and end <= self._ends[at]


def comments_kept(old: Iterable[Range], new: Iterable[Range], a: str, b: str, regions: Sequence[Region]) -> bool:
    """The same comments in the same order, those aside that an edit changes itself."""
    replaced, written = Edited(regions, False), Edited(regions, True)
    before = [a[s:e] for s, e in old if not replaced.among(s, e)]
    after = [b[s:e] for s, e in new if not written.among(s, e)]
    return sorted(before) == sorted(after)


def differences(old: Sequence[Hashable], new: Sequence[Hashable]) -> Iterator[tuple[Range, Range]]:
    """The ranges of two lists that differ."""
    if len(old) == len(new):
        yield from (((i, i + 1), (i, i + 1)) for i in range(len(old)) if old[i] != new[i])
        return
    from difflib import SequenceMatcher

    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    matcher = SequenceMatcher(None, old[head : len(old) - tail], new[head : len(new) - tail], autojunk=False)
    for tag, a, b, c, d in matcher.get_opcodes():
        if tag != "equal":
            yield (head + a, head + b), (head + c, head + d)
