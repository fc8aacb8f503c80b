"""Commands of which alternatives run different programs, told apart; and the names by which a launcher is known."""

from __future__ import annotations

from speclint.launch import MODULES
from speclint.lean import pattern
from speclint.value import Joined, Known, OneOf
from speclint.words import Word
from speclint.worlds import restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.value import Choice, Value
    from speclint.words import Command

_NAMES = "|".join(name.replace(".", r"\.") for name in MODULES)
STARTS = pattern(rf"-m\s+(?:{_NAMES})(?![\w.])|(?<![\w.-])sglang\s+serve(?!\w)|/launch_server\.py")
# Parts of a value that are looked at to find a launcher in it.
_LOOKED_AT = 800


def forks(command: Command, limit: int = 16) -> Iterator[Command]:
    """One command for each alternative by which the program that is started differs."""
    for fork in _told_apart(list(command.forks())):
        values = [word.value for word in fork.words if not isinstance(word.value, Known)]
        choice = next((c for value in values if (c := _deciding(value)) is not None), None)
        if choice is None or len(choice.labels) > limit:
            yield fork
            continue
        ways: list[Command] = []
        for arm, label in enumerate(choice.labels):
            words = [
                Word(restrict(w.value, choice, arm), w.span, tuple(g for g in w.guard if g[0] is not choice), w.many)
                for w in fork.words
                if w.holds({choice: arm})
            ]
            ways.append(fork.replace(words, run=label))
        for way in _told_apart(ways):
            yield from forks(way, limit // len(choice.labels))


def _told_apart(ways: Sequence[Command]) -> Sequence[Command]:
    """The alternatives of one command, told where they are of several programs."""
    if len(ways) > 1 and not all(any(_names_launcher(word.value) for word in way.words) for way in ways):
        for way in ways:
            way.mixed = True
    return ways


def _names_launcher(value: Value) -> bool:
    text = flat(value)
    return text.strip() in MODULES or STARTS.search(text) is not None


def _deciding(value: Value) -> Choice | None:
    """The choice that decides whether a launcher is named."""
    for part in value.parts if isinstance(value, Joined) else (value,):
        if isinstance(part, OneOf) and (_names_launcher(part) or any(map(_names_launcher, part.arms))):
            return part.choice
    return None


def told_apart(value: Value, text: str) -> Iterator[str]:
    """What is known of a text, which is ``text`` in all, in each way of the choice that decides on a launcher in it."""
    if "sglang" not in text:
        return
    choice = _deciding(value)
    for arm in range(len(choice.labels) if choice is not None else 0):
        if choice is not None:
            yield flat(restrict(value, choice, arm))


def flat(value: Value) -> str:
    """What is known of a text, with a placeholder for what is not."""
    if isinstance(value, Known):
        return value.text.text
    texts: list[str] = []
    # Values share their parts, and a value of many parts is looked at whenever one is added.
    todo: list[Value] = [value]
    left = _LOOKED_AT
    while todo and left:
        left -= 1
        item = todo.pop()
        if isinstance(item, Known):
            texts.append(item.text.text)
        elif isinstance(item, OneOf):
            texts.append(" ")
            todo.extend(reversed(item.arms))
        else:
            todo.extend(reversed(item.parts if isinstance(item, Joined) else ()))
            texts.append("" if isinstance(item, Joined) else "\ufffc")
    return "".join(texts)
