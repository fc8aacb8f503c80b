"""What a rule finds in a launch by itself: a place that is wrong, with what is to be said of it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from speclint.finding import Edit
    from speclint.sglang.setting import Setting
    from speclint.text import Span
    from speclint.value import Choice
    from speclint.words import Guard

World = dict["Choice", int]
Worlds = tuple[tuple[World, ...], tuple[World, ...]]
"""The worlds in which something is so, and those in which it is not."""

# The name by which a rule file speaks of the blamed option in ``set``, ``rename``, ``replace``, ``remove``, ``split``.
NAME = "found"


def under(guard: Guard) -> Worlds:
    """The worlds in which a guard holds, and enough of those in which it does not to tell them apart."""
    others = [{choice: other} for choice, arm in guard for other in range(len(choice.labels)) if other != arm]
    return ((dict(guard),), tuple(others)) if guard else ((), ())


class Found:
    """One place of a launch that a rule blames.

    ``span``: the token; None for the launch as a whole. ``setting``: the option that it belongs to, for ``flag`` and
    for fixes. ``facts`` are what the rule file reads as ``found.x``. ``worlds``: the ways that the file's choices can
    go in which it is so, ``others`` those in which it is not; both empty where nothing hangs on a choice. ``words``:
    what ``split`` writes in place of the blamed word. ``related``: further places, each with what stands there.
    ``edits``: what ``mend`` does, where what is wrong is not an option's words.
    """

    __slots__ = ("edits", "facts", "others", "related", "setting", "span", "words", "worlds")

    def __init__(
        self,
        span: Span | None,
        setting: Setting | None,
        facts: Mapping[str, object],
        worlds: Sequence[World] = (),
        others: Sequence[World] = (),
        words: Sequence[str] = (),
        related: Sequence[tuple[str, Span]] = (),
        edits: Sequence[Edit] = (),
    ) -> None:
        self.span = span
        self.setting = setting
        self.facts = dict(facts)
        self.worlds = tuple(worlds)
        self.others = tuple(others)
        self.words = tuple(words)
        self.related = tuple(related)
        self.edits = tuple(edits)

    def __repr__(self) -> str:
        return f"Found({self.span!r}, {self.facts!r})"
