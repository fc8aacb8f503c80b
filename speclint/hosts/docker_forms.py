"""The forms of ENTRYPOINT and CMD in a Dockerfile: a list of words, or text for a shell."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Known
from speclint.words import Word, many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.text import Span
    from speclint.words import Command

_ITEM_TEXT = r"'[^'\"\\]*'|\"[^'\"\\]*\""
_ITEM = pattern(_ITEM_TEXT)
_LIST = pattern(rf"\[\s*(?:(?:{_ITEM_TEXT})\s*,\s*)*(?:{_ITEM_TEXT})\s*,?\s*\]")
_PLAIN = pattern(r"[\w@%+=:,./-]+")


class Form:
    """What an ENTRYPOINT or CMD says: ``words``, or the ``text`` that a shell reads, ``meant`` as these words."""

    __slots__ = ("meant", "span", "text", "words")

    def __init__(self, words: list[Word] | None, text: Mapped, span: Span) -> None:
        self.words = words
        self.meant = meant(text) if words is None else []
        self.text = text
        self.span = span


def told(words: Sequence[Word], start: str) -> bool:
    """Whether an option stands there. CMD is only what stands where nothing else is given; so it is without a model."""
    return any(word.prefix.startswith(start) and word.text != "--" for word in words)


def more(span: Span) -> Word:
    """What stands there for the arguments of ``docker run``."""
    return many("`docker run` gives the arguments", span)


def options(words: Sequence[Word], cmd: Form, base: Command, every: bool) -> list[Command] | None:
    """What a program in a list of ENTRYPOINT is to be run with by options that CMD holds as text for a shell.

    They are read as they were meant. None where the text is no options.
    """
    from speclint.hosts.shell import read_text

    if not cmd.text.text.startswith("-") or not all(_PLAIN.fullmatch(word.text or "") for word in words):
        return None
    blank = Mapped.new(" ")
    parts = [part for word in words if isinstance(word.value, Known) for part in (word.value.text, blank)]
    whole = Mapped.join([*parts, cmd.text])
    if not every and not blocks.TRIGGER.search(whole.text):
        return []
    base.flaw = ("cmd", Word(Known(cmd.text), cmd.text.place()))
    found = read_text(whole, base)
    return [one if told(one.words, "--model") else one.replace([*one.words, more(cmd.span)]) for one in found]


def meant(text: Mapped) -> list[Word]:
    """The words of a list that is no JSON by its quotes or the comma at its end, and so is run by a shell."""
    if _LIST.fullmatch(text.text) is None or text.holes():
        return []
    found: list[Word] = []
    for item in _ITEM.finditer(text.text):
        inner = text[item.start() + 1 : item.end() - 1]
        found.append(Word(Known(inner), text.place(*item.span())))
    return found
