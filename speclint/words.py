"""Words: the elements of a command line, each with its value, its place and the choices it hangs on."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Unknown, as_mapped, join
from speclint.worlds import choices, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from speclint.pod import Pod
    from speclint.text import Span
    from speclint.value import Value

Guard = tuple[tuple[Choice, int], ...]
# What one branch after another keeps or sets anew multiplies with each. No command line has so many words, nor so many
# conditions of words.
_MAX_GUARDED = 2000
_NOTHING: Mapping[str, Value] = {}
_FIELD = pattern(r"(?:--[\w-]+=)?\{[A-Za-z_]\w*\}")


class Word:
    """One element of a command line.

    ``span``: where it is written, quotes included; for an element of an array or of a string that is spliced in, there.
    ``guard``: it is there only when each of these choices went this way. ``many``: it stands for any number of words
    (``$EXTRA_ARGS``, ``"$@"``, ``*args``); its value is unknown then.
    """

    __slots__ = ("guard", "many", "span", "value")

    def __init__(self, value: Value, span: Span | None, guard: Guard = (), many: bool = False) -> None:
        self.value = value
        self.span = span
        self.guard = guard
        self.many = many

    @property
    def text(self) -> str | None:
        """The text if it is certain and always there, else None."""
        return self.value.text.text if isinstance(self.value, Known) else None

    @property
    def prefix(self) -> str:
        """The characters that it is known to begin with."""
        value = self.value
        if isinstance(value, Joined):
            value = value.parts[0]
        if isinstance(value, Known):
            return value.text.text
        return value.prefix.text if isinstance(value, Unknown) and value.prefix is not None else ""

    def when(self, choice: Choice, arm: int) -> Word:
        """The same word, there only when ``choice`` went way ``arm``."""
        return Word(self.value, self.span, ((choice, arm), *self.guard), self.many)

    def without(self, choice: Choice) -> Word:
        """The same word in a world in which ``choice`` is settled in its favour."""
        return Word(self.value, self.span, tuple(g for g in self.guard if g[0] is not choice), self.many)

    def holds(self, world: Mapping[Choice, int]) -> bool:
        """Whether it is there in a world; choices that the world does not settle are taken as met."""
        return all(world.get(choice, arm) == arm for choice, arm in self.guard)

    def settled(self, taken: Mapping[Choice, int]) -> Word:
        """The same word where choices went the ways ``taken``, in which it ``holds``."""
        value, guard = settled(self.value, taken), tuple(g for g in self.guard if g[0] not in taken)
        return self if value is self.value and guard == self.guard else Word(value, self.span, guard, self.many)

    def is_open(self) -> bool:
        """Whether its presence or value hangs on a choice."""
        return bool(self.guard) or (not isinstance(self.value, Known) and bool(choices(self.value)))

    def choices(self) -> tuple[Choice, ...]:
        """Every choice that its presence or value hangs on."""
        return tuple(dict.fromkeys([*(c for c, _ in self.guard), *choices(self.value)]))

    def __repr__(self) -> str:
        many = "…" if self.many else ""
        return f"Word({self.value!r}{many}{f' if {self.guard!r}' if self.guard else ''})"


def many(reason: str, span: Span | None) -> Word:
    """Any number of words of which nothing is known."""
    return Word(Unknown(reason), span, many=True)


def filled_in(word: Word, splits: bool) -> Word:
    """A word that is a name in braces stands for what ``str.format`` or its like puts in somewhere else.

    ``splits``: a shell reads it then, to which it may be several words.
    """
    value = word.value
    if not (isinstance(value, Known) and value.text.text.endswith("}")) or not _FIELD.fullmatch(value.text.text):
        return word
    text = value.text
    at = text.text.index("{")
    unknown = Unknown("it is a placeholder", place=text.place(at, len(text)))
    if splits and not at:
        return Word(unknown, word.span, word.guard, many=True)
    return Word(join([Known(text[:at], value.steps), unknown]), word.span, word.guard)


def merge_words(choice: Choice, arms: Sequence[Sequence[Word]]) -> tuple[Word, ...]:
    """The list after a branch that left ``arms``: what they begin with in common, then the rest of each, guarded."""
    arms = [tuple(arm) for arm in arms]
    first = arms[0]
    size, most = 0, min(map(len, arms))
    while size < most:  # words are compared by identity, stretches of them at once
        at = (size + most + 1) // 2
        same = all(arm[size:at] == first[size:at] for arm in arms)
        size, most = (at, most) if same else (size, at - 1)
    result = list(first[:size])
    if sum(map(len, arms)) > 100 and sum(1 + len(word.guard) for arm in arms for word in arm[size:]) > _MAX_GUARDED:
        return (*result, many("too many words hang on branches", choice.span))
    for index, arm in enumerate(arms):
        result.extend(under(arm[size:], choice, index))
    return tuple(result)


def under(words: Iterable[Word], choice: Choice, arm: int) -> Iterator[Word]:
    """The words where ``choice`` went way ``arm``, without those that are there only where it went another."""
    return (word.when(choice, arm) for word in words if not word.guard or word.holds({choice: arm}))


class Run(str):
    """Which of several runs of one statement a command is, to be read after "when".

    ``taken``: the ways that choices of the file went in it, one choice within the other.
    """

    __slots__ = ("taken",)

    taken: Guard

    def __new__(cls, text: str, taken: Guard) -> Run:
        """``text`` with the ways that choices went."""
        made = super().__new__(cls, text)
        made.taken = taken
        return made


class Command:
    """A command that a file runs, as words, before anything is known of what it does.

    ``span`` is the whole statement; ``env`` the variables that the file sets for it; ``host`` the language it was
    found in ("shell", "python", "kubernetes"); ``object`` the object that it belongs to, if any ("Deployment/llm
    container sglang"); ``image`` the container image that it runs in; ``keywords`` the arguments of a Python call
    instead of words. ``fixable`` is false where the text is a template or could not be parsed whole. ``run`` tells, to
    be read after "when", which of several runs of the same statement this is ("`start 30001` calls it"). ``site`` is
    the statement by which the text that holds it is run (``bash -c``), or its own.

    ``within`` is the shell text that it was read from, with its bounds there; None where its words are no shell's.
    ``flaw``: what keeps it from being run, although it is read as it was meant, with the word to blame: "shell" (one
    that is given a command without ``-c``), "word" (a command that is a single word, where no shell reads it), "list"
    (a list that is no JSON, so that a shell reads it) or "cmd" (options as text, behind a program in a list).
    ``under``: for words or keywords that start nothing by themselves, the keys that they are written under, in lower
    case, outermost first, with what their neighbours name (``backend: x``). ``pod`` tells of the container that it runs
    in, where the file tells of one; that is read only when it is asked for. ``mixed``: a branch decides which program
    it runs, and what is added under other conditions may be meant for another one than this. ``done``: for what is read
    from the text that a container runs, the shell texts that were run in its image before; None where it is not.
    ``kept``: variables that a shell script has for itself and does not hand on to it.
    """

    __slots__ = (
        "done", "env", "fixable", "flaw", "host", "image", "kept", "keywords", "mixed", "object", "pod", "run", "site",
        "span", "under", "within", "words",
    )  # fmt: skip

    def __init__(
        self,
        words: Iterable[Word],
        span: Span,
        host: str,
        env: Mapping[str, Value] | None = None,
        object: str | None = None,
        image: Value | None = None,
        keywords: Sequence[Keyword] | None = None,
        fixable: bool = True,
        run: str = "",
        site: Span | None = None,
    ) -> None:
        self.words = tuple(words)
        self.span = span
        self.host = host
        self.env = dict(env or {})
        self.object = object
        self.image = image
        self.keywords = None if keywords is None else tuple(keywords)
        self.fixable = fixable
        self.run = run
        self.site = site or span
        self.within: tuple[Mapped, int, int] | None = None
        self.flaw: tuple[str, Word] | None = None
        self.under: tuple[str, ...] = ()
        self.pod: Callable[[], Pod | None] | None = None
        self.mixed = False
        self.done: tuple[str, ...] | None = None
        self.kept: Mapping[str, Value] = _NOTHING

    def replace(
        self,
        words: Iterable[Word],
        image: Value | None = None,
        env: Mapping[str, Value] | None = None,
        run: str | None = None,
    ) -> Command:
        """The same command with other words, and with more of its surroundings known."""
        found = Command(
            words,
            self.span,
            self.host,
            {**self.env, **(env or {})},
            self.object,
            image or self.image,
            self.keywords,
            self.fixable,
            self.run if run is None else run,
            self.site,
        )
        found.within, found.flaw, found.under, found.pod = self.within, self.flaw, self.under, self.pod
        found.mixed = self.mixed
        # What starts a container is no part of what runs in it.
        found.done = self.done if image is None else None
        found.kept = self.kept if image is None else _NOTHING
        return found

    def before(self) -> list[str]:
        """The shell texts that were run in its container before it."""
        if self.done is None:
            return []
        within = self.within
        return [*self.done] if within is None else [*self.done, within[0].text[: within[1]]]

    def forks(self) -> Iterator[Command]:
        """One command for each way to begin, where alternatives begin it or name its program: ``exec $CMD``."""
        first = self.words[0] if self.words else None
        if first is not None and not first.guard and [word for word in self.words if word.guard]:
            first = next((word for word in self.words if _is_entry(word)), None)
        if first is None or not first.guard:
            yield self
            return
        choice = first.guard[0][0]
        for arm, label in enumerate(choice.labels):
            words = [w.without(choice) for w in self.words if w.holds({choice: arm})]
            yield from self.replace(words, run=label).forks()

    def __repr__(self) -> str:
        return f"Command({self.words!r})"


def _is_entry(word: Word) -> bool:
    """Whether a word is by all appearance the module or the program that is started."""
    return "sglang" in word.prefix and "sglang" in word.prefix.rpartition("/")[2].split(".")


class Keyword:
    """A keyword argument of a Python call: ``name`` at ``name_span``, ``value`` at ``span``.

    ``name`` None: a ``**mapping`` that is not known. ``literal`` is the kind of the Python value ("str", "int",
    "float", "bool", "none", "list", "dict") or None.
    """

    __slots__ = ("guard", "literal", "name", "name_span", "span", "value")

    def __init__(
        self,
        name: str | None,
        name_span: Span,
        value: Value,
        span: Span,
        literal: str | None = None,
        guard: Guard = (),
    ) -> None:
        self.name = name
        self.name_span = name_span
        self.value = value
        self.span = span
        self.literal = literal
        self.guard = guard


def as_text(words: Sequence[Word]) -> Mapped:
    """The words joined by blanks, as a shell that gets them as one string would read them."""
    parts: list[Mapped] = []
    for index, word in enumerate(words):
        if index:
            parts.append(Mapped.new(" "))
        if not word.guard and isinstance(word.value, Known | Joined):
            parts.append(as_mapped(word.value))
            continue
        value = word.value
        for choice, arm in reversed(word.guard):
            value = OneOf(choice, [value if i == arm else EMPTY for i in range(len(choice.labels))])
        parts.append(Mapped.hole(value, word.span))
    return Mapped.join(parts)
