"""Arithmetic of the shell: ``$((8 * TP))``."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known, Unknown
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tree_sitter import Node

    from speclint.hosts.shell.syntax import Syntax
    from speclint.value import Value

_NAME = pattern(r"[A-Za-z_]\w*|(?<=\$)\d|(?<=\$\{)\d+|(?<=\$)#(?![\w{@*])")
_CHANGE = pattern(r"(?<!\w)([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?![=~]))|(?:\+\+|--)\s*([A-Za-z_]\w*)")
_LIMIT = 1 << 63
_MAX_COMMANDS = 8
_HOLDING = frozenset(("binary_expression", "parenthesized_expression", "unary_expression", "ternary_expression"))


class _OpenError(Exception):
    """The result cannot be told; the message says why."""


def arithmetic(
    node: Node, syntax: Syntax, lookup: Callable[[str], Value], run: Callable[[Node], Value] | None = None
) -> Value:
    """The value of an arithmetic expansion; unknown where it reads what is not known.

    ``run`` tells what a substitution in it prints.
    """
    inner = node.named_children
    if len(inner) != 1:
        return Unknown("its arithmetic is not followed")
    text = syntax.string(node)
    commands = {syntax.string(one): one for one in _substitutions(inner[0])} if run and "$(" in text[3:] else {}
    for command in commands:
        text = text.replace(command, " ")
    names = list(dict.fromkeys(_NAME.findall(text)))
    span = syntax.span(node)

    def work(values: Sequence[Known]) -> Value:
        known = dict(zip([*names, *commands], values, strict=True))
        try:
            number = _value(inner[0], syntax, known)
        except _OpenError as error:
            return Unknown(str(error))
        steps = tuple(dict.fromkeys(s for v in values for s in v.steps))
        return Known(Mapped.new(str(number), span), steps)

    printed = [run(one) for one in commands.values()] if run is not None else []
    return combine([*map(lookup, names), *printed], work)


def _substitutions(node: Node) -> list[Node]:
    """The outermost ``$(…)`` in an expression; none where there are more of them than anybody writes."""
    found: list[Node] = []
    todo = [node]
    while todo and len(found) <= _MAX_COMMANDS:
        one = todo.pop()
        if one.type == "command_substitution":
            found.append(one)
        elif one.type in _HOLDING:
            todo += reversed(one.named_children)
    return found if len(found) <= _MAX_COMMANDS else []


def changed(text: str) -> set[str]:
    """The names that an arithmetic expression sets."""
    return {found[1] or found[2] for found in _CHANGE.finditer(text)}


def _value(node: Node, syntax: Syntax, known: Mapping[str, Known]) -> int:
    text = syntax.string(node).strip()
    if node.type == "command_substitution" and text in known:
        text = known[text].text.text.strip()
    elif node.type in ("variable_name", "word", "simple_expansion", "expansion") and text.strip("${}") in known:
        text = known[text.strip("${}")].text.text
    if text.isdigit() and text.isascii() and (text == "0" or text[0] != "0"):
        return int(text)
    parts = [c for c in node.named_children if c.type != "comment"]
    if node.type == "parenthesized_expression" and len(parts) == 1:
        return _value(parts[0], syntax, known)
    if node.type == "unary_expression" and len(parts) == 1:
        sign = syntax.string(node.children[0])
        if sign in _SIGNS:
            return _SIGNS[sign](_value(parts[0], syntax, known))
    if node.type == "ternary_expression" and len(parts) == 3:
        return _value(parts[1] if _value(parts[0], syntax, known) else parts[2], syntax, known)
    if node.type == "binary_expression" and len(parts) == 2:
        operator = node.child_by_field_name("operator")
        if operator is not None:
            return _apply(syntax.string(operator), *(_value(part, syntax, known) for part in parts))
    raise _OpenError("its arithmetic is not followed")


_SIGNS: dict[str, Callable[[int], int]] = {"-": lambda a: -a, "+": lambda a: a, "!": lambda a: int(not a)}
_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "<": lambda a, b: int(a < b),
    ">": lambda a, b: int(a > b),
    "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a and b)),
    "||": lambda a, b: int(bool(a or b)),
}


def _apply(operator: str, a: int, b: int) -> int:
    work = _OPERATORS.get(operator)
    if work is not None:
        result = work(a, b)
    elif operator in ("/", "%") and b:
        quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        result = quotient if operator == "/" else a - b * quotient
    elif operator in ("**", "<<", ">>") and 0 <= b < 64 and abs(a) < 1 << 32:
        result = a**b if operator == "**" else a << b if operator == "<<" else a >> b
    else:
        raise _OpenError("its arithmetic is not followed")
    if not -_LIMIT < result < _LIMIT:
        raise _OpenError("its arithmetic overflows")
    return result
