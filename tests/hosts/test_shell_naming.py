"""Variables whose names stand in words, names that are a function's own, and other names for one: as bash has them."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import OneOf
from speclint.words import Word
from speclint.worlds import default_text

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")
RUN = "python3 -m sglang.launch_server"
# With these before it a script is so long that what does not matter is passed over.
MANY = "".join(f"unused_{number}() {{ echo {number}; }}\n" for number in range(70))


def bash(text: str) -> list[list[str]]:
    """The words that each launch gets, as bash runs it."""
    script = text.replace(RUN, "told")
    told = 'told() { for word in "$@"; do printf "%s\\0" "$word"; done; printf "\\1"; }\n'
    done = subprocess.run([BASH or "", "-c", told + script], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return [launch.split("\0")[:-1] for launch in done.stdout.decode().split("\1")[:-1]]


def words(text: str) -> list[tuple[Word, ...]]:
    return [launch.words for launch in launches(shell.read(SourceFile("serve.sh", text.encode())))]


def known(text: str) -> list[list[str | None]]:
    return [["…" if word.many else default_text(word.value) for word in launch] for launch in words(text)]


KNOWN = [
    "eval T=4",
    'eval "T=4"',
    "eval 'export T=4; D=3'",
    "V=T; eval $V=4",
    "V=T; eval \"${V}='4'\"",
    'f() { eval "$1=$2"; }\nf T 4',
    'V=T; declare "$V=4"',
    'V=t; export "${V^^}=4 5"',
    "V=T=4; export $V",
    'V=t\ndeclare "${V^^}=4"',
    "f() { declare -g T=4; }\nf",
    "f() { typeset -gx T=4; }\nf",
    "f() { local T=4; }\nf",
    "f() { local T; T=4; true; }\nf",
    "f() { local T; D=${T:-7}; local D; }\nf",
    'f() { local T=3; local T; D=$T; }\nf',
    'f() { local -a D; D+=(5); T="${D[*]}"; }\nf',
    "f() { local T; echo ${T:-none}; }\nD=$(f)",
    "local_() { declare -i T; T=5; D=$T; }\nlocal_",
    "f() { declare T=4; D=5; }\nf",
    "f() { local D=8; if true; then local T=4; fi; }\nf",
    "f() { g; }\ng() { T=4; }\nf",
    'f() { local T="$1"; g; }\ng() { T=4; }\nf 9',
    "f() { :; }\nT=4 f",
    "declare -i T=4",
    "declare -l T=abc",
    "declare -i T=1; T=5",
    'V="T=4 D=3"; export $V',
    'V="T=4 D=3"; export "$V"',
    'V=(T=4 D=3); export "${V[@]}"',
    "T=(1 2); unset T",
    "D=(1 2)\nf() { local -n r=$1; T=${r[1]}; }\nf D\nD=7",
]


@pytest.mark.parametrize("before", ["", MANY], ids=["short", "long"])
@pytest.mark.parametrize("text", KNOWN)
def test_a_name_is_set_as_bash_sets_it(text: str, before: str) -> None:
    script = f'{before}T=1\nD=2\n{text}\n{RUN} "$T" "$D"\n'
    assert known(script) == bash(script)


@pytest.mark.parametrize("text", KNOWN)
def test_of_a_large_script_what_names_a_variable_in_text_is_kept(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shell, "_HUGE", 1)
    script = f'{MANY}T=1\nD=2\n{text}\n{RUN} "$T" "$D"\n'
    assert known(script) == bash(script)


@pytest.mark.parametrize("before", ["", MANY], ids=["short", "long"])
def test_what_a_function_launches_with_its_own_names_tells_nothing_of_others(before: str) -> None:
    script = f'{before}T=1\nf() {{ local T=$1; {RUN} "$T" in; }}\nf 4\n{RUN} "$T" out\nT=5 f 6\n{RUN} "$T" end\n'
    assert sorted(found for found in known(script) if found[1] != "in") == [["1", "end"], ["1", "out"]]
    assert [found for found in bash(script) if found[1] == "in"] == [["4", "in"], ["6", "in"]]


UNKNOWN = [
    "declare -i T=2+2",
    "declare -u T=abc",
    "declare -i T=1; T=T+1",
    "declare -i T=1; T+=1",
    "f() { declare -gl T=a; }\nf; T=ABC",
    "unset 'T[0]'",
    "T=`echo \\`echo 4\\``",
    'eval "T=$(date)"',
    'eval "T=\\$D"',
    'eval "T+=4"',
    "V=T; printf -v \"$V\" '%s' 4",
    'f() { printf -v "$1" 4; }\nf T',
    'V=T; read -r "$V" <<< 4',
    "declare -n R=T; R=4",
    "f() { local -n r=$1; r=4; }\nf T",
    "f() { local -n r=$1; r+=4; }\nf T",
]


@pytest.mark.parametrize("before", ["", MANY], ids=["short", "long"])
@pytest.mark.parametrize("text", UNKNOWN)
def test_what_is_set_by_another_name_is_not_known(text: str, before: str) -> None:
    ((value, end),) = known(f'{before}T=1\nD=2\n{text}\n{RUN} "$T" end\n')
    assert (value in (None, "…"), end) == (True, "end")


@pytest.mark.parametrize("before", ["", MANY], ids=["short", "long"])
@pytest.mark.parametrize(
    ("text", "doubted"),
    [
        ('for pair in "$@"; do export "$pair"; done', True),
        ('while read -r line; do export "$line"; done < .env', True),
        ('eval "$1=$2"', True),
        (f"eval '{'D=1;' * 70}T=4'", True),
        ('declare "$1=$2"', True),
        ('printf -v "$1" 4', True),
        ('declare "T$1=$2"', True),
        ('declare "ARG_$1=$2"', False),
        ('eval "$(conda shell.bash hook)"', False),
        ("eval $COMMAND", False),
        ('export PATH="$HOME/bin:$PATH"', False),
    ],
)
def test_a_name_that_only_the_run_tells_may_be_any(text: str, doubted: bool, before: str) -> None:
    ((word, _),) = words(f'{before}T=1\n{text}\n{RUN} "$T" end\n')
    assert default_text(word.value) == "1"
    assert isinstance(word.value, OneOf) is doubted


def test_a_list_that_has_another_name_is_read_by_it() -> None:
    script = f'A=(a "b c")\nf() {{ local -n r=$1; {RUN} "${{r[@]}}"; }}\nf A\n'
    assert known(script) == known(f"{MANY}{script}") == bash(script) == [["a", "b c"]]
    (told,) = known(f'A=(a)\nadd() {{ local -n r=$1; r+=("$2"); }}\nadd A b\n{RUN} "${{A[@]}}" end\n')
    assert told == ["…", "end"]
