"""The options of every SGLang release, from ``data/catalog.json``, which ``tools/catalog.py`` reads off the wheels."""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import stored
from speclint.sglang._store import Option, Options, Store

__all__ = (
    "Entrypoint", "History", "Option", "Release", "Replacement", "choice_history", "entrypoint", "history", "known",
    "newest", "number", "release", "replacement",
)  # fmt: skip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, Literal

    from speclint.sglang._argv_match import Match
    from speclint.sglang.resolve import Derived


class Entrypoint(NamedTuple):
    """Which parser reads a launch.

    ``programs``: the option tables that it is made of. ``prefix``: what stands before each of SGLang's option names
    (``--sglang-``). ``foreign``: the program has options that are not known here, so an unknown one is its own.
    """

    name: str
    programs: tuple[str, ...] = ("server",)
    prefix: str = "--"
    foreign: bool = False


class Replacement(NamedTuple):
    """What takes an option's place: command-line words, None where the option is just to be dropped.

    ``kind``: safe (same meaning; the value stays unless the words bring one or the new option is a switch), value (a
    person or a rule has to find the value), review (another meaning), drop.
    """

    words: str | None
    kind: str


class History(NamedTuple):
    """When an option was there: releases, ``removed`` being the first one without it, None while it is there."""

    since: str
    removed: str | None
    deprecated_since: str | None


class Release:
    """What one release accepts at one entry point. ``options`` has every option string, in the parser's order.

    ``matches``: what the parser makes of words that it was asked about, see ``_argv_match``; ``usual``: what SGLang
    derives where nothing of what counts is written, see ``blank``.
    """

    __slots__ = (
        "_by_dest", "_spellings", "_table", "entrypoint", "features", "matches", "options", "positionals", "usual",
        "version",
    )  # fmt: skip

    def __init__(
        self, version: str, entrypoint: Entrypoint, options: Options, positionals: tuple[Option, ...],
        features: frozenset[str], table: Callable[[str], frozenset[str]],
    ) -> None:  # fmt: skip
        self.version = version
        self.entrypoint = entrypoint
        self.options = options
        self.positionals = positionals
        self.features = features
        self._table = table
        self._by_dest: dict[str, Option | None] = {}
        self.matches: dict[str, Match | None] = {}
        self.usual: dict[str, tuple[frozenset[str], Derived] | Literal[False] | None] = {}
        self._spellings: dict[str, str] = {}

    def by_dest(self, dest: str) -> Option | None:
        """The option that sets a destination (``tp_size``); of several, the one that is not deprecated."""
        if dest not in self._by_dest:
            self._by_dest[dest] = self._of_dest(dest)
        return self._by_dest[dest]

    def _of_dest(self, dest: str) -> Option | None:
        usual = self.options.get(self.entrypoint.prefix + dest.replace("_", "-"))
        if usual is not None and usual.dest == dest and not usual.deprecated:
            return usual
        found: Option | None = None
        for string in self.options.of_dest(dest):
            option = self.options[string]
            if found is None or (found.deprecated and not option.deprecated):
                found = option
        return found

    def spelling(self, dest: str) -> str:
        """The option string of a destination that SGLang's own documentation would use."""
        known = self._spellings.get(dest)
        if known is None:
            option = self.by_dest(dest) or release(newest()).by_dest(dest)
            strings = option.strings if option is not None else ()
            usual = next((string for string in strings if string.startswith("--")), None)
            known = usual or (strings[0] if strings else f"--{dest.replace('_', '-')}")
            self._spellings[dest] = known
        return known

    def default(self, dest: str) -> Any:
        """The parser's default for a destination, before SGLang derives anything; None where there is none."""
        option = self.by_dest(dest)
        return None if option is None else option.default

    def has_field(self, name: str) -> bool:
        """Whether a keyword argument of this name is one of ``ServerArgs``, with or without an option that sets it."""
        if name in self._table("fields"):
            return True
        return self.by_dest(name) is not None and name not in self._table("not_fields")

    def unique(self) -> Iterator[Option]:
        """Every option once."""
        seen: set[int] = set()
        for option in self.options.values():
            if id(option) not in seen:
                seen.add(id(option))
                yield option

    def was_known(self, spelling: str) -> bool:
        """Whether any release's server accepts an option that is spelled like this at this entry point."""
        return bool(_loaded().spans("--" + spelling.removeprefix(self.entrypoint.prefix)))

    def is_diffusion_option(self, spelling: str) -> bool:
        """Whether only the parser for diffusion models, to which ``sglang serve`` may turn, knows this option.

        It takes ``--NAME-path`` for every component of a model (0.5.23 multimodal_gen/runtime/server_args:3508).
        """
        if spelling in self.options or "serve" not in self.entrypoint.programs or not self._table("diffusion"):
            return False
        component = "." in spelling or (spelling.endswith("-path") and not self.was_known(spelling))
        return component or spelling in self._table("diffusion")

    def shared_with_diffusion(self, spelling: str) -> bool:
        """Whether the parser for diffusion models, to which ``sglang serve`` may turn, has an option of this name."""
        return "serve" in self.entrypoint.programs and spelling in self._table("diffusion")


_BENCHES = {
    f"sglang.{alias}": program
    for program, aliases in (
        ("sglang.bench_one_batch", ("bench_one_batch", "benchmark.one_batch")),
        ("sglang.bench_one_batch_server", ("bench_one_batch_server", "benchmark.one_batch_server")),
        ("sglang.bench_offline_throughput", ("bench_offline_throughput", "benchmark.offline_throughput")),
        ("sglang.compile_deep_gemm", ("compile_deep_gemm",)),
    )
    for alias in aliases
}
_SERVE = ("sglang serve", "sglang.serve", "sglang_serve", "sglang.cli.main")
_PLAIN = ("sglang.launch_server", "sglang.Engine", "sglang.ServerArgs", "sglang.Runtime", "sglang.srt.server_args")
_PREFIXED = ("slime", "prefixed", "--sglang-")


def entrypoint(name: str) -> Entrypoint:
    """What is known of an entry point; one that is not known is taken for a wrapper with options of its own."""
    if name in _PLAIN:
        return Entrypoint(name)
    if name in _SERVE:
        return Entrypoint(name, ("server", "serve"))
    if name in _BENCHES:
        return Entrypoint(name, ("server", _BENCHES[name]))
    if name in _PREFIXED:
        return Entrypoint(name, prefix="--sglang-", foreign=True)
    return Entrypoint(name, foreign=True)


_store: Store | None = None
_releases: dict[tuple[int, str], Release] = {}
_replaced: dict[str, list[tuple[str | None, str]]] = {}
# Of options that some release has, in so many releases.
_replacements: dict[tuple[str, str], Replacement | None] = {}
_histories: dict[str, History] = {}


def _loaded() -> Store:
    global _store
    if _store is None:
        _store = Store()
    return _store


def known() -> tuple[str, ...]:
    """Every release in the catalogue, oldest first, candidates and post releases included."""
    return _loaded().releases


def newest() -> str:
    """The newest release in the catalogue."""
    return _loaded().releases[-1]


def number(version: str) -> int:
    """The place of a release among those known, as ``release`` finds it. Raises ValueError."""
    return _loaded().index(version)


def release(version: str, entrypoint: str = "sglang.launch_server") -> Release:
    """What a release accepts at an entry point: the newest known one not newer than ``version``.

    A version before the first known release gives the first. Raises ValueError where ``version`` is no version.
    """
    store = _loaded()
    at = store.index(version)
    if (at, entrypoint) not in _releases:
        _releases[at, entrypoint] = _build(store, at, entrypoint)
    return _releases[at, entrypoint]


def history(option_string: str) -> History | None:
    """When an option string was accepted by the server's parser; None for one that never was."""
    known = _histories.get(option_string)
    if known is None:
        known = _history(option_string)
        if known is not None:
            _histories[option_string] = known
    return known


def _history(option_string: str) -> History | None:
    spans = _loaded().spans(option_string)
    if not spans:
        return None
    store = _loaded()
    removed = spans[-1][1]
    deprecated = [at for start, end, option in spans if option.deprecated for at in range(start, end)]
    return History(
        store.releases[spans[0][0]],
        None if removed == len(store.releases) else store.releases[removed],
        store.releases[min(deprecated)] if deprecated else None,
    )


def choice_history(option_string: str, choice: str) -> History | None:
    """When an option accepted a value that is, or was, in its choices; None where it never was listed."""
    store = _loaded()
    spans = [(start, end) for start, end, option in store.spans(option_string) if choice in (option.choices or ())]
    if not spans:
        return None
    removed = spans[-1][1]
    return History(
        store.releases[spans[0][0]], None if removed == len(store.releases) else store.releases[removed], None
    )


def replacement(option_string: str, version: str) -> Replacement | None:
    """What to write instead of a deprecated or removed option for a release; None where nothing is known."""
    asked = (option_string, version)
    if asked not in _replacements:
        _replacements[asked] = _replacement(option_string, release(version))
    return _replacements[asked]


def becomes(option_string: str, name: str) -> bool:
    """Whether an option of that name takes the place of a deprecated or removed one in some release."""
    return any(words is not None and words.split(" ")[0] == name for words, _ in _replacing(option_string))


def _replacing(option_string: str) -> list[tuple[str | None, str]]:
    if not _replaced:
        _replaced.update(stored.read("replaced"))
    return _replaced.get(option_string, [])


def _replacement(option_string: str, at: Release) -> Replacement | None:
    for words, kind in _replacing(option_string):
        if words is None or all_known(at, words):
            return Replacement(words, kind)
    option = at.options.get(option_string)
    if option is not None and option.replacement and all_known(at, option.replacement.replace("=", " ")):
        return Replacement(option.replacement.replace("=", " "), "review")
    return None


def spellings() -> tuple[str, ...]:
    """The first option string of every option that any release's server accepts."""
    return _loaded().spellings()


def all_known(at: Release, words: str) -> bool:
    """Whether a release accepts every option in some words, and the values that they bring."""
    option = None
    for word in words.split(" "):
        if word.startswith("--"):
            option = at.options.get(word)
            if option is None or option.deprecated is not None:
                return False
        elif option is not None and option.choices is not None and word not in option.choices:
            return False
    return True


def _build(store: Store, at: int, name: str) -> Release:
    point = entrypoint(name)
    features = frozenset(feature for feature, edges in store.features.items() if sum(edge <= at for edge in edges) % 2)
    options = Options(store, point.prefix)
    for program in point.programs:
        options.add_table(program, at)
    positionals: tuple[Option, ...] = ()
    if "serve" in point.programs and "serve-model-type" in features:
        options.add(Option(("--model-type",), "model_type", "model_type", "str", default="auto"))
    if "serve" in point.programs and "serve-positional" in features:
        positionals = (Option((), "model_path", type="str"),)
    return Release(store.releases[at], point, options, positionals, features, lambda table: store.names(table, at))
