"""Commands inside commands: ``docker run … IMAGE``, ``env X=1``, ``bash -c '…'``, ``ssh host '…'``, ``eval``."""

from __future__ import annotations

from speclint.text import Mapped
from speclint.value import Definition, Joined, Known, OneOf, Step, Unknown, as_mapped, join, with_step
from speclint.words import Word, as_text
from speclint.worlds import restrict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.value import Value
    from speclint.words import Command

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
_SPECIAL = frozenset("'\"\\$`;|&<>(){}#*?~!\n")
_CONTAINERS = frozenset(("docker", "podman", "nerdctl"))
# Hosts that run lists of words without a shell.
_LISTS = frozenset(("kubernetes", "compose", "dockerfile"))
_SSH_VALUES = frozenset(f"-{c}" for c in "BbcDEeFIiJLlmOopQRSWw")


def commands(command: Command, depth: int = 0) -> Iterator[Command]:
    """The command itself, with what its wrappers say of it, and every command inside it."""
    command = _unwrapped(command)
    text = _script(command.words)
    if text is None:
        flaw = _flaw(command)
        if flaw is None:
            yield command
            return
        command = command.replace(command.words)
        command.flaw, text = flaw
    from speclint.hosts.shell import read_text

    script, positional = text
    for label, way in _ways(script):
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


def _unwrapped(command: Command) -> Command:
    """The command with the image and environment that ``docker run`` and ``env`` give it."""
    words = command.words
    for index, word in enumerate(words[:8]):
        name = _basename(word)
        if name in _CONTAINERS:
            return _container(command, index)
        if name == "env":
            found: dict[str, Value] = {}
            for at in range(index + 1, len(words)):
                pair = _assignment(words[at])
                if pair is None:
                    if (words[at].text or "").startswith("-"):
                        continue
                    break
                found[pair[0]] = pair[1]
            return command.replace(words, env=found)
    return command


def _container(command: Command, at: int) -> Command:
    from speclint.hosts import docker_run

    words = command.words
    verbs = ("run", "create", "exec")
    index = next((i for i in range(at + 1, min(at + 4, len(words))) if words[i].text in verbs), None)
    if index is None:
        return command
    runs = words[index].text != "exec"
    options, behind = docker_run.options(words, index + 1)
    env: dict[str, Value] = {}
    for option in options:
        if option.name == "--env" and option.value is not None:
            _add(env, Word(option.value, option.span))
    if behind >= len(words):
        return command
    found = command.replace(words[behind + 1 :], words[behind].value if runs else None, env)
    starts = words[at : index + 1]
    found.pod = (lambda: docker_run.read(starts, options)) if runs else None
    return found


def _add(env: dict[str, Value], word: Word) -> None:
    pair = _assignment(word)
    if pair is not None:
        env[pair[0]] = pair[1]


def _assignment(word: Word) -> tuple[str, Value] | None:
    """NAME=value as a word."""
    value = word.value
    name, equals, _ = word.prefix.partition("=")
    if not equals or not name.isidentifier():
        return None
    first, *rest = value.parts if isinstance(value, Joined) else [value]
    if not isinstance(first, Known):
        return name, Unknown("a part of it is not known")
    size = len(name)
    found = join([Known(first.text[size + 1 :], first.steps), *rest])
    definition = Definition(name, word.span, shared=True, name_span=first.text.span(0, size))
    return name, with_step(found, Step("env", f"`{name}` is set here", word.span, definition))


def _script(words: Sequence[Word]) -> tuple[Mapped, Sequence[Word]] | None:
    """The shell text that a command runs, and the words that the text sees as ``$1`` and so on."""
    if not words:
        return None
    if _basename(words[0]) == "eval":
        return as_text(words[1:]), ()
    for index, word in enumerate(words):
        name = _basename(word)
        if name in SHELLS:
            found = _dash_c(words, index)
            if found is not None:
                return found
        if name == "ssh" and index < 4:
            return _remote(words, index)
        if name == "tmux" and index < 2:
            return _typed(words)
    return None


def _flaw(command: Command) -> tuple[tuple[str, Word], tuple[Mapped, Sequence[Word]]] | None:
    """Shell text that no shell will read, as it was meant, and what is wrong."""
    words = command.words
    first = words[0] if words else None
    if first is None or command.flaw is not None:
        return None
    if _basename(first) in SHELLS:
        at = next((i for i, word in enumerate(words) if i and not word.prefix.startswith(("-", "+"))), 0)
        if at and " " in words[at].prefix.strip() and not _is_path(words[at].prefix):
            return ("shell", first), (_mapped(words[at]), words[at + 2 :])
    elif command.host in _LISTS or (command.within is not None and _is_spliced(first)):
        at = 2 if _basename(first).startswith("python") and [word.text for word in words[1:2]] == ["-m"] else 0
        at = at or (1 if _basename(first).startswith("python") else 0)
        if len(words) > at and words[at].prefix.startswith("-m ") == (at == 1) and " " in words[at].prefix.strip():
            return ("word", words[at]), (as_text(words), ())
    return None


def _is_path(text: str) -> bool:
    """Whether a text with blanks is by all appearance the name of a script."""
    return text.rstrip().endswith((".sh", ".bash"))


def _is_spliced(word: Word) -> bool:
    return word.span is not None and word.span.text.startswith(('"$', '"${'))


def _dash_c(words: Sequence[Word], index: int) -> tuple[Mapped, Sequence[Word]] | None:
    """``bash -lc TEXT name $1 …``."""
    runs = False
    for at in range(index + 1, len(words)):
        text = words[at].text
        if text is not None and text[:1] in "-+" and text[1:2] not in ("", "-"):
            runs = runs or "c" in text[1:]
            continue
        if text is not None and text.startswith("--") and (index or " " not in text):
            continue
        return (_mapped(words[at]), words[at + 2 :]) if runs else None
    return None


def _remote(words: Sequence[Word], index: int) -> tuple[Mapped, Sequence[Word]] | None:
    """``ssh [options] host command …``: the words are joined by blanks and read by the shell there."""
    at = index + 1
    while at < len(words) and words[at].prefix.startswith("-"):
        at += 2 if words[at].text in _SSH_VALUES else 1
    rest = words[at + 1 :]
    return (as_text(rest), ()) if rest else None


def _typed(words: Sequence[Word]) -> tuple[Mapped, Sequence[Word]] | None:
    """``tmux send-keys -t x 'command' Enter`` and ``tmux new-session … 'command'``: the longest word with blanks."""
    texts = [w for w in words[1:] if " " in w.prefix]
    return (_mapped(max(texts, key=lambda w: len(w.prefix))), ()) if texts else None


def _mapped(word: Word) -> Mapped:
    """The text of a word, with holes for what is not known."""
    return as_mapped(word.value) if not word.many else Mapped.hole(word.value, word.span)


def _basename(word: Word) -> str:
    return (word.text or "").rsplit("/", 1)[-1]
