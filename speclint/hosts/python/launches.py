"""What a module starts: processes, SGLang's engines, and commands that are built here and run elsewhere."""

from __future__ import annotations

from speclint.hosts.python import launchers, written
from speclint.hosts.python.data import image_in
from speclint.hosts.python.forks import flat, forks
from speclint.hosts.python.launchers import PREFIXED, environment, held_by, is_script, line_of, script_of
from speclint.hosts.python.sightings import fullest, open_end, open_unnamed
from speclint.hosts.python.values import Alt, Map, Seq
from speclint.launch import find
from speclint.text import Mapped
from speclint.value import Known
from speclint.words import Command, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Collection, Mapping, Sequence

    from speclint.hosts.python.contained import Contained
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Keyword

# What names an entry point, beside -m.
_ENDS = ("sglang", "launch_server.py")
RUN, PASSED, RETURNED, BOUND = 3, 2, 1, 0
_RANKS = {"passed": PASSED, "changed": PASSED, "returned": RETURNED, "bound": BOUND}


class _Kept:
    """A command that is kept, as it is then: nothing is made of it before that is needed."""

    __slots__ = ("env", "held", "image", "mixed", "obj", "statement")

    def __init__(self, m: Machine, obj: Obj, mixed: bool, image: Value | None) -> None:
        self.obj = obj
        self.image = image
        self.held = held_by(m, obj)
        self.env = environment(m, m.environ)
        self.statement = m.statement
        self.mixed = mixed


class Launches:
    """The commands met so far that are launches, by the place of what makes them one."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.found: dict[int, list[tuple[int, list[Command]]]] = {}
        # Whether what is noted is one of several programs.
        self.mixed = False
        # What the mapping around it names as the image.
        self._image: Value | None = None
        # What was kept last, not looked at yet: text that is added to line by line is read once, as it is at its end.
        self._kept: _Kept | None = None
        self._asked: tuple[Sequence[Item], bool] = (), False
        # What was run, and what it held then.
        self._ran: dict[Obj, Sequence[Item] | None] = {}

    def note(self, obj: Obj, how: str) -> None:
        """Note a command that is kept, passed on or returned, if it is a launch."""
        if self.machine.record and launchers.mentions(self.machine, obj):
            self.mentioned(obj, how)

    def mentioned(self, obj: Obj, how: str) -> None:
        """Note what ``mentions`` a launcher."""
        m = self.machine
        if isinstance(obj, Alt) and not launchers.is_uniform(m, obj):
            outer, self.mixed = self.mixed, self.mixed or launchers.is_mixed(m, obj)
            for arm in obj.arms:
                self.note(arm, how)
            self.mixed = outer
            return
        if isinstance(obj, (Seq, Map)):
            items = m.state.items(obj)
            if isinstance(obj, Map) or not self.begin(items):
                self._among(obj, items, how)
                return
        elif not is_script(obj) and not m.containers(obj, Seq):
            return
        if how == "bound":
            self._look()
            self._kept = _Kept(m, obj, self.mixed, self._image)
            return
        held = held_by(m, obj)
        words = script_of(obj, None) if held is None else line_of(held)
        if how == "returned" and not m.index.called(m.frame.func.node if m.frame.func else None):
            words = [*words, many("the caller may add to it", None)] if isinstance(obj, Seq) else words
        self.add(words, how)

    def _among(self, obj: Seq | Map, items: Sequence[Item], how: str) -> None:
        """Note the commands that a list or a dictionary holds."""
        outer = self._image
        used: Collection[Obj] = ()
        if isinstance(obj, Map):
            from speclint.hosts.python import contained

            self._image, how = image_in(items) or outer, "bound"
            described = contained.of(self.machine, items)
            if described is not None:
                self.describes(described, how)
                used = described.used
        for item in items:
            if (isinstance(item.obj, (Seq, Map)) or is_script(item.obj)) and item.obj not in used:
                self.note(item.obj, how)
        self._image = outer

    def describes(self, found: Contained, how: str) -> None:
        """Note a container that is described."""
        m = self.machine
        if m.record:
            for obj in found.used:
                self.ran(obj)  # what it is told of by itself tells less
            self._look()
            image = found.image or self._image
            self._add(self._command(found.words, found.env, m.statement, self.mixed, image), _RANKS[how])

    def begin(self, items: Sequence[Item]) -> bool:
        """Whether elements are a command line with a launcher in it, which is asked again of the same ones."""
        if items is not self._asked[0]:
            self._asked = items, launchers.is_start(items)
        return self._asked[1]

    def add(self, words: Sequence[Word], how: str, env: Mapping[str, Value] | None = None) -> None:
        """Note words that are run (or passed on, returned), if they are a launch."""
        self._look()
        m = self.machine
        if m.record:
            ways = {choice: next(iter(arms)) for choice, arms in m.state.taken.items() if len(arms) == 1}
            if ways:  # what is run here is run only where they were taken
                words = [word.settled(ways) for word in words if word.holds(ways)]
            env = environment(m, m.environ) if env is None else env
            command = self._command(words, env, m.statement, self.mixed)
            if how == "changed" and command is not None:
                open_end(command, "what it is given to may add to it")
            self._add(command, _RANKS.get(how, RUN))

    def ran(self, obj: Obj) -> None:
        """What runs as it is: what else is noted of it is passed over for that."""
        if self.machine.record and not isinstance(obj, Alt):
            held = self._ran[obj] = held_by(self.machine, obj)
            if self._kept is not None and self._kept.obj is obj and self._kept.held is held:
                self._kept = None

    def runs(self, obj: Obj) -> bool:
        """Whether an object was run as it is."""
        return obj in self._ran and self._ran[obj] is held_by(self.machine, obj)

    def outgrown(self, obj: Obj) -> None:
        """Forget text that was kept and is part of what is kept in its place."""
        if self._kept is not None and self._kept.obj is obj:
            self._kept = None

    def _look(self) -> None:
        """Look at what waits for it, so that all is noted in order."""
        kept, self._kept = self._kept, None
        if kept is not None:
            words = script_of(kept.obj, None) if kept.held is None else line_of(kept.held)
            self._add(self._command(words, kept.env, kept.statement, kept.mixed, kept.image), BOUND)

    def _command(
        self,
        words: Sequence[Word],
        env: Mapping[str, Value],
        statement: ast.stmt | None,
        mixed: bool,
        image: Value | None = None,
    ) -> Command | None:
        m, base = self.machine, self.machine.base
        if not words or statement is None:
            return None
        env = {**base.env, **env}
        span = m.source.span(statement)
        filled = launchers.filled_in(words)
        fixable = base.fixable and filled is None
        words = words if filled is None else filled
        found = Command(words, span, base.host, env, base.object, image or base.image, None, fixable, base.run)
        found.mixed = mixed
        return found

    def _add(self, command: Command | None, rank: int) -> None:
        from speclint.hosts.nested import commands

        met: dict[int, list[Command]] = {}
        for fork in forks(command) if command is not None else ():
            heads = [place for inner in commands(fork) if (place := _head(inner)) is not None]
            if heads:
                met.setdefault(heads[0], []).append(fork)
        for head, alternatives in met.items():
            self.found.setdefault(head, []).append((rank, alternatives))

    def call(self, name: str, keywords: Sequence[Keyword], span: Span, callee: Span) -> None:
        """Note a call of an SGLang class."""
        m = self.machine
        if not m.record:
            return
        word = Word(Known(Mapped.new(name, callee)), callee)
        base = m.base
        command = Command(
            (word,),
            span,
            base.host,
            {**base.env, **environment(m, m.environ)},
            base.object,
            base.image,
            keywords,
            base.fixable,
            base.run,
        )
        self.found.setdefault(callee.start, []).append((RUN, [command]))

    def finish(self) -> list[Command]:
        """Each launch once: as it is run, or as it was last seen."""
        self._look()
        result: list[Command] = []
        ranks = {head: max(rank for rank, _ in group) for head, group in self.found.items()}
        parts = self._parts([head for head, best in ranks.items() if best == BOUND])
        for head, group in sorted(self.found.items()):
            if head in parts:
                continue
            best = ranks[head]
            chosen = [alternatives for rank, alternatives in group if rank == best]
            if best == RUN:
                result.extend([command for alternatives in chosen for command in alternatives])
                continue
            seen = [alternatives for rank, alternatives in group if rank != BOUND]
            # Pages put the text of one command behind that of another.
            told_once = not seen or self.machine.objects
            last = chosen[-1] if told_once else fullest(chosen[-1], seen, best == PASSED)
            if best == BOUND or (best == PASSED and "\n" in (last[-1].words[-1].text or "").strip()):
                for command in last:
                    open_unnamed(command)
            result.extend(last)
        return result

    def _parts(self, heads: Sequence[int]) -> set[int]:
        """Those of what is only kept that are options which another command is given."""
        options = {head for head in heads if PREFIXED.match(flat(self.found[head][-1][1][-1].words[-1].value))}
        others = [group for head, group in self.found.items() if head not in options]
        if not options or not others:
            return set()
        return written.within(options, [each for group in others for _, commands in group for each in commands])


def _head(command: Command) -> int | None:
    """Where the characters stand that make a command a launch, whether in a list or in text; None if it is none."""
    launch = find(command)
    if launch is None:
        return None
    there = [word for word in command.words if word.span is launch.head]
    # All that a comprehension gives stands where its element is written: it is the word that names the entry point.
    named = [word for word in there if word.text is not None and (word.text[:2] == "-m" or word.text.endswith(_ENDS))]
    word = next(iter(named or there), None)
    place = word.value.text.span() if word is not None and isinstance(word.value, Known) else None
    return place.start if place is not None else launch.head.start
