"""Commands that are seen in more than one place before they run: which of them is told, and what is open in it."""

from __future__ import annotations

from collections import Counter

from speclint.hosts.python.forks import STARTS
from speclint.text import Mapped
from speclint.value import Joined, Known, Unknown, as_mapped, join
from speclint.words import Word

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.value import Value
    from speclint.words import Command


def fullest(last: list[Command], seen: Sequence[list[Command]], passed: bool) -> list[Command]:
    """How a command is passed on or returned: as it was last seen, or with the words that are added to it elsewhere.

    Where others add each their own, or where it is returned with more in one branch, what it gets is open.
    """
    if len(seen) < 2:
        return last
    told = [(_parts_of(commands), commands) for commands in seen]
    every: Counter[str] = Counter()
    for parts, _ in told:
        every |= parts
    if not every - _parts_of(last):
        return last
    listed = passed and not any(_is_text(command) for commands in seen for command in commands)
    full = next((commands for parts, commands in reversed(told) if listed and not every - parts), None)
    if full is None:
        for command in last:
            open_end(command, "it gets more words in one place than in another")
    return full or last


def _is_text(command: Command) -> bool:
    """Whether it is text that a shell runs: with more in it, it may hold other commands too."""
    return len(command.words) > 1 and command.words[1].text == "-c"


def _parts_of(commands: Sequence[Command]) -> Counter[str]:
    """How often words stand in commands; what a caller may add counts for none, for it may be added to any."""
    found: Counter[str] = Counter()
    for command in commands:
        words = [word for word in command.words if not word.many or word.span is not None]
        found |= Counter(p for word in words for p in (("*",) if word.many else as_mapped(word.value).text.split()))
    return found


def open_unnamed(command: Command) -> None:
    """Leave open what else a command gets that is only kept and names no model: so it would not be run."""
    if not any("--model" in as_mapped(word.value).text for word in command.words):
        open_end(command, "what runs it may add to it, as it names no model")


def open_end(command: Command, reason: str) -> None:
    """Leave open what else a command gets."""
    *before, last = command.words
    rest = Unknown(reason)
    if isinstance(last.value, Known) and STARTS.search(last.value.text.text):
        text, steps = last.value.text, last.value.steps
        # Of one line what follows is the end; in a script it is what stands behind each launcher.
        script = "\n" in text.text.strip()
        ends = [found.end() for found in STARTS.finditer(text.text)] if script else [len(text)]
        parts: list[Value] = []
        for start, end in zip([0, *ends], [*ends, len(text)], strict=True):
            parts += [*((Known(Mapped.new(" ")), rest) if start else ()), Known(text[start:end], steps)]
        value = join(parts)
        command.words = (*before, Word(value, last.span, last.guard))
    elif isinstance(last.value, Joined) and STARTS.search(as_mapped(last.value).text):
        command.words = (*before, Word(join((last.value, Known(Mapped.new(" ")), rest)), last.span, last.guard))
    elif len(command.words) > 1:
        command.words = (*command.words, Word(rest, None, many=True))
