"""Commands inside commands: ``docker run … IMAGE``, ``env X=1``, ``bash -c '…'``, ``ssh host '…'``, ``eval``."""

from __future__ import annotations

from speclint.hosts.programs import SHELLS, basename, mapped, script
from speclint.hosts.wrappers import unwrapped
from speclint.text import Mapped
from speclint.value import Joined, Known, OneOf, as_mapped
from speclint.words import as_text
from speclint.worlds import restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.value import Value
    from speclint.words import Command, Word

_SPECIAL = frozenset("'\"\\$`;|&<>(){}#*?~!\n")
# Hosts that run lists of words without a shell.
_LISTS = frozenset(("kubernetes", "compose", "dockerfile"))


def commands(command: Command, depth: int = 0) -> Iterator[Command]:
    """The command itself, with what its wrappers say of it, and every command inside it."""
    command = unwrapped(command)
    text = script(command.words)
    if text is None:
        flaw = _flaw(command)
        if flaw is None:
            yield command
            return
        command = command.replace(command.words)
        command.flaw, text = flaw
    from speclint.hosts.shell import read_text

    written, positional = text
    for label, way in _ways(written):
        yield from read_text(way, command.replace(command.words, run=label or None), positional, depth + 1)


def _ways(text: Mapped, limit: int = 8) -> Iterator[tuple[str, Mapped]]:
    """The text for every way of the choices by which its syntax differs, each with when it is taken."""
    choice = next((p.hole.choice for p in text.pieces if isinstance(p.hole, OneOf) and _is_syntax(p.hole)), None)
    if choice is None or len(choice.labels) > limit:
        yield "", text
        return
    for arm, label in enumerate(choice.labels):
        parts: list[Mapped] = []
        at = 0
        for piece in text.pieces:
            hole = piece.hole
            part = text[at : at + piece.length]
            parts.append(part if hole is None else as_mapped(restrict(hole, choice, arm)))
            at += piece.length
        for other, way in _ways(Mapped.join(parts), limit // len(choice.labels)):
            yield other or label, way


def _is_syntax(value: Value) -> bool:
    """Whether an alternative holds more than plain words: what it means is seen only when it is parsed in its place."""
    if isinstance(value, OneOf):
        return any(_is_syntax(arm) for arm in value.arms)
    if isinstance(value, Joined):
        return any(_is_syntax(part) for part in value.parts)
    return isinstance(value, Known) and any(char in _SPECIAL for char in value.text.text)


def _flaw(command: Command) -> tuple[tuple[str, Word], tuple[Mapped, Sequence[Word]]] | None:
    """Shell text that no shell will read, as it was meant, and what is wrong."""
    words = command.words
    first = words[0] if words else None
    if first is None or command.flaw is not None:
        return None
    if basename(first) in SHELLS:
        at = next((i for i, word in enumerate(words) if i and not word.prefix.startswith(("-", "+"))), 0)
        if at and " " in words[at].prefix.strip() and not _is_path(words[at].prefix):
            return ("shell", first), (mapped(words[at]), words[at + 2 :])
    elif command.host in _LISTS or (command.within is not None and _is_spliced(first)):
        at = 2 if basename(first).startswith("python") and [word.text for word in words[1:2]] == ["-m"] else 0
        at = at or (1 if basename(first).startswith("python") else 0)
        if len(words) > at and words[at].prefix.startswith("-m ") == (at == 1) and " " in words[at].prefix.strip():
            return ("word", words[at]), (as_text(words), ())
    return None


def _is_path(text: str) -> bool:
    """Whether a text with blanks is by all appearance the name of a script."""
    return text.rstrip().endswith((".sh", ".bash"))


def _is_spliced(word: Word) -> bool:
    return word.span is not None and word.span.text.startswith(('"$', '"${'))
