"""Every intent at every option of a launch, with the words that the launch should have afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from judges import NEW_NAMES

from speclint.fix import intent as make
from speclint.fix.place import whole
from speclint.value import Known, Unknown
from speclint.worlds import choices, resolve, worlds

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.finding import Fix
    from speclint.launch import Launch
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting
    from speclint.value import Value
    from speclint.words import Keyword, Word

NEW_VALUE, QUOTED = "77", '{"zz": "7 8"}'
INTENTS = ("set", "set quoted", "rename", "remove", "add", "split", "replace")
Shape = tuple["str | None", bool]


class Trial(NamedTuple):
    """One intent at one option: the ``fixes`` offered, the best first, and the shapes of the words to be seen then.

    ``expected`` is None where the words cannot be told in advance; ``context`` says how the option is written. ``new``
    is the name that an option is given: one that there is, since some launches are told by the options that they name.
    """

    intent: str
    context: str
    fixes: tuple[Fix, ...]
    expected: list[Shape] | None
    place: int
    new: str


def trials(options: Options) -> Iterator[Trial]:
    """Every intent that makes sense, option by option."""
    launch = options.launch
    for setting in options.settings:
        if setting.flag_span is None or setting.flag_span.file is not launch.file:
            continue
        context = f"{launch.command.host}: {written(setting)}"
        for intent, fixes, words in _intents(options, setting):
            expected = None if launch.command.keywords is not None else _expected(launch, setting, words, intent)
            if launch.command.keywords is not None:
                expected = _expected_keywords(launch, setting, words, intent)
            yield Trial(intent, context, make.settle(fixes, launch), expected, setting.flag_span.start, _new(options))


def _intents(options: Options, setting: Setting) -> Iterator[tuple[str, Sequence[Fix], list[str]]]:
    """Intent, fixes, and the words that stand where the option stood."""
    flag, values, new = setting.flag, list(setting.values), _new(options)
    key = setting.keyword is not None
    if values and len(values) == 1:
        for intent, text in (("set", NEW_VALUE), ("set quoted", QUOTED)):
            words = [f"{flag}={text}"] if setting.inline else [flag, text]
            yield intent, make.set_value(setting, text, intent), words
    if len(values) > 1:
        yield "set several", make.set_value(setting, f"{NEW_VALUE} 78", "set"), [flag, NEW_VALUE, "78"]
    yield "rename", make.rename_option(setting, new, "rename"), [new]
    yield "remove", make.remove_option(setting, "remove"), []
    added = make.add_option(options, new if key else f"{flag}-zz", NEW_VALUE, "add")
    yield "add", added, [f"{flag}-zz", NEW_VALUE]
    if not values:
        made = make.replace_option(setting, [new, NEW_VALUE], "replace")
        yield "replace", made, [new, NEW_VALUE]
    span = setting.words[0].span if setting.words and not setting.inline else None
    if span is not None and flag in span.text:
        made = make.split_word(setting.words[0], [new, NEW_VALUE], "split")
        yield "split", made, [new, NEW_VALUE]


def _new(options: Options) -> str:
    """An option that a launch does not have."""
    name = next(n for n in NEW_NAMES if not options.written(n.replace("-", "_")))
    return (options.release.entrypoint.prefix or "--") + name


# -- what should be seen afterwards


def shapes(launch: Launch) -> list[Shape]:
    """The words, or the keywords with their values, as far as they are certain."""
    if launch.command.keywords is None:
        return [_shape(word) for word in launch.words]
    return sorted((item for k in launch.command.keywords for item in ((k.name, bool(k.guard)), _shape(k))), key=repr)


def _shape(item: Word | Keyword) -> Shape:
    return (_text(item.value), bool(item.guard))


def _text(value: Value) -> str | None:
    """The text, or all texts that it can be, or what it begins with."""
    if isinstance(value, Known):
        return value.text.text
    ways = worlds(choices(value))
    if ways is None:
        return None
    found = [resolve(value, way) for way in ways]
    return " | ".join(sorted({got.text.text if isinstance(got, Known) else _beginning(got) for got in found}))


def _beginning(value: Unknown) -> str:
    return f"{value.prefix.text if value.prefix is not None else ''}…"


def _expected(launch: Launch, setting: Setting, words: list[str], intent: str) -> list[Shape] | None:
    places = [i for i, word in enumerate(launch.words) if any(word is own for own in setting.words)]
    if len(places) != len(setting.words) or places != list(range(places[0], places[-1] + 1)):
        return None
    before = shapes(launch)
    start, end = places[0], places[-1] + 1
    old = before[start:end]
    if setting.guard or not all(isinstance(word.value, Known) for word in setting.words):
        return None
    if intent == "add" or ("set" in intent and "elsewhere" in _site(setting)):
        return None
    if intent == "rename":
        new = old[:]
        new[0] = (words[0] + (old[0][0] or "")[len(setting.flag) :], False)
    elif intent == "split":
        new = [*((word, False) for word in words), *old[1:]]
    else:
        new = [(word, False) for word in words]
    return [*before[:start], *new, *before[end:]]


def _expected_keywords(launch: Launch, setting: Setting, words: list[str], intent: str) -> list[Shape] | None:
    keyword = setting.keyword
    if keyword is None or keyword.guard or intent == "add" or not isinstance(keyword.value, Known):
        return None
    pairs = [((k.name, bool(k.guard)), _shape(k)) for k in launch.command.keywords or () if k is not keyword]
    dashed = "-" in keyword.name_span.text
    name = words[0].lstrip("-") if words else ""
    name = name if dashed else name.replace("-", "_")
    if intent.startswith("set"):
        pairs.append(((keyword.name, False), (words[-1].rpartition("=")[2] if setting.inline else words[-1], False)))
    elif intent == "rename":
        pairs.append(((name, False), _shape(keyword)))
    return sorted((item for pair in pairs for item in pair), key=repr)


# -- how it is written


def written(setting: Setting) -> str:
    """The context of an option, for counting: layout, quotes, and whether its value stands elsewhere."""
    if setting.keyword is not None:
        first = setting.keyword.name_span
        quote = first.file.text[first.start - 1 : first.start]
        return f"keyword {'entry' if quote in chr(34) + chr(39) and quote else 'argument'}{_site(setting)}"
    layout = whole(setting)
    if layout is None:
        return "no layout"
    parts = [layout.language, layout.kind]
    if setting.inline:
        parts.append("--a=b")
    word = setting.words[-1]
    if word.span is not None and word.span.text[:1] in "'\"":
        parts.append(word.span.text[:1])
    if setting.guard:
        parts.append("guarded")
    return " ".join(parts) + _site(setting)


def _site(setting: Setting) -> str:
    from speclint.fix.origin import within

    value = setting.value
    if value is None:
        return ", switch"
    if not isinstance(value, Known):
        return f", {type(value).__name__.lower()}"
    place = setting.value_span
    return "" if place is not None and within(value.text, place) else ", set elsewhere"
