"""Which rules a launch is asked, and which arms of their conditions: see speclint.rules.gate."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.rules.rule import Needs, Rule

    Asked = tuple[Rule, "tuple[int, ...] | None"]
    """A rule, and the arms of its condition that may hold; None for all."""


class Picker:
    """Rules in one release, by the names that a launch has to write for them to speak."""

    def __init__(self, rules: Iterable[Rule], release: str) -> None:
        self.rules: list[tuple[Rule, int]] = []
        self._always: list[tuple[int, int]] = []
        self._by_name: dict[str, list[tuple[int, int, Needs]]] = {}
        by_name = self._by_name
        for rule in rules:
            gate = rule.gate(release)
            if gate is False:
                continue
            number = len(self.rules)
            self.rules.append((rule, len(gate)))
            for arm, needs in enumerate(gate):
                if not needs:
                    self._always.append((number, arm))
                    continue
                entry = (number, arm, needs[1:])
                for name in needs[0]:
                    if name in by_name:
                        by_name[name].append(entry)
                    else:
                        by_name[name] = [entry]

    def asked(self, written: frozenset[str] | None) -> Iterator[Asked]:
        """The rules that may speak of a launch that writes what ``gate.names`` says, in order."""
        if written is None:
            yield from [(rule, None) for rule, _ in self.rules]
            return
        found = {*self._always}
        for name in written:
            for number, arm, rest in self._by_name.get(name, ()):
                if not any(map(written.isdisjoint, rest)):
                    found.add((number, arm))
        arms: dict[int, list[int]] = {}
        for number, arm in sorted(found):
            arms.setdefault(number, []).append(arm)
        for number, some in arms.items():
            rule, count = self.rules[number]
            yield rule, None if len(some) == count else tuple(some)


_last: tuple[tuple[Rule, ...], dict[str, Picker]] | None = None


def picker(rules: Iterable[Rule], release: str) -> Picker:
    """The picker for rules in a release; kept for those that are asked of one launch after the other."""
    global _last
    if not isinstance(rules, tuple):
        return Picker(rules, release)
    if _last is None or _last[0] is not rules:
        _last = (rules, {})
    found = _last[1].get(release)
    if found is None:
        found = _last[1][release] = Picker(rules, release)
    return found
