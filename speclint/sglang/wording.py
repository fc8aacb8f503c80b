"""An option as the words of a launch write it: which of their characters are its name, and which its value."""

from __future__ import annotations

from speclint.sglang.setting import Setting
from speclint.text import Span
from speclint.value import Known, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.sglang.catalog import Option
    from speclint.value import Value
    from speclint.words import Word

_SHOWN = 12


def setting_of(
    flag: Word,
    spelling: str,
    taken: Sequence[Word],
    option: Option | None,
    inline: bool = False,
    foreign: bool = False,
    doubtful: bool = False,
) -> Setting:
    """The option that a word begins, with the words that are its values; none is ``taken`` where one is ``inline``.

    ``doubtful``: the words are not always there together, so that the values are not known.
    """
    size = len(spelling) + 1
    values: list[Value] = [word.value for word in taken]
    if inline:
        values = [] if option is not None and option.nargs == 0 else [_without(flag.value, size)]
    elif doubtful:
        values = [Unknown("its words are not always there together")]
    return Setting(
        option.dest if option is not None else spelling.lstrip("-").replace("-", "_"),
        spelling,
        _head(flag, len(spelling)) if inline else flag.span if spelling else None,
        option,
        values,
        _tail(flag, size) if inline else _cover(taken),
        flag.guard,
        inline,
        foreign,
        [flag] if inline or not spelling else [flag, *taken],
    )


def most(option: Option) -> int | None:
    """How many values an option takes at most."""
    return option.nargs if isinstance(option.nargs, int) else 1 if option.nargs in (None, "?") else None


def _without(value: Value, size: int) -> Value:
    """The value without the ``size`` characters that it is known to begin with."""
    if isinstance(value, Known):
        return Known(value.text[size:], value.steps)
    if isinstance(value, Unknown):
        prefix = value.prefix[size:] if value.prefix is not None else None
        return Unknown(value.reason, prefix, value.steps, value.place)
    parts = value.parts if hasattr(value, "parts") else ()
    if parts and isinstance(parts[0], Known) and len(parts[0].text) >= size:
        return join([_without(parts[0], size), *parts[1:]])
    return Unknown("it is not told apart from its option")


def _tail(word: Word, size: int) -> Span | None:
    """The place of a word but its first ``size`` characters, which are written as they are."""
    span = word.span
    if span is None:
        return None
    value = word.value
    if isinstance(value, Known):
        place = value.text.place(size)
        if place is not None and place.file is span.file and span.start <= place.start and place.end <= span.end:
            return place
    at = span.text.find(word.prefix[:size])
    if at < 0:
        return span
    quoted = at > 0 and span.text[at - 1] == span.text[-1]
    return Span(span.file, span.start + at + size, span.end - (1 if quoted else 0))


def _head(word: Word, size: int) -> Span | None:
    """The place of the first ``size`` characters of a word."""
    span = word.span
    if span is None:
        return None
    at = span.text.find(word.prefix[:size])
    return span if at < 0 else Span(span.file, span.start + at, span.start + at + size)


def _cover(words: Sequence[Word]) -> Span | None:
    """The place from the first to the last of some words."""
    if len(words) == 1:
        return words[0].span
    spans = [word.span for word in words if word.span is not None]
    return spans[0].to(spans[-1]) if spans else None


def few(texts: Iterable[str]) -> str:
    """Texts for a message, no more than anybody reads: a letter alone may be short for a hundred options."""
    shown = list(texts)
    return ", ".join(shown if len(shown) <= _SHOWN else [*shown[:_SHOWN], "…"])
