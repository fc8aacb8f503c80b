"""``speclint launches``: no value is told that only one way of several gives."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'import subprocess\ncmd = ["python", "-m", "sglang.launch_server"]\n'


def launch(path: Path, text: str, name: str = "serve.py") -> dict[str, Any]:
    file = path / name
    file.write_text(text)
    run = [sys.executable, "-m", "speclint", "launches", "--isolated", "--output-format", "json", str(file)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    *_, launch = json.loads(done.stdout)
    found: dict[str, Any] = launch
    return found


def args(path: Path, text: str, name: str = "serve.py") -> dict[str, Any]:
    found: dict[str, Any] = launch(path, text, name)["args"]
    return found


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("cmd += ['--tp', '2'] if x else ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": None}),
        ("cmd += ['--tp', '2']\nif x:\n    cmd += ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": None}),
        ("if x:\n    cmd += ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": "4"}),
        ("import sglang\ndef f(t=None):\n    sglang.Engine(tp_size=t)", {"tp_size": None}),
    ],
)
def test_values_that_differ_are_not_told(tmp_path: Path, body: str, wanted: dict[str, Any]) -> None:
    assert args(tmp_path, HEAD + body) == wanted


SERVE = "python3 -m sglang.launch_server"
PLACE = 'case "$M" in none) A="" ;; a) A="--tp 2" ;; *) A="--tp 8 --dp $M" ;; esac\n'


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f'T=${{T:-1}}\nN=$T\nif [ "$T" = 1 ]; then N=4; fi\n{SERVE} --tp $N', {"tp_size": "4"}),
        (f'T=${{T:-1}}\nif [ "$T" -gt 1 ]; then N=$T; else N=2; fi\n{SERVE} --tp $N', {"tp_size": "2"}),
        (f'T=$1\nN=$T\nif [ "$T" = 1 ]; then N=4; fi\n{SERVE} --tp $N', {"tp_size": None}),
        (f"M=${{M:-a}}\n{PLACE}{SERVE} $A", {"tp_size": "2", "dp_size": None}),
        (f"M=$1\n{PLACE}{SERVE} $A", {"tp_size": None, "dp_size": None}),
    ],
)
def test_values_are_those_where_every_default_stands(tmp_path: Path, text: str, wanted: dict[str, Any]) -> None:
    assert args(tmp_path, text + "\n", "serve.sh") == wanted


MODE = "if getattr(args, 'mode', 'a') == 'a':\n    cmd += ['--x', {}]\nsubprocess.run(cmd)"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (MODE.format("'1'"), ["--x", "1"]),
        (MODE.format("name"), ["--x", None]),
        ("if a:\n    cmd += ['--x']\nelse:\n    cmd += ['--x']\nsubprocess.run(cmd)", ["--x", "--x"]),
        ("X = ['--x', '1']\nfor _ in range(2):\n    if a:\n        cmd += X\nsubprocess.run(cmd)", ["--x", "1"] * 2),
    ],
)
def test_one_word_of_two_ways_is_told_once(tmp_path: Path, body: str, wanted: list[str | None]) -> None:
    assert launch(tmp_path, HEAD + body)["argv"] == wanted


@pytest.mark.parametrize(
    ("words", "argv", "is_open"),
    [
        ("--cuda-graph-bs-decode 1 $EXTRA_ARGS", ["--cuda-graph-bs-decode", "1"], True),
        ("--cuda-graph-bs-decode $SIZES", ["--cuda-graph-bs-decode", None], False),
        ("--cuda-graph-bs-decode ${SIZES:-1 2}", ["--cuda-graph-bs-decode", "1", "2", None], False),
    ],
)
def test_what_stands_behind_values_of_a_list_may_be_options(
    tmp_path: Path, words: str, argv: list[str | None], is_open: bool
) -> None:
    found = launch(tmp_path, f"{SERVE} --model-path m {words}\n", "serve.sh")
    assert (found["argv"][2:], found["open"]) == (argv, is_open)
    array = f'if [ -n "$X" ]; then\n  A=({words})\nfi\n{SERVE} --model-path m "${{A[@]}}"\n'
    found = launch(tmp_path, f"A=()\n{array}", "serve.sh")
    assert (found["argv"][2:], found["open"]) == (argv, is_open)


def test_it_is_told_why_a_value_that_branches_set_is_not(tmp_path: Path) -> None:
    file = tmp_path / "serve.py"
    file.write_text(HEAD + "cmd += ['--tp', '2']\nif x:\n    cmd += ['--tp', '4']\nsubprocess.run(cmd)")
    run = [sys.executable, "-m", "speclint", "launches", "--isolated", str(file)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert "--tp ? (it takes one of several values)" in done.stdout
