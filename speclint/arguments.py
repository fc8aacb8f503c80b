"""The options of each command. Nothing is decided here: what was given, by the key that configuration files use."""

from __future__ import annotations

import argparse

from speclint import __version__
from speclint.settings import FAIL_ON, FORMATS, KEYS, ConfigError, nearest, read_value, versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
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
_EPILOG = "commands:\n" + "".join(f"  {name:<27}{text}\n" for name, text in COMMANDS.items())
_EPILOG += "\nexit status: 0 nothing found, 1 findings remain, 2 something could not be read or was asked wrongly"


class Arguments:
    """A command line: ``command``, ``words`` (paths, a code, PATH:LINE), ``given`` (settings by key) and the rest."""

    def __init__(self, command: str, parsed: argparse.Namespace) -> None:
        values = dict(vars(parsed))
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


class _Parser(argparse.ArgumentParser):
    """argparse with a hint for a misspelt option; errors leave by ConfigError, so that all read alike."""

    def error(self, message: str) -> Any:
        if message.startswith("unrecognized arguments: "):
            word = message.split(": ", 1)[1].split(" ")[0].split("=")[0]
            known = [string for action in self._actions for string in action.option_strings if string.startswith("--")]
            near = nearest(word, known) if word.startswith("--") else None
            message = f"unknown option `{word}`" + (f"; did you mean `{near}`?" if near else "")
        raise ConfigError(f"{message.removeprefix('argument ')}\nTry `{self.prog} --help`.")


class _Help(argparse.RawDescriptionHelpFormatter):
    """The width is asked for here, since argparse imports shutil for it whenever an option is added."""

    def __init__(self, prog: str) -> None:
        import os

        try:
            width = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
        except (ValueError, OSError):
            width = 100
        super().__init__(prog, width=max(width - 2, 40))


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
    return Arguments(command, BUILD[command]().parse_intermixed_args(list(words)))


def command_meant(words: Sequence[str]) -> str | None:
    """The command that the first path, which is none, may have been meant as."""
    word = words[0] if words else ""
    return nearest(word, list(COMMANDS)) if word.replace("-", "").isalpha() else None


def _parser(command: str, usage: str, epilog: str | None = None) -> _Parser:
    parser = _Parser(
        prog="speclint" if command == "check" else f"speclint {command}",
        usage=usage,
        description="Lint and fix SGLang launches." if command == "check" else COMMANDS[command],
        epilog=epilog,
        allow_abbrev=False,
        argument_default=argparse.SUPPRESS,
        formatter_class=_Help,
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="print findings and nothing else")
    parser.add_argument("--config", action="append", metavar="FILE|KEY=VALUE", help="use this configuration")
    parser.add_argument("--isolated", action="store_true", help="use no configuration file")
    return parser


def _check() -> _Parser:
    parser = _parser("check", "speclint [check] [OPTIONS] [PATH ...]", _EPILOG)
    parser.add_argument("-V", "--version", action="version", version=f"speclint {__version__}")
    parser.add_argument("words", nargs="*", metavar="PATH", help='files and folders; "-" is standard input')
    fixes = parser.add_argument_group("fixing")
    fixes.add_argument("--fix", action=argparse.BooleanOptionalAction, help="write safe fixes")
    fixes.add_argument("--unsafe-fixes", action=argparse.BooleanOptionalAction, help="take unsafe fixes too")
    fixes.add_argument("--diff", action="store_true", help="print the fixes as one diff, write nothing")
    _rule_options(parser)
    _file_options(parser)
    _release_option(parser)
    _format_option(parser, "check")
    output = parser.add_argument_group("output")
    output.add_argument("--output", action="append", metavar="FORMAT=PATH", help="one more report; may be repeated")
    output.add_argument("--changed-since", metavar="REV", help="github: tell first what is on lines changed since then")
    output.add_argument("--fail-on", metavar="LEVEL", help=f"lowest level that fails: {', '.join(FAIL_ON)}")
    output.add_argument("--statistics", action="store_true", help="count findings by rule instead")
    output.add_argument("--show-unknown", action="store_true", help="say what could not be judged, and why")
    output.add_argument("--show-settings", action="store_true", help="print the settings of each PATH and their origin")
    quiet = parser.add_argument_group("suppressing")
    quiet.add_argument("--baseline", metavar="FILE", help="leave out the findings that FILE lists")
    quiet.add_argument("--write-baseline", metavar="FILE", help="list every finding in FILE")
    quiet.add_argument("--add-ignore", action="store_true", help="write a comment that ignores it above each finding")
    quiet.add_argument("--reason", metavar="TEXT", help="what these comments say behind the codes")
    return parser


def _launches() -> _Parser:
    parser = _parser("launches", "speclint launches [OPTIONS] [PATH ...]")
    parser.add_argument("words", nargs="*", metavar="PATH", help='files and folders; "-" is standard input')
    _file_options(parser)
    _release_option(parser)
    _format_option(parser, "launches")
    return parser


def _explain() -> _Parser:
    parser = _parser("explain", "speclint explain [OPTIONS] PATH:LINE")
    parser.add_argument("words", nargs=1, metavar="PATH:LINE", help="a line of the launch")
    parser.add_argument("--stdin-filename", metavar="NAME", help="the name of standard input")
    _rule_options(parser)
    _release_option(parser)
    _format_option(parser, "explain")
    return parser


def _rule() -> _Parser:
    parser = _parser("rule", "speclint rule [OPTIONS] [CODE ...]\n       speclint rule --check [DIR ...]")
    parser.add_argument("words", nargs="*", metavar="CODE", help="the code or the name of a rule")
    told = "check the rule files of these folders (default: those that the configuration names) by their own examples"
    parser.add_argument("--check", action="store_true", help=told)
    _format_option(parser, "rule")
    return parser


def _server() -> _Parser:
    parser = _parser("server", "speclint server [OPTIONS]")
    # Clients of several languages ask every server for standard input and output in these words.
    parser.add_argument("--stdio", action="store_true", help=argparse.SUPPRESS)
    return parser


def _completion() -> _Parser:
    parser = _parser("generate-shell-completion", "speclint generate-shell-completion SHELL")
    parser.add_argument("words", nargs=1, choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return parser


# Command -> its parser.
BUILD: dict[str, Callable[[], argparse.ArgumentParser]] = {
    "check": _check,
    "launches": _launches,
    "explain": _explain,
    "rule": _rule,
    "server": _server,
    "generate-shell-completion": _completion,
}


def _rule_options(parser: _Parser) -> None:
    rules = parser.add_argument_group("rules (codes, prefixes or names, comma-separated)")
    for name, text in (
        ("--select", "ask only these"),
        ("--ignore", "do not ask these"),
        ("--extend-select", "ask these too"),
    ):
        rules.add_argument(name, action="append", metavar="RULES", help=text)


def _file_options(parser: _Parser) -> None:
    files = parser.add_argument_group("files")
    files.add_argument("--stdin-filename", metavar="NAME", help="read standard input as if it were this file")
    files.add_argument("--exclude", action="append", metavar="PATTERNS", help="leave these out instead of the defaults")
    files.add_argument("--extend-exclude", action="append", metavar="PATTERNS", help="leave these out too")
    files.add_argument(
        "--force-exclude", action=argparse.BooleanOptionalAction, help="exclude files that are named, too"
    )
    files.add_argument("--respect-gitignore", action=argparse.BooleanOptionalAction, help="leave ignored files out")
    files.add_argument("-j", "--jobs", metavar="N", help="processes to use (default: as many as pay)")


def _release_option(parser: _Parser) -> None:
    told = "the release to judge by where a file does not say; V..W: what an upgrade from V to W breaks"
    parser.add_argument("--sglang-version", metavar="V", help=told)


def _format_option(parser: _Parser, command: str) -> None:
    parser.add_argument("--output-format", metavar="FORMAT", help=", ".join(FORMATS_OF[command]))


def _output(text: str) -> tuple[str, str]:
    form, mark, path = text.partition("=")
    if not mark or not path:
        raise ConfigError(f"--output must be FORMAT=PATH, not {text!r}")
    return str(read_value("output-format", form, "--output")), path
