"""Whole files, with the hosts and the rules that speclint has: text before, text after."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.config import Configs
from speclint.fix.apply import fix_file
from speclint.run import Linter
from speclint.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from speclint.analysis import Analysis
    from speclint.fix.apply import Result

HOSTS = {"a.sh": "shell", "a.py": "python", "a.yaml": "yaml"}
CONFIGS = Configs(isolated=True)


def fixed(name: str, text: str, allow: str = "safe") -> Result:
    linter = Linter(CONFIGS)
    file = SourceFile(name, text.encode("utf-8", "surrogateescape"))

    def analyse(changed: str) -> Analysis:
        return linter.analyse(SourceFile(name, file.encode(changed)), HOSTS[name], CONFIGS.for_file(name))

    return fix_file(file, analyse, allow)


SHELL = """\
#!/bin/bash
# launch --speculative-eagle-topk 4
python -m sglang.launch_server --model-path "$MODEL" \\
  --speculative-eagle-topk 4 \\
  --linear-attn-backend lightning
echo "--speculative-eagle-topk 4"
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}   # é
spec:
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.13
      command: [python3, -m, sglang.launch_server]
      args:
        - --model-path
        - some/model
        - --speculative-eagle-topk
        - "4" # four
        - --linear-attn-backend=lightning
"""
NESTED = """\
apiVersion: v1
kind: Pod
metadata:
  name: llm
spec:
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.13
      command: ["bash", "-c"]
      args:
        - |
          # why not 4
          exec python3 -m sglang.launch_server --model-path some/model \\
            --speculative-eagle-topk 4 \\
            --linear-attn-backend lightning
"""
PYTHON = """\
import sglang

TOPK = 4  # four
llm = sglang.Engine(
    model_path="some/model",
    speculative_eagle_topk=TOPK,
    linear_attn_backend="lightning",
)
"""
FILES = [
    ("a.sh", SHELL, "k 4 \\", "k 1 \\"),
    ("a.yaml", POD, '"4"', '"1"'),
    ("a.yaml", NESTED, "k 4 \\", "k 1 \\"),
    ("a.py", PYTHON, "= 4", "= 1"),
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", [True, False])
@pytest.mark.parametrize(("name", "text", "old", "new"), FILES)
def test_the_value_changes_and_nothing_else(name: str, text: str, old: str, new: str, newline: str, end: bool) -> None:
    text = text if end else text.rstrip("\n")
    text = text.replace("\n", newline)
    result = fixed(name, text)
    assert result.text == text.replace(old, new, 1)
    assert {f.code for f in result.applied} == {"SGL201"}
    assert (result.dropped, result.error) == ([], None)
    assert "SGL201" not in {f.code for f in result.remaining.findings}
    assert fixed(name, result.text).text == result.text


def test_default_needs_leave() -> None:
    text = SHELL.replace("topk 4 ", 'topk "${TOPK:-4}" ')
    assert fixed("a.sh", text).text == text
    assert fixed("a.sh", text, "unsafe").text == text.replace(":-4", ":-1")


def test_word_that_another_launch_reads_is_left_alone() -> None:
    text = (
        "A=(--speculative-eagle-topk 4)\n"
        'python -m sglang.launch_server --model-path a "${A[@]}" --linear-attn-backend lightning\n'
        'python -m sglang.launch_server --model-path a "${A[@]}"\n'
    )
    result = fixed("a.sh", text)
    assert result.text == text
    assert [reason for _, reason in result.dropped] == ["another launch would change"]


def test_two_launches_are_fixed_at_once() -> None:
    assert fixed("a.sh", SHELL + SHELL).text == (SHELL + SHELL).replace("k 4 \\", "k 1 \\")


def test_script_with_an_error_elsewhere_is_no_crash() -> None:
    text = SHELL + "if [ x; then\n"
    assert fixed("a.sh", text).error is None


CHARS = st.text(alphabet="ab é\n\t\"'\\$#=-(){}|&;", max_size=40)


@given(CHARS, CHARS)
@settings(max_examples=50, deadline=None)
def test_any_surroundings(before: str, after: str) -> None:
    """Whatever stands around a launch: no crash, twice is once, and only the value may change."""
    text = f"{before}\n{SHELL}{after}"
    once = fixed("a.sh", text)
    assert once.error is None
    assert once.text in (text, text.replace(SHELL, SHELL.replace("k 4 \\", "k 1 \\")))
    assert fixed("a.sh", once.text).text == once.text


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "speclint", "check", "--isolated", *arguments], cwd=folder, capture_output=True
    )


def test_command_line_writes_and_git_applies_the_diff(tmp_path: Path) -> None:
    raw = b"\xef\xbb\xbf" + SHELL.replace("\n", "\r\n").encode()
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.sh").write_bytes(raw)
    expected = raw.replace(b"k 4 \\", b"k 1 \\")
    diff = run(tmp_path / "one", "--diff", "a.sh")
    assert diff.returncode == 1
    assert (tmp_path / "one" / "a.sh").read_bytes() == raw
    subprocess.run(["git", "init", "-q"], cwd=tmp_path / "one", check=True)
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=tmp_path / "one", input=diff.stdout, check=True)
    assert (tmp_path / "one" / "a.sh").read_bytes() == expected
    assert run(tmp_path / "two", "--fix", "a.sh").returncode in (0, 1)
    assert (tmp_path / "two" / "a.sh").read_bytes() == expected
    assert run(tmp_path / "two", "--diff", "a.sh").stdout == b""
