"""What the operators and the functions of expressions make of values, some of which may not be known."""

from __future__ import annotations

import _operator as operator  # the one around it is slower to import than all of this

from speclint.lean import pattern
from speclint.sglang.setting import Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable
    from typing import Any


def first_doubt(parts: Iterable[object]) -> Unknown | None:
    """The first Unknown, those before others that a choice would settle."""
    first = None
    for part in parts:
        if isinstance(part, Unsettled):
            return part
        if first is None and isinstance(part, Unknown):
            first = part
    return first


def computed(function: Callable[..., Any], *values: object) -> object:
    """What the function gives; where it has no meaning for these values, that is not known."""
    try:
        return function(*values)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        shown = ", ".join(f"`{value}`" for value in values)
        return Unknown(f"it cannot be computed from {shown}")


def _contains(item: object, among: object) -> bool | Unknown:
    if isinstance(among, Unknown):
        return among
    if among is None:
        return False
    if isinstance(item, Unknown):
        return False if among == () else item
    if isinstance(among, str):
        return isinstance(item, str) and item in among
    if not isinstance(among, (tuple, list, dict, frozenset)):
        return Unknown(f"`{among}` is no list")
    if item in among:
        return True
    return first_doubt(among) or False


def _lacks(item: object, among: object) -> bool | Unknown:
    found = _contains(item, among)
    return found if isinstance(found, Unknown) else not found


def _known(function: Callable[[Any, Any], Any]) -> Callable[[object, object], object]:
    """The function, but Unknown where one of what it is given is."""

    def known(left: object, right: object) -> object:
        if isinstance(left, Unknown):
            return left
        return right if isinstance(right, Unknown) else computed(function, left, right)

    return known


def _ordered(function: Callable[[Any, Any], bool]) -> Callable[[object, object], object]:
    def ordered(left: object, right: object) -> object:
        return False if left is None or right is None else computed(function, left, right)

    return _known(ordered)


_MOST_MATCHED = 1000
# The regular expressions of conditions by their texts. A build keeps what those of its rules are compiled to.
_expressions: dict[str, re.Pattern[str]] = {}


def expression(text: str) -> re.Pattern[str]:
    """A regular expression of a condition, which is compiled when something is looked for by it."""
    found = _expressions.get(text)
    if found is None:
        found = _expressions[text] = pattern(text)
    return found


def _matches(text: str, wanted: str) -> bool:
    # Repetitions side by side may take the square or the cube of what they look at.
    return expression(wanted).search(text[:_MOST_MATCHED]) is not None


def _placeholder(text: str) -> bool:
    from speclint.rules.checks.placeholder import is_no_name

    return is_no_name(text)


# What JSON calls a value.
_KINDS = {dict: "object", list: "list", str: "text", int: "number", float: "number", bool: "boolean"}
FUNCTIONS: dict[str, Callable[..., Any]] = {
    "abs": abs,
    "at": lambda value, key, other=None: value.get(key, other) if isinstance(value, dict) else other,
    "ends": lambda text, end: None if text is None else text.endswith(end),
    "float": float,
    "int": int,
    "kind": lambda value: _KINDS.get(type(value), "null"),
    "len": len,
    "lower": lambda text: None if text is None else text.lower(),
    "matches": lambda text, wanted: False if text is None else _matches(text, wanted),
    "max": max,
    "min": min,
    "placeholder": lambda text: False if text is None else _placeholder(text),
    "starts": lambda text, start: False if text is None else text.startswith(start),
    "upper": lambda text: None if text is None else text.upper(),
}
COMPARISONS: dict[str, Callable[[object, object], object]] = {
    "==": _known(operator.eq),
    "!=": _known(operator.ne),
    "<": _ordered(operator.lt),
    "<=": _ordered(operator.le),
    ">": _ordered(operator.gt),
    ">=": _ordered(operator.ge),
    "in": _contains,
    "not in": _lacks,
}
ARITHMETIC: dict[str, Callable[[object, object], object]] = {
    "+": _known(operator.add),
    "-": _known(operator.sub),
    "*": _known(operator.mul),
    "/": _known(operator.truediv),
    "//": _known(operator.floordiv),
    "%": _known(operator.mod),
}
