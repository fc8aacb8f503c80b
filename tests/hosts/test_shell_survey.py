"""What is passed over in a script changes nothing of its launches."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.hosts.shell.need import TRIGGER, Need
from speclint.hosts.shell.syntax import Syntax
from speclint.launch import MODULES, launches
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.value import Known
from speclint.words import Command

RUN = "python3 -m sglang.launch_server"


def syntax(text: str) -> Syntax:
    return Syntax(Mapped.of(SourceFile("x.sh", text.encode())))


@pytest.mark.parametrize(
    ("text", "uses"),
    [
        ("echo $X", 0),
        ('echo "$X" > f; use "${X}"', 1),
        ("Y=$((X * 2))", 1),
        ("((X++))", 1),
        ("use ${X[@]} ${#X[@]} ${X:-$Y}", 3),
        ("export X; local X; X=1; unset X", 0),
        ("for X in 1; do use $X; done", 1),
        ("f() { use $X; }; f $X", 2),
    ],
)
def test_how_often_a_variable_is_read(text: str, uses: int) -> None:
    assert syntax(text).uses("X") == uses


FUNCTIONS = {
    "talk": 'echo "$1" "$TP"',
    "port": "PORT=30000",
    "both": "port; size",
    "size": 'TP=${TP:-2}; if [ -n "$DP" ]; then TP=4; fi',
    "serve": f'{RUN} --tp "$TP" --port "$PORT" "$@"',
    "run": '"$@" &',
    "idle": "local UNUSED=1; OTHER=2",
    "start": "$CMD --dp 2",
    "env": "export SGLANG_X=1",
}


def needed(calls: str) -> tuple[set[str], set[str]]:
    text = "".join(f"{name}() {{ {body}; }}\n" for name, body in FUNCTIONS.items()) + calls
    need = Need([syntax(text)])
    return {n for n in FUNCTIONS if need.launches(n)}, {n for n in FUNCTIONS if need.matters(n)}


def test_which_functions_matter() -> None:
    launching, followed = needed("CMD='python3 -m sglang.launch_server'\n")
    assert launching == {"serve", "start"}
    assert followed == {"serve", "start", "port", "both", "size", "env"}
    assert needed("")[0] == {"serve"}


STATEMENTS = (
    *FUNCTIONS,
    "TP=8",
    "DP=1",
    "ARGS=(--tp $TP)",
    'ARGS+=(--dp "$DP")',
    'if [ "$DP" = 1 ]; then both; else idle; fi',
    "for TP in 2 4; do serve; done",
    f"run {RUN} --tp $TP",
    f'{RUN} "${{ARGS[@]}}"',
    f'CMD="{RUN} --tp $TP"',
    "$CMD --port $PORT",
    "start",
    f"cat > x.sh <<E\n{RUN} --tp $TP\nE",
)


@given(st.lists(st.sampled_from(STATEMENTS), max_size=8))
@settings(max_examples=200, deadline=None)
def test_nothing_that_matters_is_passed_over(statements: list[str]) -> None:
    text = "\n".join([*(f"{name}() {{ {body}; }}" for name, body in FUNCTIONS.items()), *statements, ""])
    file = SourceFile("x.sh", text.encode())
    some = launches(shell.read(file))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Need, "matters", lambda self, name: True)
        patch.setattr(Need, "launches", lambda self, name: True)
        every = launches(shell.read_text(Mapped.of(file), Command((), Span(file, 0, len(text)), "shell")))
    assert [(x.head.start, repr(x.words)) for x in some] == [(x.head.start, repr(x.words)) for x in every]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        (f'{RUN} "${{A[@]}}"', 0),
        (f'{RUN} "${{A[@]}}"; echo "${{A[@]}}"; B=("${{A[@]}}"); f "${{A[@]}}"; "${{CMD[@]}}" "${{A[@]}}"', 0),
        (f'{RUN} "${{A[@]}}"; python3 bench.py "${{A[@]}}"', 1),
        ('g() { curl "${A[@]}"; }; g', 1),
    ],
)
def test_who_else_reads_an_array(text: str, count: int) -> None:
    assert syntax(f"f() {{ :; }}\n{text}\n").survey.outside("A") == count


def test_words_of_an_array_that_others_read_tell_so() -> None:
    for more, uses in (("", []), ("python3 bench.py ${A[@]}\n", [2, 2])):
        (launch,) = launches(shell.read(SourceFile("x.sh", f"A=(--tp 8)\n{RUN} ${{A[@]}}\n{more}".encode())))
        steps = [s for w in launch.words if isinstance(w.value, Known) for s in w.value.steps]
        assert [s.definition.uses for s in steps if s.definition is not None] == uses


@pytest.mark.parametrize("module", sorted(MODULES))
def test_every_module_that_starts_a_server_is_followed(module: str) -> None:
    assert TRIGGER.search(f"python -m {module}")
    assert TRIGGER.search('python -m "sglang.$NAME"')


def test_an_array_that_multiplies_with_each_branch_is_given_up() -> None:
    """Each branch sets it anew in one arm: 7 ways, 12 times over, are 7 to the 12th words."""
    arms = "".join(f"{n}) A=(--a{n}) ;; " for n in range(6))
    branch = f'case "$1" in {arms} *) A=("${{A[@]}}" "${{A[@]}}") ;; esac\n'
    text = "A=(--tp 2)\n" + branch * 12 + 'python -m sglang.launch_server "${A[@]}"\n'
    (launch,) = launches(shell.read(SourceFile("a.sh", text.encode())))
    assert len(launch.words) < 10_000
    assert any(word.many for word in launch.words)
