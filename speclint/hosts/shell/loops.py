"""Loops of the shell: bodies are read once, with every value that the loop variable takes."""

from __future__ import annotations

from speclint.hosts.shell.conditions import Condition
from speclint.hosts.shell.counting import Counting
from speclint.hosts.shell.env import Variables
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Choice, Known, OneOf, Step, Unknown, with_step
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tree_sitter import Node

    from speclint.text import Span
    from speclint.value import Value

# What asks for arguments that are left.
_OF_ARGUMENTS = pattern(rb"\bgetopts\b|\$\{?[#1@*]")
_MAX_VALUES = 32
_MAX_ROUNDS = 64
_RANGE = pattern(r"\{(\d{1,6})\.\.(\d{1,6})\}")


class Loops(Counting):
    """The part of a Runner that follows loops."""

    def _for(self, node: Node) -> None:
        """``for x in …``: x is one of the values in the body."""
        target = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        if target is None or body is None:
            return
        name = self.syntax.string(target)
        values = node.children_by_field_name("value")
        words = [word for group in self.syntax.words(values) for word in self._listed(group)]
        if not values and not any(c.type == "in" for c in node.children):
            words = list(self.env.positional or ())
        self._each(name, words, node, body)

    def _listed(self, group: Sequence[Node | Mapped]) -> list[Word]:
        """The words of a list, numbers counted out."""
        node = group[0]
        if len(group) == 1 and not isinstance(node, Mapped):
            text, place = self.syntax.string(node).strip(), self.syntax.span(node)
            found = _RANGE.fullmatch(text)
            if found is not None and found[1] == str(int(found[1])) and found[2] == str(int(found[2])):
                first, last = int(found[1]), int(found[2])
                return _numbers(range(first, last + 1) if first <= last else range(first, last - 1, -1), place)
            numbers = self._sequence(node)
            if numbers is not None:
                first, step, last = _bounds(numbers)
                return _numbers(range(first, last + 1, step) if step else range(0), place)
        return self.expander().words(group)

    def _sequence(self, node: Node) -> list[int] | None:
        """The numbers that ``$(seq …)`` is given."""
        if node.type != "command_substitution" or node.named_child_count != 1:
            return None
        command = node.named_children[0]
        if command.type != "command" or self.syntax.head(command, 4) not in ("seq ", "seq\t"):
            return None
        groups = self.syntax.words(command.named_children[1:])
        texts = [word.text or "" for group in groups for word in self.expander().words(group)]
        told = 0 < len(texts) < 4 and all(text.isascii() and text.isdigit() and len(text) < 7 for text in texts)
        return [int(text) for text in texts] if told else None

    def _each(self, name: str, words: Sequence[Word], node: Node, body: Node) -> None:
        """Follow the body with a name that takes each of some values."""
        self._rounds({name: self._one_of(name, words, node)}, body)

    def _rounds(self, values: Mapping[str, Value], body: Node) -> None:
        """Follow the body with names that take each of some values."""
        self.unsettle([body])
        if not any(isinstance(value, Known) for value in values.values()):  # it is not run once only
            self.heap(body)
        for name, value in values.items():
            self.env.assign(name, value)
        before, taken = self.env.variables, self.env.taken
        self.env.variables = inside = Variables(before)
        self.run(body)
        self.env.taken, self.env.ended, self.left = taken, False, False
        before.own.update(inside.own)
        self.env.variables = before

    def _one_of(self, name: str, words: Sequence[Word], node: Node) -> Value:
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

    def _counted(self, node: Node) -> None:
        """``for ((i = 0; i < 4; i++))``."""
        body = node.child_by_field_name("body")
        text = self.syntax.string(node)
        header = text[text.find("((") + 2 : text.find("))")] if "((" in text else ""
        found = self.counted(header)
        if body is None:
            return
        if found is None:
            self.calculate(header, node)
            self._while(node)
        else:
            self._each(found[0], _numbers([int(n) for n in found[1]], self.syntax.span(node)), node, body)

    def _while(self, node: Node) -> None:
        """``while``, ``until``: the body may not run; what it sets from arguments leaves the default standing."""
        body = node.child_by_field_name("body")
        condition = node.children_by_field_name("condition")
        lines = self._lines(node, condition) if body is not None else None
        if lines is not None and body is not None:
            self._rounds(lines, body)
            return
        arguments = self.env.positional
        for child in condition:
            self.run(child)
        if body is None or self._arguments(node, condition, body):
            return
        self.unsettle([*condition, body])

        def inside() -> None:
            self.heap(body)
            self.run(body)
            self.env.ended = False

        labels = ("no argument changes it", "an argument changes it")
        asks = any(_OF_ARGUMENTS.search(child.text or b"") for child in condition)
        given = asks and any(not word.many for word in arguments or ())  # then there is no default to stand
        self.branch(Choice("branch" if given else "default", labels, self.syntax.span(node)), (lambda: None, inside))

    def _lines(self, node: Node, condition: Sequence[Node]) -> dict[str, Value] | None:
        """The names that ``while read`` sets, where the text tells the lines."""
        if not condition or b"read" not in (condition[0].text or b""):
            return None
        from speclint.hosts.shell import lines

        return lines.loop(self, node, condition)

    def _arguments(self, node: Node, condition: Sequence[Node], body: Node) -> bool:
        """Follow a loop over arguments that are known, one after another; whether all of it could be told."""
        if not self.env.positional or b"shift" not in (body.text or b""):
            return False
        start, taken = self.env.variables, self.env.taken
        self.env.variables = rounds = Variables(start)
        wanted = node.children[0].type != "until"
        outer, self.broke = self.broke, False
        for _ in range(_MAX_ROUNDS):
            verdict = Condition(condition, self.expander()).holds()
            if verdict is None or any(w.many or w.guard for w in self.env.positional or ()):
                break
            if verdict is not wanted or self.broke:
                self.broke = outer
                start.own.update(rounds.own)
                self.env.variables = start
                return True
            self.run(body)
            if self.env.ended:
                break
        # Not told to its end: any of the arguments may be the next one.
        self.broke = outer
        self.env.variables, self.env.taken, self.env.ended = start, taken, False
        self.env.positional = (many("it is taken off the arguments in a loop", self.syntax.span(node)),)
        return False


def _bounds(numbers: Sequence[int]) -> tuple[int, int, int]:
    """First, step and last of ``seq``."""
    if len(numbers) == 3:
        return numbers[0], numbers[1], numbers[2]
    return (numbers[0], 1, numbers[1]) if len(numbers) == 2 else (1, 1, numbers[0])


def _numbers(values: Sequence[int], place: Span | None) -> list[Word]:
    if len(values) > _MAX_VALUES:
        return [many("it is a long list of numbers", place)]
    return [Word(Known(Mapped.new(str(value), place)), place) for value in values]
