"""Lists that are changed somewhere else than at their end."""

from __future__ import annotations

from speclint.hosts.python.facts import number, python_value
from speclint.hosts.python.launchers import start_of
from speclint.hosts.python.values import Seq, known, several

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj, Text
    from speclint.text import Span


def index(m: Machine, base: Obj, wanted: Obj, span: Span) -> Text | None:
    """``base.index(wanted)``; None if it cannot be told."""
    sure, value = python_value(wanted)
    if not sure or not isinstance(base, Seq):
        return None
    for at, item in enumerate(m.state.items(base)):
        certain, found = python_value(item.obj)
        # A value that is not known is not taken for an option.
        if item.guard or item.many or not (certain or str(value).startswith("-")):
            return None
        if certain and found == value:
            return known(str(at), span, "int")
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
