"""The options of each command as argparse takes them, for their help and for all that is unusual in a command line."""

from __future__ import annotations

import argparse

from speclint import __version__
from speclint.arguments import COMMANDS, FORMATS_OF, SHELLS
from speclint.settings import FAIL_ON, ConfigError, nearest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_EPILOG = "commands:\n" + "".join(f"  {name:<27}{text}\n" for name, text in COMMANDS.items())
_EPILOG += "\nexit status: 0 nothing found, 1 findings remain, 2 something could not be read or was asked wrongly"


class _Parser(argparse.ArgumentParser):
    """argparse with a hint for a misspelt option; errors leave by ConfigError, so that all read alike."""

    def error(self, message: str) -> Any:
        if message.startswith("unrecognized arguments: "):
            word = message.split(": ", 1)[1].split(" ")[0].split("=")[0]
            message = f"unknown option `{word}`{self._hint(word)}"
            if not word.startswith("-"):
                message = f"`{word}` is a word too many"
        raise ConfigError(f"{message.removeprefix('argument ')}\nTry `{self.prog} --help`.")

    def _hint(self, word: str) -> str:
        """What was meant by an option that the command does not have: another's, or one that is written like it."""
        for command, build in BUILD.items():
            if word in build()._option_string_actions:
                return f"; it is one of `speclint {command}`"
        known = [string[2:] for string in self._option_string_actions if string.startswith("--")]
        near = nearest(word[2:], known) if word.startswith("--") else None
        return f"; did you mean `--{near}`?" if near else ""


class _Help(argparse.RawDescriptionHelpFormatter):
    """The width is asked for here, since argparse imports shutil for it whenever an option is added."""

    def __init__(self, prog: str) -> None:
        import os

        try:
            width = int(os.environ.get("COLUMNS", "")) or os.get_terminal_size().columns
        except (ValueError, OSError):
            width = 100
        super().__init__(prog, width=max(width - 2, 40))


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
    _rule_options(parser)
    _release_option(parser)
    return parser


def _completion() -> _Parser:
    parser = _parser("generate-shell-completion", "speclint generate-shell-completion SHELL")
    parser.add_argument("words", nargs=1, choices=SHELLS, metavar="SHELL", help=", ".join(SHELLS))
    return parser


# Command -> its parser.
BUILD: dict[str, Callable[[], _Parser]] = {
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
