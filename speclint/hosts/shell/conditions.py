"""Conditions of the shell, where the values in them are known."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.value import Known, OneOf, Unknown
from speclint.worlds import choices, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.env import Env, Variable
    from speclint.hosts.shell.words import Expander
    from speclint.value import Choice, Needs, Value

# A condition that asks more choices than this settles none of them.
MAX_POINTS = 6
_ANY: Mapping[Choice, int] = {}
# Of a value with more alternatives none is ruled out by itself.
_MAX_ALTERNATIVES = 32
_RULED_OUT = Unknown("a condition rules it out")
# A variable, with nothing in its place where it is not set.
_VARIABLE = pattern(r"\"?\$(?:\{([A-Za-z_]\w*)(?::?-)?\}|([A-Za-z_]\w*))\"?")

_NUMBERS = {
    "-eq": lambda a, b: a == b,
    "-ne": lambda a, b: a != b,
    "-gt": lambda a, b: a > b,
    "-ge": lambda a, b: a >= b,
    "-lt": lambda a, b: a < b,
    "-le": lambda a, b: a <= b,
}


class Condition:
    """A condition, asked for every way that the choices behind its operands can go. Operands are read once."""

    def __init__(self, nodes: Sequence[Node], expander: Expander) -> None:
        named = [n for n in nodes if n.is_named]
        self._node = named[0] if len(named) == 1 else None
        self._expander = expander
        self._values: dict[int, Value] = {}
        # Of the variables that operands are: the name, and what it holds.
        self._names: dict[int, tuple[str, Variable | None]] = {}
        self._left: list[tuple[Choice, tuple[tuple[int, ...], tuple[int, ...]]]] | None = None

    def holds(self, world: Mapping[Choice, int] = _ANY) -> bool | None:
        """Whether it holds in a world: True or False where that is certain, None where only the run can tell."""
        return None if self._node is None else self._of(self._node, world)

    def ways(self) -> tuple[dict[Choice, int], dict[Choice, int]]:
        """The ways that choices must have gone where it holds, and where it does not."""
        found: tuple[dict[Choice, int], dict[Choice, int]] = {}, {}
        for point, left in self.left():
            for taken, arms in zip(found, left, strict=True):
                if len(arms) == 1:
                    taken[point] = arms[0]
        return found

    def left(self) -> Sequence[tuple[Choice, tuple[tuple[int, ...], tuple[int, ...]]]]:
        """The ways that each choice behind its operands can have gone where it holds, and where it does not."""
        if self._left is None:
            self.holds()
            self._left = []
            points = open_points(self._values.values(), self._expander.env)
            for point in points if len(points) <= MAX_POINTS else ():
                verdicts = [self.holds({point: arm}) for arm in range(len(point.labels))]
                left = [
                    tuple([arm for arm, verdict in enumerate(verdicts) if verdict is not no]) for no in (False, True)
                ]
                self._left.append((point, (left[0], left[1])))
        return self._left

    def needs(self) -> Sequence[Needs]:
        """What must be so where it holds, and where it does not."""
        from speclint.hosts.shell.facts import asked

        self.left()
        return asked(self._node, self._expander.syntax, self._left or (), self._names)

    def given(self) -> tuple[dict[str, Value], dict[str, Value]]:
        """The values that variables have where it holds, and where it does not, since an argument must have set them.

        The choice itself is left open: it may be that of other variables too, which other arguments set.
        """
        found: tuple[dict[str, Value], dict[str, Value]] = {}, {}
        outside = self._expander.env.outside.values()
        for node, value in list(self._values.items()):
            name = self._names[node][0] if node in self._names else None
            if name is None or not isinstance(value, OneOf) or value.choice.kind != "default":
                continue
            if any(value.choice is choice for choice in outside) or _count(value) > _MAX_ALTERNATIVES:
                continue
            for taken, excluded in zip(found, (False, True), strict=True):
                left = self._rest(node, value, excluded)
                if left is not None and left is not value:
                    taken[name] = left
            self._values[node] = value
        return found

    def _rest(self, node: int, value: Value, excluded: bool) -> Value | None:
        """What an operand may be where the condition is not ``excluded``; None for nothing."""
        if not isinstance(value, OneOf):
            self._values[node] = value
            return None if self.holds() is excluded else value
        arms = [self._rest(node, arm, excluded) for arm in value.arms]
        left = [arm for arm in arms if arm is not None]
        if len(left) < 2:
            return left[0] if left else None
        if all(new is old for new, old in zip(arms, value.arms, strict=True)):
            return value
        return OneOf(value.choice, [_RULED_OUT if arm is None else arm for arm in arms], value.place)

    def _of(self, node: Node, world: Mapping[Choice, int]) -> bool | None:
        if node.type in ("test_command", "parenthesized_expression") and len(node.named_children) == 1:
            return self._of(node.named_children[0], world)
        if node.type == "negated_command" and len(node.named_children) == 1:
            return _not(self._of(node.named_children[0], world))
        if node.type == "unary_expression":
            return self._unary(node, world)
        if node.type == "binary_expression":
            return self._binary(node, world)
        if node.type == "list" and len(node.named_children) == 2:
            left, right = node.named_children
            return _both(self._of(left, world), self._of(right, world), any(c.type == "&&" for c in node.children))
        if node.type == "command" and len(node.children) == 1:
            name: str | None = self._expander.syntax.string(node)
            if _VARIABLE.fullmatch(name or ""):  # `$DEBUG` runs what it holds
                name = self._text(node.children[0], world)
            return {"true": True, ":": True, "false": False}.get(name or "")
        if node.type == "compound_statement" and self._expander.syntax.head(node, 2) == "((":
            return self._counts(node, world)
        return True if succeeds(node) else None

    def _counts(self, node: Node, world: Mapping[Choice, int]) -> bool | None:
        """Whether ``(( … ))`` is anything but zero."""
        value = self._values.get(node.id)
        if value is None:
            value = self._expander.counted(node)
            self._values[node.id] = value = settled(value, self._expander.env.taken)
        value = settled(value, world)
        return value.text.text != "0" if isinstance(value, Known) else None

    def _value(self, node: Node, world: Mapping[Choice, int]) -> Value:
        value = self._values.get(node.id)
        if value is None:
            value = settled(self._expander.value(node), self._expander.env.taken)
            self._values[node.id] = value
            named = variable(node, self._expander)
            if named is not None:
                self._names[node.id] = named
        return settled(value, world)

    def _text(self, node: Node | None, world: Mapping[Choice, int]) -> str | None:
        if node is None or node.type.endswith("_expression"):
            return None
        value = self._value(node, world)
        return value.text.text if isinstance(value, Known) else None

    def _unary(self, node: Node, world: Mapping[Choice, int]) -> bool | None:
        operator = node.child_by_field_name("operator")
        operand = node.named_children[-1] if node.named_children else None
        sign = self._expander.syntax.string(operator) if operator is not None else ""
        if sign == "!" and operand is not None:
            return _not(self._of(operand, world))
        if operand is None:
            return None
        if sign in ("-e", "-f", "-r"):
            # Whether a file is there that is not here cannot be told.
            project = self._expander.env.project
            return True if project is not None and project.find(operand, self._expander) is not None else None
        if sign not in ("-z", "-n"):
            return None
        text = self._text(operand, world)
        if text is None and _is_given(self._values[operand.id], world):
            return sign == "-n"
        return None if text is None else (text == "") == (sign == "-z")

    def _binary(self, node: Node, world: Mapping[Choice, int]) -> bool | None:
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        sign = self._expander.syntax.string(operator) if operator is not None else ""
        if sign in ("&&", "||") and left is not None and right is not None:
            return _both(self._of(left, world), self._of(right, world), sign == "&&")
        first = left.children[0] if left is not None and left.type == "unary_expression" else None
        if first is not None and first.type == "!" and left is not None:
            # The grammar reads `! a == b` as `(! a) == b`.
            return _not(self._compared(node, sign, left.named_children[-1], right, world))
        return self._compared(node, sign, left, right, world)

    def _compared(
        self, node: Node, sign: str, left: Node | None, right: Node | None, world: Mapping[Choice, int]
    ) -> bool | None:
        a_text, b_text = self._text(left, world), self._text(right, world)
        if a_text is None or right is None:
            return None
        apart = sign == "=~" or right.type in ("extglob_pattern", "regex") or right.end_byte < node.end_byte
        if (apart or _is_pattern(b_text)) and _is_double(node):
            # Of several parts of a pattern the grammar tells the first, or quotes and all.
            return _fits(a_text, sign, self._expander.syntax.slice(right.start_byte, node.end_byte).text.strip())
        if b_text is None:
            return None
        if sign in ("=", "==", "!="):
            return None if _is_pattern(b_text) else (a_text == b_text) == (sign != "!=")
        compare = _NUMBERS.get(sign)
        if compare is not None and a_text.isdigit() and b_text.isdigit():
            return bool(compare(int(a_text), int(b_text)))
        return None


def _is_double(node: Node | None) -> bool:
    """Whether a comparison stands in ``[[ … ]]``."""
    while node is not None and node.type != "test_command":
        node = node.parent
    return node is not None and node.children[0].type == "[["


def _is_pattern(text: str | None) -> bool:
    return text is not None and any(char in text for char in "*?[")


def _fits(text: str, sign: str, written: str) -> bool | None:
    """Whether a text is as ``[[ … ]]`` asks; None where that is not told."""
    from speclint.hosts.shell import patterns

    if sign == "=~":
        return patterns.holds(text, written)
    found = patterns.matcher(written) if sign in ("=", "==", "!=") else None
    return None if found is None else found.fits(text) == (sign != "!=")


def succeeds(node: Node) -> bool:
    """Whether a statement sets variables, which is done in any case unless a command in it fails."""
    kinds = ("variable_assignment", "variable_assignments", "declaration_command")
    return node.type in kinds and not any(sign in (node.text or b"") for sign in (b"$(", b"`"))


def variable(node: Node, expander: Expander) -> tuple[str, Variable | None] | None:
    """The name of the variable that a word is, and what it holds; None for other words."""
    read = _VARIABLE.fullmatch(expander.syntax.string(node))
    if read is None:
        return None
    name = read[1] or read[2]
    return name, expander.env.variables.get(name)


def open_points(values: Iterable[Value], env: Env) -> list[Choice]:
    """The choices behind some values of which a condition on these tells something.

    Whether an argument changes a default is another question for each variable that arguments set.
    """
    outside = frozenset(env.outside.values())
    met = dict.fromkeys(c for value in values for c in choices(value))
    return [c for c in met if c.kind != "default" or c in outside]


def _count(value: Value) -> int:
    """How many alternatives a value has, no further than matters."""
    found, todo = 0, [value]
    while todo and found <= _MAX_ALTERNATIVES:
        item = todo.pop()
        if isinstance(item, OneOf):
            todo += item.arms
        else:
            found += 1
    return found


def _not(verdict: bool | None) -> bool | None:
    return None if verdict is None else not verdict


def _both(a: bool | None, b: bool | None, is_and: bool) -> bool | None:
    """What two conditions make together."""
    decides = not is_and
    if a is decides or b is decides:
        return decides
    return is_and if a is is_and and b is is_and else None


def _is_given(value: Value, world: Mapping[Choice, int]) -> bool:
    """Whether a value is given in place of an empty default: it is not empty then."""
    return (
        isinstance(value, OneOf)
        and value.choice.kind == "default"
        and world.get(value.choice) == 1
        and isinstance(value.arms[0], Known)
        and not value.arms[0].text.text
        and isinstance(value.arms[1], Unknown)
    )
