"""Words that a shell, or a list of words, made of something that was meant otherwise."""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern
from speclint.rules.checks import json_text
from speclint.text import Span
from speclint.value import Joined, Known, OneOf, Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.sglang.catalog import Release
    from speclint.value import Value
    from speclint.words import Word

_GLUED = pattern(r"(?<=[^\s=-])--[a-z][a-z0-9-]*(?=[=\s]|\Z)")
_FIRST = pattern(r"\s*(--[A-Za-z][\w-]*)[\s=]")
_SPLICE = pattern(r"\"\$(?:\w+|\{\w+\})\"")
_JSON = pattern(r"(?:--[\w-]+=)?[{\[]")
_STARTS = ("-", "{", "[")
# Text in braces is no longer than so many words.
_LONGEST = 40


class Braces(NamedTuple):
    """JSON that a shell reads without quotes: ``option`` where it is joined to one by ``=``, and its text."""

    first: int
    last: int
    span: Span
    option: str
    json: str


def garbled(words: Sequence[Word], release: Release) -> frozenset[int]:
    """The indices of words of which other rules say nothing: what is wrong with them is told by the SGL9 ones."""
    found: set[int] = set()
    for index, word in enumerate(words):
        if escaped_blank(word) is not None or spliced(word, release):
            found.add(index)
        elif glued(word, release) is not None:
            found.update((index, index + 1))
    for one in braces(words):
        found.update(range(one.first, one.last + 1))
    return frozenset(found)


def escaped_blank(word: Word) -> Span | None:
    """The backslash with the blanks behind it that the word is, or ends with."""
    text = word.text
    if not text or text[-1] not in " \t" or not isinstance(word.value, Known):
        return None
    size = len(text.rstrip(" \t"))
    span = word.value.text.exact(size)
    if span is None or span.file.text[span.start - 1 : span.start] != "\\":
        return None
    end = span.end
    while span.file.text[end : end + 1] in (" ", "\t"):
        end += 1  # the shell takes these for what parts words
    return Span(span.file, span.start - 1, end)


def glued(word: Word, release: Release) -> int | None:
    """Where in the text of a word an option begins that was to be a word of its own."""
    text = word.text
    if text is None or text.find("--", 1) < 0 or "{" in text or not isinstance(word.value, Known):
        return None
    starts = set()
    at = 0
    for piece in word.value.text.pieces:
        starts.add(at)
        at += piece.length
    for found in _GLUED.finditer(text):
        # A name such as models--tp is told from an option that lost its blank by where it was put together.
        apart = found.start() in starts or ("-" in found[0][2:] and found.start() > 0)
        if apart and found[0] in release.options:
            return found.start()
    return None


def spliced(word: Word, release: Release) -> bool:
    """Whether quotes make one word of a variable that holds several options, in some world at least."""
    span = word.span
    if span is None or not span.file.text.startswith('"$', span.start) or not _SPLICE.fullmatch(span.text):
        return False
    return any(_several(head, release) for head in heads(word.value))


def heads(value: Value) -> Iterator[str]:
    """The text that a value begins with, for each way of its alternatives."""
    if isinstance(value, OneOf):
        for arm in value.arms:
            yield from heads(arm)
    elif isinstance(value, Joined):
        yield from heads(value.parts[0])
    elif isinstance(value, Unknown):
        yield value.prefix.text if value.prefix is not None else ""
    else:
        yield value.text.text


def _several(head: str, release: Release) -> bool:
    first = _FIRST.match(head)
    return first is not None and first[1] in release.options and any(map(str.isspace, head.lstrip()))


def braces(words: Sequence[Word]) -> Iterator[Braces]:
    """JSON that is written without quotes around it: its own quotes are lost, and it may become several words."""
    taken = -1
    for index, word in enumerate(words):
        span = word.span
        if index <= taken or span is None or span.file.text[span.start : span.start + 1] not in _STARTS:
            continue
        if not _JSON.match(span.text) or '"' not in span.text:
            continue
        if word.text is not None and word.text == span.text:
            continue  # a list item, which no shell reads
        one = _braces(words, index, span)
        if one is not None:
            taken = one.last
            yield one


def _braces(words: Sequence[Word], first: int, span: Span) -> Braces | None:
    for last in range(first, min(len(words), first + _LONGEST)):
        end = words[last].span
        if end is None or end.file is not span.file or end.end < span.end:
            return None
        whole = Span(span.file, span.start, end.end)
        option, equals, rest = whole.text.partition("=") if whole.text.startswith("--") else ("", "", whole.text)
        if "\n" in rest:
            return None
        if json_text.is_json(rest):
            # What stays one word, or becomes several by its commas alone, is a value as any: the rule on JSON tells it.
            return None if first == last else Braces(first, last, whole, option + equals, rest)
    return None
