"""Loops of the shell: bodies are read once, with every value that the loop variable takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclint.value import Choice, Known, OneOf, Step, Unknown, with_step

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell_env import Env, Variable
    from speclint.hosts.shell_syntax import Syntax
    from speclint.hosts.shell_words import Expander
    from speclint.value import Value
    from speclint.words import Word

_MAX_VALUES = 32


class Loops:
    """The part of a Runner that follows loops."""

    syntax: Syntax
    env: Env

    if TYPE_CHECKING:

        def run(self, node: Node) -> None: ...
        def expander(self) -> Expander: ...
        def branch(self, choice: Choice, arms: Sequence[Callable[[], None]]) -> None: ...
        def joined(self, before: dict[str, Variable], reason: str) -> None: ...
        def label(self, node: Node) -> str: ...

    def _for(self, node: Node) -> None:
        """``for x in …``: x is one of the values in the body."""
        target = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if target is None or body is None:
            return
        name = self.syntax.string(target)
        words: list[Word] = []
        for child in node.children_by_field_name("value"):
            words.extend(self.expander().words(child))
        self.env.assign(name, self._each(name, words, node))
        before = dict(self.env.variables)
        self.run(body)
        self.env.ended = False
        self.joined(before, f"it is set in a loop over `{name}`")

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
            self.joined(before, "it is set in a loop")
            self.env.ended = False

        labels = ("no argument changes it", "an argument changes it")
        self.branch(Choice("default", labels, self.syntax.span(node)), (lambda: None, inside))
