"""The arguments of a script or a function: ``set --``, ``shift``, ``"$@"`` as the words of a command."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from speclint.hosts import shell
from speclint.launch import Launch, launches
from speclint.source import SourceFile
from speclint.worlds import resolve, worlds

BASH = shutil.which("bash")
START = "python3 -m sglang.launch_server"


def find(text: str) -> list[Launch]:
    return launches(shell.read(SourceFile("x.sh", text.encode())))


def ways(launch: Launch) -> set[tuple[str | None, ...]]:
    """The words of a launch in each way that its choices can go: None where unknown, "…" for any number."""
    points = dict.fromkeys(point for word in launch.words for point in word.choices())
    found = set()
    for world in worlds(points) or ():
        words = [word for word in launch.words if word.holds(world)]
        texts = [getattr(resolve(word.value, world), "text", None) for word in words]
        found.add(tuple("…" if w.many else t and t.text for w, t in zip(words, texts, strict=True)))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'if [ $# -eq 0 ]; then\n  set -- --tp 2\nfi\nexec {START} "$@"\n', {("--tp", "2"), ("…",)}),
        (f'set -- --tp 2\n[ -n "$Q" ] && set -- "$@" --dp 4\n{START} "$@"\n', {("--tp", "2", "--dp", "4"), ("--tp", "2")}),
        (f'if [ -n "$Q" ]; then set -- "$@" --dp 4; fi\n{START} --tp 2 "$@"\n',
         {("--tp", "2", "…", "--dp", "4"), ("--tp", "2", "…")}),
        (f'set -- --tp 2 --dp 4\nif [ -n "$Q" ]; then shift 2; fi\n{START} "$@"\n',
         {("--tp", "2", "--dp", "4"), ("--dp", "4")}),
        (f'if [ "$1" = serve ]; then\n  shift\n  set -- {START} --tp 2 "$@"\nfi\nexec "$@"\n', {("--tp", "2", "…")}),
        (f'if [ "${{1#-}}" != "$1" ]; then set -- {START} "$@"; fi\nif [ -n "$M" ]; then set -- "$@" --tp 2; fi\nexec "$@"\n',
         {("…", "--tp", "2"), ("…",)}),
        (f'set -- {START} --tp 2\nexec "$@"\n', {("--tp", "2")}),
        (f'A=()\n[ -n "$Q" ] && A+=(--dp 4)\nrun() {{ local log=$1; shift; "$@" > $log & }}\nrun x.log {START} --tp 2 "${{A[@]}}"\n',
         {("--tp", "2", "--dp", "4"), ("--tp", "2")}),
        (f'run() {{ local log=$1; shift; "$@" > $log & }}\nrun x.log {START} --tp 2 $EXTRA\n', {("--tp", "2", "…")}),
        (f'run() {{ shift 2; "$@"; }}\nrun $EXTRA {START} --tp 2\n', set()),
    ],
)  # fmt: skip
def test_arguments_that_a_branch_sets(text: str, expected: set[tuple[str | None, ...]]) -> None:
    assert set().union(*(ways(launch) for launch in find(text))) == expected


@pytest.mark.parametrize("runs", ["", "exec ", "nohup ", "env A=1 ", "setsid nohup "])
def test_a_program_that_a_branch_names(runs: str) -> None:
    """What another program is given is no word of SGLang's."""
    text = (
        f'if [ -n "$Q" ]; then\n  CMD=({START} --tp 2)\nelse\n  CMD=(vllm serve m)\nfi\n{runs}"${{CMD[@]}}" --port 1\n'
    )
    (launch,) = find(text)
    assert ways(launch) == {("--tp", "2", "--port", "1")}


def test_words_that_only_name_it_decide_nothing() -> None:
    """A guarded word before the program that is no program of SGLang's leaves one launch."""
    text = (
        f'A=()\n[ -n "$Q" ] && A=(-v sglang-cache:/x)\ndocker run "${{A[@]}}" lmsysorg/sglang:v0.5.9 {START} --tp 2\n'
    )
    (launch,) = find(text)
    assert ways(launch) == {("--tp", "2")}


@pytest.mark.skipif(BASH is None, reason="no bash")
@pytest.mark.parametrize("given", [(), ("--ep", "2"), ("serve", "--ep", "2"), ("-x",)])
@pytest.mark.parametrize(
    "text",
    [
        f'if [ $# -eq 0 ]; then set -- --tp 2; fi\n{START} "$@"\n',
        f'if [ "$1" = serve ]; then shift; set -- {START} --tp 2 "$@"; fi\n"$@"\n',
        f'[ -n "$1" ] && set -- "$@" --dp 4\n{START} --tp 2 "$@"\n',
        f'case "$1" in -*) set -- {START} "$@" ;; esac\nset -- "$@" --tp 2\n"$@"\n',
    ],
)
def test_bash_runs_one_of_the_ways(text: str, given: tuple[str, ...]) -> None:
    stub = "python3() { shift 2; printf '%s\\n' \"$@\"; printf 'end\\n'; }\n"
    assert BASH is not None
    run = [BASH, "-c", f"{stub}{text}", "x.sh", *given]
    printed = subprocess.run(run, capture_output=True, text=True, env={"PATH": os.defpath}, check=False).stdout.split()
    if printed[-1:] != ["end"]:
        return  # nothing was launched
    known = set().union(*(ways(launch) for launch in find(text)))
    assert any(_fits(way, printed[:-1]) for way in known), (known, printed)


def _fits(way: tuple[str | None, ...], words: list[str]) -> bool:
    """Whether words are those of a way: "…" stands for any number of them."""
    if not way:
        return not words
    if way[0] == "…":
        return any(_fits(way[1:], words[at:]) for at in range(len(words) + 1))
    return bool(words) and way[0] in (None, words[0]) and _fits(way[1:], words[1:])


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("if x; then M=$1; else M=$2; fi", ["…"]),
        ("case $K in a) M=$1 ;; b) M=$A/x ;; c) if y; then M=$2; else M=m; fi ;; *) M=$3 ;; esac", [None]),
        ("if x; then M=$A/x; else M=b/$A; fi", [None]),
        ("if x; then M=--skip-tokenizer-init; else M=$1; fi", [None]),
        ("if x; then M=--dp=$A; else M=$1; fi", [None, "…"]),
        ("if x; then M=--dp=$A; else M=--tp=$A; fi", [None, None]),
        ("if x; then M=$1; else M='--dp 2'; fi", ["…", "--dp", "2"]),
    ],
)
def test_alternatives_that_are_one_word(head: str, words: list[str | None]) -> None:
    (launch,) = find(f"{head}\n{START} $M --tp 4\n")
    assert [("…" if w.many else w.text) for w in launch.words] == [*words, "--tp", "4"]


def test_calls_that_add_different_words() -> None:
    body = f'local m=$1 tp=$2; shift 2; {START} --model-path $m --tp $tp "$@" --x'
    calls = "run a 4 --skip-tokenizer-init\nrun b 2\nrun c 2 --dp 2 --skip-tokenizer-init\n"
    (launch,) = find(f"run() {{ {body}; }}\n{calls}")
    assert [word.text for word in launch.words[:4]] == ["--model-path", None, "--tp", None]
    assert [word.text for word in launch.words[4:] if not word.guard] == ["--x"]
    assert [(word.text, word.guard[0][1]) for word in launch.words if word.guard] == [
        ("--skip-tokenizer-init", 0),
        ("--dp", 2),
        ("2", 2),
        ("--skip-tokenizer-init", 2),
    ]
    text = f'run() {{ {START} --tp 4 --x "$@"; }}\nrun a b\nrun c\nrun --y\n'
    (launch,) = find(text)
    assert ways(launch) == {("--tp", "4", "--x", *rest) for rest in (("a", "b"), ("c",), ("--y",))}
    assert [(word.text, bool(word.guard)) for word in launch.words][:3] == [("--tp", False), ("4", False), ("--x", True)]
