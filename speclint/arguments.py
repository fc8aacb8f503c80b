"""The options of each command. Nothing is decided here: what was given, by the key that configuration files use."""

from __future__ import annotations

from speclint.settings import FORMATS, KEYS, ConfigError, nearest, read_value, versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

COMMANDS = {
    "check": "lint files and folders (the default command)",
    "launches": "list every SGLang launch found, with its options",
    "explain": "one launch in full: each option, its value and where that comes from",
    "rule": "what a rule means; without a code, all rules",
    "server": "language server on standard input and output (needs speclint[lsp])",
    "generate-shell-completion": "a script that completes speclint's options in bash, fish or zsh",
}
# The formats of each command; the first is taken where none is asked for.
FORMATS_OF = {
    "check": FORMATS,
    "launches": ("text", "json"),
    "explain": ("text", "json", "markdown"),
    "rule": ("text", "json", "markdown"),
}
SHELLS = ("bash", "fish", "zsh")
# Options that are usual, by their destinations: what such a command line asks is told without argparse, whose import
# and whose making of a parser take a tenth of a run on one file. All else is argparse's.
_SWITCHES = {
    **{f"--{name}": (name.replace("-", "_"), True) for name in ("fix", "isolated", "quiet", "unsafe-fixes")},
    **{f"--{name}": (name.replace("-", "_"), True) for name in ("diff", "show-unknown", "statistics")},
    "--no-fix": ("fix", False),
    "-q": ("quiet", True),
}
# Before a word that argparse would take for an option: one behind `--`, and `-:LINE` of standard input.
_NO_OPTION = "\0"
_VALUES = frozenset(("fail_on", "jobs", "output_format", "sglang_version", "stdin_filename"))
_LISTS = frozenset(("config", "exclude", "extend_exclude", "extend_select", "ignore", "output", "select"))


class Arguments:
    """A command line: ``command``, ``words`` (paths, a code, PATH:LINE), ``given`` (settings by key) and the rest."""

    def __init__(self, command: str, values: dict[str, Any]) -> None:
        self.command = command
        self.words: list[str] = values.pop("words", [])
        self.config: list[str] = values.pop("config", None) or []
        self.isolated: bool = values.pop("isolated", False)
        self.diff: bool = values.pop("diff", False)
        self.stdin_filename: str | None = values.pop("stdin_filename", None)
        self.changed_since: str | None = values.pop("changed_since", None)
        self.write_baseline: str | None = values.pop("write_baseline", None)
        self.add_ignore: bool = values.pop("add_ignore", False)
        self.reason: str = values.pop("reason", "")
        self.show_settings: bool = values.pop("show_settings", False)
        self.check: bool = values.pop("check", False)
        values.pop("stdio", None)
        self.outputs: list[tuple[str, str]] = [_output(text) for text in values.pop("output", None) or []]
        self.given: dict[str, Any] = {}
        for name, value in values.items():
            key = name.replace("_", "-")
            joined = ",".join(value) if isinstance(value, list) else value
            if key == "sglang-version":
                versions(str(joined))  # a range is for the command line only, so it is no value of the key
                self.given[key] = joined
                continue
            self.given[key] = read_value(key, joined, f"--{key}") if key in KEYS else joined


def parse(words: Sequence[str]) -> Arguments:
    """What a command line asks. Raises ConfigError where it asks nothing, SystemExit after ``--help``."""
    if words and words[0] in COMMANDS:
        return _parsed(words[0], words[1:])
    arguments = _parsed("check", words)
    if words and words[0].startswith("-") and arguments.words and arguments.words[0] in COMMANDS:
        return _behind_options(words, arguments)
    return arguments


def _behind_options(words: Sequence[str], arguments: Arguments) -> Arguments:
    """``speclint --isolated launches …``: the command may stand behind options, as long as they are its own too."""
    command = arguments.words[0]
    for index, word in enumerate(words):
        rest = [*words[:index], *words[index + 1 :]]
        if word == command and _parsed("check", rest).words == arguments.words[1:]:
            return _parsed(command, rest)
    return arguments


def _parsed(command: str, words: Sequence[str]) -> Arguments:
    values = usual(words) if command == "check" else None
    if values is None:
        from speclint import parsers

        at = words.index("--") if "--" in words else len(words)
        known = [f"{_NO_OPTION}{word}" if word.startswith("-:") else word for word in words[:at]]
        behind = [_NO_OPTION + word for word in words[at + 1 :]]
        values = vars(parsers.BUILD[command]().parse_intermixed_args([*known, *behind]))
        if "words" in values:
            values["words"] = [word.removeprefix(_NO_OPTION) for word in values["words"]]
    return Arguments(command, values)


def usual(words: Sequence[str]) -> dict[str, Any] | None:
    """What argparse makes of the usual options of ``check``; None where any other word is among them."""
    values: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            values.setdefault("words", []).append(word)
        elif word in _SWITCHES:
            name, value = _SWITCHES[word]
            values[name] = value
        else:
            short = word[:2] == "-j" and (word == "-j" or word[2:].isdecimal())
            flag, mark, text = ("--jobs", word[2:], word[2:]) if short else word.partition("=")
            name = flag[2:].replace("-", "_")
            if name not in _VALUES | _LISTS or "_" in flag or not flag.startswith("--"):
                return None
            text = text if mark else next(rest, "-")
            if not mark and text.startswith("-"):
                return None
            values[name] = [*values.get(name, ()), text] if name in _LISTS else text
    return values


def command_meant(words: Sequence[str]) -> str | None:
    """The command, or the option, that the first path, which is none, may have been meant as."""
    word = words[0] if words else ""
    if word in ("help", "version"):
        return f"--{word}"
    return nearest(word, list(COMMANDS)) if word.replace("-", "").isalpha() else None


def _output(text: str) -> tuple[str, str]:
    form, mark, path = text.partition("=")
    if not mark or not path:
        raise ConfigError(f"--output must be FORMAT=PATH, not {text!r}")
    return str(read_value("output-format", form, "--output")), path
