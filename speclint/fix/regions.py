"""Where edits are in the text before and after them, and how two texts differ."""

from __future__ import annotations

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


def old_touched(regions: Iterable[Region], start: int, end: int) -> bool:
    """Whether an edit replaces or adjoins any of the characters ``start`` to ``end`` of the text before."""
    return any(r.start <= end and start <= r.end for r in regions)


def new_touched(regions: Iterable[Region], start: int, end: int) -> bool:
    """Whether an edit wrote or adjoins any of the characters ``start`` to ``end`` of the text after."""
    return any(r.new_start <= end and start <= r.new_end for r in regions)


def comments_kept(old: Iterable[Range], new: Iterable[Range], a: str, b: str, regions: Sequence[Region]) -> bool:
    """The same comments in the same order, those aside that an edit changes itself."""
    before = [a[s:e] for s, e in old if not any(r.start < e and s < r.end for r in regions)]
    after = [b[s:e] for s, e in new if not any(r.new_start < e and s < r.new_end for r in regions)]
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
