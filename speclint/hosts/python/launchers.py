"""Which objects of a module are commands, and the words that they have."""

from __future__ import annotations

from speclint.hosts.python.facts import plain
from speclint.hosts.python.forks import STARTS, flat, told_apart
from speclint.hosts.python.values import Alt, Entry, Map, Seq, Text, known, value_of
from speclint.launch import MODULES, end_of
from speclint.lean import pattern, re
from speclint.text import Mapped
from speclint.value import Definition, Known, OneOf, Step, Unknown, as_mapped, as_value, with_step
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.text import Span
    from speclint.value import Value

# So deep in lists and dictionaries is looked for a launcher: manifests hold it there, and pages with commands for each
# model, for each kind of hardware, for each way to run it.
_MAX_DEPTH = 8
# Options of SGLang among those of another program.
PREFIXED = pattern(r"\s*--[\w-]+[\s=](?:[^\n]*\s)?--sglang-[a-z]|\s*--sglang-[a-z]", re.DOTALL)
_OPTION = pattern(r"(?<![\s\\])[\s\\]+(?:--?[a-zA-Z]|\ufffc)")
# A line of prose rather than a command: "Run: python …".
_PROSE = pattern(r"\s*(?:[A-Z][a-z]+\b|[#>*`'\"(<\d]|-\s|[a-z]+:\s|.*:\s*\n)")
# What a script may begin with and prose, under a heading, too.
_COMMENTS = pattern(r"(?:[ \t]*(?:#[^\n]*)?\n)*")
# What a shell is told to run text by.
_COMMAND = pattern(r"-[a-z]*c\Z")
# A word that redirects what a command writes, or ends it: only a shell reads it so.
_SIGN = pattern(r"(?:\d|&)?>|(?:&&?|\|\|?|;)(?!\S)")


def mentions(m: Machine, obj: Obj, depth: int = 0) -> bool:
    """Whether an object holds the name of a launcher."""
    if isinstance(obj, Alt):
        return any(mentions(m, arm, depth + 1) for arm in obj.arms) if depth < 6 else False
    if isinstance(obj, (Seq, Map)):
        items = m.state.items(obj)
        if isinstance(obj, Seq) and m.launches.begin(items):
            return True
        return depth < _MAX_DEPTH and any(mentions(m, item.obj, depth + 1) for item in items)
    if not isinstance(obj, Text) or obj.kind != "str":
        return False
    text = flat(obj.value)
    if STARTS.search(text) is not None or PREFIXED.match(text) is not None:
        return True
    return any(STARTS.search(each) for each in told_apart(obj.value, text))


def is_start(items: Sequence[Item]) -> bool:
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


def is_script(obj: Obj) -> bool:
    """Whether an object is shell text with a launch in it, rather than text about one."""
    if not isinstance(obj, (Text, Alt)) or (isinstance(obj, Text) and obj.kind != "str"):
        return False
    text = flat(obj.value)
    return _is_script_text(text) or any(map(_is_script_text, told_apart(obj.value, text)))


def _is_script_text(text: str) -> bool:
    if PREFIXED.match(text):
        return True
    # Of alternatives only the last one stands before what follows.
    if not any(_OPTION.match(text, found.end()) for found in STARTS.finditer(text)):
        return False
    begins = _COMMENTS.match(text)
    return not _PROSE.match(text, begins.end() if begins is not None else 0)


def command_words(m: Machine, obj: Obj, span: Span | None) -> list[Word]:
    """The words of a command: those of a list, or a shell that runs a text."""
    items = held_by(m, obj, span)
    return script_of(obj, span) if items is None else _words(items)


def held_by(m: Machine, obj: Obj, span: Span | None = None) -> Sequence[Item] | None:
    """The elements of a command that is a list; None of any other."""
    if isinstance(obj, Seq):
        return m.state.items(obj)
    return m.items(obj, span) if isinstance(obj, Alt) and m.containers(obj, Seq) else None


def _words(items: Sequence[Item]) -> list[Word]:
    return [Word(item.value, item.span, item.guard, item.many) for item in items]


def line_of(items: Sequence[Item]) -> list[Word]:
    """The words of a list that is kept for others to run: the line of a shell, if any of them is for one to read."""
    if not any(_SIGN.match(plain(item.obj) or "") for item in items):
        return _words(items)
    from speclint.hosts.python.commands import joined

    return script_of(joined(known(" ", None), items), items[0].span)


def script_of(obj: Obj, span: Span | None) -> list[Word]:
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


def filled_in(words: Sequence[Word]) -> list[Word] | None:
    """The words of a shell that runs a text which a template makes; None where its text is none."""
    if len(words) < 3 or not _COMMAND.match(words[-2].text or "") or isinstance(words[-1].value, OneOf):
        return None
    text = as_mapped(words[-1].value)
    if "{{" not in text.text and "{%" not in text.text:
        return None
    from speclint.hosts.shell import filled

    found = filled.template(text)
    return None if found is None else [*words[:-1], Word(as_value(found), words[-1].span, words[-1].guard)]


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
    return (all(lists) and all(is_start(m.items(arm, None)) for arm in obj.arms)) or not any(lists)


def is_mixed(m: Machine, obj: Obj) -> bool:
    """Whether some alternatives are command lists of other programs."""
    arms = [m.items(arm, None) for arm in obj.arms if m.containers(arm, Seq)] if isinstance(obj, Alt) else []
    return any(items and not is_start(items) for items in arms)
