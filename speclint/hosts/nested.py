"""Commands inside commands: ``docker run … IMAGE``, ``env X=1``, ``bash -c '…'``, ``ssh host '…'``, ``eval``."""

from __future__ import annotations

from speclint.hosts.programs import SHELLS, basename, mapped, script
from speclint.hosts.wrappers import unwrapped
from speclint.lean import pattern
from speclint.text import HOLE, Mapped, Piece
from speclint.value import Joined, Known, OneOf, Unknown, as_mapped, begins_blank, join
from speclint.words import Run, as_text
from speclint.worlds import restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.value import Choice, Value
    from speclint.words import Command, Guard, Word

_SPECIAL = frozenset("'\"\\$`;|&<>(){}#*?~!\n")
# What may set a variable, if nothing stands before it.
_SETS = pattern(r"\s*[A-Za-z_]\w*=")
# The end of a line that goes on in the next.
_GOES_ON = pattern(r"\\\r?\n")
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
    for taken, way in _ways(written):
        run = Run(taken[-1][0].labels[taken[-1][1]], taken) if taken else None
        yield from read_text(way, command.replace(command.words, run=run), positional, depth + 1)


def _ways(text: Mapped, limit: int = 8) -> Iterator[tuple[Guard, Mapped]]:
    """The text for every way of the choices by which its syntax differs, each with the ways that these go."""
    choice = next((c for p in text.pieces if p.hole is not None and (c := _of_syntax(p.hole)) is not None), None)
    if choice is None or len(choice.labels) > limit:
        yield (), _on_one_line(text)
        return
    for arm in range(len(choice.labels)):
        parts: list[Mapped] = []
        at = 0
        for piece in text.pieces:
            hole = piece.hole
            part = text[at : at + piece.length]
            parts.append(part if hole is None else as_mapped(restrict(hole, choice, arm)))
            at += piece.length
        for others, way in _ways(Mapped.join(parts), limit // len(choice.labels)):
            yield ((choice, arm), *others), way


def _of_syntax(value: Value, seen: set[int] | None = None) -> Choice | None:
    """The choice between alternatives of which one holds more than plain words: what it means is seen only when it is
    parsed in its place. Of choices within others it is an inner one, which most often is the only one.

    ``seen``: the values that were looked at, since alternatives of alternatives share them.
    """
    seen = set() if seen is None else seen
    if id(value) in seen or not isinstance(value, (OneOf, Joined)):
        return None
    seen.add(id(value))
    parts = value.parts if isinstance(value, Joined) else value.arms
    found = next((found for part in parts if (found := _of_syntax(part, seen)) is not None), None)
    if found is None and isinstance(value, OneOf) and any(map(_is_syntax, value.arms)):
        return value.choice
    return found


def _is_syntax(value: Value) -> bool:
    if isinstance(value, Joined):
        return any(_is_syntax(part) for part in value.parts if not isinstance(part, OneOf))
    if not isinstance(value, Known):
        return False
    text = _GOES_ON.sub("", value.text.text)
    return _SETS.match(text) is not None or any(char in _SPECIAL for char in text)


def _on_one_line(text: Mapped) -> Mapped:
    """The text without the ends of lines that go on in alternatives, which are put into it once it is parsed."""
    if not any(isinstance(piece.hole, OneOf) for piece in text.pieces):
        return text
    parts: list[Mapped] = []
    at = 0
    for piece in text.pieces:
        parts += _plain(piece) if isinstance(piece.hole, OneOf) else (text[at : at + piece.length],)
        at += piece.length
    return Mapped.join(parts)


def _plain(piece: Piece) -> Iterator[Mapped]:
    """An alternative in text as it can be put into it once it is parsed."""
    assert piece.hole is not None
    made: dict[int, Value] = {}
    value = _straight(piece.hole, made)
    if any(isinstance(each, Known) and not _SPECIAL.isdisjoint(each.text.text) for each in made.values()):
        if begins_blank(value):
            yield Mapped.new(" ")  # so that what stands before is a word of its own
        value = Unknown("it depends on too many alternatives")  # what is not parsed in its place cannot be told
    yield Mapped(HOLE * piece.length, (Piece(piece.length, piece.span, piece.exact, value, piece.via),))


def _straight(value: Value, made: dict[int, Value]) -> Value:
    """``made``: what became of the values that alternatives share."""
    found = made.get(id(value))
    if found is None:
        if isinstance(value, OneOf):
            found = OneOf(value.choice, [_straight(arm, made) for arm in value.arms], value.place)
        elif isinstance(value, Joined):
            found = join([_straight(part, made) for part in value.parts])
        else:
            found = Known(_joined(value.text), value.steps) if isinstance(value, Known) else value
        made[id(value)] = found
    return found


def _joined(text: Mapped) -> Mapped:
    """Text without the ends of lines that go on."""
    parts: list[Mapped] = []
    at = 0
    for end in _GOES_ON.finditer(text.text):
        parts.append(text[at : end.start()])
        at = end.end()
    return Mapped.join([*parts, text[at:]]) if parts else text


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
