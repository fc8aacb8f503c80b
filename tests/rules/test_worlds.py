"""Conditions that ask the same thing twice: nothing is told of what cannot be, and nothing that can be is left out."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import evaluate
from speclint.rules.rule import Rule
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.source import SourceFile
from speclint.value import Choice
from speclint.worlds import possible, resolve, worlds

RUN = "python -m sglang.launch_server --model-path some/model"
BASH = shutil.which("bash")
CLASH = Rule(
    {
        "code": "SGL999",
        "name": "clash",
        "level": "error",
        "summary": "x.",
        "when": "tp_size == 8 and dp_size == 2",
        "blame": "tp_size",
        "message": "tp is {tp_size}, dp {dp_size}",
    },
    "SGL999-clash.yaml",
)


def told(text: str, host: str = "shell") -> list[tuple[str, str]]:
    """The level and the message of each finding of a rule against tp 8 with dp 2."""
    file = SourceFile("x.py" if host == "python" else "x.sh", text.encode())
    found = []
    for launch in launches(inner for outer in hosts.read(file, host) for inner in commands(outer)):
        options = Options.read(launch, catalog.release("0.5.23", launch.entrypoint))
        found += [(f.level, f.message) for f in evaluate.check(launch, options, [CLASH])]
    return found


@pytest.mark.parametrize(
    "first",
    [
        'if [ "$M" = a ]; then TP=8; else TP=4; fi',
        "TP=4\nif [[ $M == a ]]; then TP=8; fi",
        'TP=4\n[ "$M" = a ] && TP=8',
        'TP=8\n[ "$M" = a ] || TP=4',
        'TP=8\nif [ ! "$M" = a ]; then TP=4; fi',
        'case "$M" in a) TP=8 ;; *) TP=4 ;; esac',
        "TP=4\ncase $M in a) TP=8 ;; x | y) TP=2 ;; esac",
    ],
)
@pytest.mark.parametrize(
    ("second", "clashes"),
    [
        ('DP=1\nif [ "$M" = b ]; then DP=2; fi', False),
        ('DP=2\nif [ "$M" = a ]; then DP=1; fi', False),
        ('DP=2\nif [ "$M" != b ]; then DP=1; fi', False),
        ("DP=1\ncase $M in b) DP=2 ;; c | d) DP=2 ;; esac", False),
        ('DP=1\nif [ -z "$M" ]; then DP=2; fi', False),
        ('DP=1\nif [ "$M" = b ] && [ "$OTHER" = 1 ]; then DP=2; fi', False),
        ('DP=1\nif [ "$M" = b ] || [ "$M" = c ]; then DP=2; fi', False),
        ('DP=2\nif [ "$M" = b ] || [ "$M" != c ]; then DP=1; fi', False),
        ('DP=1\nif [ "$M" = b ] || [ "$M" = a ]; then DP=2; fi', True),
        ('DP=1\nif [ "$M" = a ]; then DP=2; fi', True),
        ('DP=1\nif [ "$M" != b ]; then DP=2; fi', True),
        ('DP=1\nif [ "$M" = b ] || [ "$OTHER" = 1 ]; then DP=2; fi', True),
        ('M=b\nDP=1\nif [ "$M" = b ]; then DP=2; fi', True),
        ('M=$OTHER\nDP=1\nif [ "$M" = b ]; then DP=2; fi', True),
        ("DP=1\ncase $M in a*) DP=2 ;; esac", True),
    ],
)
@pytest.mark.parametrize("start", ["", "M=$1\n", "M=${MODE:-x}\n", "M=${1:-a}\n"])
def test_two_conditions_on_one_variable(start: str, first: str, second: str, clashes: bool) -> None:
    assert bool(told(f"{start}{first}\n{second}\n{RUN} --tp $TP --dp $DP\n")) is clashes


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # The default is what the condition asks for.
        ('TP=${TP:-8}\nN=$TP\nif [ "$TP" = 8 ]; then N=4; fi\n{RUN} --tp $N --dp 2\n', []),
        ('TP=${TP:-8}\nD=1\nif [ "$TP" -lt 8 ]; then D=2; fi\n{RUN} --tp $TP --dp $D\n', []),
        ("for TP in 4 8; do\n  if [ $TP = 4 ]; then D=2; else D=1; fi\n  {RUN} --tp $TP --dp $D\ndone\n", []),
        ("for TP in 4 8; do\n  case $TP in 4) D=2 ;; 8) D=1 ;; esac\n  {RUN} --tp $TP --dp $D\ndone\n", []),
        (
            "for TP in 4 8; do\n  if [ $TP = 8 ]; then D=2; else D=1; fi\n  {RUN} --tp $TP --dp $D\ndone\n",
            [("warning", "when `TP` is `8`, tp is 8, dp 2")],
        ),
        # A file may be there when it is asked for again, and a function may answer anew.
        ('TP=4\nDP=1\n[ -f x ] && TP=8\nrun\n[ -f x ] || DP=2\n{RUN} --tp $TP --dp $DP\n', ["warning"]),
        ('TP=4\nDP=1\nif [ "$(ask)" = 1 ]; then TP=8; fi\nif [ "$(ask)" = 2 ]; then DP=2; fi\n'
         "{RUN} --tp $TP --dp $DP\n", ["warning"]),
        # Only one of the arms goes on.
        ('case "$M" in\n  a) TP=8 ;;\n  b) TP=4 ;;\n  *) exit 1 ;;\nesac\nDP=2\nif [ "$M" = a ]; then DP=1; fi\n'
         "{RUN} --tp $TP --dp $DP\n", []),
    ],
)  # fmt: skip
def test_what_cannot_be_in_the_shell(text: str, expected: list[object]) -> None:
    found = told(text.replace("{RUN}", RUN))
    assert [level if expected == ["warning"] else (level, message) for level, message in found] == expected


@pytest.mark.parametrize(
    ("second", "clashes"),
    [
        ('dp = 2 if mode == "b" else 1', False),
        ('dp = 2 if mode in ("b", "c") else 1', False),
        ('dp = 1 if mode == "a" else 2', False),
        ("dp = 2 if mode is None else 1", False),
        ("dp = 1 if mode else 2", False),
        ('dp = 2 if mode not in ("a", "b") else 1', False),
        ('dp = 2 if mode == "b" and other else 1', False),
        ('dp = 2 if mode != "b" else 1', True),
        ('dp = 2 if mode in ("a", "b") else 1', True),
        ('dp = 2 if mode == "b" or other else 1', True),
        ('mode = other\ndp = 2 if mode == "b" else 1', True),
    ],
)
@pytest.mark.parametrize(
    "first",
    [
        'if mode == "a":\n    tp = 8\nelse:\n    tp = 4',
        'if mode == "x":\n    tp = 2\nelif mode == "a":\n    tp = 8\nelse:\n    tp = 4',
        'if mode == "a":\n    tp = 8\nelif mode == "b":\n    tp = 4\nelif other:\n    tp = 2\nelse:\n    raise SystemExit',
        'tp = 8 if mode == "a" else 4',
    ],
)
def test_two_conditions_on_one_name(first: str, second: str, clashes: bool) -> None:
    body = f'{first}\n{second}\nsubprocess.run(["{RUN.replace(" ", chr(34) + ", " + chr(34))}", "--tp", str(tp), "--dp", str(dp)])\n'
    text = "import subprocess\ndef start(mode, other):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    assert bool(told(text, "python")) is clashes


def test_a_condition_that_another_makes_sure_is_not_told() -> None:
    text = 'DP=1\nif [ "$M" = b ]; then TP=2; elif [ "$M" = a ]; then TP=8; elif [ "$M" = c ]; then TP=4; fi\n'
    ((_, message),) = told(f'{text}if [ "$M" = d ] || [ "$M" = a ]; then DP=2; fi\n{RUN} --tp $TP --dp $DP\n')
    assert message == 'when `[ "$M" = a ]` holds, tp is 8, dp 2'


ALONE = Rule(
    {
        "code": "SGL999", "name": "alone", "level": "warning", "summary": "x.",
        "when": "set(ep_size) and not set(tp_size)", "blame": "ep_size", "message": "ep alone",
    },
    "SGL999-alone.yaml",
)  # fmt: skip


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('A=()\n[ -n "$E" ] && A+=(--ep 2)\n[ -n "$T" ] && A+=(--tp 2)\n{RUN} "${A[@]}"', []),
        ('A=()\n[ -n "$E" ] && A+=(--ep 2)\n{RUN} "${A[@]}"', ['when `[ -n "$E" ]` holds, ep alone']),
        ('A=(--ep 2)\n[ -n "$T" ] && A+=(--tp 2)\n{RUN} "${A[@]}"', ['when `[ -n "$T" ]` does not hold, ep alone']),
        ('A=(--tp 4)\n[ -n "$E" ] && A=(--ep 2)\n{RUN} "${A[@]}"', ['when `[ -n "$E" ]` holds, ep alone']),
        # What is asked is one thing: a run of the one sort never has the other option.
        ('A=()\n[ "$M" = a ] && A+=(--ep 2)\n[ "$M" = b ] && A+=(--tp 2)\n{RUN} "${A[@]}"',
         ['when `[ "$M" = a ]` holds, ep alone']),
    ],
)  # fmt: skip
def test_options_that_are_handed_on_are_not_told_to_lack_one_another(text: str, expected: list[str]) -> None:
    file = SourceFile("x.sh", text.replace("{RUN}", RUN).encode())
    (launch,) = launches(hosts.read(file, "shell"))
    options = Options.read(launch, catalog.release("0.5.23", launch.entrypoint))
    assert [f.message for f in evaluate.check(launch, options, [ALONE])] == expected


def test_what_is_said_in_some_worlds_only() -> None:
    rule = Rule(
        {
            "code": "SGL999", "name": "x", "level": "error", "summary": "x.", "when": "tp_size > 2", "blame": "tp_size",
            "message": 'add it{" twice" if tp_size == 8 else ""}',
        },
        "SGL999-x.yaml",
    )  # fmt: skip
    file = SourceFile("x.sh", f"for TP in 4 8; do {RUN} --tp $TP; done\n".encode())
    (launch,) = launches(hosts.read(file, "shell"))
    (found,) = evaluate.check(launch, Options.read(launch, catalog.release("0.5.23", launch.entrypoint)), [rule])
    assert found.message == "add it twice"


def test_needs_of_choices() -> None:
    one = Choice("branch", ("a", "b", "c"))
    two = Choice("branch", ("d", "e"), None, [{one: (True, frozenset((0, 1))), "m": (True, frozenset("x"))}, {}])
    three = Choice("branch", ("f", "g"), None, lambda: [{"m": (False, frozenset("xy"))}, {"m": (True, frozenset("y"))}])
    assert [possible({two: 0}, one, arm) for arm in range(3)] == [True, True, False]
    assert [possible({one: 2}, two, arm) for arm in range(2)] == [False, True]
    assert [possible({two: 0}, three, arm) for arm in range(2)] == [False, False]
    assert [possible({two: 1}, three, arm) for arm in range(2)] == [True, True]
    few = two.some([1])
    assert few.labels == ("e",)
    assert few.needs == [{}]
    assert len(list(worlds([one, two, three]) or ())) == 2 * 0 + 3 * 2


VALUES = ("a", "b", "", "c")
TESTS = (
    '[ "$M" = a ]', '[ "$M" != b ]', '[[ $M == c ]]', '[ -z "$M" ]', '[ -n "$M" ]', '[ "$N" = a ]',
    '[ "$M" = a ] && [ "$N" = b ]', '[ "$M" = a ] || [ "$N" = b ]', '[ ! "$M" = b ]', '[ "$M" = "$N" ]',
)  # fmt: skip


@st.composite
def statements(draw: st.DrawFn) -> str:
    """A statement that sets ``X``, ``Y`` or ``N`` by what ``M`` and ``N`` are."""
    name, value = draw(st.sampled_from(("X", "Y", "N"))), draw(st.sampled_from(("1", "2", "a", "$M")))
    test = draw(st.sampled_from(TESTS))
    form = draw(st.integers(0, 4))
    if form == 0:
        return f"if {test}; then {name}={value}; fi"
    if form == 1:
        return f"if {test}; then {name}={value}; elif {draw(st.sampled_from(TESTS))}; then {name}=3; else Y=4; fi"
    if form == 2:
        return f"{test} {draw(st.sampled_from(('&&', '||')))} {name}={value}"
    if form == 3:
        return f"case $M in a | b) {name}={value} ;; c) Y=5 ;; esac"
    return f'case "$N" in a) {name}={value} ;; *) X=6 ;; esac'


@pytest.mark.skipif(BASH is None, reason="no bash")
@given(st.sampled_from(("M=$1", "M=${1:-a}", 'M="${MODE:-b}"')), st.lists(statements(), min_size=1, max_size=4))
@settings(max_examples=60, deadline=None)
def test_every_run_of_bash_is_a_way_that_is_told(start: str, body: Sequence[str]) -> None:
    script = "\n".join((start, 'N="$2"', "X=0", "Y=0", *body, 'python -m sglang.launch_server "$X" "$Y"', ""))
    (launch,) = launches(hosts.read(SourceFile("x.sh", script.encode()), "shell"))
    points = dict.fromkeys(point for word in launch.words for point in word.choices())
    ways = list(worlds(points, 100_000) or ())
    told_of = [tuple(getattr(resolve(w.value, way), "text", None) for w in launch.words) for way in ways]
    known = {tuple(None if text is None else text.text for text in way) for way in told_of}
    runs = "\n".join(
        f'(MODE={m!r}; set -- {m!r} {n!r}; python() {{ printf \'%s|%s|%s\\n\' "$3" "$4" end; }}\n{script})'
        for m in VALUES
        for n in VALUES
    )
    assert BASH is not None
    printed = subprocess.run([BASH, "-c", runs], capture_output=True, text=True, check=True, env={"PATH": os.defpath})
    for line in printed.stdout.splitlines():
        run = line.split("|")[:2]
        assert any(all(a is None or a == b for a, b in zip(way, run, strict=True)) for way in known), (
            script,
            run,
            known,
        )
