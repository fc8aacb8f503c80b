"""What functions print, and what arrays are filled with, is what bash makes of it, or it is not known."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.hosts.shell.printing import Printer
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.words import Word
from speclint.worlds import default_text

if TYPE_CHECKING:
    from tree_sitter import Node

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash")
RUN = "python3 -m sglang.launch_server"


def bash(text: str) -> list[str]:
    script = text.replace(RUN, "printf '%s\\0'")
    told = subprocess.run([BASH or "", "-c", script], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return told.stdout.decode().split("\0")[:-1]


def words(text: str) -> tuple[Word, ...]:
    (launch,) = launches(shell.read(SourceFile("serve.sh", text.encode())))
    return launch.words


def known(text: str) -> list[str | None]:
    return ["…" if word.many else default_text(word.value) for word in words(text)]


KNOWN = [
    """G=0,1,2\n$(echo $G | tr ',' '\\n' | wc -l) "$(echo "$G" | awk -F',' '{print NF}')" $(awk -F, '{print NF}' <<< "$G")""",
    """G=0,1,2\n$(($(echo "$G" | grep -o , | wc -l) + 1)) $(echo $G | cut -d, -f2) $(echo -n "$G" | cut -d ',' -f 2-)""",
    """G=0,1,2\n$(echo $G | tr , ' ') "$(tr , ' ' <<< "$G" | wc -w)" $(printf '%s' "$G" | wc -l) $(echo "$G " | xargs)""",
    """M=Qwen/Qwen3-8B\n$(echo "$M" | tr '/' '_') $(echo $M | sed 's/\\//-/g') $(echo $M | sed 's|/|__|')""",
    """M=Qwen/Q3.5\n$(echo "$M" | tr '[:upper:]' '[:lower:]') $(echo $M | tr A-Z a-z | tr -d .) $(echo $M | sed 's/\\./p/')""",
    """M=Qwen/Q3\n$(echo $M | awk -F/ '{print $2}') $(echo $M | awk -F "/" '{ print $NF; }') $(echo 'a  b' | tr -s ' ')""",
    """L='a b\nc'\n"$(echo "$L" | head -1)" $(echo "$L" | tail -n 1) $(echo "$L" | head -n1 | awk '{print $2}')""",
    """f() { echo "$1" | sed 's/^Q//' | sed 's/8$/9/g'; }\n$(f Qx8) $(f x8y)""",
    'N=4\n1 $(seq 4 4 16) "$(seq -s, 0 3)" $(seq -s : $N)',
    'f() { seq 3; }\n`seq 3 -1 1` $(seq 2)x "$(f)"',
    "f() { echo -e '--tp\\t2\\n--dp 4'; }\n$(f)",
    'f() { echo "--tp"; echo 2; }\n$(f)',
    'f() { local t=$1; printf -- "--tp %s" "$t"; }\n$(f 4)',
    'f() { printf \'%s\\n\' --tp "$1" --dp "$2"; }\n$(f 1 2)',
    "f() { printf '%s=%s ' --tp 1 --dp 2; }\n$(f)",
    "f() { printf '100%%\\t%d\\n' 3; }\n$(f)",
    'f() { case "$1" in qwen*|Q?) echo a ;; *) echo b ;; esac; }\n$(f qwen3) $(f Q3) $(f x) "$(f qwen)"',
    'f() { if [ "$1" = 1 ]; then echo "--tp 2"; else echo --dp; fi; }\n$(f 1) $(f 2)',
    'f() { if [ "$1" = 1 ]; then echo a; return; fi; echo b; }\n$(f 1) $(f 2)',
    "f() { echo no >&2; echo yes; echo maybe 1>&2; echo log > /dev/null; echo err 2>/dev/null; }\n$(f)",
    'f() { cat <<E\n--tp $1\n  --dp 2\nE\n}\n$(f 6) "$(f 7)"',
    'f() { echo "--tp $(g 2)"; }\ng() { echo "$(($1 * 2))"; }\n$(f)',
    'f() { local a="--tp 2"; [ -n "$1" ] && a="$a --dp 2"; echo "$a"; }\n$(f) $(f 1)',
    "X=0\nf() { (X=1; echo $X); { echo $X; echo -n c; }; }\n$(f)",
    'f() { g "$@"; }\ng() { shift; echo "$1" "$#"; }\n$(f a b c)',
    'A=(x "y z")\nf() { printf "%s\\n" "${A[@]}"; echo "${A[*]}"; }\n$(f)',
    'f() { echo a; }\nX=$(f)$(f)\n"$X"',
    "mapfile -t A < <(printf '%s\\n' --tp 'a b' '' c)\n\"${A[@]}\"",
    'X="--tp\n2"\nmapfile -t A <<< "$X"\n"${A[@]}"',
    'f() { echo --tp; echo "$1"; }\nreadarray -t A < <(f 4)\n"${A[@]}"',
    'mapfile -t A <<E\n--tp\n2\nE\n"${A[@]}"',
    'X=1\n$(basename /a/b/c) $(basename /a/b/ "") $(basename c.py .py) $(basename .py .py) $(basename /) $(basename "a b/c d")',
    "X=1\n$(dirname /a/b/c) $(dirname a) $(dirname /a) $(dirname /) $(dirname a/b//) $(dirname -- a//b)",
    'M=org/Qwen3\n$(basename "$M") --x="$(basename "$M")-fp8"',
    "IFS=','; A=12\n$A",
    "OLD=$IFS; IFS=,; IFS=$OLD; A='1 2'\n$A",
    "f() { local IFS=,; }\nf; A='1 2'\n$A",
    'A=(1 "2 3" 4)\n"$(IFS=,; echo "${A[*]}")" "${A[*]}"',
    'f() { local IFS="$1"; shift; echo "$*"; }\n"$(f + 1 2 3)" "$(f "" a b)"',
    'A=(1 2)\nOLD=$IFS; IFS=-; X="${A[*]}"; IFS=$OLD; Y="${A[*]}"; unset IFS\n"$X" "$Y" "${A[*]}" "${A[*]/#/x}"',
    'X="1  2 3"\nread -r -a A <<< "$X"\n"${A[@]}"',
    'read -ra A <<< "--tp 4"\n"${A[@]}"',
]


def launched(text: str) -> str:
    head, last = text.rsplit("\n", 1)
    return f"{head}\n{RUN} {last} end\n"


@pytest.mark.parametrize("text", KNOWN)
def test_as_bash_does(text: str) -> None:
    assert known(launched(text)) == bash(launched(text))


@pytest.mark.parametrize(
    "text",
    [
        "f() { date; echo 2; }\n$(f)",
        "f() { echo a | rev; }\n$(f)",
        "echo a > x\n$(tr a b < x)",
        "echo a > x\n$(echo a | wc -l x)",
        "A='a b'\n$(echo $A | awk '{print $1, $2}')",
        "X=1\n$(echo a.b | sed 's/./x/g')",
        "X=1\n$(echo a1 | tr -dc '0-9')",
        "X=1\n$(echo $UNSET | wc -l)",
        "f() { for i in 1 2; do echo $i; done; }\n$(f)",
        'f() { if [ -n "$Q" ]; then echo a; return; fi; echo b; }\n$(f)',
        "f() { f; }\n$(f)",
        "X=1\n$(basename -s .py a.py)",
        "X=1\n$(basename $UNSET)",
        "IFS=,; A='1,2'\n$A",
        "IFS=$'\\n\\t'; A='--tp 2'\n$A",
        "A='1,2'; IFS=,; B=($A); unset IFS\n${B[@]}",
        "IFS=,; A=$1; B=x,$A\n$B",
        "IFS=$UNSET; A=(1 2)\n$(echo \"${A[*]}\")",
        "f() { printf '%q' x; }\n$(f)",
        "f() { echo -e 'a\\x41b'; }\n$(f)",
        "f() { echo *; }\n$(f)",
        "f() { echo $X; }\n$(f)",
        'mapfile -t A < <(cat x)\n"${A[@]}"',
        'mapfile -t A < x\n"${A[@]}"',
        'mapfile A <<< x\n"${A[@]}"',
        'mapfile -t -n 1 A <<< x\n"${A[@]}"',
        'IFS=", " read -r -a A <<< "1,2"\n"${A[@]}"',
        'read -r -a A <<< "1\n2"\n"${A[@]}"',
        'read -r -d x -a A <<< "1x2"\n"${A[@]}"',
    ],
)
def test_what_is_not_told_is_not_guessed(text: str) -> None:
    assert known(launched(text)) == ["…", "end"]


def test_functions_that_call_themselves_are_followed_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each call tells of many more: what all of them take together is bounded."""
    steps = 0
    run = Printer.run

    def counted(self: Printer, node: Node) -> None:
        nonlocal steps
        steps += 1
        run(self, node)

    monkeypatch.setattr(Printer, "run", counted)
    assert known(f"f() {{ echo $(f) $(f); f; }}\n{RUN} --tp 2 $(f)\n")[:2] == ["--tp", "2"]
    assert 1_000 < steps < 10_000


def test_text_is_known_around_what_is_not() -> None:
    text = 'ARGS=$(echo serve --model-path $M --tp 2 --ep ${E:-1})\nARGS=($ARGS)\nsglang "${ARGS[@]}"\n'
    assert known(text) == ["--model-path", "…", "--tp", "2", "--ep", "1"]


def test_a_value_with_many_alternatives_is_not_known() -> None:
    text = "".join(f'if [ -n "$A{n}" ]; then X="a$X"; else X="b$X"; fi; ' for n in range(8))
    assert known(f'f() {{ X=; {text}echo "$X"; }}\n{RUN} --tp 2 --dp "$(f)"\n') == ["--tp", "2", "--dp", None]


def test_what_hangs_on_a_branch() -> None:
    text = 'f() { echo --tp; if [ -n "$Q" ]; then echo "$1"; echo --dp; else echo 4; fi; echo 8; }\n'
    for call in ("$(f 2)", '"${A[@]}"'):
        found = words(f"{text}mapfile -t A < <(f 2)\n{RUN} {call}\n")
        assert [word.text for word in found if not word.guard] == ["--tp", "8"]
        assert [(word.text, word.guard[0][1]) for word in found if word.guard] == [("2", 0), ("--dp", 0), ("4", 1)]
    (word,) = words(f'f() {{ case "$1" in a) echo x ;; *) echo y ;; esac; }}\n{RUN} "$(f $Q)"\n')
    assert not word.guard
    assert "x" in repr(word.value)
    assert "y" in repr(word.value)


def test_functions_that_print_what_others_print_are_followed_for_a_while() -> None:
    """Each prints what the one before prints twice: more words than there are atoms."""
    text = "".join(f'f{n}() {{ echo "$(f{n - 1})" "$(f{n - 1})"; }}\n' for n in range(1, 200))
    assert known(f"f0() {{ echo x; }}\n{text}{RUN} --tp 2 $(f199)\n")[:2] == ["--tp", "2"]


PIECES = st.sampled_from(
    [
        "echo --tp 2", 'echo "$1"', "echo $1 $2", "echo -n x", "printf '%s\\n' \"$1\" y", "printf '%s ' \"$@\"", "X=3", 'echo "$X"',
        'if [ "$1" = a ]; then echo A; else echo B; fi', 'case "$1" in a*) echo C ;; b) echo D ;; esac', "shift", "g", "g $2",
        '[ "$1" = a ] && echo E', '[ -z "$2" ] || echo F', "(X=5; echo $X)", "{ echo G; }", "echo H >&2", "return", "true", 'local X="$2"',
        "cat <<E\n$1 I\nE\n", 'echo "$(g "$1")"', "echo $(g x) J", "X=$(g)", "for i in 1 2; do echo $i; done", "echo a | cat", "echo ''",
    ]
)  # fmt: skip


def joined(pieces: list[str]) -> str:
    return "; ".join([*pieces, "true"]).replace("E\n; ", "E\n")


@given(
    st.lists(PIECES, max_size=5),
    st.lists(PIECES, max_size=3),
    st.sampled_from(["", "a", "b c", '"a b" c', "a b c"]),
    st.booleans(),
)
@settings(max_examples=80, deadline=None)
def test_known_words_are_those_of_bash(body: list[str], inner: list[str], given_: str, fills: bool) -> None:
    inner = [piece for piece in inner if "g" not in piece.split()[0] and "$(g" not in piece]
    text = f"g() {{ {joined(inner)}; }}\nf() {{ {joined(body)}; }}\n"
    text += f'mapfile -t A < <(f {given_})\n{RUN} "${{A[@]}}" end\n' if fills else f"{RUN} $(f {given_}) end\n"
    found = words(text)
    if any(word.many or word.guard or word.text is None for word in found):
        return
    assert [word.text for word in found] == bash(text)


@pytest.mark.parametrize(
    "text",
    [
        f"echo '{RUN} --tp 2' | bash",
        f'CMD="{RUN} --tp 2"\necho "$CMD" | ssh host bash -s',
        f"printf '%s\\n' '#!/bin/bash' '{RUN} --tp 2' | sbatch -N 1",
        f"cat <<E | ssh -o X=y host 'bash -s'\ncd /x\n{RUN} --tp 2\nE",
        f"run() {{ printf '%s' \"$2\" | ssh $1 bash; }}\nrun h '{RUN} --tp 2'",
    ],
)
def test_what_is_printed_to_a_shell_is_run(text: str) -> None:
    assert known(f"{text}\n") == ["--tp", "2"]


@pytest.mark.parametrize("reader", ["tee notes", "bash -c cat", "ssh host tee x", "bash run.sh", "cat | sh", "wish"])
def test_what_is_printed_to_others_is_not(reader: str) -> None:
    assert launches(shell.read(SourceFile("serve.sh", f"echo '{RUN} --tp 2' | {reader}\n".encode()))) == []


@pytest.mark.parametrize(
    "text",
    [
        f"echo '{RUN} --tp 2' > run.sh",
        f"echo '{RUN} --tp 2' | tee run.sh",
        f"echo '{RUN} --tp 2' | sudo tee -a /srv/run.sh > /dev/null",
        f"{{\n  echo '#!/bin/bash'\n  echo '{RUN} --tp 2'\n}} > serve",
        f"printf '#!/bin/sh\\nexec %s --tp 2\\n' '{RUN}' > serve",
        f'echo -e "#!/bin/bash\\n{RUN} --tp 2" > serve && chmod +x serve',
        f'T=2\necho "{RUN} --tp $T" >> run.sh',
        f"echo '#!/bin/bash' > run.sh && echo '{RUN} --tp 2' >> run.sh",
        f"mkdir -p x && cd x && echo '{RUN} --tp 2' > run.sh && chmod +x run.sh",
        f"mkdir -p x && cat > run.sh <<EOF\n{RUN} --tp 2\nEOF",
        f"mkdir -p x && cat > run.sh <<EOF && chmod +x run.sh\n{RUN} --tp 2\nEOF",
        f"cd x || exit && ssh host bash <<EOF\n{RUN} --tp 2\nEOF",
        f"cd x && mapfile -t A <<EOF && echo\n--tp\n2\nEOF\n{RUN} " + '"${A[@]}"',
    ],
)
def test_a_script_that_is_written_is_read(text: str) -> None:
    assert known(f"{text}\n") == ["--tp", "2"]


@pytest.mark.parametrize(
    "where", ["> notes.txt", ">> /var/log/serve.log", ">&2", "> /dev/null", "2> run.sh.log", "| tee serve.log"]
)
def test_other_files_that_are_written_are_not(where: str) -> None:
    assert launches(shell.read(SourceFile("serve.sh", f"echo '{RUN} --tp 2' {where}\n".encode()))) == []


def test_a_line_that_goes_on_in_what_is_written_next() -> None:
    assert known(f"echo '{RUN} --tp 2 \\' > run.sh && echo '  --dp 2' >> run.sh\n") == ["--tp", "2", "…"]
    assert known(f"T=2\necho \"{RUN} --tp $T \\\\\" > run.sh\n") == ["--tp", "2", "…"]


def test_nothing_is_mended_in_what_is_printed() -> None:
    (launch,) = launches(shell.read(SourceFile("serve.sh", f"echo '{RUN} --tp 2' > run.sh\n".encode())))
    assert not launch.command.fixable


@pytest.mark.parametrize("fill", [0, 100])
def test_devices_that_are_counted(fill: int) -> None:
    """Whoever calls may give others than the default."""
    count = "N=$(echo \"$CUDA_VISIBLE_DEVICES\" | awk -F',' '{print NF}')\n"
    text = 'export CUDA_VISIBLE_DEVICES="${CUDA_VISIBLE_DEVICES:-0,1,2}"\n' + count + "echo x >> log\n" * fill
    assert known(f'{text}{RUN} --tp "$N"\n') == ["--tp", "3"]
    (option, value) = words(f"{text}{RUN} --tp $N\n")
    assert option.text == "--tp"
    assert value.text is None
    assert known(f'{count}{RUN} --tp "$N"\n') == ["--tp", None]
