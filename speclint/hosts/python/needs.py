"""What must be so where a condition of a module holds or does not, so that nothing is told of what cannot be."""

from __future__ import annotations

from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from speclint.value import Choice, Needs

    Allowed = tuple[bool, frozenset[object]]
    # What is known of an object by, as a name or an attribute reads it; None for what is not known by anything.
    Subject = Callable[[ast.expr], object]

# What is not true, of the values that conditions compare with.
_FALSE: frozenset[object] = frozenset((None, "", 0))
_EQUAL = (ast.Eq, ast.Is, ast.NotEq, ast.IsNot)
_AMONG = (ast.In, ast.NotIn)
_CONTRARY = (ast.NotEq, ast.IsNot, ast.NotIn)


def asked(node: ast.expr, subject: Subject) -> tuple[Needs, Needs]:
    """What must be so where a condition holds, and where it does not."""
    return dict(_told(node, True, subject)), dict(_told(node, False, subject))


def chain(taken: Sequence[tuple[Mapping[Choice, frozenset[int]], Mapping[Choice, frozenset[int]]]]) -> list[Needs]:
    """What must be so in each arm of an ``if`` of several conditions, and in that of none of them.

    ``taken``: for each condition the ways that choices can go where it holds, and where it does not.
    """
    found: list[Needs] = []
    before: dict[object, Allowed] = {}
    for holds, fails in taken:
        found.append(_with(before, holds))
        before = _with(before, fails)
    return [*found, before]


def _with(before: Mapping[object, Allowed], ways: Mapping[Choice, frozenset[int]]) -> dict[object, Allowed]:
    """``before`` and the ways that choices can go, with what each must have for that."""
    found = dict(before)
    for choice, arms in ways.items():
        known = found.get(choice)
        found[choice] = True, arms if known is None else frozenset(arm for arm in arms if arm in known[1])
        if len(arms) == 1 and choice.needs:
            for key, allowed in choice.needs[next(iter(arms))].items():
                found[key] = _both(found.get(key), allowed)
    return found


def _both(one: Allowed | None, other: Allowed) -> Allowed:
    if one is None or other[0] is not one[0]:
        # What a thing is says more than what it is not.
        return other if one is None or other[0] else one
    return one[0], (one[1] & other[1] if one[0] else one[1] | other[1])


def _told(node: ast.expr, holds: bool, subject: Subject) -> Iterator[tuple[object, Allowed]]:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
        yield from _told(node.operand, not holds, subject)
    elif isinstance(node, ast.BoolOp):
        if isinstance(node.op, ast.And) is holds:
            for value in node.values:
                yield from _told(value, holds, subject)
    elif isinstance(node, ast.Compare):
        if len(node.ops) == 1:
            values = _values(node.ops[0], node.comparators[0])
            key = subject(node.left) if values is not None else None
            if key is not None and values is not None:
                yield key, (isinstance(node.ops[0], _CONTRARY) is not holds, frozenset(values))
    elif isinstance(node, (ast.Name, ast.Attribute)):
        key = subject(node)
        if key is not None:
            yield key, (not holds, _FALSE)
    elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "isinstance" and len(node.args) == 2:
        key = subject(node.args[0])
        if key is not None and getattr(node.args[1], "id", "") == "bool":
            yield (key, bool), (holds, frozenset((True,)))


def _values(sign: ast.cmpop, node: ast.expr) -> Iterable[object] | None:
    """The values that a comparison names; None where it names others."""
    if isinstance(sign, _EQUAL) and isinstance(node, ast.Constant):
        return (node.value,)
    if isinstance(sign, _AMONG) and isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        values = [item.value for item in node.elts if isinstance(item, ast.Constant)]
        return values if len(values) == len(node.elts) else None
    return None
