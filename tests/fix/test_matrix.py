"""Every intent in every host and manner of writing: what can be done there, and that it is done right.

The contexts are those of ``matrix.txt``. For each of them and each intent: the fix is as sure as that file says, it is
applied through the real way of a fix (so it keeps its promises), the launch then has the words that were meant, and a
parser that speclint does not ask still reads the file.
"""

from __future__ import annotations

import ast
import json
import subprocess
from copy import copy
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from speclint import discover
from speclint.config import Configs
from speclint.finding import Finding
from speclint.fix import intent
from speclint.fix.apply import fix_file
from speclint.run import Linter
from speclint.source import SourceFile
from speclint.value import Known

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.analysis import Analysis
    from speclint.finding import Fix
    from speclint.launch import Launch
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting

LINTER = Linter(Configs(isolated=True), ask=False)
SETTINGS = LINTER.configs.for_file("x")
QUOTED = '{"a": 1}'


class Context(NamedTuple):
    name: str
    path: str
    text: str
    refused: dict[str, str]

    def outcome(self, name: str) -> str:
        """What the table says of an intent."""
        found = next((told for names, told in self.refused.items() if name in names.split()), None)
        return (found or self.refused.get("*") or "safe").partition(":")[0]

    def analyse(self, text: str) -> Analysis:
        raw = text.encode()
        host = discover.host_of(self.path) or discover.host_by_content(raw, certain=False)
        assert host is not None
        return LINTER.analyse(SourceFile(self.path, raw), host, SETTINGS)


def contexts() -> list[Context]:
    text = (Path(__file__).parent / "matrix.txt").read_text(encoding="utf-8")
    found = []
    for part in text.split("\n=== ")[1:]:
        head, *rows = (part + "\n").splitlines(keepends=True)
        name, path = head.strip().split(" | ")
        refused = [row[2:].strip().partition(": ") for row in rows if row.startswith("! ")]
        body = "".join(row for row in rows if not row.startswith("! "))
        found.append(Context(name, path, body, {names: told for names, _, told in refused}))
    return found


CONTEXTS = contexts()


class Case(NamedTuple):
    """``old`` and ``new``: the option and its value before and after; None for a switch, nothing for one not there."""

    fixes: Callable[[Options, Setting, Setting], tuple[Fix, ...]]
    old: tuple[str, ...]
    new: tuple[str, ...]


VALUE, SWITCH = ("--page-size", "64"), ("--enable-metrics",)
INTENTS = {
    "set": Case(lambda o, v, s: intent.set_value(v, "1", "x"), VALUE, ("--page-size", "1")),
    "set-quoted": Case(lambda o, v, s: intent.set_value(v, "a b", "x"), VALUE, ("--page-size", "a b")),
    "rename": Case(lambda o, v, s: intent.rename_option(v, "--watchdog-timeout", "x"), VALUE, ("--watchdog-timeout", "64")),
    "rename-switch": Case(lambda o, v, s: intent.rename_option(s, "--skip-tokenizer-init", "x"), SWITCH, ("--skip-tokenizer-init",)),
    "remove": Case(lambda o, v, s: intent.remove_option(v, "x"), VALUE, ()),
    "remove-switch": Case(lambda o, v, s: intent.remove_option(s, "x"), SWITCH, ()),
    "add": Case(lambda o, v, s: intent.add_option(o, "--page-new", "1", "x"), (), ("--page-new", "1")),
    "add-switch": Case(lambda o, v, s: intent.add_option(o, "--page-switch", None, "x"), (), ("--page-switch",)),
    "add-quoted": Case(lambda o, v, s: intent.add_option(o, "--page-new", QUOTED, "x"), (), ("--page-new", QUOTED)),
    "split": Case(lambda o, v, s: intent.split_word(s.words[0], ["--watchdog-timeout", "1"], "x"), SWITCH, ("--watchdog-timeout", "1")),
    "replace": Case(lambda o, v, s: intent.replace_option(s, ["--watchdog-timeout", "1"], "x"), SWITCH, ("--watchdog-timeout", "1")),
    "replace-quoted": Case(lambda o, v, s: intent.replace_option(v, ["--log-level", "a b"], "x"), VALUE, ("--log-level", "a b")),
}  # fmt: skip


# To the shell itself these are something else with such newlines: it keeps the carriage returns.
NOT_OF_WINDOWS = ("sh array += in branch", "sh string rows", "sh string rows bare")
WINDOWS = [c._replace(name=f"{c.name}, CRLF", text=c.text.replace("\n", "\r\n")) for c in CONTEXTS if c.name not in NOT_OF_WINDOWS]


@pytest.mark.parametrize("context", [*CONTEXTS, *WINDOWS], ids=lambda c: c.name)
def test_every_intent(context: Context) -> None:
    before = context.analyse(context.text)
    (launch,), (options,) = before.launches, before.options
    value, switch = options.written("page_size")[-1], options.written("enable_metrics")[-1]
    wrong = []
    for name, case in INTENTS.items():
        if name == "split" and switch.keyword is not None:
            continue
        fixes = intent.settle(case.fixes(options, value, switch), launch)
        outcome = fixes[0].applicability if fixes else "none"
        fault = None
        if outcome in ("safe", "unsafe"):
            fault = done(context, before, launch, fixes[0], case)
        if outcome != context.outcome(name) or fault is not None:
            wrong.append((name, outcome, context.outcome(name), fault))
    assert wrong == []


def done(context: Context, before: Analysis, launch: Launch, fix: Fix, case: Case) -> str | None:
    """Makes a fix; what is wrong with the file then."""
    finding = Finding("ZZZ", "trial", "error", "x", launch.head, launch=launch, fix=fix)
    first = copy(before)
    first.findings = [finding]
    result = fix_file(before.file, context.analyse, "unsafe", first)
    if not result.applied:
        return f"dropped: {result.dropped[0][1]}"
    (after,) = result.remaining.launches
    if not meant(launch, after, case):
        return f"it reads {words(after)}"
    return unread(context.path, result.text)


def words(launch: Launch) -> list[tuple[str | None, ...]]:
    """The words of a launch, or its keywords with their values."""
    if launch.command.keywords is not None:
        return [(f"--{(k.name or '').replace('_', '-')}", text(k)) for k in launch.command.keywords]
    return [(text(word),) for word in launch.words]


def text(item: object) -> str | None:
    value = getattr(item, "value", None)
    return value.text.text if isinstance(value, Known) else None


def meant(before: Launch, after: Launch, case: Case) -> bool:
    """Whether nothing differs but that ``case.new`` stands in the place of ``case.old``, or somewhere."""
    old, new = words(before), words(after)
    if before.command.keywords is not None:
        pairs = [(pair[0], pair[1] if len(pair) > 1 else "True") for pair in (case.old, case.new) if pair]
        gone = pairs[:1] if case.old else []
        came = pairs[-1:] if case.new else []
        return sorted(map(repr, [w for w in old if w not in gone] + came)) == sorted(map(repr, new))
    flat, target = [w[0] for w in old], [w[0] for w in new]
    inline = ["=".join(case.old)] if case.old and "=".join(case.old) in flat else list(case.old)
    wanted = ["=".join(case.new)] if case.new and "=".join(case.new) in target else list(case.new)
    return any(
        flat[at : at + len(inline)] == inline and [*flat[:at], *wanted, *flat[at + len(inline) :]] == target
        for at in range(len(flat) + 1)
    )


def unread(path: str, content: str) -> str | None:
    """What the parser of a language has against a file."""
    try:
        if path.endswith(".py"):
            ast.parse(content)
        elif path.endswith((".json", ".ipynb")) and "//" not in content:
            json.loads(content)
        elif path.endswith(".toml"):
            import tomllib  # not before Python 3.11

            tomllib.loads(content)
        elif path.endswith((".yaml", ".yml")) and "{{" not in content:
            import yaml

            list(yaml.safe_load_all(content))
        elif path.endswith(".sh"):
            ran = subprocess.run(["bash", "-n"], input=content.encode(), capture_output=True, check=False)
            return ran.stderr.decode() or None
    except ImportError:
        return None
    except (SyntaxError, ValueError) as error:
        return str(error)
    return None


def test_table_names_only_intents_that_there_are() -> None:
    named = {name for context in CONTEXTS for names in context.refused for name in names.split()}
    assert named <= {*INTENTS, "*"}
    assert len(CONTEXTS) > 100
