"""A script in which nothing may launch is not even parsed, and what tells a launch is found wherever it stands."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.hosts.shell.env import Env
from speclint.hosts.shell.run import Runner
from speclint.hosts.shell.syntax import Syntax
from speclint.hosts.shell.trigger import LAUNCH, may_launch, told
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.words import Command

RUN = "python3 -m sglang.launch_server --tp 2"


def parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> bool:
    """Whether a script is parsed."""
    met: list[Mapped] = []

    def syntax(text: Mapped, path: str | None = None) -> Syntax:
        met.append(text)
        return Syntax(text, path)

    monkeypatch.setattr(shell, "Syntax", syntax)
    found = shell.read(SourceFile("x.sh", text.encode()))
    assert met or not found
    return bool(met)


@pytest.mark.parametrize(
    "text",
    [
        "# serves with sglang.launch_server\necho hi\n",
        f"  # {RUN}\n\t#{RUN}\necho hi\n",
        "git clone sglang && cd sglang # sglang is a server\n",
        '"""A page.\n\nThe source of sglang is elsewhere.\n"""\nsource = "sglang"\nx = a . b\n',
        "echo 'see ./sglang. Or not.'\n",
        "# sglang\nwhat (or who). If any\n",
    ],
)
def test_a_script_that_tells_of_no_launch_is_not_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not parsed(text, monkeypatch)


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN}\n",
        f"echo a # b\n{RUN}",
        f"f \\\n# {RUN}\n",
        "# sglang\nsource lib.sh\n",
        "# sglang\nif . lib.sh; then :; fi\n",
        "# sglang\nA=1 B=2 . lib.sh\n",
        "# sglang\ncase x in\nx) . lib.sh ;;\nesac\n",
        "# sglang\nx || . \\\n  lib.sh\n",
        'CMD=sglang\n$CMD "serve"\n',
        f"# a comment\r{RUN}\n",
    ],
)
def test_a_script_that_may_launch_is_parsed(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert parsed(text, monkeypatch)


def test_comments_in_text_that_a_shell_runs_launch_nothing() -> None:
    text = f"bash <<E\n# {RUN}\nE\nbash -c '\n# {RUN}\n'\ncat > a.sh <<E\n#!/bin/sh\n# {RUN}\nE\n"
    assert not may_launch(text.encode())
    assert not launches(shell.read_shown(Mapped.new(text), Command((), _span(text), "shell"))[0])


def test_a_suppression_in_a_script_that_is_not_parsed_is_told(cli: Any) -> None:
    cli.write("a.sh", "# of sglang\necho hi  # speclint: ignore[SGL201]\n")
    result = cli("check", "--output-format", "json", "a.sh")
    assert [finding["name"] for finding in json.loads(result.out)] == ["unused-suppression"]


PARTS = ("sglang", "serve", "$", "{", "X", "}", " ", "\\\n", '"', ".", "launch", "launch_server", "dynamo", "--", ":v1")


@given(st.lists(st.sampled_from(PARTS), max_size=10).map("".join))
@settings(max_examples=500)
@example("--sglang--sglang--")
def test_the_quick_search_finds_what_the_whole_expression_does(text: str) -> None:
    """A range that holds a match of the one holds one of the other."""
    data = text.encode()
    found = list(told(data))
    every = [re.compile(LAUNCH.encode()).match(data, at) for at in range(len(data))]
    spans = [match.span() for match in every if match is not None]
    assert all(any(start <= a and b <= end for a, b in found) for start, end in spans)
    assert all(any(start <= a and b <= end for a, b in spans) for start, end in found)


def _span(text: str) -> Span:
    return Span(SourceFile("x.sh", text.encode()), 0, len(text))


LINES = (
    "mkdir -p $TP", "echo ${TP:=8}", "echo ${TP=7}", "echo $((TP+=1)) x", "test $[TP++] -lt 3", "printf -v TP 2", "let TP=3",
    "read -r TP", "mapfile -t A", "set -- --dp 2", "shift", "eval TP=5", "TP=4", "TP=1 env", "export TP=6", "A=(--ep 2)",
    "for i in 1 2; do echo $i; done", "while read x; do TP=9; done",
    "while [ $# -gt 0 ]; do TP=$1; shift; if [ $TP = 1 ]; then break; fi; done", "if ready; then exit 1; fi", "return",
    "ready && TP=2",
    "(cd x; TP=3)", "echo a | tee b", "cat > $TP <<< x", "echo $(TP=9; echo $TP)", 'x() { echo "$1"; }', "unset TP", "./tp.sh",
    "declare -A B", "[ -n $TP ] || TP=0", "case $TP in 4) break;; esac", "echo 'a\nb' \\\n  c", "bash -c 'TP=2'", ": ${TP:-3}",
)  # fmt: skip


@given(st.lists(st.sampled_from(LINES), max_size=8), st.booleans())
@example(["set -- 1 2", next(line for line in LINES if "break; fi" in line)], False)
@settings(max_examples=400)
def test_commands_that_are_passed_over_change_nothing(lines: list[str], shown: bool) -> None:
    """What a script launches is the same whether commands that start nothing are looked at or not."""
    text = "\n".join([*lines, f'{RUN} --tp $TP "$@" "${{A[@]}}"', *lines, f"{RUN} --tp $TP"])

    def told(every: bool) -> list[str]:
        file = SourceFile("x.sh", text.encode())
        runner = Runner(Syntax(Mapped.of(file)), Env(), Command((), Span(file, 0, len(text)), "shell"), 0)
        runner.script(shown, every)
        found = launches(runner.finish())
        return [f"{one.words} {one.command.env} {one.command.span} {one.command.run}" for one in found]

    assert told(False) == told(True)
