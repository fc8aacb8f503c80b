"""Commands that a program picks from a dictionary by a key that is not known: for each engine, for each model."""

from __future__ import annotations

from speclint.hosts.python import launchers
from speclint.hosts.python.facts import plain
from speclint.hosts.python.values import Entry, Text, alt
from speclint.value import Choice, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Map, Obj

# What is picked from among more is not followed.
_MOST = 8


def command(m: Machine, base: Map, key: Obj, node: ast.expr, other: Obj | None = None) -> Obj | None:
    """One of the commands that a dictionary holds, or ``other``; None where it holds none, or too many.

    ``node`` is how the key is written.
    """
    if m.objects or not isinstance(key, Text) or not isinstance(key.value, Unknown) or not launchers.mentions(m, base):
        return None
    entries = [e for e in m.state.items(base) if isinstance(e, Entry)]
    names = [plain(e.key) if e.key is not None and not e.guard else None for e in entries]
    if None in names or len(set(names)) < len(names) or not 2 <= len(names) <= _MOST:
        for entry in entries:
            m.emit(entry.obj, "changed")
        return None
    choice = m.picked.get((base, key))
    if choice is None:
        shown = m.source.snippet(node)
        labels = [*(f"`{shown}` is `{name}`" for name in names), *((f"`{shown}` is another",) if other else ())]
        choice = m.picked[base, key] = Choice("branch", labels, m.source.span(node))
    arms = [*(e.obj for e in entries), *((other,) if other is not None else ())]
    return alt(choice, arms) if len(arms) == len(choice.labels) else None
