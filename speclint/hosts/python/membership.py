"""What is in a list or a dictionary: ``value in values``."""

from __future__ import annotations

from speclint.hosts.python.facts import python_value
from speclint.hosts.python.values import Alt, Entry, Map, alt, known, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj, Seq
    from speclint.text import Span
    from speclint.words import Guard


def contained(m: Machine, value: object, container: Seq | Map, wanted: bool, span: Span, asked: str) -> Obj:
    """Whether a container holds a value, or (``wanted`` false) does not: where choices decide it, in each way of them.

    ``asked`` is how it reads.
    """
    inside, outside = known(str(wanted), span, "bool"), known(str(not wanted), span, "bool")
    open_ended = unknown(f"`{asked}` is worked out when it runs")
    # What the environment holds beside that is for others to say.
    result: Obj = open_ended if container is m.environ else outside
    guards: list[Guard] = []
    for item in m.state.items(container):
        held = _is(item, value, isinstance(container, Map))
        if held and not item.guard:
            return inside
        if held:
            guards.append(item.guard)
        elif held is None:
            result = open_ended
    for guard in guards:
        result = _where(guard, inside, result)
    return result


def _is(item: Item, value: object, keyed: bool) -> bool | None:
    """Whether an element, or the key of an entry, is a value; None if it cannot be told."""
    obj = item.obj if not keyed else item.key if isinstance(item, Entry) else None
    if item.many or obj is None:
        return None
    sure, found = python_value(obj)
    if sure:
        return found == value
    # A value that is not known is not taken for an option.
    return False if not isinstance(obj, Alt) and isinstance(value, str) and value.startswith("-") else None


def _where(guard: Guard, inside: Obj, outside: Obj) -> Obj:
    """One object where all choices of a guard go its ways, and another elsewhere."""
    for choice, arm in reversed(guard):
        inside = alt(choice, [inside if way == arm else outside for way in range(len(choice.labels))])
    return inside
