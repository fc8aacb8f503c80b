"""``case``: which of its items a text meets, and what must be so where one is met."""

from __future__ import annotations

from speclint.hosts.shell.conditions import MAX_POINTS, open_points, variable
from speclint.hosts.shell.patterns import matcher
from speclint.value import Known
from speclint.worlds import settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.words import Expander
    from speclint.value import Choice, Needs


class Case:
    """What is asked by a ``case``, and its items by their patterns, quotes off."""

    def __init__(self, node: Node, items: Sequence[Node], expander: Expander) -> None:
        written = [[expander.syntax.string(pattern) for pattern in patterns(item)] for item in items]
        self.names = [[pattern.strip("\"'") for pattern in item] for item in written]
        matchers = [[matcher(pattern) for pattern in item] for item in written]
        self._decides = all(found is not None for item in matchers for found in item)
        self._matchers = [[found for found in item if found is not None] for item in matchers]
        self.subject = expander.value(node)
        self._variable = variable(node, expander)
        self._env = expander.env
        self.left: list[tuple[Choice, list[tuple[int, ...]]]] = []
        if self._decides and not isinstance(self.subject, Known):
            self.left = self._open()

    @property
    def met(self) -> int | None:
        """The item that is met, behind the last where none is; None where that is not known."""
        return self._of(self.subject.text.text) if self._decides and isinstance(self.subject, Known) else None

    @property
    def whole(self) -> bool:
        """Whether one of the items is met in any case."""
        return any("*" in item for item in self.names)

    def _of(self, text: str) -> int:
        fits = (index for index, item in enumerate(self._matchers) if any(found.fits(text) for found in item))
        return next(fits, len(self.names))

    def _open(self) -> list[tuple[Choice, list[tuple[int, ...]]]]:
        """The ways that each choice behind the subject can have gone, for each item and for none of them."""
        points = open_points((self.subject,), self._env)
        found: list[tuple[Choice, list[tuple[int, ...]]]] = []
        for point in points if len(points) <= MAX_POINTS else ():
            values = [settled(self.subject, {point: arm}) for arm in range(len(point.labels))]
            met = [self._of(value.text.text) if isinstance(value, Known) else None for value in values]
            items = range(len(self.names) + 1)
            left = [tuple([arm for arm, at in enumerate(met) if at is None or at == item]) for item in items]
            found.append((point, left))
        return found

    def ways(self) -> list[dict[Choice, int]]:
        """For each item, and for none of them, the ways that choices must have gone where it is met."""
        items = range(len(self.names) + 1)
        return [{point: left[item][0] for point, left in self.left if len(left[item]) == 1} for item in items]

    def needs(self) -> Sequence[Needs]:
        """For each item, and for none of them, what must be so where it is met."""
        from speclint.hosts.shell.facts import chosen, deepen, is_plain

        plain = [item if all(is_plain(name) for name in item) else None for item in self.names]
        found = [dict(needs) for needs in chosen(self._variable, plain)]
        for point, left in self.left:
            for needs, arms in zip(found, left, strict=True):
                if len(arms) < len(point.labels):
                    needs[point] = True, frozenset(arms)
        deepen(found)
        return found


def patterns(item: Node) -> list[Node]:
    """The patterns of an item."""
    return item.children_by_field_name("value")
