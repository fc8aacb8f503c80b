"""Lists that are changed somewhere else than at their end."""

from __future__ import annotations

from speclint.hosts.python.facts import number, plain, python_value
from speclint.hosts.python.launchers import start_of
from speclint.hosts.python.values import Item, Seq, known, several, unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.state import State
    from speclint.hosts.python.values import Obj, Text
    from speclint.text import Span


def index(m: Machine, base: Obj, wanted: Obj, span: Span) -> Text | None:
    """``base.index(wanted)``; None if it cannot be told, or differs between the lists that ``base`` may be."""
    sure, value = python_value(wanted)
    lists = m.containers(base, Seq) if sure else []
    places = {_place(m.state.items(each), value) for each in lists}
    place = places.pop() if len(places) == 1 else None
    return known(str(place), span, "int") if place is not None else None


def _place(items: Sequence[Item], value: object) -> int | None:
    for at, item in enumerate(items):
        certain, found = python_value(item.obj)
        # A value that is not known is not taken for an option.
        if item.guard or item.many or not (certain or str(value).startswith("-")):
            return None
        if certain and found == value:
            return at
    return None


def changed(m: Machine, base: Obj, node: ast.expr) -> None:
    """A list that is changed in a way that is not followed: what starts a server in it starts one still, with what is
    not known.
    """
    span = m.source.span(node)
    for container in m.containers(base, Seq):
        items = m.state.items(container)
        m.state.set(container, (*items[: start_of(items)], several(f"`{m.source.snippet(node)}` changes it", span)))


def set_slice(m: Machine, base: Obj, bounds: Sequence[Obj | None], more: Sequence[Item]) -> bool:
    """``base[bounds] = more``; False if it cannot be told what that leaves."""
    places = [None if bound is None else number(bound) for bound in bounds]
    if any(place is None and bound is not None for place, bound in zip(places, bounds, strict=True)):
        return False
    if not isinstance(base, Seq) or places[2:] not in ([], [None], [1]):
        return False
    items = list(m.state.items(base))
    if any(item.guard or item.many for item in items):
        return False
    items[slice(*places[:2])] = more
    m.state.set(base, tuple(items))
    return True


def varied(m: Machine, old: Obj, new: Obj, after: State) -> Seq | None:
    """A list that a loop puts others in the place of: what starts a server in all of them, with what is not known."""
    lists = m.containers(old, Seq), m.containers(new, Seq)
    if not all(lists):
        return None
    held = [*(m.state.items(each) for each in lists[0]), *(after.items(each) for each in lists[1])]
    size = start_of(held[0])
    head = [plain(item.obj) for item in held[0][:size]]
    if not size or any([plain(item.obj) for item in items[:size]] != head for items in held):
        return None
    return m.state.new_seq((*held[0][:size], several("a loop changes it", None)))


def replaced(old: Item, new: Item) -> Item:
    """An element that a loop puts another in the place of."""
    more = any(each.many or each.guard for each in (old, new))
    return Item(unknown("it changes from round to round"), old.span, many=more)
