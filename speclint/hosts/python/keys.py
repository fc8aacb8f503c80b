"""The keys of dictionaries: which of them are there, and when."""

from __future__ import annotations

from speclint.hosts.python.facts import python_value
from speclint.hosts.python.values import Entry, Item

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.words import Guard

# In so many branches that rule each other out a key may be there.
_MOST = 32


def keys_of(items: Sequence[Item]) -> list[Item] | None:
    """The elements of a list, or the keys of a dictionary; None if a key may be there once or twice."""
    found: list[Item] = []
    seen: dict[object, list[Item]] = {}
    for item in items:
        if not isinstance(item, Entry) or item.key is None:
            found.append(item)
            continue
        met = seen.setdefault(python_value(item.key)[1], [])
        if met and not met[0].guard:
            continue
        if len(met) == _MOST or not all(_rules_out(item.guard, other.guard) for other in met):
            return None
        met.append(Item(item.key, item.key_span, item.guard))
        found.append(met[-1])
    return found


def _rules_out(one: Guard, other: Guard) -> bool:
    """Whether nothing is there by both."""
    taken = dict(one)
    return any(taken.get(choice, arm) != arm for choice, arm in other)
