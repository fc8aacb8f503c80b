"""The options of one launch: what is written, where, and in which worlds it is there.

Words and the keywords of ``sglang.Engine(...)`` both become settings, named by SGLang's destination. The words of all
worlds are parsed at once; each setting then carries the guard of the words that it was read from. Words of unknown
number (``"$@"``) make the absence of an option unknown. They are taken not to override what is written: a later
``$EXTRA_ARGS`` could, but people write there what is not in the file already.
"""

from __future__ import annotations

from speclint.sglang import alternatives, argv, catalog, lost
from speclint.sglang.setting import Setting
from speclint.sglang.wording import most, setting_of
from speclint.value import Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from speclint.launch import Launch
    from speclint.sglang.argv import Parsed, Problem, Use
    from speclint.sglang.catalog import Option, Release
    from speclint.value import Choice, Value
    from speclint.words import Keyword, Word


_MOST_ASKED = 10_000
_NONE: frozenset[str] = frozenset()
# The destinations of what a name may be, by the release and these.
_meant: dict[tuple[Release, tuple[str, ...]], frozenset[str]] = {}


class Options:
    """What a launch sets, in the order of writing.

    ``settings``: the options of the release; ``foreign``: options that this release does not have but another one does.
    ``open``: why more options may follow than are known, None where none may. ``parsed`` is the parser's own account of
    ``words``, None for a call with keywords. An option that the shell takes from the launch, behind a line that nothing
    continues, is neither written nor absent. ``merged``: those of the words that a configuration file has. ``by_dest``
    has all settings of an option, ``foreign`` ones too.
    """

    __slots__ = (
        "_choices", "_closed", "_lost", "_maybe", "_meant", "by_dest", "foreign", "launch", "merged", "open", "parsed",
        "release", "settings", "words",
    )  # fmt: skip

    def __init__(
        self,
        launch: Launch,
        release: Release,
        settings: Iterable[Setting],
        open: str | None = None,
        words: Sequence[Word] = (),
        parsed: Parsed | None = None,
    ) -> None:
        found = tuple(settings)
        self.launch = launch
        self.release = release
        self.settings = tuple([s for s in found if not s.foreign])
        self.foreign = tuple([s for s in found if s.foreign])
        self.open = open
        self.words = tuple(words)
        self.parsed = parsed
        self.merged: tuple[Word, ...] = ()
        self.by_dest: dict[str, list[Setting]] = {}
        self._choices: dict[str, dict[Choice, None]] = {}
        self._lost: frozenset[str] | None = None
        self._meant: frozenset[str] | None = None
        self._maybe: Collection[str] | None = None
        self._closed: bool | None = None
        by_dest = self.by_dest
        for setting in found:
            if setting.dest in by_dest:
                by_dest[setting.dest].append(setting)
            else:
                by_dest[setting.dest] = [setting]
            points = setting.choices()
            if points:
                self._choices.setdefault(setting.dest, {}).update(dict.fromkeys(points))

    @classmethod
    def read(cls, launch: Launch, release: Release) -> Options:
        """The options of a launch by the parser of a release."""
        keywords = launch.command.keywords
        if keywords is not None:
            return _of_keywords(launch, release, keywords)
        words = alternatives.distributed(launch.words)
        parsed = argv.parse(_for_parser(words), release)
        more = None
        if parsed.config is not None:
            from speclint.sglang import configured

            more = configured.words(launch, parsed, words, release)
        if more is not None:
            words = [*more, *words]
            parsed = argv.parse(_for_parser(words), release, merged=True)
        found = _Reader(launch, release, words, parsed).read()
        found.merged = tuple(more or ())
        return found

    def written(self, dest: str) -> tuple[Setting, ...]:
        """Every setting of an option, in whatever world, foreign ones too."""
        return tuple(self.by_dest.get(dest, ()))

    def at(self, dest: str, world: Mapping[Choice, int], foreign: bool = False) -> Setting | Unknown | None:
        """The setting that counts in a world: the last one there; None where the option is not written.

        Unknown where it is not written and the launch is open or loses it; Unsettled where the world leaves that open.
        ``foreign``: options that the release lacks count too.
        """
        for setting in reversed(self.by_dest.get(dest, ())):
            if (setting.foreign and not foreign) or (setting.keyword is not None and setting.empty):
                continue
            if not setting.guard:
                return setting
            there = setting.holds(world)
            if there is not False:
                return setting if there is True else there
        if self.open is not None:
            return Unknown(self.open)
        if dest in self.lost:
            return Unknown(lost.WHY)
        return Unknown("its name is one of several that a shortened one may be") if dest in self.meant else None

    @property
    def lost(self) -> frozenset[str]:
        """The options that stand behind the end of the command."""
        if self._lost is None:
            self._lost = lost.dests(self.launch, self.release)
        return self._lost

    @property
    def meant(self) -> frozenset[str]:
        """What the names may be that SGLang does not tell from one another."""
        if self._meant is None:
            problems = self.parsed.problems if self.parsed is not None else ()
            self._meant = _candidates(problems, self.release) if problems else _NONE
        return self._meant

    @property
    def maybe(self) -> Collection[str]:
        """The options that are written or may be meant."""
        if self._maybe is None:
            self._maybe = {*self.by_dest, *self.meant} if self.meant else self.by_dest
        return self._maybe

    @property
    def settled(self) -> bool:
        """Whether no option hangs on a choice."""
        return not self._choices

    @property
    def closed(self) -> bool:
        """Whether every option that is not among the settings is known not to be given."""
        if self._closed is None:
            self._closed = self.open is None and not self.lost
        return self._closed

    def choices(self, dest: str) -> tuple[Choice, ...]:
        """The choices that an option's value hangs on."""
        return tuple(self._choices.get(dest, ()))

    def loose(self) -> set[Word]:
        """The words of unknown number; one that an option takes for its value is no such word.

        Behind the first value of a list it is one if it may be other options as well.
        """
        opens = {self.words[at] for at in self.parsed.opens} if self.parsed is not None else set()
        taken: set[Word] = set()
        for setting in (*self.settings, *self.foreign):
            taken.update(word for at, word in enumerate(setting.words) if at < 2 or word not in opens)
        return {word for word in self.launch.words if word.many and word not in taken}

    def spelling(self, dest: str) -> str:
        """The option string that SGLang's own documentation would use."""
        return self.release.spelling(dest)


def _candidates(problems: Sequence[Problem], release: Release) -> frozenset[str]:
    found: set[str] = set()
    for problem in problems:
        if problem.candidates:
            key = release, problem.candidates
            if key not in _meant:
                options = release.options
                _meant[key] = frozenset([options[name].dest for name in problem.candidates if name in options])
            found |= _meant[key]
    return frozenset(found)


def _of_keywords(launch: Launch, release: Release, keywords: Sequence[Keyword]) -> Options:
    settings: list[Setting] = []
    unknown = None
    for keyword in keywords:
        if keyword.name is None:
            unknown = _reason(keyword.value, "more arguments may be given")
            continue
        option = _of_name(release, keyword.name, bool(launch.command.under))
        known = option or _of_name(catalog.release(catalog.newest()), keyword.name)
        settings.append(
            Setting(
                known.dest if known is not None else keyword.name.replace("-", "_"),
                keyword.name,
                keyword.name_span,
                known,
                (keyword.value,),
                keyword.span,
                keyword.guard,
                foreign=option is None,
                keyword=keyword,
            )
        )
    return Options(launch, release, settings, unknown)


# What was asked before: data of one kind has the same names again and again.
_asked: dict[tuple[Release, str, bool], Option | None] = {}


def _of_name(release: Release, name: str, parsed: bool = False) -> Option | None:
    """The option that a keyword is, or a key of a mapping, which may be any spelling of its name.

    ``parsed``: the key becomes a word for the parser, which takes the beginning of a name for the whole.
    """
    asked = (release, name, parsed)
    if asked not in _asked:
        if len(_asked) > _MOST_ASKED:
            _asked.clear()
        _asked[asked] = _looked_up(release, name, parsed)
    return _asked[asked]


def _looked_up(release: Release, name: str, parsed: bool) -> Option | None:
    string = "--" + name.replace("_", "-")
    found = release.by_dest(name.replace("-", "_")) or release.options.get(string)
    if found is None and parsed:
        meant = {id(option): option for other, option in release.options.items() if other.startswith(string)}
        found = next(iter(meant.values())) if len(meant) == 1 else None
    return found


def _for_parser(words: Sequence[Word]) -> list[argv.Word]:
    """Words as the parser takes them: what is known of their texts."""
    made = argv.Word._make
    found: list[argv.Word] = []
    for at, word in enumerate(words):
        value = word.value
        if isinstance(value, Known):
            found.append(made((value.text.text, "", word.many)))
        else:
            found.append(made((None, word.prefix, word.many and not alternatives.instead(words, at))))
    return found


class _Reader:
    """From the parser's account to settings."""

    def __init__(self, launch: Launch, release: Release, words: Sequence[Word], parsed: Parsed) -> None:
        self.launch = launch
        self.release = release
        self.words = words
        self.parsed = parsed
        self.open: str | None = None
        self.doubtful = alternatives.doubtful(words)
        self.guarded = alternatives.guarded(words)

    def read(self) -> Options:
        if self.parsed.opens:
            first = self.words[self.parsed.opens[0]]
            config = self.parsed.config is not None and self.parsed.opens[0] == self.parsed.config.index
            told = "a configuration file may set it" if config else "it may be among words that are not known"
            self.open = _reason(first.value, told)
        settings = [(use.index, self._setting(use)) for use in self.parsed.uses]
        written = len(settings)
        for problem in self.parsed.problems:
            if problem.kind in ("unknown", "ambiguous") and problem.index is not None:
                foreign = self._foreign(problem)
                if foreign is not None:
                    settings.append((problem.index, foreign))
        if len(settings) > written:  # uses are in order
            settings.sort(key=lambda pair: pair[0])
        ordered = [setting for _, setting in settings]
        return Options(self.launch, self.release, ordered, self.open, self.words, self.parsed)

    def _setting(self, use: Use) -> Setting:
        option, spelling, at, value_indices, inline, _ = use
        words = self.words
        flag = words[at]
        taken = [] if inline else [words[index] for index in value_indices]
        return setting_of(flag, spelling, taken, option, inline, False, self.guarded and self._doubtful(flag, taken))

    def _doubtful(self, flag: Word, taken: Sequence[Word]) -> bool:
        if self.doubtful and flag in self.doubtful:
            return True
        guard = flag.guard
        return bool(taken) and any(word.guard != guard for word in taken)

    def _foreign(self, problem: Problem) -> Setting | None:
        """An option that only other releases have, with its value by all appearance."""
        prefix = self.release.entrypoint.prefix
        name = "--" + problem.spelling.removeprefix(prefix)
        known = catalog.history(name) if problem.spelling.startswith(prefix) else None
        if known is None or problem.index is None:
            return None
        option = catalog.release(known.since).options[name]
        flag = self.words[problem.index]
        inline = flag.prefix.startswith(f"{problem.spelling}=")
        taken = [] if inline else [self.words[index] for index in problem.words[: most(option)]]
        return setting_of(flag, problem.spelling, taken, option, inline, True, self._doubtful(flag, taken))


def _reason(value: Value, otherwise: str) -> str:
    return value.reason if isinstance(value, Unknown) else otherwise
