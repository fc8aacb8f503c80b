"""What a condition tells of values where it holds, and where it does not."""

from __future__ import annotations

import itertools
import os
import shutil
import subprocess
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known, Unknown
from speclint.worlds import worlds
from tests.hosts.conftest import shown

START = "python3 -m sglang.launch_server"
BASH = shutil.which("bash")


def read(text: str) -> list[list[Any]]:
    """The words of each launch: a text where certain, None where unknown, a list of alternatives."""
    found = launches(shell.read(SourceFile("x.sh", text.encode())))
    return [["…" if w.many else shown(w.value) for w in launch.words] for launch in found]


@pytest.mark.parametrize(
    "condition",
    [
        '[ "$N" -gt 1 ]',
        "[[ $N -ne 1 ]]",
        '[ "$N" != 1 ]',
        '[[ ! "$N" == 1 ]]',
        "! [ $N = 1 ]",
        '[ -f x ] && [ "$N" -ge 2 ]',
    ],
)
def test_a_default_is_out_where_the_condition_says_so(condition: str) -> None:
    text = f"N=${{NODES:-1}}\nif {condition}; then\n  {START} --nnodes $N\nelse\n  {START} --nnodes $N\nfi\n"
    inside, outside = read(text)
    assert inside == ["--nnodes", None]
    assert outside == ["--nnodes", ["1", None]]


@pytest.mark.parametrize(
    ("set_", "add", "use"),
    [
        ("A=(--tp 2)", 'A+=(--nnodes "$N")', '"${A[@]}"'),
        ("A='--tp 2'", 'A+=" --nnodes $N"', "$A"),
        ("A=(--tp 2)", '[ "$N" -gt 1 ] && A+=(--nnodes "$N")', '"${A[@]}"'),
    ],
)
def test_a_default_is_out_of_what_is_added_where_the_condition_says_so(set_: str, add: str, use: str) -> None:
    body = add if add.startswith("[") else f'if [ "$N" -gt 1 ]; then\n  {add}\nfi'
    ((*words, value),) = read(f"N=${{NODES:-1}}\n{set_}\n{body}\n{START} {use}\n")
    assert words == ["--tp", "2", "--nnodes"]
    assert value == ("…" if use == "$A" else None)  # a value that is not quoted may be several words


def test_what_a_comparison_of_what_is_negated_means() -> None:
    text = f'A=1\nif [[ ! "$A" == 2 ]]; then {START} --tp 1; else {START} --tp 2; fi\n'
    assert read(text) == [["--tp", "1"]]


def test_a_default_is_out_behind_a_guard() -> None:
    for guard in ('if [ -z "${M:-}" ]; then exit 1; fi', '[ -n "${M:-}" ] || exit 1', '[[ -z "${M:-}" ]] && exit 1'):
        assert read(f'{guard}\n{START} --model-path "${{M:-}}" --tp 2\n') == [["--model-path", None, "--tp", "2"]]


def test_alternatives_are_told_apart_by_what_goes_with_them() -> None:
    head = 'if f; then A="--tp 2"; K=x; else A="--tp 4"; K=y; fi\n'
    assert read(f'{head}if [ "$K" = x ]; then {START} $A; fi\n') == [["--tp", "2"]]
    assert read(f'{head}if [ "$K" = x ]; then :; else {START} $A; fi\n') == [["--tp", "4"]]
    assert read(f'{head}[ "$K" = y ] && {START} $A\n') == [["--tp", "4"]]
    assert read(f'{head}L=(); if f; then L+=(--a); fi\n[ "$K" = y ] && {START} $A "${{L[@]}}"\n') == [
        ["--tp", "4", "--a"]
    ]


@pytest.mark.parametrize("asks", ["[[ $M == b* ]] && A=(--nnodes 2) || A=(--x)", "case $M in b*) A=(--nnodes 2) ;; *) A=(--x) ;; esac"])
def test_what_hangs_on_a_condition_hangs_on_what_that_hangs_on(asks: str) -> None:
    head = "TP=${TP:-4}\nif [ $TP -gt 4 ]; then N=2; else N=1; fi\nif [ $N -gt 1 ]; then M=big; else M=small; fi\n"
    text = f"{head}{asks}\n{START} --tp $TP \"${{A[@]}}\"\n"
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    points = dict.fromkeys(choice for word in launch.words for choice in word.choices())
    assert [[world[point] for point in points] for world in worlds(points) or ()] == [[0, 1], [1, 0], [1, 1]]


def test_a_long_line_of_conditions_is_told_as_far_as_it_goes() -> None:
    lines = [f"if [ $N{n} = a ]; then N{n + 1}=a; else N{n + 1}=b; fi\n" for n in range(700)]
    text = "".join(["N0=${N:-a}\n", *lines, f"{START} --x $N700\n"])
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    (point,) = launch.words[-1].choices()
    assert [*(worlds([point]) or ())] == [{point: 0}, {point: 1}]
    assert all(len(needs) < 100 for needs in point.needs)


def test_a_loop_is_told_apart() -> None:
    text = f"for m in a b c; do\nif [ $m = b ]; then {START} --model $m; fi\n"
    text += f"if [ $m != b ] && [ $m != c ]; then {START} --model $m; fi\ndone\n{START} --model $m\n"
    assert read(text)[:2] == [["--model", "b"], ["--model", "a"]]
    assert read(text)[2] == ["--model", ["a", "b", "c"]]


def test_what_is_set_anew_is_not_what_was_asked() -> None:
    text = f'if [ -z "${{N:-}}" ]; then N=$(count); {START} --tp ${{N:-1}}; fi\n{START} --tp ${{N:-1}}\n'
    assert all(words[1] != "1" for words in read(text))
    text = f'if [ -z "${{N:-}}" ]; then if f; then N=$(count); fi; {START} --tp ${{N:-1}}; fi\n'
    assert read(text)[0][1] != "1"


def test_the_arguments_of_a_function_are_not_those_of_the_script() -> None:
    text = f'f() {{ {START} --tp ${{1:-1}}; }}\nif [ -z "${{1:-}}" ]; then f "$X"; fi\n'
    assert read(text) == [["--tp", ["1", None]]]


def test_what_a_function_returns_on_tells_nothing_behind_its_call() -> None:
    text = f"N=${{N:-1}}\nf() {{ if [ $N = 1 ]; then return; fi; echo; }}\nf\n{START} --tp $N\n"
    assert read(text) == [["--tp", ["1", None]]]


def test_a_branch_of_a_function_that_no_call_takes_is_found() -> None:
    text = f'serve() {{ if [ "$1" = sglang ]; then shift; {START} --tp 2 "$@" & else vllm serve --tp 4; fi; }}\nserve vllm x\n'
    assert read(text) == [["--tp", "2", "…"]]
    # What calls lead to is read with their arguments only.
    assert read(text + "serve sglang --dp 2\n") == [["--tp", "2", "--dp", "2"]]


def test_one_default_of_the_arguments_tells_nothing_of_another() -> None:
    text = 'M=\nT=4\nwhile [[ $# -gt 0 ]]; do case "$1" in --m) M="$2"; shift 2;; --t) T="$2"; shift 2;; esac; done\n'
    text += f'if [[ -z "$M" ]]; then exit 1; fi\n{START} --tp $T\n'
    ((_, value),) = read(text)
    assert "4" in str(value)


_TESTS = st.sampled_from(
    [
        '[ "${A:-1}" = 1 ]', '[ "$B" -gt 1 ]', '[[ -z "${A:-}" ]]', '[[ -n "${A:-}" && "$B" == 2 ]]', '[ "$C" != x ]',
        '[ "${A:-1}" = 1 ] || [ "$C" = y ]', '[[ ! "$B" == 2 ]]', '[ -n "${D:-}" ]', '[[ "$C" == x || -z "${D:-}" ]]',
    ]
)  # fmt: skip
_BODIES = st.sampled_from(["RUN", "A=5; RUN", "B=$(echo 7); RUN", "exit 0", "C=z", "RUN; exit 0", "A=9"])


@pytest.mark.skipif(BASH is None, reason="no bash")
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_TESTS, _BODIES, _BODIES), min_size=1, max_size=3))
def test_what_is_certain_holds_however_the_caller_sets_variables(steps: list[tuple[str, str, str]]) -> None:
    """A word that is called known is what bash hands over in every run that comes there."""
    text = "B=${BB:-2}\nif f; then C=x; else C=y; fi\n"
    count = itertools.count()
    for condition, yes, no in [*steps, ("true", "RUN", "RUN")]:
        body = f"if {condition}; then\n{yes}\nelse\n{no}\nfi\n"
        while "RUN" in body:
            body = body.replace("RUN", f'{START} --n{next(count)} "$A" "${{A:-1}}" "$B" "$C" "${{D:-d}}"', 1)
        text += body
    told: dict[str | None, list[str | None]] = {}
    for launch in launches(shell.read(SourceFile("x.sh", text.encode()))):
        words = [w.value.text.text if isinstance(w.value, Known) else None for w in launch.words]
        told[words[0]] = words
    for a, b, d, f in itertools.product(("", "1", "3"), ("", "1", "4"), ("", "q"), ("true", "false")):
        given_env = {k: v for k, v in (("A", a), ("BB", b), ("D", d)) if v}
        env = {"PATH": os.environ["PATH"], **given_env}
        head = f"f() {{ {f}; }}\npython3() {{ shift 2; for w; do printf '%s\\0' \"$w\"; done; printf '\\1'; }}\n"
        ran = subprocess.run(["bash", "--norc", "-c", head + text], capture_output=True, env=env, check=False)
        for real in ran.stdout.decode().split("\1")[:-1]:
            passed = real.split("\0")[:-1]
            known = told[passed[0]]
            assert all(k is None or k == w for k, w in zip(known, passed, strict=True)), (env, known, passed)


PARSED = """\
d=""; e=""
while [[ $# -gt 0 ]]; do
  case $1 in
    --d) d=$2; shift 2 ;;
    --e) e=$2; shift 2 ;;
    --tp) tp=$2; shift 2 ;;
  esac
done
"""
DRAFT = f"{START} --draft $d"


@pytest.mark.parametrize(
    "text",
    [
        f'if [ -n "$d" ]; then {DRAFT}; fi',
        f'if [[ -n ${{d}} ]]; then {DRAFT}; fi',
        f'if [ "$d" != "" ]; then {DRAFT}; fi',
        f'[ -n "${{d:-}}" ] && {DRAFT}',
        f'[ -z "$d" ] || {DRAFT}',
        f'if [ -z "$d" ]; then echo; else {DRAFT}; fi',
        f'if [ -n "$e" ] && [ -n "$d" ]; then {DRAFT}; fi',
        f'args=""\nif [ -n "$d" ]; then args="$args --draft $d"; fi\n{START} $args',
    ],
)
def test_an_empty_default_is_ruled_out_where_a_condition_asks_for_a_value(text: str) -> None:
    (launch,) = launches(shell.read(SourceFile("x.sh", (PARSED + text).encode())))
    flag, value = launch.words
    assert (flag.prefix, value.guard) == ("--draft", flag.guard)
    assert isinstance(value.value, Unknown)


@pytest.mark.parametrize(
    "text",
    [
        f'if [ -n "$d" ] || [ -n "$e" ]; then {DRAFT}; fi',
        f'if [ -n "$e" ]; then {DRAFT}; fi',
        f'if [ -n "$d" ]; then echo; fi\n{DRAFT}',
        f'if [ -n "$d" ]; then d=""; {DRAFT}; fi',
    ],
)
def test_an_empty_default_stands_where_no_condition_rules_it_out(text: str) -> None:
    (launch,) = launches(shell.read(SourceFile("x.sh", (PARSED + text).encode())))
    assert launch.words[0].text == "--draft"
    assert all(word.guard for word in launch.words[1:])


DECIDED = [
    "[[ $M == org/* ]]", "[[ $M == *3-8B ]]", "[[ $M == *qwen* ]]", "[[ $M != *Qwen* ]]", "[[ ! $M == Q* ]]", '[[ $M == "org/"* ]]',
    '[[ $M == "org/*" ]]', "[[ $M == [Oo]rg* ]]", "[[ $M == [!o]* ]]", "[[ $M == ???/Qwen* ]]", "[[ $M == org/'Qwen3'-8B ]]",
    "[[ $M =~ Qwen ]]", "[[ $M =~ ^Qwen ]]", "[[ $M =~ (AWQ|8B)$ ]]", "[[ ! $M =~ ^org/.*B$ ]]", "[[ $M =~ 'Q' || $N == 5 ]]",
    "(( N > 2 ))", "(( N >= 8 ))", "(( N ))", "(( N - 4 ))", "(( N == 4 && N < 5 ))", "(( $# ))", "(( $# > 2 ))", "(( ${#A[@]} ))",
    "$YES", "$NO", '"$YES"', "! $NO", "true", ":", "false", '[[ $YES == "true" && $N -ge 4 ]]',
]  # fmt: skip


@pytest.mark.parametrize("condition", DECIDED)
def test_what_is_known_is_decided_as_bash_does(condition: str) -> None:
    text = f"M=org/Qwen3-8B; N=4; A=(); YES=true; NO=false; set -- a b\nif {condition}; then {START} yes; else {START} no; fi\n"
    told = subprocess.run([BASH or "", "-c", "python3() { echo $3; }\n" + text], capture_output=True, text=True, check=False)
    assert [told.stdout.strip()] in read(text)
    assert len(read(text)) == 1 or "${#A" in condition or "'Q'" in condition


@pytest.mark.parametrize("asks", ["[ -d /x ]", 'test -z "$TP"', "grep -q H100 gpus", "command -v nvcc >/dev/null", "lspci | grep -q NV", "is_ok"])
def test_what_hangs_on_a_command_that_asks_is_one_of_two(asks: str) -> None:
    (one,) = read(f"is_ok() {{ [ -e x ]; }}\nTP=1\n{asks} && TP=4\n{START} --tp $TP\n")
    assert one == ["--tp", ["4", "1"]]
    (other,) = read(f"is_ok() {{ [ -e x ]; }}\n{asks} && TP=4 || TP=1\n{START} --tp $TP\n")
    assert other == ["--tp", ["4", "1"]]


def test_a_variable_is_run_for_what_it_holds() -> None:
    (words,) = read(f"D=false\nV=${{V:-true}}\n$D && A+=(--debug)\n$V && B+=(--verbose)\n{START} \"${{A[@]}}\" --x\n")
    assert "--debug" not in words
    (launch,) = launches(shell.read(SourceFile("x.sh", f"A=(--a)\n${{V:-true}} && A+=(--b)\n{START} \"${{A[@]}}\"\n".encode())))
    assert [word.text for word in launch.words if not word.guard] == ["--a"]


def test_what_alternatives_print_has_no_newline_at_its_end() -> None:
    assert read(f'f() {{ if [ "$1" = a ]; then echo x; else echo y; fi; }}\n{START} "$(f $K)"\n') == [[["x", "y"]]]
