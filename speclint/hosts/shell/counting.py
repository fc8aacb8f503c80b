"""What changes from one run of a loop to the next, and arithmetic that sets variables: ``((PORT++))``."""

from __future__ import annotations

from bisect import bisect_left

from speclint.hosts.shell.arith import changed
from speclint.hosts.shell.follower import Follower
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known, Unknown
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Value

    Event = tuple[int, str, int, bool]
    """Where a node begins that reads or sets a name, the name, where that is done, and whether it is set."""

_STEP = pattern(
    r"\s*(?:(?P<after>[A-Za-z_]\w*)\s*(?P<by>\+\+|--|[-+]=\s*\d{1,9})|(?P<sign>\+\+|--)\s*(?P<before>\w+))\s*"
)
_HEADER = pattern(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*=\s*(?P<first>[^;]+?)\s*;\s*(?P=name)\s*(?P<sign><=?)\s*(?P<last>[^;]+?)\s*;"
    r"\s*(?:(?P=name)\s*(?:\+\+|\+=\s*(?P<step>\d+))|\+\+(?P=name))\s*"
)
_MAX_VALUES = 32


class Counting(Follower):
    """The part of a Runner that follows arithmetic which sets variables."""

    def _compound(self, node: Node) -> None:
        """``{ …; }``, or ``(( … ))``."""
        if node.children and node.children[0].type == "((":
            self.calculate(self.syntax.string(node)[2:-2], node)
        else:
            self.block(node.named_children)

    def calculate(self, text: str, node: Node) -> None:
        """Set what an arithmetic expression sets."""
        step = _STEP.fullmatch(text)
        if step is None:
            for name in changed(text):
                self.env.assign(name, Unknown(f"`{name}` is set by arithmetic that is not followed"))
            return
        name = step["after"] or step["before"]
        by = (step["by"] or step["sign"]).replace(" ", "")
        amount = {"++": 1, "--": -1}.get(by) or int(by[0] + by[2:])
        place = self.syntax.span(node)

        def work(known: Sequence[Known]) -> Value:
            old = known[0].text.text
            if not (old.isdigit() and old.isascii() and len(old) < 16 and (old == "0" or old[0] != "0")):
                return Unknown(f"`{name}` is no number")
            return Known(Mapped.new(str(int(old) + amount), place), known[0].steps)

        variable = self.env.variables.get(name)
        value = variable.scalar() if variable is not None else Unknown(f"`{name}` is not set in this file")
        self.env.assign(name, combine([value], work))

    def counted(self, text: str) -> tuple[str, list[str]] | None:
        """The variable of ``for ((i = 0; i < 4; i++))`` and its values, where these are told."""
        found = _HEADER.fullmatch(text)
        bounds = [self._number(found[key]) for key in ("first", "last")] if found is not None else []
        if found is None or bounds[0] is None or bounds[1] is None:
            return None
        step = int(found["step"] or 1)
        values = range(bounds[0], bounds[1] + len(found["sign"]) - 1, step) if step else range(0)
        return (found["name"], [str(n) for n in values]) if 0 < len(values) <= _MAX_VALUES else None

    def _number(self, text: str) -> int | None:
        variable = self.env.variables.get(text.strip("${}"))
        value = variable.scalar() if variable is not None else None
        text = value.text.text if isinstance(value, Known) else text
        return int(text) if text.isdigit() and text.isascii() and len(text) < 9 else None

    def unsettle(self, nodes: Sequence[Node]) -> None:
        """Forget what has another value in each run of a loop; what only grows is told by what it begins with."""
        for name in restless(nodes, self.syntax):
            if self.env.variables.get(name) is not None:
                self.env.assign(name, Unknown(f"`{name}` changes from one run of the loop to the next"))


def restless(nodes: Sequence[Node], syntax: Syntax) -> set[str]:
    """The names that a loop reads before it sets them anew, so that each run sees what the one before has set."""
    written: dict[str, int] = {}
    read: dict[str, int] = {}
    events = _within(nodes, syntax)
    for node in nodes:
        first = bisect_left(events, (node.start_byte,))
        for _, name, at, writes in events[first : bisect_left(events, (node.end_byte,))]:
            where = written if writes else read
            where[name] = max(at, where.get(name, at)) if writes else min(at, where.get(name, at))
    return {name for name, at in written.items() if read.get(name, at) < at}


def _within(nodes: Sequence[Node], syntax: Syntax) -> list[Event]:
    """What nodes of a loop read and set, in order; looked up once for a loop and those in it."""
    start, end = min(node.start_byte for node in nodes), max(node.end_byte for node in nodes)
    for (first, last), events in syntax.events.items():
        if first <= start and end <= last:
            return events
    found = syntax.events[start, end] = sorted(_events(nodes, syntax))
    return found


def _events(nodes: Sequence[Node], syntax: Syntax) -> Iterator[Event]:
    """The start of each node that reads or sets a name, and where that is done: at the end of what it is given."""
    todo = list(nodes)
    while todo:
        node = todo.pop()
        if node.type == "variable_name":
            yield node.start_byte, syntax.string(node), node.start_byte, False
            continue
        if node.type == "variable_assignment":
            target, value = node.child_by_field_name("name"), node.child_by_field_name("value")
            if target is not None and target.type == "variable_name":
                name = syntax.string(target)
                if any(c.type == "+=" for c in node.children) or _appends(name, value, syntax):
                    continue
                yield node.start_byte, name, node.end_byte, True
                todo.extend([value] if value is not None else [])
                continue
        elif _calculates(node, syntax):
            for name in changed(syntax.string(node)):
                yield node.start_byte, name, node.end_byte, True
                yield node.start_byte, name, node.start_byte, False
        todo.extend(node.named_children)


def _calculates(node: Node, syntax: Syntax) -> bool:
    start = syntax.head(node, 4)
    if node.type == "compound_statement":
        return start.startswith("((")
    return node.type == "arithmetic_expansion" or (node.type == "command" and start == "let ")


def _appends(name: str, value: Node | None, syntax: Syntax) -> bool:
    """``X="$X more"``, ``A=("${A[@]}" more)``."""
    text = syntax.string(value).lstrip('("') if value is not None else ""
    return text.startswith((f"${name} ", f"${{{name}}}", f"${{{name}[@]}}", f'${name}"'))
