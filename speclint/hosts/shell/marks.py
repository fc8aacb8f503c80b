"""What of some scripts decides what they launch: marked from the launches back to all that they are made of.

All is taken too widely rather than too narrowly: a statement is left out only if nothing in it can matter.
"""

from __future__ import annotations

from speclint.hosts.shell.events import ANOTHER
from speclint.hosts.shell.outline import ARGUMENTS, INDIRECT
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.hosts.shell.event import Event
    from speclint.hosts.shell.outline import Outline
    from speclint.hosts.shell.syntax import Syntax

# Variables by which a server is told what to do, though no option reads them, and what separates words.
TOLD = pattern(r"SGL|CUDA_|NCCL_|HIP_|ROC|TORCH|PYTORCH|TRITON|FLASH|DG_|HF_|IFS\Z")
# Through how many variables the name of a function is looked for.
_MAX_DEPTH = 4
# Of functions whose output is told no more events are looked at than so many.
_MAX_PRINTING = 200


class Marks:
    """``launching`` and ``followed``: the functions that may start a launch, and all that matter.

    ``tainted``: the names that hold, or may hold, a part of what tells a launch. ``spots``: for each script the places
    of what matters in it, in order.
    """

    def __init__(
        self, scripts: Iterable[Syntax], tainted: Iterable[str], every: bool = False, sources: bool = False
    ) -> None:
        """``every``: each function may start a launch. ``sources``: files that are read in are looked for instead."""
        scripts = tuple(scripts)
        self._sources = sources
        self._outlines = [script.outline for script in scripts]
        self._wanted: dict[Outline, set[int]] = {outline: set() for outline in self._outlines}
        self._marked: dict[Event, bool] = {}
        self._climbed: set[Event] = set()
        self._given: dict[Event, int] = {}
        self._late: dict[Event, list[tuple[Event, int | None]]] = {}
        # Places of events where a part of a launch stands; then events that matter and names that have to be set, each
        # with whether functions are followed for it that matter for nothing else.
        self._starts: list[tuple[Event, int, bool]] = []
        self._todo: list[tuple[Event | str, bool]] = []
        self._needed: dict[str, bool] = {}
        self._functions = {name for outline in self._outlines for name in outline.functions}
        self.tainted: set[str] = set()
        self.launching: set[str] = set()
        self.followed: set[str] = set()
        for script in scripts:
            self._begin(script, every)
        for name in tainted:
            self._taint(name)
        self._exporting = any(outline.exporting for outline in self._outlines)
        if self._starts or self._todo or self.launching:
            for outline in self._outlines:
                self._enter(outline)
            if not sources:
                self._export()
        self._work()
        self.spots = [sorted(self._wanted[outline]) for outline in self._outlines]

    def _work(self) -> None:
        while self._starts or self._todo:
            if self._starts:
                self._start(*self._starts.pop())
                continue
            item, fully = self._todo.pop()
            if isinstance(item, str):
                self._set(item, fully)
            else:
                self._mark(item, fully)

    def _begin(self, script: Syntax, every: bool) -> None:
        """Begin with what tells a launch in a script."""
        outline = script.outline
        if self._sources:
            self._starts.extend((event, event.start, True) for event in outline.sources)
            return
        for place in script.telling.places():
            self._meet(outline, place)
        for function in (function for named in outline.functions.values() for function in named) if every else ():
            self._launches(function)

    def _enter(self, outline: Outline) -> None:
        """Go on with what matters in a script where anything does."""
        self._release(outline.top)
        self._wanted[outline].update(event.start for named in outline.functions.values() for event in named)
        for event in outline.opaque:
            self._launches(event.part)
        self._todo.extend((event, True) for event in outline.naming if not self._sources)
        for start, end in outline.broken:
            self._todo.extend((event, True) for event in outline.events if start <= event.start < end)
        for name in outline.setters if not self._sources else ():
            if self._exporting or TOLD.match(name):
                self._need(name)

    def _export(self) -> None:
        """Functions that the script itself calls matter if they export anything: launches are told with it."""
        own = self._outlines[0]
        for outline in self._outlines:
            for name, functions in outline.functions.items():
                if any(event.part is own.top for event in own.calls.get(name, ())):
                    found = [waiting for function in functions for waiting in function.waiting]
                    self._todo.extend((waiting, True) for waiting in found if waiting.kind == "sets")

    def _meet(self, outline: Outline, place: int) -> None:
        self._starts.append((outline.at(place), place, False))

    def _start(self, event: Event, place: int, called: bool) -> None:
        """A launch, or a part of one, stands at a place of an event; if ``called``, in a function that it calls."""
        self._wanted[event.home].add(place)
        up = event
        while up is not up.part and up.up is not None:
            if up.kind == "command":
                self._todo.append((up, True))
                if not called:
                    self._give(up, place)
            elif any(start <= place < end for start, end in up.asks):
                for name in up.sets:
                    self._taint(name)
            up = up.up
        self._launches(up)
        self._climb(event)

    def _launches(self, part: Event) -> None:
        """A function may start a launch, and so may those that call it."""
        if part.kind != "function":
            return
        self._climb(part)  # each one of those that are defined under the same name
        if part.name in self.launching:
            return
        self.launching.add(part.name)
        for outline in self._outlines:
            for event in outline.calls.get(part.name, ()):
                self._starts.append((event, event.start, True))

    def _give(self, command: Event, place: int) -> None:
        """A command is given a part of a launch among its words: what it hands them to may start it."""
        if command.name == "set":
            self._arguments(command.part, 1)
        elif command.name in ("read", "mapfile", "readarray"):
            for name in command.sets:
                self._taint(name)
        elif command.name in ("source", "."):
            for outline in self._outlines:
                self._arguments(outline.top, 1)
        else:
            dynamic = "$" in command.name
            number = 1 if dynamic else command.home.number(command, place)
            for outline in self._outlines if self._functions else ():
                for name in self._may_call(command) if dynamic else (command.name,):
                    for function in outline.functions.get(name, ()):
                        self._arguments(function, number)

    def _may_call(self, command: Event) -> set[str]:
        """The functions that a command may call whose name is the value of variables."""
        found: set[str] = set()
        names = set(command.home.names(command))
        met: set[str] = set()
        for _ in range(_MAX_DEPTH):
            met |= names
            events = [e for outline in self._outlines for name in names for e in outline.setters.get(name, ())]
            words = {word for event in events for word in event.home.words(event)}
            found |= words & self._functions
            names = {name for event in events for name in event.home.names(event)} - met
        return found

    def is_given(self, script: Syntax) -> bool:
        """Whether the arguments of a script may hold a part of a launch: it sets them itself."""
        return script.outline.top in self._given

    def _arguments(self, part: Event, number: int) -> None:
        """The arguments of a function, or of a script, from one of them on, may hold a part of a launch."""
        if self._given.get(part, number + 1) <= number:
            return
        self._given[part] = number
        home = part.home
        for place in home.within(ARGUMENTS, part):
            if home.at(place).part is part and not 0 < home.argument(place) < number:
                self._meet(home, place)
        for event in home.over:
            if event.part is part:
                for name in event.sets:
                    self._taint(name)

    def _taint(self, name: str) -> None:
        """A name may hold a part of a launch."""
        if name in self.tainted:
            return
        self.tainted.add(name)
        self._need(name)
        for outline in self._outlines:
            for place in outline.reads.get(name, ()):
                self._meet(outline, place)
            for place in outline.reads.get(INDIRECT, ()):
                if self._is_named(name):
                    self._meet(outline, place)

    def _is_named(self, name: str) -> bool:
        """Whether a variable may be read by its name."""
        return any(name in outline.named for outline in self._outlines)

    def _need(self, name: str, fully: bool = True) -> None:
        if self._needed.get(name, -1) < fully:
            self._needed[name] = fully
            self._todo.append((name, fully))

    def _set(self, name: str, fully: bool) -> None:
        """Mark what gives a value to a name, and where a default is read for it: the first such place is told."""
        for outline in self._outlines:
            if name == INDIRECT:
                for setter in outline.setters:
                    if self._is_named(setter):
                        self._need(setter, fully)
            for event in outline.setters.get(name, ()):
                if (event.own or not fully) and self._waits(event.part):
                    self._late.setdefault(event.part, []).append((event, None))
                else:
                    self._todo.append((event, fully))
            for place in outline.defaults.get(name, ()):
                self._touch(outline.at(place), place)

    def _touch(self, event: Event, place: int) -> None:
        """What stands at a place is followed, if what it is a part of is."""
        if self._waits(event.part):
            self._late.setdefault(event.part, []).append((event, place))
        else:
            self._wanted[event.home].add(place)
            self._climb(event)

    def _waits(self, part: Event) -> bool:
        """Whether nothing yet tells that a function is followed."""
        return part.kind == "function" and part not in self._climbed

    def _mark(self, event: Event, fully: bool) -> None:
        if self._marked.get(event, -1) >= fully:
            return
        self._marked[event] = fully
        self._wanted[event.home].add(event.start)
        if event.kind != "command" or not event.decides:
            self._read(event, fully)
        self._climb(event)

    def _read(self, event: Event, fully: bool) -> None:
        """What an event reads is needed, and what the functions read that it calls for what they print."""
        home = event.home
        names = {*home.names(event), *((INDIRECT,) if event.name == ANOTHER else ())}
        looked, met = 0, {event}
        todo = home.inside(event) if home.functions else []
        while todo and looked < _MAX_PRINTING:
            inner, looked = todo.pop(), looked + 1
            for function in home.functions.get(inner.name, ()) if inner.kind == "command" else ():
                if function not in met:
                    met.add(function)
                    if not home.prints(function):
                        continue
                    names.update(home.names(function))
                    todo += home.inside(function)
        for name in names:
            self._need(name, fully)
        if ARGUMENTS in names:
            for name, places in home.defaults.items():
                for place in places if name.isdigit() else ():
                    found = home.at(place)
                    if found.part is event.part:
                        self._touch(found, place)

    def _climb(self, event: Event | None) -> None:
        """What an event stands in is followed as far as it decides whether the event is."""
        while event is not None and event not in self._climbed:
            self._climbed.add(event)
            if event.kind == "branch" and not self._sources:
                for name in event.home.names(event):
                    self._need(name)
            elif event.kind == "function":
                self._follow(event)
            if event.kind != "script":
                self._release(event)
            event = event.up

    def _follow(self, function: Event) -> None:
        self._wanted[function.home].add(function.start)
        if function.name not in self.followed:  # those of one name are called together
            self.followed.add(function.name)
            for outline in self._outlines:
                self._todo.extend((event, True) for event in outline.calls.get(function.name, ()))
            if any(function.name in outline.valued for outline in self._outlines):
                for outline in self._outlines:
                    self._todo.extend((event, True) for event in outline.dynamic)
        for event, place in self._late.pop(function, ()):
            if place is None:
                self._todo.append((event, True))
            else:
                self._touch(event, place)

    def _release(self, event: Event) -> None:
        """What waits for an event to matter does so now; what is exported is read by all that is started."""
        for waiting in event.waiting if not self._sources else ():
            fully = waiting.kind != "sets"
            self._todo.append((waiting, fully))
            for name in waiting.sets:
                self._need(name, fully)
