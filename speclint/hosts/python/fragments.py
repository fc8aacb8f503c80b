"""Options that a module only lists, for code elsewhere to start a server with: lists of flags, dictionaries of options.

Whose options they are is not decided here: each comes with the names that it stands under.
"""

from __future__ import annotations

from bisect import bisect_left

from speclint import marked
from speclint.hosts.python import written
from speclint.hosts.python.facts import plain
from speclint.hosts.python.launchers import environment
from speclint.hosts.python.starts import PORT, literal_kind
from speclint.hosts.python.triggers import every
from speclint.hosts.python.values import Entry, Seq
from speclint.lean import pattern
from speclint.words import Command, Keyword, Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterable, Iterator, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Map
    from speclint.text import Span

_LINE = pattern(r"\n([ \t]*)[^\s)]")
_RETURN = pattern(r"\breturn\b[^\n]*[{(]")
_NAME = pattern(r"(?:--)?[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)*")
# Calls that take options apart, compare, show or imitate them, and those that run another program.
_TAKES = pattern(
    r"(?:\*|_?parse\w*|prepare_server_args|from_cli_args|assert\w*|parametrize|print|join|add_argument|patch\w*|type|run|popen"
    r"|(?:check_)?(?:call|output)|exec\w*|simplenamespace|\w*mock|namespace|_?response|_normalize\w*|declare\w*)\(\)"
)
_LISTS = pattern(r"(?:.*_)?(?:args?|argv|arguments|flags|options|opts|params|parameters|overrides)\d*")
# What a name of options begins with.
NAMES = ("sglang", "sgl", "engine", "server", "launch", "runtime", "llm")
_ENGINE = r"_(?:\w+_)?(?:args|kwargs|params|options|config|cfg|overrides|settings|opts|flags)"
_MAPS = pattern(rf"(?:.*_)?(?:{'|'.join(NAMES)}){_ENGINE}")
# How such a name stands where something is set: to a display, or to what a function of the module gives. An expression
# that begins with a word is ten times as fast as one that begins with any of them.
_ROLE = (
    r"(?:(?:[\"']?\s{0,9}\]?\s{0,9}(?::(?:[^=\n(){}\[\],]|\[[^\n=\]]{0,200}\]){0,200})?=(?!=)|[\"']\s*:)\s*"
    r"(?:await\s+)?(?P<value>[\w.]*)(?![\w.])[ \t]*(?P<next>.|\n|\Z)|\s*\()"
)
_NAMED = (
    *(pattern(rf"{word}(?<![^\W_]{word}){_ENGINE}{_ROLE}") for word in NAMES),
    pattern(rf"(?:{marked.OURS})(?<![^\W_]sglang){_ROLE}"),
)
_DEF = pattern(r"\bdef\s+\w*$")
# So far is looked back for the start of a line, and ahead for the end of a function.
_BEFORE, _AHEAD = 200, 20_000
# So many names are looked at; a module with more of them is followed.
_MANY = 400
_IMPORTS = pattern(r"[ \t]*(?:from|import)[ \t]+sglang\b(?!\.multimodal_gen)")
_PORT = pattern(rf"[ \t]*(?:from|import)[ \t]+{PORT}\b")


def names_options(text: str) -> bool:
    """Whether a dictionary may stand under a name that tells that it holds options."""
    return any(True for _ in _set_names(text))


def option_places(text: str) -> list[int] | None:
    """Where options may stand that a module lists, or names that they stand under; None where there are too many."""
    names = list(_set_names(text))
    return None if None in names else [*names, *every(text, '"--'), *every(text, "'--")]  # type: ignore[list-item]


def _set_names(text: str) -> Iterator[int | None]:
    """Where a dictionary may stand under a name that tells that it holds options; None where there are too many."""
    lower = text.lower()
    for expression in _NAMED:
        for number, match in enumerate(expression.finditer(lower)):
            if number == _MANY:
                yield None
            if number >= _MANY or _is_set(lower, match):
                yield match.start()


def _is_set(text: str, match: re.Match[str]) -> bool:
    value, follows = match.group("value", "next")
    if follows is None:  # called, unless it is defined there
        least = max(match.start() - _BEFORE, 0)
        line = text[max(text.rfind("\n", least, match.start()) + 1, least) : match.start()]
        return _DEF.search(line) is not None and _returns(text, match.start() - len(line.lstrip()))
    if follows in "\"'" or (value and "\n" in match.group()[: match.start("value") - match.start()]):
        return False  # text, or the block of an `if` that asks for the name
    if not value or follows not in "(,)}\n#":
        return True  # a display, an alternative, or a name that something is added to
    return follows == "(" and (value == "dict" or f"def {value.rpartition('.')[2]}(" in text)


def _returns(text: str, start: int) -> bool:
    """Whether the function that is defined at a place may return a dictionary that it makes there."""
    lead = start - max(text.rfind("\n", max(start - _BEFORE, 0), start), start - _BEFORE) - 1
    lines = _LINE.finditer(text, start, start + _AHEAD)
    stop = next((line.start() for line in lines if len(line[1]) <= lead), start + _AHEAD)
    return _RETURN.search(text, start, stop) is not None


def imports_sglang(text: str) -> bool | None:
    """Whether a module imports SGLang; None for one of its port, whose options are others."""
    if _begins(text, "sglang", _IMPORTS):
        return True
    return None if _begins(text, PORT, _PORT) else False


def _begins(text: str, word: str, expression: re.Pattern[str]) -> bool:
    """Whether a line in which a word stands begins as an expression says."""
    for at in every(text, word):
        least = max(at - _BEFORE, 0)
        if expression.match(text, max(text.rfind("\n", least, at) + 1, least)):
            return True
    return False


def is_list_name(name: str) -> bool:
    """Whether a tuple of that name may hold options."""
    return _LISTS.fullmatch(name.lower()) is not None


def is_map_name(name: str) -> bool:
    """Whether a dictionary of that name may hold options."""
    return _MAPS.fullmatch(name.lower()) is not None


def is_key(key: str) -> bool:
    """Whether a key of a dictionary may be the name of an option."""
    return _NAME.fullmatch(key) is not None


def takes(called: str) -> bool:
    """Whether what a function of that name is given are no options to keep."""
    return _TAKES.fullmatch(f"{called}()") is not None


class Fragments:
    """The lists and dictionaries met so far that may hold options, with the names that they stand under."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        # The names of what is being evaluated: `x` of `x = …` and of `f(x=…)`, `f()` of `f(…)`, the key of an entry.
        self.names: list[str] = []
        self.found: list[tuple[Seq | Map, Span, tuple[str, ...]]] = []

    def note(self, container: Seq | Map, span: Span) -> None:
        """Note what is written at ``span``, if it may hold options."""
        m = self.machine
        if not m.record or any(_TAKES.fullmatch(name) for name in self.names):
            return
        items = m.state.items(container)
        if isinstance(container, Seq):
            if container.kind == "set" or (container.kind == "tuple" and not _LISTS.fullmatch(_named(self.names))):
                return
            wanted = any((plain(item.obj) or "").startswith("--") for item in items)
        else:
            wanted = any(isinstance(item, Entry) and item.key is not None for item in items)
        if wanted:
            self.found.append((container, span, tuple(name.lower() for name in self.names)))

    def made(self, name: str, entries: Sequence[Item], span: Span) -> None:
        """Note the options that a class named ``name`` is called with at ``span``; a mapping of them may be any."""
        m = self.machine
        here = any(e.key_span and span.start <= e.key_span.start < span.end for e in entries if isinstance(e, Entry))
        if m.record and here and not any(_TAKES.fullmatch(outer) for outer in self.names):
            names = (*self.names, name)
            self.found.append((m.state.new_map(entries), span, tuple(each.lower() for each in names)))

    def commands(self, launched: Iterable[Command]) -> Iterator[Command]:
        """What no launch of the module was given."""
        if not self.found:
            return
        m = self.machine
        imports = imports_sglang(m.source.text.text)
        if imports is None:
            return
        used = sorted(_starts(launched))
        last = -1
        for container, span, names in sorted(self.found, key=lambda one: (one[1].start, -one[1].end)):
            at = bisect_left(used, span.start)
            if span.start < last or (at < len(used) and used[at] < span.end):
                continue
            command = self._command(container, span, m.state.items(container))
            if command is None:
                continue
            command.under = (_told(imports, container, names), *names)
            if isinstance(container, Seq):
                last = span.end
            yield command

    def _command(self, container: Seq | Map, span: Span, items: Sequence[Item]) -> Command | None:
        m = self.machine
        keywords: list[Keyword] | None = None
        words: list[Word] = []
        if isinstance(container, Seq):
            if not items or (plain(items[0].obj) or "-")[:1] != "-":
                return None  # the words of some program
            words = [Word(i.value, i.span or span, i.guard, i.many) for i in items]
        else:
            keywords = list(_keywords(items, span))
            if not keywords:
                return None
        base = m.base
        env = {**base.env, **environment(m, m.environ)}
        return Command(words, span, base.host, env, base.object, base.image, keywords, base.fixable, base.run)


def _named(names: Sequence[str]) -> str:
    """The nearest name that is none of a call."""
    return next((name.lower() for name in reversed(names) if not name.endswith("()")), "")


def _told(imports: bool, container: Seq | Map, names: Sequence[str]) -> str:
    """What the module and the name that something stands under say of whose options it holds."""
    name = _named(names)
    if isinstance(container, Seq):
        return ("import sglang" if _LISTS.fullmatch(name) else "about sglang") if imports else "names sglang"
    return ("about sglang" if imports else "names sglang") if _MAPS.fullmatch(name) else ""


def _keywords(items: Sequence[Item], span: Span) -> Iterator[Keyword]:
    for item in items:
        key = plain(item.key) if isinstance(item, Entry) and item.key is not None else None
        kind = literal_kind(item.obj)
        if isinstance(item, Entry) and key is not None and _NAME.fullmatch(key) and kind != "dict":
            where = item.span or span
            yield Keyword(key.removeprefix("--"), item.key_span or where, item.value, where, kind, item.guard)


def _starts(launched: Iterable[Command]) -> list[int]:
    """Where the characters stand that launches were given."""
    found: list[int] = []
    for command in launched:
        given: list[Word | Keyword] = [*command.words, *(command.keywords or ())]
        found += [item.span.start for item in given if item.span is not None]
        found += [span.start for item in given for span in written.spans(item.value)]
    return found
