"""Which rules a launch is asked, and which arms of their conditions: see speclint.rules.gate and its sieve."""

from __future__ import annotations

from speclint.rules.sieve import Sieve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from speclint.rules.rule import Rule
    from speclint.sglang.resolve import View

    Asked = tuple[Rule, "tuple[int, ...] | None"]
    """A rule, and the arms of its condition that may hold; None for all."""

# Of what a launch has to write no more is looked at: what else an arm needs is told by its values.
_MOST_NEEDS = 3
# So many launches are compared with each arm before it pays to put the arms in order.
_FEW = 4


class Picker:
    """Rules in one release, by the names that a launch has to write for them to speak, and then by their values.

    Sets of arms are numbers with a bit for each arm.
    """

    def __init__(self, rules: Iterable[Rule], release: str, sure: bool = False) -> None:
        """``sure``: arms of which it is not known whether they hold are passed over."""
        self.arms: list[tuple[Rule, int, int]] = []
        self._needs: list[tuple[Sequence[str], ...]] = []
        for rule in rules:
            gate = rule.gate(release)
            for arm, needs in enumerate(gate or ()):
                self.arms.append((rule, arm, len(gate or ())))
                self._needs.append(needs[:_MOST_NEEDS])
        self._sieve = Sieve(self.arms, release, sure)
        self._index: _Index | None = None
        self._looked = 0

    def asked(self, written: frozenset[str] | None, view: View) -> Iterator[Asked]:
        """The rules that may speak of a launch that writes what ``gate.names`` says, in order.

        ``view``: the launch, where all choices are open.
        """
        left = self._sieve.left(self._open(written), view)
        arms: dict[int, list[int]] = {}
        while left:
            bit = left & -left
            left ^= bit
            number = bit.bit_length() - 1
            arms.setdefault(number - self.arms[number][1], []).append(number)
        for some in arms.values():
            rule, first, count = self.arms[some[0]]
            yield rule, None if len(some) == count else tuple([first + number - some[0] for number in some])

    def _open(self, written: frozenset[str] | None) -> int:
        if written is None:
            return (1 << len(self.arms)) - 1
        if self._index is None:
            self._looked += 1
            if self._looked <= _FEW:
                return self._look(written)
            self._index = _Index(self._needs)
        return self._index.met(written)

    def _look(self, written: frozenset[str]) -> int:
        """As the index tells it, for the few launches of which it would not pay."""
        found, bit = 0, 1
        for needs in self._needs:
            for names in needs:
                if written.isdisjoint(names):
                    break
            else:
                found |= bit
            bit <<= 1
        return found


class _Index:
    """Arms by the names that they need, a bit for each."""

    def __init__(self, arms: Iterable[tuple[Sequence[str], ...]]) -> None:
        # For each of what is needed: the arms that need no more than before, and by name those that it is enough for.
        self._free = [0] * _MOST_NEEDS
        self._by_name: dict[str, list[int]] = {}
        for number, needs in enumerate(arms):
            bit = 1 << number
            for at in range(_MOST_NEEDS):
                if at >= len(needs):
                    self._free[at] |= bit
                    continue
                for name in needs[at]:
                    self._by_name.setdefault(name, [0] * _MOST_NEEDS)[at] |= bit

    def met(self, written: frozenset[str]) -> int:
        """The arms of which a launch that writes these names writes what they need."""
        met = self._free.copy()
        for name in written:
            masks = self._by_name.get(name)
            if masks is not None:
                for at, mask in enumerate(masks):
                    met[at] |= mask
        found = met[0]
        for mask in met[1:]:
            found &= mask
        return found


_last: tuple[tuple[Rule, ...], dict[tuple[str, bool], Picker]] | None = None


def picker(rules: Iterable[Rule], release: str, sure: bool = False) -> Picker:
    """The picker for rules in a release; kept for those that are asked of one launch after the other."""
    global _last
    if not isinstance(rules, tuple):
        return Picker(rules, release, sure)
    if _last is None or _last[0] is not rules:
        _last = (rules, {})
    found = _last[1].get((release, sure))
    if found is None:
        found = _last[1][release, sure] = Picker(rules, release, sure)
    return found
