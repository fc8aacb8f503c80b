"""What ``.`` stands for at each action of a template, and what the action puts in by the values of the chart."""

from __future__ import annotations

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.yaml.actions import Action
    from speclint.hosts.yaml.chart import Chart
    from speclint.text import Span
    from speclint.value import Value

_RANGE = pattern(r"range\s+(?:(?:\$\w+\s*,\s*)?(?P<name>\$\w+)\s*:=\s*)?(?P<list>.+)")
_WITH = pattern(r"with\s+(?P<path>[$.]\S*)")
_PIPES = r"(?:\s*\|\s*(?:quote|squote|toString|trim|toJson))*"


class Scopes:
    """The actions of one template with the values of its chart, if there is one."""

    def __init__(self, actions: Sequence[Action], chart: Chart | None) -> None:
        self.chart = chart
        self.actions = actions
        self._scope: dict[int, str | None] = {}
        if chart is not None:
            self._follow(chart)

    def _follow(self, chart: Chart) -> None:
        """The path of values that the dot is, action by action; None where it is something else."""
        open_ones: list[tuple[str | None, str | None, bool]] = []  # inside, outside, whether it is a `with`
        for action in self.actions:
            scope = open_ones[-1][0] if open_ones else None
            self._scope[action.start] = scope
            if action.kind == "open" and action.stop is not None:
                inner = scope
                found = _WITH.fullmatch(action.inside)
                if found is not None:
                    inner = chart.path(found["path"], scope)
                elif not action.inside.startswith("if"):
                    inner = None
                open_ones.append((inner, scope, found is not None))
            elif action.kind == "else" and open_ones and open_ones[-1][2]:
                _, outer, _ = open_ones[-1]
                open_ones[-1] = (outer, outer, True)
            elif action.kind == "end" and open_ones:
                open_ones.pop()

    def value(self, action: Action, place: Span | None) -> Value | None:
        """What an action puts in; None if it is not followed."""
        if self.chart is None:
            return None
        return self.chart.value(action.inside, self._scope.get(action.start), place)

    def items(self, action: Action, place: Span | None) -> list[Value] | None:
        """The list that an action writes out, or that a part is repeated for, each item as it is."""
        if self.chart is None:
            return None
        scope = self._scope.get(action.start)
        if action.kind != "open":
            return self.chart.items(action.inside, scope, place) if "toYaml" in action.inside else None
        found = _RANGE.fullmatch(action.inside)
        if found is None or not self._puts_in(action, found["name"]):
            return None
        return self.chart.items(found["list"], scope, place)

    def _puts_in(self, action: Action, name: str | None) -> bool:
        """Whether all that a repeated part puts in is the item."""
        index = next(i for i, other in enumerate(self.actions) if other is action)
        body = [a for a in self.actions[index + 1 : action.stop] if a.kind != "note"]
        item = pattern(rf"(?:\.|\{name}){_PIPES}" if name else rf"\.{_PIPES}")
        return len(body) == 1 and body[0].kind == "hole" and item.fullmatch(body[0].inside) is not None
