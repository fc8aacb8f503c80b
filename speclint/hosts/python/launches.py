"""What a module starts: processes, SGLang's engines, and commands that are built here and run elsewhere."""

from __future__ import annotations

from speclint.hosts.python import written
from speclint.hosts.python.data import image_in
from speclint.hosts.python.facts import plain
from speclint.hosts.python.forks import STARTS, flat, forks, told_apart
from speclint.hosts.python.values import Alt, Entry, Map, Seq, Text, known, value_of
from speclint.launch import MODULES, end_of, find
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Definition, Known, OneOf, Step, Unknown, as_mapped, join, with_step
from speclint.words import Command, Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Mapping, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Keyword

# Options of SGLang among those of another program.
_PREFIXED = pattern(r"\s*--[\w-]+[\s=](?:[^\n]*\s)?--sglang-[a-z]|\s*--sglang-[a-z]", re.DOTALL)
_OPTION = pattern(r"(?<![\s\\])[\s\\]+(?:--?[a-zA-Z]|\ufffc)")
# A line of prose rather than a command: "Run: python …".
_PROSE = pattern(r"\s*(?:[A-Z][a-z]+\b|[#>*`'\"(<\d]|-\s|[a-z]+:\s|.*:\s*\n)")
# What a script may begin with and prose, under a heading, too.
_COMMENTS = pattern(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
# What names an entry point, beside -m.
_ENDS = ("sglang", "launch_server.py")
# A word that redirects what a command writes, or ends it: only a shell reads it so.
_SIGN = pattern(r"(?:\d|&)?>|(?:&&?|\|\|?|;)(?!\S)")
RUN, PASSED, RETURNED, BOUND = 3, 2, 1, 0
_RANKS = {"passed": PASSED, "returned": RETURNED, "bound": BOUND}


class _Kept:
    """A command that is kept, as it is then: nothing is made of it before that is needed."""

    __slots__ = ("env", "held", "image", "mixed", "obj", "statement")

    def __init__(self, m: Machine, obj: Obj, mixed: bool, image: Value | None) -> None:
        self.obj = obj
        self.image = image
        self.held = _held(m, obj)
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
        if self.machine.record and mentions(self.machine, obj):
            self.mentioned(obj, how)

    def mentioned(self, obj: Obj, how: str) -> None:
        """Note what ``mentions`` a launcher."""
        m = self.machine
        if isinstance(obj, Alt) and not is_uniform(m, obj):
            outer, self.mixed = self.mixed, self.mixed or is_mixed(m, obj)
            for arm in obj.arms:
                self.note(arm, how)
            self.mixed = outer
            return
        if isinstance(obj, (Seq, Map)):
            items = m.state.items(obj)
            if isinstance(obj, Map) or not self.begin(items):
                outer_image = self._image
                if isinstance(obj, Map):
                    self._image, how = image_in(items) or outer_image, "bound"
                for item in items:
                    if isinstance(item.obj, (Seq, Map)) or _is_script(item.obj):
                        self.note(item.obj, how)
                self._image = outer_image
                return
        elif not _is_script(obj) and not m.containers(obj, Seq):
            return
        if how == "bound":
            self._look()
            self._kept = _Kept(m, obj, self.mixed, self._image)
            return
        held = _held(m, obj)
        words = _script(obj, None) if held is None else _line(held)
        if how == "returned" and not m.index.called(m.frame.func.node if m.frame.func else None):
            words = [*words, many("the caller may add to it", None)] if isinstance(obj, Seq) else words
        self.add(words, how)

    def begin(self, items: Sequence[Item]) -> bool:
        """Whether elements are a command line with a launcher in it, which is asked again of the same ones."""
        if items is not self._asked[0]:
            self._asked = items, _is_start(items)
        return self._asked[1]

    def add(self, words: Sequence[Word], how: str, env: Mapping[str, Value] | None = None) -> None:
        """Note words that are run (or passed on, returned), if they are a launch."""
        self._look()
        m = self.machine
        if m.record:
            env = environment(m, m.environ) if env is None else env
            command = self._command(words, env, m.statement, self.mixed)
            self._add(command, _RANKS.get(how, RUN))

    def ran(self, obj: Obj) -> None:
        """What runs as it is: what else is noted of it is passed over for that."""
        if self.machine.record and not isinstance(obj, Alt):
            held = self._ran[obj] = _held(self.machine, obj)
            if self._kept is not None and self._kept.obj is obj and self._kept.held is held:
                self._kept = None

    def runs(self, obj: Obj) -> bool:
        """Whether an object was run as it is."""
        return obj in self._ran and self._ran[obj] is _held(self.machine, obj)

    def outgrown(self, obj: Obj) -> None:
        """Forget text that was kept and is part of what is kept in its place."""
        if self._kept is not None and self._kept.obj is obj:
            self._kept = None

    def _look(self) -> None:
        """Look at what waits for it, so that all is noted in order."""
        kept, self._kept = self._kept, None
        if kept is not None:
            words = _script(kept.obj, None) if kept.held is None else _line(kept.held)
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
        found = Command(words, span, base.host, env, base.object, image or base.image, None, base.fixable, base.run)
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
            last = chosen[-1]
            if best == BOUND or (best == PASSED and "\n" in (last[-1].words[-1].text or "").strip()):
                for command in last:
                    _open(command)
            result.extend([command for alternatives in chosen for command in alternatives] if best == RUN else last)
        return result


    def _parts(self, heads: Sequence[int]) -> set[int]:
        """Those of what is only kept that are options which another command is given."""
        options = {head for head in heads if _PREFIXED.match(flat(self.found[head][-1][1][-1].words[-1].value))}
        others = [group for head, group in self.found.items() if head not in options]
        if not options or not others:
            return set()
        return written.within(options, [each for group in others for _, commands in group for each in commands])


def _open(command: Command) -> None:
    """Leave open what else a command gets that is only kept and names no model: so it would not be run."""
    *before, last = command.words
    if any("--model" in as_mapped(word.value).text for word in command.words):
        return
    rest = Unknown("what runs it may add to it, as it names no model")
    if isinstance(last.value, Known) and STARTS.search(last.value.text.text):
        text, steps = last.value.text, last.value.steps
        # Of one line what follows is the end; in a script it is what stands behind each launcher.
        script = "\n" in text.text.strip()
        ends = [found.end() for found in STARTS.finditer(text.text)] if script else [len(text)]
        parts: list[Value] = []
        for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
            parts += [*((Known(Mapped.new(" ")), rest) if start else ()), Known(text[start:end], steps)]
        value = join(parts)
        command.words = (*before, Word(value, last.span, last.guard))
    elif len(command.words) > 1:
        command.words = (*command.words, Word(rest, None, many=True))


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


def mentions(m: Machine, obj: Obj, depth: int = 0) -> bool:
    """Whether an object holds the name of a launcher."""
    if isinstance(obj, Alt):
        return any(mentions(m, arm, depth + 1) for arm in obj.arms) if depth < 6 else False
    if isinstance(obj, (Seq, Map)):
        items = m.state.items(obj)
        if isinstance(obj, Seq) and m.launches.begin(items):
            return True
        return depth < m.depth_of_data and any(mentions(m, item.obj, depth + 1) for item in items)
    if not isinstance(obj, Text) or obj.kind != "str":
        return False
    text = flat(obj.value)
    if STARTS.search(text) is not None or _PREFIXED.match(text) is not None:
        return True
    return any(STARTS.search(each) for each in told_apart(obj.value, text))


def _is_start(items: Sequence[Item]) -> bool:
    """Whether the elements are a command line with a launcher in it."""
    return start_of(items) > 0


def start_of(items: Sequence[Item]) -> int:
    """How many of the elements name a launcher and what stands before it; 0 if none does."""
    texts = [_module(item.obj) or plain(item.obj) or end_of(item.value) for item in items]
    for index, text in enumerate(texts):
        following = texts[index + 1] if index + 1 < len(texts) else None
        if text in MODULES or (text is not None and text.endswith("launch_server.py") and index):
            return index + 1
        if text is not None and text.rsplit("/", 1)[-1] == "sglang" and following == "serve":
            return index + 2
        if text is not None and index and texts[0] is not None and STARTS.search(text) and _OPTION.search(text):
            return index + 1 if texts[index - 1] is not None and (texts[index - 1] or "").startswith("-") else 0
    return 0


def _module(obj: Obj) -> str | None:
    """The module that starts a server, where it is one of several."""
    if not isinstance(obj, Alt):
        return None
    names = (plain(arm) or _module(arm) for arm in obj.arms)
    return next((name for name in names if name in MODULES), None)


def _is_script(obj: Obj) -> bool:
    """Whether an object is shell text with a launch in it, rather than text about one."""
    if not isinstance(obj, (Text, Alt)) or (isinstance(obj, Text) and obj.kind != "str"):
        return False
    text = flat(obj.value)
    return _is_script_text(text) or any(map(_is_script_text, told_apart(obj.value, text)))


def _is_script_text(text: str) -> bool:
    if _PREFIXED.match(text):
        return True
    # Of alternatives only the last one stands before what follows.
    if not any(_OPTION.match(text, found.end()) for found in STARTS.finditer(text)):
        return False
    begins = _COMMENTS.match(text)
    return not _PROSE.match(text, begins.end() if begins is not None else 0)


def command_words(m: Machine, obj: Obj, span: Span | None) -> list[Word]:
    """The words of a command: those of a list, or a shell that runs a text."""
    items = _held(m, obj, span)
    return _script(obj, span) if items is None else _words(items)


def _held(m: Machine, obj: Obj, span: Span | None = None) -> Sequence[Item] | None:
    """The elements of a command that is a list; None of any other."""
    if isinstance(obj, Seq):
        return m.state.items(obj)
    return m.items(obj, span) if isinstance(obj, Alt) and m.containers(obj, Seq) else None


def _words(items: Sequence[Item]) -> list[Word]:
    return [Word(item.value, item.span, item.guard, item.many) for item in items]


def _line(items: Sequence[Item]) -> list[Word]:
    """The words of a list that is kept for others to run: the line of a shell, if any of them is for one to read."""
    if not any(_SIGN.match(plain(item.obj) or "") for item in items):
        return _words(items)
    from speclint.hosts.python.commands import joined

    return _script(joined(known(" ", None), items), items[0].span)


def _script(obj: Obj, span: Span | None) -> list[Word]:
    """The words of a shell that runs a text."""
    value = value_of(obj)
    if isinstance(value, Unknown):
        return []
    where = value.text.span() if isinstance(value, Known) else span
    return [
        Word(Known(Mapped.new("sh", where)), where),
        Word(Known(Mapped.new("-c", where)), where),
        Word(value, where),
    ]


def environment(m: Machine, container: Map) -> dict[str, Value]:
    """The variables that a dictionary sets."""
    result: dict[str, Value] = {}
    for entry in m.state.items(container):
        name = plain(entry.key) if isinstance(entry, Entry) and entry.key is not None else None
        if name is None:
            continue
        written = entry.key.value if isinstance(entry, Entry) and entry.key is not None else None
        name_span = written.text.span() if isinstance(written, Known) else None
        definition = Definition(name, entry.span, shared=True, name_span=name_span)
        value = with_step(entry.value, Step("env", f"`{name}` is set here", entry.span, definition))
        for choice, arm in reversed(entry.guard):
            other = result.get(name, Unknown(f"`{name}` is not set in every branch"))
            value = OneOf(choice, [value if i == arm else other for i in range(len(choice.labels))])
        result[name] = value
    return result


def is_uniform(m: Machine, obj: Alt) -> bool:
    """Whether all alternatives are command lists, or all are text."""
    lists = [bool(m.containers(arm, Seq)) for arm in obj.arms]
    return (all(lists) and all(_is_start(m.items(arm, None)) for arm in obj.arms)) or not any(lists)


def is_mixed(m: Machine, obj: Obj) -> bool:
    """Whether some alternatives are command lists of other programs."""
    arms = [m.items(arm, None) for arm in obj.arms if m.containers(arm, Seq)] if isinstance(obj, Alt) else []
    return any(items and not _is_start(items) for items in arms)
