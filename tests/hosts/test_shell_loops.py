"""Loops, counting and arguments: each word is what bash hands over in every run of the loop, or is not told."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known, OneOf
from speclint.words import Word
from speclint.worlds import default_text, resolve

BASH = shutil.which("bash")
RUN = "python3 -m sglang.launch_server"


def possible(word: Word) -> set[str] | None:
    """Every text that a word may have; None where that is not told."""
    if word.many:
        return None
    todo, found = [word.value], set()
    while todo:
        value = todo.pop()
        if isinstance(value, OneOf):
            todo.extend(value.arms)
        elif isinstance(value, Known):
            found.add(value.text.text)
        else:
            return None
    return found


def ours(text: str) -> list[set[str] | None]:
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    return [possible(word) for word in launch.words]


def bash(text: str) -> list[list[str]]:
    """The words of each run."""
    if BASH is None:
        pytest.skip("no bash")
    stub = 'python3() { shift 2; printf "%s\\0" "$@"; printf "\\n"; }\n'
    told = subprocess.run([BASH, "-c", stub + text], capture_output=True, check=False, timeout=20)
    return [line.split("\0")[:-1] for line in told.stdout.decode().splitlines()]


TOLD = [
    f"for p in 1 2 4; do {RUN} --tp $p; done",
    f"for p in {{0..3}}; do {RUN} --port $((30000 + p)); done",
    f"for p in $(seq 0 2); do {RUN} --node-rank $p; done",
    f"for p in $(seq 2); do {RUN} --node-rank $p; done",
    f"N=2; for p in $(seq 1 $N); do {RUN} --node-rank $p; done",
    f"N=4; for p in $(seq 0 $((N - 1))); do {RUN} --port $((30000 + p)); done",
    f'A=(a b c); for ((i=0; i<${{#A[@]}}; i++)); do {RUN} --model-path "${{A[$i]}}"; done',
    f'for c in "a 1" "b 2"; do set -- $c; {RUN} --model-path $1 --tp $2; done',
    f'C=("a 1" "b 2"); for c in "${{C[@]}}"; do p=($c); {RUN} --model-path "${{p[0]}}" --tp ${{p[1]}}; done',
    f"N=3; for ((i=0; i<N; i++)); do {RUN} --node-rank $i --port $((30000+i)); done",
    f"for ((i = 0; i <= 4; i += 2)); do {RUN} --base-gpu-id $i; done",
    f'M=(a b); for m in "${{M[@]}}"; do {RUN} --model-path $m; done',
    f'M=(a b); for i in "${{!M[@]}}"; do {RUN} --model-path ${{M[$i]}} --port $((30000 + i)); done',
    f"P=30000; ((P++)); {RUN} --port $P",
    f"P=30000; ((P += 10)); {RUN} --port $P",
    f"P=30000; P=$((P + 1)); {RUN} --port $P",
    f'f() {{ {RUN} --tp "$1" "${{@:2}}"; }}; f 2 --dp 4',
    f'f() {{ shift 1; {RUN} --x "$@"; }}; f 2 --dp 4',
    'f() { TP=1; while [[ $# -gt 0 ]]; do case $1 in --tp) TP=$2; shift 2;; *) shift;; esac; done; '
    f"{RUN} --tp $TP; }}; f --x --tp 4",
    f'f() {{ while [ $# -gt 0 ]; do case "$1" in -d) D=$2; shift 2;; --) shift; break;; esac; done; {RUN} --dp $D "$@"; }}; '
    "f -d 3 -- --tp 2",
    f"set -- --tp 2; set -- \"$@\" --dp 1; {RUN} \"$@\"",
]  # fmt: skip


@pytest.mark.parametrize("text", TOLD)
def test_every_run_is_told(text: str) -> None:
    found, runs = ours(text + "\n"), bash(text + "\n")
    assert runs
    assert all(len(run) == len(found) for run in runs)
    assert found == [set(column) for column in zip(*runs, strict=True)]


NOT_TOLD = [
    f"i=0; while [ $i -lt 3 ]; do {RUN} --port $((30000 + i)); i=$((i + 1)); done",
    f"i=0; while [ $i -lt 3 ]; do {RUN} --port $i; ((i++)); done",
    f"P=1; for m in a b; do {RUN} --port $P; let P++; done",
    f"TP=2; for m in a b; do {RUN} --tp $TP; TP=4; done",
    f"P=0; for m in a b; do {RUN} --port $((P++)); done",
    f"i=9; for ((i=0;i<RANDOM;i++)); do {RUN} --port $i; break; done",
    f"i=0; until [ $i -eq 2 ]; do i=$((i+1)); done; {RUN} --port $i",
    f"TP=2; read TP <<< 4; {RUN} --tp $TP",
    f"TP=2; printf -v TP %d 4; {RUN} --tp $TP",
    f"for p in $(seq -w 8 10); do {RUN} --port $p; done",
    f"for p in $(seq 3 -1 1); do {RUN} --port $p; done",
    f'for c in "a" "b 2"; do set -- $c; {RUN} --x "$2"; done',
    f"f() {{ n=1; shift $n; {RUN} --tp $1; }}; f 3 2",
]


@pytest.mark.parametrize("text", NOT_TOLD)
def test_nothing_wrong_is_told(text: str) -> None:
    runs = bash(text + "\n")
    for at, told in enumerate(ours(text + "\n")):
        assert told is None or {run[at] for run in runs} <= told


def test_options_of_a_script_leave_its_defaults() -> None:
    text = (
        "MODEL=a/b\nTP=4\nEXTRA=()\n"
        'while getopts "m:t:x" opt; do\n  case $opt in\n    m) MODEL=$OPTARG ;;\n    t) TP=$OPTARG ;;\n'
        "    x) EXTRA+=(--enable-metrics) ;;\n  esac\ndone\nshift $((OPTIND - 1))\n"
        f'{RUN} --model-path "$MODEL" --tp $TP "${{EXTRA[@]}}" "$@"\n'
    )
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    assert [default_text(w.value) for w in launch.words[:4]] == ["--model-path", "a/b", "--tp", "4"]
    assert [possible(w) for w in launch.words[1:4:2]] == [None, None]
    assert launch.words[4].guard
    assert launch.words[-1].many


# Each run of such a loop sees what the ones before it have added.
ADDED = [
    f'A="--tp 2"; for o in a b; do A="$A --$o"; {RUN} $A; done',
    f'A="--tp 2"; for o in a b; do A="$A --$o"; done; {RUN} $A --end',
    f'A=""; for o in a b; do A+=" --$o"; done; {RUN} $A --end',
    f"A=(--tp 2); for o in a b; do A+=(--$o); {RUN} \"${{A[@]}}\"; done",
    f'for o in a b; do UNSET+=(--$o); done; {RUN} "${{UNSET[@]}}" --end',
    f'add() {{ A+=(--n "$1"); }}; A=(); for o in a b; do add $o; {RUN} "${{A[@]}}"; done',
    f'add() {{ local o=$1; A="$A --$o"; }}; A=--x; for o in a b; do add $o; {RUN} $A --end; done',
    f'up() {{ P=$((P+1)); }}; P=1; for o in a b; do up; {RUN} --port $P; done; up; {RUN} --port $P',
    f'P=1; go() {{ if [ $P = 1 ]; then X=--first; else X=--next; fi; {RUN} $X --port $P; }}; for o in a b; do go; P=2; done',
    f'L=""; for i in 0 1; do [ -n "$L" ] && L="$L,"; L="$L$i"; done; {RUN} --x $L --end',
    f'L=""; for i in 0 1; do L="${{L:+$L,}}$i"; done; {RUN} --x "$L" --end',
    f'i=0; A=; while [ $i -lt 2 ]; do A="$A --n"; i=$((i+1)); done; {RUN} $A',
]  # fmt: skip


def fits(words: list[Word], run: list[str]) -> bool:
    """Whether the words of one run are among those that are told."""
    if not words:
        return not run
    told = possible(words[0])
    if words[0].many:
        return fits(words[1:], run) or bool(run and fits(words, run[1:]))
    if words[0].guard and fits(words[1:], run):
        return True
    return bool(run) and (told is None or run[0] in told) and fits(words[1:], run[1:])


@pytest.mark.parametrize("text", ADDED)
def test_what_a_loop_adds_to_is_what_earlier_runs_left(text: str) -> None:
    found = launches(shell.read(SourceFile("x.sh", (text + "\n").encode())))
    runs = bash(text + "\n")
    assert found
    assert all(any(fits(list(launch.words), run) for launch in found) for run in runs)


def test_what_a_loop_sets_anew_does_not_grow() -> None:
    once = f'A=--q; for o in one; do A="$A --$o"; done; {RUN} $A'
    anew = f'for o in --a --b; do A="$o"; A="$A --x"; B=(--y); B+=(--z); {RUN} $A "${{B[@]}}"; done'
    assert ours(once) == [{"--q"}, {"--one"}]
    assert ours(anew) == [{"--a", "--b"}, {"--x"}, {"--y"}, {"--z"}]


def test_functions_that_call_each_other_on_and_on_are_followed_for_a_while() -> None:
    calls = "".join(f"f{n + 1}() {{ P=$((P+1)); f{n}; }}\n" for n in range(1500))
    text = f"f0() {{ f1500; }}\n{calls}P=1\nfor o in a b; do f1500; {RUN} --port $P; done\n"
    assert ours(text) == [{"--port"}, None]


SKIPPED = [
    f"for t in 1 2 4; do if [ $t -gt 2 ]; then :; continue; fi; {RUN} --tp $t; done",
    f"for t in 1 2 4; do [ $t = 2 ] && continue; {RUN} --tp $t; done",
    f"for t in 1 2 4; do [ $t != 2 ] || continue; {RUN} --tp $t; done",
    f"for t in 1 2 4; do d=$((4 / t)); case $t in 4) continue ;; 2) ;; *) d=9 ;; esac; {RUN} --tp $t --dp $d; done",
    f"for t in 1 2; do (( t == 2 )) && break; {RUN} --tp $t; done",
]


@pytest.mark.parametrize("text", SKIPPED)
def test_what_a_run_of_a_loop_skips_is_not_told(text: str) -> None:
    (launch,) = launches(shell.read(SourceFile("x.sh", (text + "\n").encode())))
    (choice,) = [point for point in launch.words[1].choices() if point.kind == "loop"]
    told = [[resolve(word.value, {choice: arm}) for word in launch.words[:2]] for arm in range(len(choice.labels))]
    texts = [value.text.text for _, value in told if isinstance(value, Known)]
    assert texts == [run[1] for run in bash(text + "\n")]


def test_what_a_loop_leaves_behind_is_not_what_it_ran_with() -> None:
    for leave in ("continue", "break"):
        assert ours(f"for t in 1 2; do [ $t = 2 ] && {leave}; true; done; {RUN} --tp $t\n")[1] in (None, {"1", "2"})


def test_where_arguments_are_given_no_default_stands() -> None:
    loop = 'while getopts "t:" o; do case $o in t) T=$OPTARG ;; esac; done'
    body = f"f() {{ local T=1 o OPTIND; {loop}; {RUN} --tp $T; }}\n"
    for call, told in (("f -t 4", None), ('f "$@"', "1"), ("f", "1")):
        (launch,) = launches(shell.read(SourceFile("x.sh", f"{body}{call}\n".encode())))
        assert default_text(launch.words[1].value) == told
