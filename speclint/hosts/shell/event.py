"""One of the events of a script."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.shell.outline import Outline

_NOTHING: list[Event] = []


class Event:
    """A statement that does something, or decides whether others are run; ``up`` is the one that it stands in.

    ``kind``: "command", "sets", "branch" (with what it ``asks`` before it goes one way), "apart" (what it sets is lost
    behind it), "function" or "script". ``asks``: the bounds of all that it reads itself. ``part``: the function, or the
    script, that it is run in; ``own``: what it sets is that function's alone. ``decides``: of a branch, whether values
    may settle which way it goes; of a command, whether it may end what it is a part of. The ``name`` of a branch that
    is a loop is "loop", that of what gives a variable another name ANOTHER. ``home`` is its outline.
    """

    __slots__ = ("asks", "decides", "end", "home", "kind", "name", "own", "part", "sets", "start", "up", "waiting")

    home: Outline

    def __init__(self, kind: str, start: int, end: int, up: Event | None, name: str = "") -> None:
        self.kind = kind
        self.start = start
        self.end = end
        self.up = up
        self.name = name
        self.part: Event = self if up is None or kind == "function" else up.part
        self.asks: tuple[tuple[int, int], ...] = ()
        self.sets: tuple[str, ...] = ()
        self.own = False
        self.decides = False
        # What matters only where something else in this does; of most events nothing.
        self.waiting: list[Event] = _NOTHING

    def keep(self, event: Event) -> None:
        """Let an event wait for this one."""
        if self.waiting is _NOTHING:
            self.waiting = []
        self.waiting.append(event)

    def apart(self) -> Event:
        """What its effect ends with: the part, or what is run apart in it."""
        up = self.up
        while up is not None and up.kind != "apart" and up is not self.part:
            up = up.up
        return up if up is not None else self.part

    def until(self) -> Event:
        """Where it may matter that it leaves: the branch in which it stands, if only the run can tell its way."""
        up = self.up
        while up is not None and up.kind not in ("branch", "apart") and up is not self.part:
            up = up.up
        if up is None or up.kind != "branch" or up.decides or any(other.decides for other in up.waiting):
            return self.apart()
        return up
