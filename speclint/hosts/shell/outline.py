"""Which of the events of a script stands where, and what of it reads which name. ``marks`` tells what matters.

What a stretch of text reads is looked up by its bounds.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from speclint.hosts.shell.events import NAME, Events
from speclint.hosts.shell.survey import is_told
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

    from speclint.hosts.shell.event import Event

# What reads a variable, with what a subscript reads, or the operator of a default behind it.
_READ = pattern(rb"\$(?:\{[#!]?)?([A-Za-z_]\w*|[@*\d])(?:\[([A-Za-z_]\w*)\]|(:?[-=]))?")
_INDIRECT = pattern(rb"\$\{!\w+[^\w\[@*]")
_ARITHMETIC = pattern(rb"\(\(|\blet\b")
# A word that may be the name of a variable, given to what reads the variable by it.
_NAMED = pattern(rb"(?<![\w${!#])[A-Za-z_]\w*(?![\w=\[+])")
_COMMENTS = pattern(rb"(?:^|(?<=\n))[ \t]*#.*")
# A word of a command that is one argument, whatever its expansions are.
_ARGUMENT = pattern(rb"(?:\"(?:[^\"\\@*]|\\.)*\"|'[^']*'|[\w./:,%+-])+[ \t]+")
# Stand for the arguments, of a script or of a function, and for a name that is the value of another.
ARGUMENTS, INDIRECT = "@", "!"


class Outline(Events):
    """The events of a script, in order of their places.

    ``reads`` and ``defaults``: places by the name that is read there, with a default or not.
    """

    __slots__ = ("_ats", "_named", "_names", "_starts", "_valued", "defaults", "reads")

    def __init__(self, root: Node, data: bytes) -> None:
        super().__init__(root, data)
        self.reads: dict[str, list[int]] = {}
        self.defaults: dict[str, list[int]] = {}
        self.events.sort(key=lambda event: (event.start, -event.end))
        self._starts = [event.start for event in self.events]
        for event in self.events:
            event.home = self
        self._valued: frozenset[str] | None = None
        self._named: frozenset[str] | None = None
        self._ats: list[int] = []
        self._names: list[str] = []
        self._index()

    def at(self, place: int) -> Event:
        """The innermost event at a place."""
        event = self.events[bisect_right(self._starts, place) - 1]
        while event.end <= place and event.up is not None:
            event = event.up
        return event

    def names(self, event: Event) -> Iterator[str]:
        """The names that an event reads itself."""
        for start, end in event.asks:
            yield from self._names[bisect_left(self._ats, start) : bisect_left(self._ats, end)]
            first = _ARITHMETIC.search(self._data, start, end)
            if first is not None:
                last = self._data.rfind(b"))", start, end)
                found = NAME.findall(self._data, first.start(), end if last < 0 else last)
                yield from (name.decode() for name in found)

    def words(self, event: Event) -> Iterator[str]:
        """The words in what an event reads, but for the names of commands that it runs."""
        for start, end in event.asks:
            for found in NAME.finditer(self._data, start, end):
                inner = self.at(found.start())
                if inner.kind != "command" or inner.start != found.start():
                    yield found[0].decode()

    @property
    def valued(self) -> frozenset[str]:
        """The words in values, any of which may be the name of a function that is called by it."""
        if self._valued is None:
            events = [e for e in self.events if e.kind == "sets" or (e.sets and e.kind == "branch")]
            self._valued = frozenset(word for event in events for word in self.words(event))
        return self._valued

    @property
    def named(self) -> frozenset[str]:
        """The words that may be the name of a variable that is read by it."""
        if self._named is None:
            found = _NAMED.findall(_COMMENTS.sub(b"", self._data))
            self._named = frozenset(word.decode() for word in found)
        return self._named

    def number(self, command: Event, place: int) -> int:
        """Which argument of a command stands at a place, from 1: no more than those before it that are surely one."""
        if self._data.startswith(b"$", command.start):
            return 1
        count, at = 0, command.start
        found = _ARGUMENT.match(self._data, at, place)
        while found is not None:
            count, at = count + 1, found.end()
            found = _ARGUMENT.match(self._data, at, place)
        return max(count, 1) if b"=" not in self._data[command.start : command.start + 1 + len(command.name)] else 1

    def argument(self, place: int) -> int:
        """The number of the argument that is read at a place; 0 where that cannot be told: it is moved, or several."""
        at = place + 1 + self._data.startswith(b"{", place + 1)
        digit = self._data[at : at + 1]
        event = self.at(place)
        part = event.part
        if not digit.isdigit() or self._data[at + 1 : at + 2].isdigit():
            return 0
        if any(part.start < shift.start < place for shift in self.calls.get("shift", ())):
            return 0
        while event is not part and event.up is not None:
            if event.kind == "branch" and event.name:
                return 0
            event = event.up
        return int(digit)

    def prints(self, function: Event) -> bool:
        """Whether a function is followed for what it prints."""
        return is_told(self._data[function.start : function.end])

    def inside(self, event: Event) -> list[Event]:
        """The events that stand in an event."""
        first = bisect_right(self._starts, event.start)
        found = self.events[first : bisect_left(self._starts, event.end)]
        return [inner for inner in found if inner is not event]

    def within(self, name: str, event: Event) -> list[int]:
        """Where in an event a name is read."""
        places = self.reads.get(name, ())
        return list(places[bisect_left(places, event.start) : bisect_left(places, event.end)])

    def _index(self) -> None:
        for found in _READ.finditer(self._data):
            at, name = found.start(), found[1].decode()
            if found[2] is not None:
                self._ats.append(at)
                self._names.append(found[2].decode())
            elif found[3] is not None and self._data.startswith(b"{", at + 1):
                self.defaults.setdefault(name, []).append(at)
                if found[3].endswith(b"=") and name.isidentifier():
                    self._sets(self.at(at), (name,))
            if not name[0].isalpha() and name[0] != "_":
                name = ARGUMENTS
            self._ats.append(at)
            self._names.append(name)
            self.reads.setdefault(name, []).append(at)
            if _INDIRECT.match(self._data, at):
                self._ats.append(at)
                self._names.append(INDIRECT)
                self.reads.setdefault(INDIRECT, []).append(at)
