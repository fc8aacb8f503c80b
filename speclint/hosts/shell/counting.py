"""What a loop begins with in any of its runs, and arithmetic that sets variables: ``((PORT++))``."""

from __future__ import annotations

from speclint.hosts.shell.arith import changed
from speclint.hosts.shell.changes import ADDS_ELEMENTS, ADDS_WORDS, Changes
from speclint.hosts.shell.follower import Follower
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known, Unknown, join
from speclint.words import many
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.value import Value

_STEP = pattern(
    r"\s*(?:(?P<after>[A-Za-z_]\w*)\s*(?P<by>\+\+|--|[-+]=\s*\d{1,9})|(?P<sign>\+\+|--)\s*(?P<before>\w+))\s*"
)
_HEADER = pattern(
    r"\s*(?P<name>[A-Za-z_]\w*)\s*=(?P<first>[^;]+);\s*(?P=name)\s*(?P<sign><=?)(?P<last>[^;]+);"
    r"\s*(?:(?P=name)\s*(?:\+\+|\+=\s*(?P<step>\d+))|\+\+(?P=name))\s*"
)
_COUNT = pattern(r"\$\{#([A-Za-z_]\w*)\[[@*]\]\}")
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
        bounds = [self._number(found[key].strip()) for key in ("first", "last")] if found is not None else []
        if found is None or bounds[0] is None or bounds[1] is None:
            return None
        step = int(found["step"] or 1)
        values = range(bounds[0], bounds[1] + len(found["sign"]) - 1, step) if step else range(0)
        return (found["name"], [str(n) for n in values]) if 0 < len(values) <= _MAX_VALUES else None

    def _number(self, text: str) -> int | None:
        counted = _COUNT.fullmatch(text)
        variable = self.env.variables.get(counted[1] if counted is not None else text.strip("${}"))
        if counted is not None:
            words = variable.words() if variable is not None else (many("it is not set", None),)
            return None if any(word.many or word.guard for word in words) else len(words)
        value = variable.scalar() if variable is not None else None
        text = value.text.text if isinstance(value, Known) else text
        return int(text) if text.isdigit() and text.isascii() and len(text) < 9 else None

    def unsettle(self, nodes: Sequence[Node]) -> None:
        """Forget what has another value in each run of a loop; what only grows is told by what it begins with."""
        for name in Changes(self.syntax, self.env.functions).restless(nodes):
            if self.env.variables.get(name) is not None:
                self.env.assign(name, Unknown(f"`{name}` changes from one run of the loop to the next"))

    def heap(self, body: Node) -> None:
        """Behind what a loop adds to there may be what earlier runs of it have added."""
        for name, adds in Changes(self.syntax, self.env.functions).growing(body).items():
            held, reason = self.env.variables.get(name), f"earlier runs of the loop may have added to `{name}`"
            if held is None and adds == ADDS_ELEMENTS:
                self.env.assign(name, None, (many(reason, None),))
            elif held is None:
                continue  # it is not known then
            elif held.items is not None:
                self.env.assign(name, None, (*held.items, many(reason, None)))
            elif adds == ADDS_WORDS:
                self.env.assign(name, join([held.scalar(), Known(Mapped.new(" ")), Unknown(reason)]))
            else:
                value = held.scalar()
                begun = value.text if isinstance(value, Known) and value.text.text else None
                self.env.assign(name, Unknown(reason, begun))
