"""Loops of the shell: bodies are read once, with every value that the loop variable takes."""

from __future__ import annotations

from speclint.hosts.shell.env import grown
from speclint.hosts.shell.follower import Follower
from speclint.value import Choice, Known, OneOf, Step, Unknown, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Variable
    from speclint.value import Value
    from speclint.words import Word

_MAX_VALUES = 32


class Loops(Follower):
    """The part of a Runner that follows loops."""

    def _for(self, node: Node) -> None:
        """``for x in …``: x is one of the values in the body."""
        target = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if target is None or body is None:
            return
        name = self.syntax.string(target)
        groups = self.syntax.words(node.children_by_field_name("value"))
        words = [word for group in groups for word in self.expander().words(group)]
        self.env.assign(name, self._each(name, words, node))
        before = dict(self.env.variables)
        self.run(body)
        self.env.ended = False
        self._grow(before, f"it is set in a loop over `{name}`")

    def _each(self, name: str, words: Sequence[Word], node: Node) -> Value:
        known = [w for w in words if isinstance(w.value, Known) and not w.guard]
        if not words or len(known) != len(words) or len(words) > _MAX_VALUES:
            return Unknown(f"`{name}` runs over a list that is not known")
        values: list[Value] = []
        for word in known:
            values.append(with_step(word.value, Step("loop", f"one of the values of `{name}`", word.span)))
        if len(values) == 1:
            return values[0]
        labels = [f"`{name}` is `{w.text}`" for w in known]
        return OneOf(Choice("loop", labels, self.syntax.span(node)), values)

    def _while(self, node: Node) -> None:
        """``while``, ``until``: the body may not run; what it sets from arguments leaves the default standing."""
        body = node.child_by_field_name("body")
        for child in node.children_by_field_name("condition"):
            self.run(child)
        if body is None:
            return
        before = dict(self.env.variables)

        def inside() -> None:
            self.run(body)
            self._grow(before, "it is set in a loop")
            self.env.ended = False

        labels = ("no argument changes it", "an argument changes it")
        self.branch(Choice("default", labels, self.syntax.span(node)), (lambda: None, inside))

    def _grow(self, before: dict[str, Variable], reason: str) -> None:
        """After a loop body that was read once: what grew may have grown any number of times."""
        for name, variable in list(self.env.variables.items()):
            self.env.variables[name] = grown(before.get(name), variable, reason)
