"""Branches of the shell: every way is followed from the same start, and the ways are joined again."""

from __future__ import annotations

from speclint.hosts.shell.conditions import Condition, succeeds
from speclint.hosts.shell.env import Variable
from speclint.hosts.shell.follower import Follower
from speclint.value import Choice

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tree_sitter import Node

    from speclint.value import Value

# Commands that are run for whether they fail.
_ASKS = frozenset(
    (
        *("test", "grep", "egrep", "fgrep", "rg", "pgrep", "pidof", "command", "which", "type", "hash", "cmp", "diff"),
        *("false", "id", "mountpoint", "nc"),
    )
)


class Branches(Follower):
    """The part of a Runner that follows ``if``, ``case``, ``&&`` and ``||``."""

    def _if(self, node: Node) -> None:
        """``if``: conditions are run, then one arm for each branch and one for none of them."""
        condition = node.children_by_field_name("condition")
        if not condition:
            condition = list(node.named_children[:1])
        skip = {c.id for c in condition}
        self._arms(node, condition, [c for c in node.named_children if c.id not in skip])

    def _arms(self, node: Node, condition: Sequence[Node], body: Sequence[Node]) -> None:
        clauses = [c for c in body if c.type in ("elif_clause", "else_clause")]
        then = [c for c in body if c.type not in ("elif_clause", "else_clause")]
        self._either(node, condition, lambda: self.block(then), lambda: self._otherwise(clauses))

    def _either(
        self, node: Node, condition: Sequence[Node], then: Callable[[], None], otherwise: Callable[[], None]
    ) -> None:
        """Run a condition, and what is done where it holds or where it does not."""
        for child in condition:
            self.run(child)
        asked = Condition(condition, self.expander())
        verdict = asked.holds()
        if verdict is not None:
            (then if verdict else otherwise)()
            return
        text = self.label(condition[0]) if condition else "the condition"
        labels = (f"`{text}` holds", f"`{text}` does not hold")
        choice = Choice("branch", labels, self.syntax.span(node), asked.needs)
        holds, fails = asked.given()
        self.branch(choice, (self._within(holds, then), self._within(fails, otherwise)), asked.ways())
        self._goes_on(asked.left())

    def _within(self, given: Mapping[str, Value], follow: Callable[[], None]) -> Callable[[], None]:
        """An arm of a branch in which variables have the values that its condition leaves them."""

        def arm() -> None:
            kept: list[tuple[str, Variable, Variable]] = []
            for name, value in given.items():
                before = self.env.variables.get(name)
                if before is not None:
                    kept.append((name, before, Variable(value, before.items, before.exported, before.path)))
                    self.env.variables[name] = kept[-1][2]
            follow()
            for name, before, after in kept:
                if self.env.variables.get(name) is after:
                    self.env.variables[name] = before

        return arm if given else follow

    def _otherwise(self, clauses: Sequence[Node]) -> None:
        if not clauses:
            return
        first, rest = clauses[0], clauses[1:]
        children = first.named_children
        if first.type == "else_clause":
            self.block(children)
        elif children:
            self._arms(first, children[:1], [*children[1:], *rest])

    def _block(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            self.run(node)

    def _case(self, node: Node) -> None:
        value = node.child_by_field_name("value")
        items = [c for c in node.named_children if c.type == "case_item"]
        if value is None or not items:
            return
        from speclint.hosts.shell.cases import Case

        asked = Case(value, items, self.expander())
        if asked.met is not None:
            if asked.met < len(items):
                self._case_body(items[asked.met])
            return
        shown = self.label(value)
        labels = [f"`{shown}` is `{'|'.join(names)}`" for names in asked.names]
        arms: list[Callable[[], None]] = [lambda item=item: self._case_body(item) for item in items]  # type: ignore[misc]
        if not asked.whole:
            labels.append(f"`{shown}` is none of these")
            arms.append(lambda: None)
        self.branch(Choice("branch", labels, self.syntax.span(node), asked.needs), arms, asked.ways())
        self._goes_on((point, ways[: len(arms)]) for point, ways in asked.left)

    def _case_body(self, item: Node) -> None:
        from speclint.hosts.shell.cases import patterns

        skip = {c.id for c in patterns(item)}
        self.block([c for c in item.named_children if c.id not in skip])

    def _list(self, node: Node) -> None:
        """``a && b``, ``a || b``: the right side may not run."""
        parts = node.named_children
        if len(parts) != 2:
            self.block(parts)
            return
        left, right = parts
        is_and = any(c.type == "&&" for c in node.children)
        inner = left.named_children if left.type == "list" and any(c.type == "&&" for c in left.children) else ()
        if not is_and and len(inner) == 2 and succeeds(inner[1]):
            # `[ … ] && X=1 || X=2`: one or the other.
            self._either(node, inner[:1], lambda: self.run(inner[1]), lambda: self.run(right))
            return
        self.run(left)
        asked = Condition([left], self.expander())
        verdict = asked.holds()
        if verdict is not None and verdict is not is_and:
            return
        # A command that comes before (`cd x &&`, `mkdir x &&`) is taken to succeed, unless nothing would come after.
        if is_and and (verdict or (self._does(left) and not self.syntax.holds(right, b"exit", b"return"))):
            self.run(right)
            return
        text = self.label(left)
        labels = (f"`{text}` holds", f"`{text}` does not hold")
        needs = asked.needs if is_and else lambda: asked.needs()[::-1]
        choice = Choice("branch", labels if is_and else labels[::-1], self.syntax.span(node), needs)
        ways = asked.ways()
        right_arm = self._within(asked.given()[0 if is_and else 1], lambda: self.run(right))
        self.branch(choice, (right_arm, lambda: None), ways if is_and else ways[::-1])
        self._goes_on((point, arms if is_and else arms[::-1]) for point, arms in asked.left())

    def _goes_on(self, left: Iterable[tuple[Choice, Sequence[Sequence[int]]]]) -> None:
        """Behind a branch of which some ways leave this run of a loop, what led to these only is ruled out."""
        gone = self.gone
        if not any(gone) or all(gone):
            return
        for point, ways in left:
            arms = {arm for way, leaves in zip(ways, gone, strict=True) if not leaves for arm in way}
            if point.kind == "loop" and 0 < len(arms) < len(point.labels):
                self.env.rule_out(point, arms)


    def _does(self, node: Node) -> bool:
        """Whether a statement is run for what it does, and not for whether it fails."""
        if node.type == "list":
            return all(map(self._does, node.named_children))
        if node.type in ("pipeline", "redirected_statement"):
            last = node.child_by_field_name("body") if node.type[0] == "r" else node.named_children[-1]
            return last is None or self._does(last)
        if node.type != "command":
            return node.type == "variable_assignment"
        name = node.child_by_field_name("name")
        text = self.syntax.string(name) if name is not None else ""
        if len(node.children) == 1 and (text in self.env.functions or text.startswith("$")):
            return False  # `is_hopper && X=1`, `$DEBUG && X=1`
        return text not in _ASKS
