"""Compares speclint.sglang.argv with the parsers of SGLang's releases on generated and on real command lines.

    python tools/agreement.py --wheels DIR [--lines 20000] [--real FILE] [VERSION …]

DIR holds unpacked wheels, DIR/VERSION/sglang/…; without VERSION every one of them is taken. FILE has one JSON list of
words a line. Each release's own ``add_cli_args`` fills the ``argparse`` parser that judges: whether it accepts, which
kind of error it stops at, and which value each destination gets. Every kind of disagreement is printed with an example.
Exit 1 where less than 99.9 % agree in a release.
"""

from __future__ import annotations

import argparse
import collections
import json
import logging
import os
import random
import sys
from typing import TYPE_CHECKING, Any

import sglang_wheel

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from speclint.sglang import argv, catalog

if TYPE_CHECKING:
    from collections.abc import Callable

Words = list[str]
GOAL = 0.999
ERRORS = (
    ("ambiguous option", "ambiguous"),
    ("ignored explicit argument", "unexpected-value"),
    ("invalid choice", "invalid-choice"),
    ("expected one argument", "missing-value"),
    ("expected at least one argument", "missing-value"),
    ("arguments are required", "missing-required"),
    ("unrecognized arguments", "unrecognized"),
    ("is no longer supported", "refused"),
    # Whatever else a converter says.
    ("", "invalid-type"),
)
ANY = (
    "1", "0", "-1", "-1.5", "-.5", "1.5", "", "x", "a b", "-x", "-", "01", "1e3", "nan", "true", "None", "8k", "1.5Ki",
    "{}", "[1]", "{", '{"a": 1}', "/m", "=", "--x y", " 7 ", "1_0", "+3", "1.5k", "1ki", "NaN", "{a}", "auto",
)  # fmt: skip
FITTING = {
    "int": ("1", "-1", "07", "8192"),
    "float": ("1", "-.5", "0.85", "1e3"),
    "human_int": ("8", "8k", "1Ki", "1.5M"),
    "json": ("{}", "[1]", '{"a": 1}'),
    "json_list": ("[1]",),
    "cuda_graph_config": ("{}", '{"decode": {"backend": "full"}}'),
}


class _StopError(Exception):
    """How a parser ended, in the words of ``Problem.kind``."""


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        raise _StopError(next(kind for part, kind in ERRORS if part in message))

    def print_help(self, *_arguments: Any) -> None:
        raise _StopError("help")


def main() -> int:
    """Runs the command line; see the module's text."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("versions", nargs="*", metavar="VERSION")
    parser.add_argument("--wheels", required=True, metavar="DIR")
    parser.add_argument("--lines", type=int, default=20_000)
    parser.add_argument("--real", metavar="FILE")
    options = parser.parse_args()
    logging.disable()
    real = _read(options.real) if options.real else []
    unpacked = [name for name in catalog.known() if os.path.isdir(os.path.join(options.wheels, name, "sglang"))]
    worst = 1.0
    for version in options.versions or unpacked:
        if os.fork() == 0:
            # The modules of one release would stand in for those of the next.
            os._exit(_compare(version, options.wheels, real, options.lines))
        worst = min(worst, os.waitstatus_to_exitcode(os.wait()[1]) == 0)
    return 0 if worst else 1


def _read(path: str) -> list[Words]:
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _compare(version: str, wheels: str, real: list[Words], count: int) -> int:
    judge = _judge(os.path.join(wheels, version))
    release = catalog.release(version)
    lines = [*real, *_generated(release, real, max(0, count - len(real)), random.Random(version))]
    kinds: collections.Counter[str] = collections.Counter()
    examples: dict[str, str] = {}
    for words in lines:
        theirs, ours = judge(words), _ours(words, release, judge)
        if theirs != ours:
            same = isinstance(theirs, dict) and isinstance(ours, dict)
            kind = f"theirs {'other values' if same else _outcome(theirs)}, ours {_outcome(ours)}"
            kinds[kind] += 1
            examples.setdefault(kind, " ".join(repr(word) for word in words))
    share = 1 - sum(kinds.values()) / len(lines)
    print(f"{version:14} {len(lines)} lines, {100 * share:.3f} % agree", flush=True)
    for kind, times in kinds.most_common():
        print(f"    {times} times {kind}: {examples[kind][:300]}", flush=True)
    return int(share < GOAL)


def _outcome(answer: dict[str, str] | str) -> str:
    return answer if isinstance(answer, str) else "accepted"


class _Judge:
    """A release's own parser."""

    def __init__(self, parser: _Parser) -> None:
        self.parser = parser
        self.actions = parser._option_string_actions
        self.defaults = vars(parser.parse_args(["--model-path", ""]))

    def __call__(self, words: Words) -> dict[str, str] | str:
        try:
            stored = vars(self.parser.parse_args(words))
        except _StopError as stop:
            return str(stop)
        except ValueError as error:
            return "invalid-type" if isinstance(error, json.JSONDecodeError) else "refused"
        except AssertionError:
            return "invalid-type"
        return {dest: repr(value) for dest, value in stored.items() if value != self.defaults.get(dest)}


def _judge(folder: str) -> _Judge:
    wheel = sglang_wheel.Wheel(folder)
    parser = _Parser(prog="server")
    wheel.import_("sglang.srt.server_args", fromlist=("ServerArgs",)).ServerArgs.add_cli_args(parser)
    return _Judge(parser)


def _ours(words: Words, release: catalog.Release, judge: _Judge) -> dict[str, str] | str:
    parsed = argv.parse([argv.Word(word) for word in words], release)
    problem = argv.verdict(parsed)
    if problem is not None:
        return "unrecognized" if problem.kind in ("unknown", "positional") else problem.kind
    if parsed.help:
        return "help"
    stored = {}
    for use in parsed.last.values():
        dest = judge.actions[use.option.strings[0]].dest
        value = _stored(use, judge.actions[use.option.strings[0]].type or str)
        if use.option.deprecated != "ignored" and value != judge.defaults.get(dest):
            stored[dest] = repr(value)
    return stored


def _stored(use: argv.Use, convert: Callable[[str], Any]) -> Any:
    option = use.option
    if option.action == "bool_optional":
        return not use.spelling.startswith("--no-")
    if option.nargs == 0 or option.action == "store_const":
        return option.const
    if option.action == "lora_pairs":
        return dict((value or "").split("=", 1) if "=" in (value or "") else (value, value) for value in use.values)
    if option.action == "lora_paths":
        texts = [(value or "").strip() for value in use.values]
        return [json.loads(text) if text[:1] == "{" and text[-1:] == "}" else text for text in texts]
    values = [convert(value or "") for value in use.values]
    if option.nargs in ("+", "*"):
        return values
    return values[0] if values else option.const


def _generated(release: catalog.Release, real: list[Words], count: int, chance: random.Random) -> list[Words]:
    lines: list[Words] = []
    while len(lines) < count:
        kind = chance.random()
        if kind < 0.4:
            words = _fitting(release, chance)
        elif kind < 0.6 and real:
            words = _spoilt(list(chance.choice(real)), release, chance)
        elif kind < 0.8:
            words = _spoilt(_fitting(release, chance), release, chance)
        else:
            words = _wild(release, chance)
        # A merged --config is no business of argparse; "--" is read differently by Python's releases.
        if not any(word in ("--", "--config") or word.endswith("=--") for word in words):
            lines.append(words)
    return lines


def _fitting(release: catalog.Release, chance: random.Random) -> Words:
    words = []
    for name in ["--model-path", *chance.choices(list(release.options), k=chance.randint(0, 8))]:
        option = release.options[name]
        if option.dest == "help":
            continue
        pool = option.choices or FITTING.get(option.type or "str", ("x", "meta/llama", "a b", "auto", "-1"))
        least, most = {0: (0, 0), None: (1, 1), "?": (0, 1), "*": (0, 3)}.get(option.nargs, (1, 3))
        values = [chance.choice(pool) for _ in range(chance.randint(least, most))]
        words += [f"{name}={values[0]}"] if len(values) == 1 and chance.random() < 0.3 else [name, *values]
    return words


def _spoilt(words: Words, release: catalog.Release, chance: random.Random) -> Words:
    """A line after one to three of the mistakes that people make."""
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(words)) if words else 0
        how = chance.randrange(8)
        word = words[at] if words else ""
        if how == 0:
            words[at : at + 1] = []
        elif how == 1:
            words[at:at] = [chance.choice(ANY)]
        elif how == 2:
            words[at : at + 1] = [chance.choice(ANY)]
        elif how == 3 and word.startswith("--"):
            words[at] = word[: chance.randint(3, max(3, len(word)))]
        elif how == 4 and word.startswith("--"):
            words[at] = "--" + word[2:].replace("-", "_")
        elif how == 5 and at + 1 < len(words):
            words[at : at + 2] = [f"{word}={words[at + 1]}"]
        elif how == 6:
            words += [word]
        else:
            words[at:at] = [chance.choice(list(release.options))]
    return words


def _wild(release: catalog.Release, chance: random.Random) -> Words:
    words = ["--model-path", "m"] if chance.random() < 0.5 else []
    for _ in range(chance.randint(0, 6)):
        name = chance.choice(list(release.options))
        if chance.random() < 0.5:
            name = name[: chance.randint(2, len(name))]
        pool = (*ANY, *(release.options[name].choices or ())) if name in release.options else ANY
        words += chance.choice(
            [[name], [name, chance.choice(pool)], [f"{name}={chance.choice(pool)}"], [chance.choice(pool)]]
        )
    return words


if __name__ == "__main__":
    sys.exit(main())
