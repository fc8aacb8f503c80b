"""Programs that hand text to a shell: ``bash -c``, ``ssh``, ``tmux send-keys``, ``sbatch --wrap`` and their like.

Only programs that are known to run text are listed: a function named ``log`` is given command lines too.
"""

from __future__ import annotations

from speclint.lean import pattern
from speclint.text import Mapped
from speclint.value import Joined, Known, OneOf, Unknown, as_mapped, join
from speclint.words import as_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from speclint.value import Value
    from speclint.words import Word

    Script = tuple[Mapped, Sequence[Word]]

SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
# Options of ssh and of those that run a command on many machines that take a value.
_SSH_VALUES = frozenset(f"-{c}" for c in "BbcDEeFIiJLlmOopQRSWw")
_FLEET_VALUES = frozenset(("-w", "-x", "-g", "-H", "-h", "-l", "-p", "-t", "-o", "-e", "-f", "-u", "-O", "--hosts"))
# Programs that take text as the value of an option.
_OPTIONS = {
    "su": ("-c", "--command"),
    "runuser": ("-c", "--command"),
    "sg": ("-c",),
    "script": ("-c", "--command"),
    "flock": ("-c", "--command"),
    "sbatch": ("--wrap",),
    "gcloud": ("--command",),
    "vagrant": ("-c", "--command"),
}
_SHOWING = frozenset(("echo", "printf", "cat", "grep", "pgrep", "pkill", "sed", "awk", "git", "logger"))
_FIELD = pattern(r"\{(?:[\d.%/#+-]*)\}")
_COMMAND = pattern(
    r"[\s\ufffc]*(?:(?:[A-Za-z_]\w*=\S*|nohup|exec|env)\s+|(?:cd|export|source)\s[^;&]*(?:&&|;)\s*)*"
    r"(?:\S*/)?(?:python[\d.]*\s+(?:-u\s+)?-m|sglang)\s"
)
# Of tmux: how keys are typed into a pane, and the names of those that are no text.
_SENDING = ("send-keys", "send")
_KEY = pattern(r"(?i:enter|kpenter|space|tab|escape|bspace|[CM]-.)")
_NAMED = pattern(r"--(?:[\w-]*[-_])?(?:cmd|command)(?:(=)|\Z)")
# How far from the start of a command such a program may stand (behind ``sudo``, ``nohup``, ``timeout 60``).
_NEAR = 4
# How the words end that matter wherever they stand: the names of shells, and of options that are given a command.
_COMMANDS = ("cmd", "command")
_LAST = ("sh", *_COMMANDS)


def script(words: Sequence[Word]) -> Script | None:
    """The shell text that a command runs, and the words that the text sees as ``$1`` and so on."""
    first = basename(words[0]) if words else ""
    if not words or first in _SHOWING:
        return None
    if first == "eval":
        return as_text(words[1:]), ()
    for index, word in enumerate(words):
        value = word.value
        if isinstance(value, Known):
            text = value.text.text
            if index >= _NEAR and not text.endswith(_LAST):
                continue
            found = _at(words, index, text)
        elif index < _NEAR and "=" in word.prefix:
            found = _named(words, index, word.prefix)
        else:
            continue
        if found is not None:
            return found
    return _of_unknown(words)


def _at(words: Sequence[Word], index: int, text: str) -> Script | None:
    """What the program or the option runs that stands at a word."""
    if text.startswith("--"):
        return _named(words, index, text) if text.endswith(_COMMANDS) or "=" in text else None
    name = text.rpartition("/")[2]
    if name in SHELLS:
        return dash_c(words, index)
    if index >= _NEAR:
        return None
    reader = _READERS.get(name)
    if reader is not None:
        return reader(words, index)
    return _option(words, index, _OPTIONS[name]) if name in _OPTIONS else None


def _named(words: Sequence[Word], index: int, name: str) -> Script | None:
    """``bench --server-cmd "python3 …"``: a text that an option of a program names as a command."""
    if "cmd" not in name and "command" not in name:
        return None
    found = _NAMED.match(name)
    if found is None:
        return None
    if found[1]:
        value = behind(words[index].value, found.end())
    elif index + 1 < len(words) and not words[index + 1].many:
        value = words[index + 1].value
    else:
        return None
    if any(_COMMAND.match(as_mapped(way).text) for way in (value.arms if isinstance(value, OneOf) else (value,))):
        return as_mapped(value), ()
    return None


def _of_unknown(words: Sequence[Word]) -> Script | None:
    """``$SSH "python3 …"``: one text behind a program that is not known, if it begins as a command does."""
    if words[0].text is not None:
        return None
    texts = [word for word in words[1:] if " " in word.prefix or isinstance(word.value, Joined)]
    if len(texts) != 1:
        return None
    text = mapped(texts[0])
    return (text, ()) if _COMMAND.match(text.text) else None


def dash_c(words: Sequence[Word], index: int) -> Script | None:
    """``bash -lc TEXT name $1 …``."""
    runs = False
    for at in range(index + 1, len(words)):
        text = words[at].text
        if text is not None and text[:1] in "-+" and text[1:2] not in ("", "-"):
            runs = runs or "c" in text[1:]
            continue
        if text is not None and text.startswith("--") and (index or " " not in text):
            continue
        return (mapped(words[at]), words[at + 2 :]) if runs else None
    return None


def _option(words: Sequence[Word], index: int, names: Sequence[str]) -> Script | None:
    """``program … --option TEXT``, ``--option=TEXT``."""
    for at in range(index + 1, len(words)):
        text = words[at].prefix
        name, equals, _ = text.partition("=")
        if equals and name in names and name.startswith("--"):
            return as_mapped(behind(words[at].value, len(name) + 1)), ()
        short = f"-{text[-1:]}" if text[:1] == "-" != text[1:2] else text  # `-qc` is `-q -c`
        if not equals and short in names and at + 1 < len(words):
            return mapped(words[at + 1]), ()
    return None


def _remote(words: Sequence[Word], index: int) -> Script | None:
    """``ssh [options] host command …``: the words are joined by blanks and read by the shell there."""
    return _joined(words, index + 1, _SSH_VALUES, 1)


def _fleet(words: Sequence[Word], index: int) -> Script | None:
    """``pdsh -w hosts command …``."""
    return _joined(words, index + 1, _FLEET_VALUES, 0)


def _watch(words: Sequence[Word], index: int) -> Script | None:
    """``watch -n 5 command …``."""
    return _joined(words, index + 1, frozenset(("-n", "--interval")), 0)


def _joined(words: Sequence[Word], at: int, valued: frozenset[str], names: int) -> Script | None:
    """What stands behind the options and ``names`` more words, joined by blanks."""
    while at < len(words) and words[at].prefix.startswith("-"):
        at += 2 if words[at].text in valued else 1
    rest = words[at + names :]
    return (as_text(rest), ()) if rest else None


def _typed(words: Sequence[Word], index: int) -> Script | None:
    """``tmux send-keys -t x 'command' Enter``; ``tmux new-session … 'command'``: the longest word with blanks."""
    parts: list[Mapped] = []
    for at in range(index + 1, len(words)):
        if words[at].text in _SENDING:
            parts += _keys(words, at + 1)
    if parts:
        return Mapped.join(parts), ()
    texts = [w for w in words[index + 1 :] if " " in w.prefix]
    return (mapped(max(texts, key=lambda w: len(w.prefix))), ()) if texts else None


def _keys(words: Sequence[Word], at: int) -> Iterator[Mapped]:
    """What is typed by the words behind ``send-keys``, without blanks between them; keys that are no text end it."""
    literal = False
    while at < len(words) and words[at].prefix.startswith("-"):
        letters = words[at].prefix[1:]
        literal = literal or "l" in letters
        at += 2 if letters[-1:] in ("t", "N", "c") else 1
    for word in words[at:]:
        text = word.text or ""
        if text == ";":
            return
        if literal or not _KEY.fullmatch(text):
            yield mapped(word)
        else:
            yield Mapped.new(" " if text.lower() == "space" else "\n")


def _managed(words: Sequence[Word], index: int) -> Script | None:
    """``pm2 start 'command' --name x``."""
    for before, word in zip(words[index:], words[index + 1 :], strict=False):
        if " " in word.prefix and before.text not in ("--name", "-n") and _COMMAND.match(mapped(word).text):
            return mapped(word), ()
    return None


def _screen(words: Sequence[Word], index: int) -> Script | None:
    """``screen -S x -X stuff 'command\\n'``; what screen starts itself is told by words."""
    texts = [w.text for w in words]
    at = texts.index("stuff") + 1 if "stuff" in texts else len(words)
    if at >= len(words):
        return None
    text = mapped(words[at])
    for end in ("\\n", "\\r", "^M", "\\015", "\n", "\r"):
        if text.text.endswith(end):
            text = text[: len(text) - len(end)]
    return text, ()


def _parallel(words: Sequence[Word], index: int) -> Script | None:
    """GNU ``parallel -j2 'command {}' ::: a b``: what stands in braces is one of what it is given."""
    at = index + 1
    while at < len(words) and words[at].prefix.startswith("-"):
        at += 2 if words[at].text in ("-j", "--jobs", "-a", "--colsep", "-N", "-S", "--delay") else 1
    end = next((i for i in range(at, len(words)) if (words[i].text or "").startswith(":::")), len(words))
    if at >= end:
        return None
    text = as_text(words[at:end])
    parts: list[Mapped] = []
    start = 0
    for found in _FIELD.finditer(text.text):
        value = Unknown("`parallel` puts it in")
        parts += (text[start : found.start()], Mapped.hole(value, text.place(*found.span())))
        start = found.end()
    return Mapped.join([*parts, text[start:]]), ()


_READERS: dict[str, Callable[[Sequence[Word], int], Script | None]] = {
    "ssh": _remote,
    "pdsh": _fleet,
    "pssh": _fleet,
    "parallel-ssh": _fleet,
    "clush": _fleet,
    "watch": _watch,
    "parallel": _parallel,
    "tmux": _typed,
    "screen": _screen,
    "pm2": _managed,
}


def behind(value: Value, size: int) -> Value:
    """The value without its first characters, which are known."""
    if isinstance(value, Known):
        return Known(value.text[size:], value.steps)
    if isinstance(value, Joined) and isinstance(value.parts[0], Known):
        return join([behind(value.parts[0], size), *value.parts[1:]])
    return value


def mapped(word: Word) -> Mapped:
    """The text of a word, with holes for what is not known."""
    return as_mapped(word.value) if not word.many else Mapped.hole(word.value, word.span)


def basename(word: Word) -> str:
    """The name of the program that a word is, without its folder."""
    value = word.value
    return value.text.text.rpartition("/")[2] if isinstance(value, Known) else ""
