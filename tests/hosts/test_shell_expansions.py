"""Expansions give the words that bash gives, or none."""

from __future__ import annotations

import shutil
import subprocess

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.value import Value

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")

SETUP = """\
M=org/Qwen3-8B.fp8
N=4
EMPTY=
S='a b c'
unset UNSET
A=(one two 'three four' five)
NONE=()
i=2
REF=N
"""
KNOWN = [
    "${M##*/}", "${M%%.*}", "${M#*/}", "${M%-*}", "${M//Q/q}", "${M/o}", "${M/o/0}", "${M,,}", "${M^^}", "${M^}", "${M:0:3}",
    "${M: -3}", "${M:4}", "${#M}", "${#A[@]}", "${A[1]}", "${A[i]}", "${A[$i]}", "${A[-1]}", "${A[-4]}", '"${A[@]:1}"', '"${A[@]:1:2}"', "${A[@]: -1}",
    '"${!A[@]}"', "${!REF}", '"${@:2}"', '"${@:2:1}"', "${@: -1}", "$#", '"${@:9}"', '"${A[*]}"', "${A[*]:1:1}", "${N:+--tp $N}",
    '${N:+--x "$N"}', '${N:+--a "b c" d}', '${N:+"--a" "b"}', "${N+--a 'b'  $N}", "${N:+$N $i}", '${N:+ "a" }', "${N:+--a \\\n  $N}",
    '${EMPTY:---a "b"}', "${EMPTY:-$N $i}", '--x="${N:+a $i}"', "${N:+-e 'a b' -e \"$M\"}", '"${N:+a "b" c}"',
    r"${M//\/}", r"${M/\//-}", r'"${M//\//_}"', r"${M//g\/Q/x}", "${EMPTY:+--x}", '${N:+"a b"}', '"${A[@]+"${A[@]}"}"', '${NONE[@]+"${NONE[@]}"}', '"${NONE[@]:-x}"', '"${A[@]:-x}"',
    "${EMPTY:-$((N << 2))}", "${EMPTY:-$((1 << 2 << 1))} $((2 << 1))",
    "${EMPTY:-d}", "${EMPTY-d}", "$((N * 2 + 1))", "$((N ** 2))", "$((N << 2))", "$((N > 3))", "$(( (N + 2) % 4 ))", "$((-N))",
    "${S% *}", "${S%% *}", "${S#* }", '"${S##* }"', '"${S%% c}"', "${S// /,}", "${M/#org/x}", "${M/%fp8}", "${M/#/--}", "${M/%*/z}",
    '"${A[@]/#/--}"', '"${A[@]/t/T}"', '"${A[@]%e}"', '"${A[@]^^}"', "${A[@]##* }", '"${A[*]/#/-}"', '"${NONE[@]/#/-}"', "${A[@]/%/,}",
    "${EMPTY+--x}", "${EMPTY+}", "${1+--x}", "${9+--x}", "${UNSET+--x}", "${UNSET-d}", "${9-d}",
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
        " ",
        "$N",
        '"b c"',
        "'q'",
    ]
)


@example(["M", "//", "/", "*"])
@example(["M", "/", "//", "*"])
@example(["N", ":+", "x", " ", '"b c"'])
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


@pytest.mark.parametrize(
    ("word", "words"),
    [
        ('${MAYBE:+--x "$N"}', ["--x", "4"]),
        ('${MAYBE:+--x "b c" --y}', ["--x", "b c", "--y"]),
        ('${MAYBE:---x "b"}', ["--x", "b"]),
        ('${MAYBE:-"b c"}', []),
    ],
)
def test_what_may_be_set_keeps_its_blanks(word: str, words: list[str]) -> None:
    text = f"{SETUP}run --a {word}\n: sglang.launch_server\n"
    (command,) = [c for c in shell.read(SourceFile("x.sh", text.encode())) if c.words and c.words[0].text == "run"]
    told = [value for w in command.words[2:] for value in _told(w.value)]
    assert [text for text in told if text] == words


def _told(value: Value) -> list[str | None]:
    arms = value.arms if isinstance(value, OneOf) else [value]
    return [arm.text.text if isinstance(arm, Known) else None for arm in arms]


ZSH = """\
#!/usr/bin/env zsh
args=(--tp 2 --host "a b")
ports=(30001 30002)
A="b c"
EMPTY=""
{before}sglang serve --model-path m {words}
"""


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("$args", ["--tp", "2", "--host", "a b"]),
        ("${args}", ["--tp", "2", "--host", "a b"]),
        ("${args[@]}", ["--tp", "2", "--host", "a b"]),
        ('"${args[@]}"', ["--tp", "2", "--host", "a b"]),
        ('--host "$ports"', ["--host", "30001 30002"]),
        ("--port ${ports[1]}", ["--port", "30001"]),
        ("--port ${ports[2]}", ["--port", "30002"]),
        ("--port ${ports[-1]}", ["--port", "…"]),
        ("--port $ports[1]", ["--port", "…"]),
        ("--tp ${#ports}", ["--tp", "…"]),
        ("--host $A", ["--host", "b c"]),
        ("--host ${A}", ["--host", "b c"]),
        ("$EMPTY --tp 2", ["--tp", "2"]),
        ("$UNSET --tp 2", ["…", "--tp", "2"]),
        ("${X:---tp 2}", ["…"]),
        ("$(cat x)", ["…"]),
    ],
)
def test_variables_of_zsh(find, words: str, expected: list[object]) -> None:
    (launch,) = find("shell", ZSH.format(before="", words=words))
    assert launch.words == ["--model-path", "m", *expected]


def test_arguments_of_a_function_of_zsh(find) -> None:
    text = "#!/bin/zsh\nserve() {\n  sglang serve $@ --host $1\n}\nserve --model-path 'a b'\n"
    (launch,) = find("shell", text)
    assert launch.words == ["--model-path", "a b", "--host", "--model-path"]


@pytest.mark.parametrize("before", ["setopt SH_WORD_SPLIT\n", "emulate -L sh\n", "setopt ksharrays; "])
def test_zsh_that_is_told_to_be_another_shell(find, before: str) -> None:
    (launch,) = find("shell", ZSH.format(before=before, words="--host $A"))
    assert launch.words == ["--model-path", "m", "--host", "b", "c"]


def test_the_name_of_a_script_tells_zsh(find) -> None:
    (launch,) = find("shell", "A=(--tp 2)\nsglang serve --model-path m $A\n", "serve.zsh")
    assert launch.words == ["--model-path", "m", "--tp", "2"]
    (launch,) = find("shell", "A=(--tp 2)\nsglang serve --model-path m $A\n", "serve.sh")
    assert launch.words == ["--model-path", "m", "--tp"]


@pytest.mark.parametrize(
    ("head", "read", "wanted"),
    [
        ("declare -A T=([small]=1 [big]=8)", "${T[big]}", "8"),
        ("declare -A T=(\n  # sizes\n  [\"big\"]=\"8\" # of all\n  ['x']=$B\n)\n", '"${T["big"]}"', "8"),
        ("K=big; B=8; declare -gA T=([a]=1 [$K]=$B)", "${T[$K]}", "8"),
        ("declare -A T\nT[big]=4; T[big]=8", '"${T[big]}"', "8"),
        ("declare -A T=([a]=1); T+=([a]=2 [big]=8)", "${T[big]}", "8"),
        ("declare -A T=([a-1]=x${B}-8)\nB=1", '"${T[a-1]}"', None),
        ("B=1; declare -A T=([a-1]=x${B}-8)", "${T[a-1]}", "x1-8"),
        ("if x; then K=a; else K=b; fi; declare -A T=([a]=1 [b]=2)", "${T[$K]}", ["1", "2"]),
        ("declare -A T=([small]=1 [big]=8)", "${T[none]}", None),
        ("declare -A T=([small]=1 [big]=8)", "${T[$1]}", None),
        ("declare -A T=([small]=1 [$X]=8)", "${T[small]}", None),
        ("declare -A T=([small]=1); T[$X]=8", "${T[small]}", None),
        ("declare -A T=([small]=1); T[small]+=8", "${T[small]}", None),
        ("declare -A T=([small]=1); unset T[small]", "${T[small]}", None),
        ("declare -A T=([small]=1); if x; then T[small]=2; fi", "${T[small]}", None),
        ("declare -A T=([small]=1); for k in small b; do T[$k]=2; done", "${T[small]}", None),
        ("declare -lA T=([small]=A)", "${T[small]}", None),
        ("declare -A T=(small 1)", "${T[small]}", None),
        ("declare -A T=([small]=1); T=4", "${T[small]}", None),
        ("declare -A T=([0]=1)", "$T", None),
    ],
)
@pytest.mark.parametrize("size", [0, 200])
def test_elements_by_keys(find, head: str, read: str, wanted: object, size: int) -> None:
    more = "".join(f"log() {{ echo {i}; }}\n" for i in range(size))
    (launch,) = find("shell", f"{more}{head}\npython3 -m sglang.launch_server --tp {read} --dp 2\n")
    assert launch.words == ["--tp", wanted if wanted is not None or '"' in read else "…", "--dp", "2"]


@pytest.mark.parametrize("read", ["${T[@]}", '"${T[@]}"', "${!T[@]}", "${#T[@]}"])
def test_all_elements_by_keys_are_not_known(find, read: str) -> None:
    (launch,) = find("shell", f"declare -A T=([a]=1 [b]=2)\npython3 -m sglang.launch_server --tp {read} --dp 2\n")
    assert launch.words in (["--tp", "…", "--dp", "2"], ["--tp", None, "--dp", "2"])


def test_a_word_in_place_of_a_value_hangs_on_what_that_hangs_on() -> None:
    text = 'for f in "" --x; do python -m sglang.launch_server a ${f:+$f b}; done\n'
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    (choice,) = dict.fromkeys(choice for word in launch.words for choice in word.choices())
    assert choice.kind == "loop"
    assert [w.settled({choice: 1}).text for w in launch.words if w.holds({choice: 1})] == ["a", "--x", "b"]
    assert [w.settled({choice: 0}).text for w in launch.words if w.holds({choice: 0})] == ["a"]


def test_braces_beside_other_text_are_no_text() -> None:
    (launch,) = launches(shell.read(SourceFile("x.sh", b"python -m sglang.launch_server --x={a} --x{1..3}\n")))
    assert [word.many for word in launch.words] == [False, True]


def test_elements_that_the_grammar_takes_apart_are_any_number_of_words() -> None:
    text = 'A=(1 2 3)\nN=1\nB=("${A[@]:$N}")\npython -m sglang.launch_server "${A[@]:$N}" --n ${#B[@]} "${B[@]}"\n'
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    assert [word.many for word in launch.words] == [True, False, True, True]


def test_what_lies_in_the_home_folder_is_one_word() -> None:
    text = "D=~/m\npython -m sglang.launch_server ~ ~/x ~/'a b'/c $D/x ~me/$1 \"~/x\" --y=~/x ~/* ~/{a,b}\n"
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    assert [word.text for word in launch.words] == [None] * 5 + ["~/x", "--y=~/x", None, None]
    assert [word.many for word in launch.words] == [False] * 7 + [True, True]
    (launch,) = launches(shell.read(SourceFile("x.sh", b"~/venv/bin/sglang serve --tp 2\n")))
    assert [word.text for word in launch.words] == ["--tp", "2"]


def test_alternatives_of_which_none_is_known_are_a_part_of_one_word() -> None:
    text = "python -m sglang.launch_server --model-path ${M:-$R}/m ${A:-$B} --tp 2\n"
    (launch,) = launches(shell.read(SourceFile("x.sh", text.encode())))
    assert [(word.text, word.many) for word in launch.words[:2]] == [("--model-path", False), (None, False)]
