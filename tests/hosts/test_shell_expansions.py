"""Expansions give the words that bash gives, or none."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.source import SourceFile
from speclint.value import Known

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")

SETUP = """\
M=org/Qwen3-8B.fp8
N=4
EMPTY=
A=(one two 'three four' five)
NONE=()
i=2
REF=N
"""
KNOWN = [
    "${M##*/}", "${M%%.*}", "${M#*/}", "${M%-*}", "${M//Q/q}", "${M/o}", "${M/o/0}", "${M,,}", "${M^^}", "${M^}", "${M:0:3}",
    "${M: -3}", "${M:4}", "${#M}", "${#A[@]}", "${A[1]}", "${A[i]}", "${A[$i]}", '"${A[@]:1}"', '"${A[@]:1:2}"', "${A[@]: -1}",
    '"${!A[@]}"', "${!REF}", '"${@:2}"', '"${@:2:1}"', "${@: -1}", "$#", '"${@:9}"', '"${A[*]}"', "${A[*]:1:1}", "${N:+--tp $N}",
    "${EMPTY:+--x}", '${N:+"a b"}', '"${A[@]+"${A[@]}"}"', '${NONE[@]+"${NONE[@]}"}', '"${NONE[@]:-x}"', '"${A[@]:-x}"',
    "${EMPTY:-$((N << 2))}", "${EMPTY:-$((1 << 2 << 1))} $((2 << 1))",
    "${EMPTY:-d}", "${EMPTY-d}", "$((N * 2 + 1))", "$((N ** 2))", "$((N << 2))", "$((N > 3))", "$(( (N + 2) % 4 ))", "$((-N))",
    "$((N == 4 ? 7 : 8))", '"$1"', '"${1}x"', '"x${@:2}"', "--a=${M##*/}", "${M%.fp8}${N}",
]  # fmt: skip


def bash(text: str) -> list[str]:
    script = text.replace("CHECK ", "printf '%s\\0' ")
    told = subprocess.run([BASH or "", "-c", script], capture_output=True, check=False)
    return told.stdout.decode().split("\0")[:-1]


def ours(text: str) -> list[str | None]:
    (command,) = [c for c in shell.read(SourceFile("x.sh", f"{text}\n: sglang.launch_server\n".encode()))
                  if c.words and c.words[0].text == "CHECK"]  # fmt: skip
    if any(word.many or word.guard for word in command.words):
        return [None]
    return [word.value.text.text if isinstance(word.value, Known) else None for word in command.words[1:]]


@pytest.mark.parametrize("word", KNOWN)
def test_as_bash_does(word: str) -> None:
    text = f"{SETUP}set -- a 'b c' d\nCHECK {word} end"
    assert ours(text) == bash(text)


PIECES = st.sampled_from(
    [
        "M",
        "A",
        "@",
        "[@]",
        "[1]",
        "N",
        "#",
        "##",
        "%",
        "/",
        "*",
        ":",
        "1",
        "2",
        "x",
        ",,",
        "+",
        "-",
        ":-",
        ":+",
        "//",
        "!",
    ]
)


@example(["M", "//", "/", "*"])
@example(["M", "/", "//", "*"])
@given(st.lists(PIECES, min_size=1, max_size=7))
@settings(max_examples=400, deadline=None)
def test_nothing_is_guessed(pieces: list[str]) -> None:
    word = "${" + "".join(pieces) + "}"
    text = f"{SETUP}set -- a 'b c' d\nCHECK {word} end"
    checked = subprocess.run([BASH or "", "-c", text.replace("CHECK", "true")], capture_output=True, check=False)
    if checked.returncode or checked.stderr:
        return
    try:
        found = ours(text)
    except ValueError:
        return  # the grammar sees no such command
    if None not in found and "*" not in found:
        assert found == bash(text)
