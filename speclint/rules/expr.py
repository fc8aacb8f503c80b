"""The language of ``when``: Python's expression syntax, few forms of it, and a third truth value.

A name is an option by SGLang's own destination name (``tp_size``) and has the value that SGLang's parser would give it:
what is written, else the release's default, else None. ``resolved.x`` is the value after SGLang's own derivations,
``model.x`` a fact of the model, ``pod.x`` one of the container that it runs in, ``found.x`` what a rule with ``find``
tells of what it found. What cannot be known is an ``Unknown`` and spreads, except where the answer does not depend on
it: false ``and`` unknown is false. An order comparison with None is false: SGLang has no number there.
``surely(x)`` is true where x is known to be true, else false. Of an option that takes JSON ``at(x, "key", default)`` is
what stands there under a key, and ``kind(x)`` what it is: object, list, text, number, boolean, null.

Text is parsed into nested tuples of strings, numbers and None, which JSON can hold; ``evaluate`` walks those. So the
parser (and Python's ``ast``) is needed only where rules are read from YAML.
"""

from __future__ import annotations

import _operator as operator  # the one around it is slower to import than all of this

from speclint.sglang.setting import Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Protocol

    Tree = tuple[Any, ...]

    class Scope(Protocol):
        """What an expression can ask."""

        def value(self, dest: str) -> object:
            """The value of an option after parsing, or an Unknown."""

        def is_set(self, dest: str) -> object:
            """Whether it is written, or an Unknown."""

        def attribute(self, space: str, name: str) -> object:
            """``space.name``, or an Unknown."""

        def in_release(self, spec: str) -> bool:
            """Whether the release lies in a range such as ``>=0.5.13``."""


SPACES = ("resolved", "model", "env", "launch", "pod", "found")
NAMED_FORMS = ("set", "flag", "note")
_NO_TERMS: Mapping[str, Tree] = {}


class ExpressionError(Exception):
    """An expression that the language has no meaning for; ``str()`` says what and where."""


def parse(text: str, terms: Mapping[str, Tree] = _NO_TERMS) -> Tree:
    """The tree of an expression, in which ``terms`` stand for what they are short for. Raises ExpressionError."""
    import ast

    from speclint.rules.grammar import convert

    try:
        return convert(ast.parse(text.strip(), mode="eval").body, terms)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise ExpressionError(f"not an expression: {error}: {text.strip()[:200]!r}") from None


def reads(tree: Tree) -> frozenset[str]:
    """Every name that the expression can ask for: ``tp_size``, ``resolved.speculative_eagle_topk``."""
    return frozenset(_names(tree))


def _names(tree: Tree) -> Iterator[str]:
    kind = tree[0]
    if kind in ("name", "form"):
        yield tree[-1]
        return
    for part in tree[1:]:
        if isinstance(part, (tuple, list)):
            yield from _names(tuple(part))


def evaluate(tree: Tree, scope: Scope) -> object:
    """The value of an expression: True, False, a number, text, None, a tuple, or an Unknown."""
    return _EVALUATE[tree[0]](tree, scope)


def truth(value: object) -> bool | Unknown:
    """Whether a value counts as true."""
    return value if isinstance(value, Unknown) else bool(value)


def read(name: str, scope: Scope) -> object:
    """The value of a name, with or without a space."""
    space, dot, rest = name.partition(".")
    return scope.attribute(space, rest) if dot else scope.value(name)


def _const(tree: Tree, _scope: Scope) -> object:
    return tree[1]


def _name(tree: Tree, scope: Scope) -> object:
    return read(tree[1], scope)


def _form(tree: Tree, scope: Scope) -> object:
    _, form, name = tree
    if form == "set":
        return scope.is_set(name)
    return scope.attribute(form, name)


def _and(tree: Tree, scope: Scope) -> object:
    doubts: list[Unknown] = []
    for part in tree[1:]:
        got = _EVALUATE[part[0]](part, scope)
        if isinstance(got, Unknown):
            doubts.append(got)
        elif not got:
            return False
    return _first(doubts) if doubts else True


def _or(tree: Tree, scope: Scope) -> object:
    doubts: list[Unknown] = []
    for part in tree[1:]:
        got = _EVALUATE[part[0]](part, scope)
        if isinstance(got, Unknown):
            doubts.append(got)
        elif got:
            return True
    return _first(doubts) if doubts else False


def _not(tree: Tree, scope: Scope) -> object:
    got = evaluate(tree[1], scope)
    return got if isinstance(got, Unknown) else not got


def _first(parts: Iterable[object]) -> Unknown | None:
    """The first Unknown, those before others that a choice would settle."""
    first = None
    for part in parts:
        if isinstance(part, Unsettled):
            return part
        if first is None and isinstance(part, Unknown):
            first = part
    return first


def _surely(tree: Tree, scope: Scope) -> object:
    """True only where it is known to be true."""
    got = truth(evaluate(tree[1], scope))
    return got if isinstance(got, Unsettled) else got is True


def _if(tree: Tree, scope: Scope) -> object:
    test = truth(evaluate(tree[1], scope))
    if not isinstance(test, Unknown):
        return evaluate(tree[2] if test else tree[3], scope)
    yes, no = evaluate(tree[2], scope), evaluate(tree[3], scope)
    return yes if not isinstance(yes, Unknown) and yes == no else _first((test, yes, no))


def _list(tree: Tree, scope: Scope) -> object:
    return tuple([part[1] if part[0] == "const" else evaluate(part, scope) for part in tree[1:]])


def _compare(tree: Tree, scope: Scope) -> object:
    _, sign, left_tree, right_tree = tree
    left = _EVALUATE[left_tree[0]](left_tree, scope)
    right = right_tree[1] if right_tree[0] == "const" else evaluate(right_tree, scope)
    if sign in ("in", "not in"):
        found = _contains(left, right)
        return found if isinstance(found, Unknown) or sign == "in" else not found
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
    if sign == "==":
        return left == right
    if sign == "!=":
        return left != right
    if left is None or right is None:
        return False
    return _try(_ORDER[sign], left, right)


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
    return _first(among) or False


def _binary(tree: Tree, scope: Scope) -> object:
    _, sign, left_tree, right_tree = tree
    left, right = evaluate(left_tree, scope), evaluate(right_tree, scope)
    for side in (left, right):
        if isinstance(side, Unknown):
            return side
    return _try(_ARITHMETIC[sign], left, right)


def _call(tree: Tree, scope: Scope) -> object:
    _, name, *arguments = tree
    if name in ("since", "before"):
        return scope.in_release(f"{'>=' if name == 'since' else '<'}{arguments[0][1]}")
    values = [evaluate(argument, scope) for argument in arguments]
    for value in values:
        if isinstance(value, Unknown):
            return value
        doubt = _first(value) if isinstance(value, tuple) else None
        if doubt is not None:
            return doubt
    return _try(FUNCTIONS[name], *values)


def _try(function: Callable[..., Any], *values: object) -> object:
    """What the function gives; where it has no meaning for these values, that is not known."""
    try:
        return function(*values)
    except (TypeError, ValueError, ArithmeticError, LookupError, AttributeError):
        shown = ", ".join(f"`{value}`" for value in values)
        return Unknown(f"it cannot be computed from {shown}")


_MOST_MATCHED = 1000


def _matches(text: str, pattern: str) -> bool:
    import re

    # Repetitions side by side may take the square or the cube of what they look at.
    return re.search(pattern, text[:_MOST_MATCHED]) is not None


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
    "matches": lambda text, pattern: False if text is None else _matches(text, pattern),
    "max": max,
    "min": min,
    "starts": lambda text, start: False if text is None else text.startswith(start),
    "upper": lambda text: None if text is None else text.upper(),
}
_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
}
_EVALUATE: dict[str, Callable[[Tree, Scope], object]] = {
    "const": _const,
    "name": _name,
    "form": _form,
    "and": _and,
    "or": _or,
    "not": _not,
    "surely": _surely,
    "if": _if,
    "list": _list,
    "compare": _compare,
    "binary": _binary,
    "call": _call,
}
