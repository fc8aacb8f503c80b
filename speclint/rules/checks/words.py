"""What SGLang's parser has against the words of a launch, and in which worlds.

Words are read run by run, from one option to the next: no word can change how argparse reads those behind a later
option. So only the choices within a run have to be told apart. An option that is there in some worlds only begins a run
where what is left without it begins with an option too.
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.rules.checks.garbled import garbled
from speclint.rules.found import under
from speclint.sglang import argv
from speclint.sglang.wording import setting_of
from speclint.value import Known
from speclint.worlds import choices, possible, resolve, worlds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from speclint.rules.found import World
    from speclint.sglang.argv import Problem
    from speclint.sglang.catalog import Option, Release
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting
    from speclint.value import Choice
    from speclint.words import Word

# What is missing as a whole, or hangs on all words at once.
_WHOLE = ("missing-required", "config-repeated", "config-not-yaml")


class Met(NamedTuple):
    """A problem that the parser meets.

    ``held`` are the words that its indices count; ``at`` is the word to blame. ``worlds`` are those in which it is met,
    ``others`` those in which it is not; both are empty where nothing hangs on a choice.
    """

    problem: Problem
    held: tuple[Word, ...]
    at: int
    worlds: tuple[World, ...] = ()
    others: tuple[World, ...] = ()

    @property
    def word(self) -> Word:
        """The word to blame."""
        return self.held[self.at]

    @property
    def before(self) -> Word | None:
        """The word before that one, in the same run."""
        return self.held[self.at - 1] if self.at else None

    def unknown(self, option: Option | None, count: int | None) -> Setting:
        """The option that the blamed word begins; ``count``: how many of the bare words behind it are its values."""
        spelling = self.problem.spelling
        inline = self.word.prefix.startswith(f"{spelling}=")
        taken = [] if inline else [self.held[index] for index in self.problem.words[:count]]
        return setting_of(self.word, spelling, taken, option, inline, True)

    def known(self) -> Setting:
        """The option whose value, or lack of one, is blamed; of its values only the blamed one."""
        option, spelling = self.problem.option, self.problem.spelling
        flag = next((at for at in range(self.at, -1, -1) if self.held[at].prefix.split("=", 1)[0] == spelling), self.at)
        inline = self.held[flag].prefix.startswith(f"{spelling}=")
        return setting_of(self.held[flag], spelling, [self.word] if flag < self.at else [], option, inline)


def met(options: Options, *kinds: str) -> Iterator[Met]:
    """What the parser has against the words of a launch, in order; nothing for a call with keywords."""
    return (one for one in _met(options) if one.problem.kind in kinds)


def kinds(options: Options, plain: bool = False) -> frozenset[str]:
    """The kinds of all that the parser has against the words of a launch; ``plain``: none of these is garbled."""
    global _garbled
    if plain:
        _garbled = (options, frozenset())
    return frozenset([one.problem.kind for one in _met(options)])


def _met(options: Options) -> tuple[Met, ...]:
    global _last
    if _last is None or _last[0] is not options:
        _last = (options, tuple(one for one in _all(options) if not is_garbled(options, one.word)))
    return _last[1]


def is_garbled(options: Options, word: Word) -> bool:
    """Whether a shell made the word of something else, of which other rules tell."""
    global _garbled
    if _garbled is None or _garbled[0] is not options:
        words = options.launch.words
        found = garbled(words, options.release)
        _garbled = (options, frozenset(id(words[at]) for at in found if at < len(words)))
    return id(word) in _garbled[1]


# What the parser has against short runs: an option and its value, which other launches have too.
_parsed: dict[tuple[object, ...], tuple[tuple[Problem, int], ...]] = {}
_MOST_PARSED = 4096
_MOST_WORDS = 4
# Every rule asks of the launch at hand.
_last: tuple[Options, tuple[Met, ...]] | None = None
_garbled: tuple[Options, frozenset[int]] | None = None


def _all(options: Options) -> Iterator[Met]:
    parsed = options.parsed
    if parsed is None or parsed.foreign or parsed.help:
        return
    words = options.words
    blamed = {id(words[one.index]) for one in parsed.problems if one.index is not None}
    for run in _runs((*options.merged, *options.launch.words)):
        # What hangs on no choice has been read with all words, and is read once more only to tell what is wrong.
        for word in run:
            if id(word) in blamed or ((word.guard or not isinstance(word.value, Known)) and word.is_open()):
                yield from _of_run(run, options.release)
                break


def _runs(words: Sequence[Word]) -> list[list[Word]]:
    runs: list[list[Word]] = []
    for word, apart in zip(words, _stand_apart(words), strict=True):
        if apart or not runs:
            runs.append([])
        runs[-1].append(word)
    return runs


def _stand_apart(words: Sequence[Word]) -> list[bool]:
    """Which words begin an option, whatever stands before them, and leave nothing behind where they are not there."""
    found = [False] * len(words)
    # Whether what comes behind the words that are there together with this one begins an option, or is nothing.
    after, guard = True, None
    for at in range(len(words) - 1, -1, -1):
        word = words[at]
        if word.guard != guard:
            after, guard = at + 1 == len(words) or found[at + 1], word.guard
        if word.many:
            continue
        value = word.value
        text = value.text.text if isinstance(value, Known) else word.prefix
        found[at] = (after or not word.guard) and text[:2] == "--" and len(text) > 2 and " " not in text
    return found


def _of_run(run: Sequence[Word], release: Release) -> Iterator[Met]:
    points = dict.fromkeys(point for word in run for point in word.choices())
    if not points:
        held = tuple(run)
        yield from (Met(problem, held, at) for problem, at in _parse([_in_world(word, {}) for word in run], release))
        return
    every, apart = _ways(run, points)
    found: dict[object, tuple[Met, list[World]]] = {}
    for world in every:
        held = tuple(word for word in run if word.holds(world))
        for problem, at in _parse([_in_world(word, world) for word in held], release):
            key = (problem.kind, id(held[at]), problem.spelling, problem.value)
            found.setdefault(key, (Met(problem, held, at), []))[1].append(world)
    for one, where in found.values():
        if _hangs_on_type(one):
            continue
        others = (*apart, *(world for world in every if world not in where))
        yield one._replace(worlds=tuple(where), others=others)


def _hangs_on_type(met: Met) -> bool:
    """Whether a word that is put together of a name and ``--`` or ``--no-`` is one where a value that is not known is
    a boolean: it is none, if the option takes a value.
    """
    problem, value = met.problem, met.word.value
    if isinstance(value, Known) and len(value.text.pieces) == 1:
        return False
    if problem.kind != "missing-value" and not problem.spelling.startswith("--no-"):
        return False
    needs = [choice.needs[arm] for choice, arm in met.word.guard if choice.needs]
    allowed = [values for each in needs for is_one, values in each.values() if is_one]
    return any(values and all(isinstance(value, bool) for value in values) for values in allowed)


def _ways(run: Sequence[Word], points: Iterable[Choice]) -> tuple[list[World], Sequence[World]]:
    """The ways in which words are there, and others in which none of them is and nothing is to be read."""
    ways = worlds(points)
    if ways is not None:
        return list(ways), ()
    guard = run[0].guard
    if not guard or any(word.guard != guard for word in run):
        return [], ()
    # There together or not at all: only what their values hang on is told apart.
    (there, *_), others = under(guard)
    further = worlds(point for point in points if point not in there) or ()
    return [{**there, **way} for way in further if all(possible(there, *taken) for taken in way.items())], others


def _parse(words: Sequence[argv.Word], release: Release) -> Sequence[tuple[Problem, int]]:
    asked = (release, *words)
    found = _parsed.get(asked)
    if found is None:
        problems = argv.parse(words, release).problems
        found = tuple([(one, one.index) for one in problems if one.kind not in _WHOLE and one.index is not None])
        if len(words) <= _MOST_WORDS:
            if len(_parsed) >= _MOST_PARSED:
                _parsed.clear()
            _parsed[asked] = found
    return found


def _in_world(word: Word, world: World) -> argv.Word:
    got = resolve(word.value, world) if choices(word.value) else word.value
    if isinstance(got, Known):
        return argv.Word(got.text.text, "", word.many)
    prefix = getattr(got, "prefix", None)
    return argv.Word(None, word.prefix if prefix is None else prefix.text, word.many)
