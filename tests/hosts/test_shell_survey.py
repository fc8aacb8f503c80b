"""What is passed over in a script changes nothing of its launches."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.hosts.shell.need import TRIGGER, Need
from speclint.hosts.shell.run import Runner
from speclint.hosts.shell.syntax import Syntax
from speclint.launch import MODULES, launches
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.value import Choice, Joined, Known, OneOf, Value
from speclint.words import Command

if TYPE_CHECKING:
    from tree_sitter import Node

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
    "run": '"$@"',
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
MORE = (
    "TP=$(count)",
    'count() { echo "$MODE"; }',
    "MODE=5",
    "MODE=fast",
    'if [ "$MODE" = fast ]; then TP=3; else DP=3; fi',
    "PORT=$((MODE * 2))",
    'echo "${TP:-16} ${DP:-1}"',
    'TP="${TP:-4}"',
    ": ${DP:=3}",
    "DP=$((TP / 2))",
    "((DP++))",
    "export DP CUDA_VISIBLE_DEVICES=$TP",
    "unset DP",
    "read -r PORT",
    "printf -v PORT %s 1",
    "printf '%s' $PORT",
    'if [ -z "$TP" ]; then echo none; exit 1; fi',
    "if ! grep -q $PORT f; then exit 1; fi",
    "if check; then exit 1; elif check $DP; then exit; else exit 2; fi",
    "check || exit 1",
    'check || { [ "$DP" = 1 ] && return; }',
    "cd /srv && exit 0",
    "(cd x; exit; TP=1)",
    'case "$DP" in 1) TP=1 ;; 2) exit ;; *) PORT=2 ;; esac',
    "while read -r line; do DP=$line; done < f",
    'while [ $# -gt 0 ]; do case "$1" in --tp) TP=$2; shift ;; esac; shift; done',
    "for v in TP DP; do PORT=${!v}; done",
    "for ((i = 0; i < 2; i++)); do A[i]=$i; done; TP=${A[1]}",
    f'wrap() {{ local cmd="$1"; shift; local TP=$DP; $cmd --dp ${{1:-7}} "$@"; }}\nwrap "{RUN}" --port $PORT',
    'wrap() { local PORT=${1:-7}; serve --dp "$PORT"; return 0; }',
    "wrap 5",
    'pick() { if [ "$1" = a ]; then TP=6; else return 1; fi; DP=6; }\npick a',
    f'set -- {RUN} --tp $TP\n"$@" --dp $DP',
    'NAME=serve; $NAME --dp "$DP"',
    f'WHICH=CMD; CMD="{RUN} --tp $DP"; ${{!WHICH}}',
    f"export CMD='{RUN} --tp $TP'; bash -c '$CMD'",
    f'bash -c "{RUN} --dp $DP; exit"',
    f'bash <<< "{RUN} --dp $DP"',
    f"{{ echo; {RUN} --tp $TP; }} > log",
    f"nohup {RUN} > $PORT.log --dp $DP 2>&1 &",
    'BASE="sglang"; $BASE serve --tp $TP',
    'trap "echo $TP" EXIT',
    'IFS=+; A=(1 2); TP="${A[*]}"',
    "D=${D:-false}; $D && TP=5 || TP=6",
    "[[ $TP == 1* ]] && DP=3 || DP=4; (( DP > 3 )) && PORT=5",
    'for o in 1 2; do DP="$DP,$o"; done',
    "bump() { PORT=$((PORT + 1)); }; for i in 1 2; do bump; done",
    'V=TP; export "$V=5"; declare -i DP=1; DP=DP+1',
    "eval TP=1",
    "python - <<E | sh\nprint('$DP')\nE",
    'size() { local n=$1; if [ "$MODE" = fast ]; then n=$DP; fi; echo "--tp $n"; }',
    f"{RUN} $(size 3) --dp $(size)",
    "line() { size $1; printf '%s\\n' --port \"$PORT\"; }",
    "mapfile -t ARGS < <(line 2)",
    'LIST="$TP $DP"',
    'read -r -a ARGS <<< "--tp $LIST"',
    'case "$MODE" in f*) TP=5 ;; *) DP=5 ;; esac',
    "docker inspect $PORT && { echo; exit 1; }",
)


def told(text: str, path: str = "x.sh") -> list[Any]:
    """All that is known of the launches of a script."""
    met: dict[Choice, int] = {}

    def choice(found: Choice) -> tuple[object, ...]:
        return met.setdefault(found, len(met)), found.labels, spot(found.span)

    def spot(span: Span | None) -> tuple[str, int, int] | None:
        return None if span is None else span.key()

    def value(found: Value) -> object:
        if isinstance(found, OneOf):
            return choice(found.choice), [value(arm) for arm in found.arms], spot(found.place)
        if isinstance(found, Joined):
            return [value(part) for part in found.parts]
        steps = [(step.note, spot(step.span), step.definition and step.definition.uses) for step in found.steps]
        return found.text.text if isinstance(found, Known) else found.reason, steps

    return [
        (
            (launch.head.start, launch.span.end, launch.command.run, launch.command.fixable),
            [(value(w.value), spot(w.span), w.many, [(*choice(c), arm) for c, arm in w.guard]) for w in launch.words],
            {name: value(found) for name, found in launch.command.env.items()},
        )
        for launch in launches(shell.read(SourceFile(path, text.encode())))
    ]


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


def assert_same(statements: Sequence[str]) -> None:
    text = "\n".join([*(f"{name}() {{ {body}; }}" for name, body in FUNCTIONS.items()), *statements, ""])
    every = told(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(shell, "_SMALL", 0)
        assert told(text) == every


@given(st.lists(st.sampled_from((*STATEMENTS, *MORE)), max_size=10))
@settings(max_examples=300, deadline=None)
def test_of_a_script_that_is_followed_in_part_the_same_is_told(statements: list[str]) -> None:
    assert_same(statements)


SOURCES = (
    '. "$(dirname "$0")/lib.sh"',
    'HERE=$(dirname "$0")',
    'source "$HERE/lib.sh"',
    "find() { . ./lib.sh $TP; }",
    "find",
)


@given(st.lists(st.sampled_from((*STATEMENTS, *MORE)), max_size=6), st.data())
@settings(max_examples=150, deadline=None)
def test_of_scripts_that_are_followed_in_part_the_same_is_told(lib: list[str], data: st.DataObject) -> None:
    own = data.draw(st.lists(st.sampled_from((*STATEMENTS, *MORE, *SOURCES * 6)), max_size=8))
    assert_same_of(lib, own)


def test_each_of_two_functions_of_a_name_that_read_in_a_file_is_followed() -> None:
    find = "find() { . ./lib.sh $TP; }"
    assert_same_of([f'set -- {RUN} --tp $TP\n"$@" --dp $DP'], ["TP=8", find, "find", find])


def assert_same_of(lib: Sequence[str], own: Sequence[str]) -> None:
    functions = "".join(f"{name}() {{ {body}; }}\n" for name, body in FUNCTIONS.items())
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        (Path(folder) / ".git").mkdir()
        (Path(folder) / "lib.sh").write_text(functions + "\n".join(lib))
        text = "\n".join([*own, *SOURCES[:1], "serve", ""])
        some = told(text, f"{folder}/run.sh")
        patch.setattr(Need, "narrow", lambda self: False)
        assert some == told(text, f"{folder}/run.sh")


@pytest.mark.parametrize(
    "statements",
    [
        ("N=2", "PORT=$((N * 2))", "serve"),
        ("N=1", "A=(1 4)", "TP=${A[N]}", "serve"),
        ('count() { echo "$N"; }', "N=3", "TP=$(count)", "serve"),
        ('echo "${TP:-1}"', 'TP="${TP:-1}"', "serve"),
        ('echo "${1:-1}"', 'TP="${1:-1}"', "serve"),
        ('N="$1"', "if [ $N -gt 1 ]; then exit; fi", 'if [ "$N" -gt 1 ]; then TP=3; else TP=4; fi', "serve"),
        ("if a; then exit; elif b; then exit; else exit; fi", "serve"),
        ("both() { if a; then return; fi; TP=5; }", "both", "serve"),
        ("(exit)", "TP=6", "serve"),
        ("TP=7 serve", "serve"),
        ("TP=9 >log", "serve"),
        ("if a; then both() { TP=10; }; fi", "both", "serve"),
        ('wrap() { helper "$@"; }; helper() { TP=5 "$@" --dp $TP; }', f"wrap {RUN}"),
        ("for TP; do serve; done", "for x in $TP 3; do PORT=$x; done", "serve"),
    ],
)
def test_the_same_is_told_of(statements: Sequence[str]) -> None:
    assert_same(statements)


@pytest.mark.parametrize("text", [f"{RUN} --tp $TP\n", "sglang() { :; }\n# sglang.srt\n. ./lib.sh\n"])
def test_what_does_not_matter_is_passed_over(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    met: list[Node] = []
    emit = Runner.emit

    def noted(self: Runner, node: Node, more: Sequence[Node]) -> None:
        met.append(node)
        emit(self, node, more)

    monkeypatch.setattr(Runner, "emit", noted)
    monkeypatch.setattr(shell, "_SMALL", 0)
    idle = "curl -s x $(date)\nif check; then A=1; use $A; exit 1; fi\nfor i in 1 2; do use $i; done\n"
    shell.read(SourceFile("x.sh", f"TP=1\n{idle}{text}".encode()))
    assert len(met) <= 1


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
