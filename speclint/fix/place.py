"""How an option of a launch lies in the file: the layout around its words, or around its keyword."""

from __future__ import annotations

from speclint.fix import origin
from speclint.fix.entry import of as entry_of
from speclint.fix.entry import value_of
from speclint.fix.layout import Layout, language
from speclint.lean import pattern
from speclint.text import Span
from speclint.value import Joined, Known, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.fix.entry import Entry
    from speclint.fix.frame import Frame
    from speclint.sglang.setting import Setting
    from speclint.words import Keyword, Word

QUOTES = "\"'"
_FIELD_END = pattern(r"(?:![rsa])?(?::[^{}\r\n]*)?\}")


def whole(setting: Setting) -> Layout | None:
    """The layout of an option with its values."""
    if setting.keyword is not None:
        found, frame = entry_at(setting.keyword)
        if found is None:
            return None
        return Layout([Span(found.name.file, found.start, found.end)], found.language, found, frame)
    spans = [word.span for word in setting.words if word.span is not None]
    if not spans or len(spans) < len(setting.words) or any(span.file is not spans[0].file for span in spans):
        return None
    return None if any(_of_config(word) for word in setting.words) else layout_of(spans)


def _of_config(word: Word) -> bool:
    """Whether a word was made of a key of the file that ``--config`` names, where it stands without dashes."""
    return word.span is not None and word.text == f"--{word.span.text.strip(QUOTES)}"


def flag_of(setting: Setting) -> tuple[Word | None, Known | None]:
    """The word of the flag and the part of it that is the flag."""
    word = setting.words[0] if setting.words else None
    if word is None or not word.prefix.startswith(setting.flag):
        return None, None
    value = word.value
    first = value.parts[0] if isinstance(value, Joined) else value
    if isinstance(first, Known):
        return word, first
    if isinstance(first, Unknown) and first.prefix is not None:
        return word, Known(first.prefix, first.steps)
    return word, None


def entry_at(keyword: Keyword) -> tuple[Entry | None, Frame | None]:
    """How a keyword is written, and the text with escapes that it stands in, if any."""
    name, frame = origin.framed(keyword.name_span)
    value, _ = origin.framed(keyword.span, frame)
    language = origin.language_of(name)
    return entry_of(name, value, keyword, language) if language != "shell" else None, frame


def layout_of(spans: Sequence[Span], host: str | None = None) -> Layout:
    """The layout around words that follow each other; ``host``: what the file is, where that is known."""
    first, frame = origin.framed(spans[0])
    inner = [first, *(origin.framed(span, frame)[0] for span in spans[1:])]
    if frame is not None and any(span.file is not first.file for span in inner):
        inner, frame = list(spans), None  # in several cells
    tongue = language(host) if host is not None and frame is None else origin.language_of(inner[0])
    return Layout([_field(span) for span in inner] if tongue == "python" else inner, tongue, None, frame)


def _field(span: Span) -> Span:
    """A replacement field of an f-string with its braces; other places as they are."""
    text = span.file.text
    end = _FIELD_END.match(text, span.end)
    if text[span.start - 1 : span.start] != "{" or end is None or span.text[:1] in ("'", '"'):
        return span
    return Span(span.file, span.start - 1, end.end())


def as_written(layout: Layout, flag: str, values: Sequence[str], inline: bool) -> list[str]:
    """An option as its neighbours are written."""
    if layout.entry is not None:
        value = value_of(values[0] if values else None, layout.entry.language)
        return [layout.entry.pair(keyword_name(flag), value)]
    return [f"{flag}={values[0]}"] if inline and len(values) == 1 else [flag, *values]


def keyword_name(option: str) -> str:
    """The keyword of ``sglang.Engine`` that an option string is."""
    return option.lstrip("-").replace("-", "_")
