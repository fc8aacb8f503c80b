"""Shell scripts: which launches are found, where, with which words."""

from __future__ import annotations

import os
import subprocess
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from speclint.launch import Launch


def find(text: str) -> list[Launch]:
    return launches(shell.read(SourceFile("serve.sh", textwrap.dedent(text).encode())))


def argv(launch: Launch) -> list[str | None]:
    return ["…" if w.many else default_text(w.value) for w in launch.words]


def only(text: str) -> list[str | None]:
    found = find(text)
    assert len(found) == 1, found
    return argv(found[0])


RUN = "python3 -m sglang.launch_server"


@pytest.mark.parametrize(
    "before",
    [
        RUN,
        "python -m sglang.launch_server",
        '"$PY" -u -m sglang.launch_server',
        "exec " + RUN,
        "env A=1 B=2 " + RUN,
        "A=1 nohup " + RUN,
        "srun --nodes=2 " + RUN,
        "mpirun -np 2 " + RUN,
        "torchrun --nproc_per_node 2 -m sglang.launch_server",
        "numactl -N 0 -m 0 " + RUN,
        "docker run --gpus all -e X=1 -p 1:1 lmsysorg/sglang:v0.5.5 " + RUN,
        "docker run --gpus all --entrypoint sglang lmsysorg/sglang:v0.5.5 \\\n  serve",
        "cd /x && " + RUN,
        "if true; then\n:; fi; " + RUN,
        "/opt/venv/bin/sglang serve",
        '"$VENV/bin/sglang" serve',
        '"${A:-/opt}/bin/sglang" serve',
        "python $HERE/python/sglang/launch_server.py",
    ],
)
@pytest.mark.parametrize("after", ["", " &", " > log 2>&1 &", " 2>&1 | tee log", "; echo done"])
def test_prefix_programs_and_what_follows(before: str, after: str) -> None:
    assert only(f"{before} --model-path m --tp=8{after}\n") == ["--model-path", "m", "--tp=8"]


def test_what_a_function_prints() -> None:
    """Options that a here-document of a function holds, or an ``echo``; any other function is not known."""
    head = "base() { cat <<EOF\n--tp 8\n--host ${H:-h}\nEOF\n}\nmore() { echo --dp 2; }\ntwo() { echo --dp; echo 2; }\n"
    head += 'rec() { rec; }\narg() { echo "$1"; }\ncond() { if x; then echo --dp; fi; }\n'
    (launch,) = find(head + f"{RUN} $(base) $(more) --ep $(echo 4)\n")
    assert [default_text(w.value) for w in launch.words] == ["--tp", "8", "--host", "h", "--dp", "2", "--ep", "4"]
    assert launch.words[1].span is not None
    assert launch.words[1].span.text == "8"
    for call in ("rec", "cond", "none"):
        (launch,) = find(head + f"{RUN} $({call})\n")
        assert [w.many for w in launch.words] == [True]


def test_an_empty_default_beside_other_text_takes_no_word_away() -> None:
    """``"… "${M:-}" …"``, quotes within quotes: what is given is one word with the text around it."""
    (launch,) = find('eval "sglang serve --model-path "${M:-}" --tp 2"')
    assert [w.text for w in launch.words] == ["--model-path", None, "--tp", "2"]
    (launch,) = find("sglang serve --model-path m${S:-} --tp 2")
    assert [default_text(w.value) for w in launch.words] == ["--model-path", "m", "--tp", "2"]
    # Where nothing else makes it a word there may be none at all.
    (launch,) = find("sglang serve --model-path m ${A:-}${B:-} --tp 2")
    assert any(w.many for w in launch.words)


@pytest.mark.parametrize("quote", ['bash -c "{}"', "bash -lc '{}'", "srun bash -c '{}'", "ssh -p 22 host '{}'", 'eval "{}"'])
def test_commands_in_strings_are_found_at_their_place(quote: str) -> None:
    text = quote.format(RUN + " --tp 8") + "\n"
    (launch,) = find(text)
    assert argv(launch) == ["--tp", "8"]
    assert launch.words[1].span is not None
    assert launch.words[1].span.start == text.index("8")


def test_text_that_is_no_launch() -> None:
    assert not find(
        f"""
        # {RUN} --tp 8
        echo {RUN} --tp 8
        pkill -f "{RUN}"
        ps aux | grep sglang.launch_server
        {RUN} --help
        python3 -m sglang_router.launch_router --tp 8
        python3 -m sgl_jax.launch_server --tp 8
        """
    )


def test_continuations_quotes_and_comments() -> None:
    assert only(
        f"""
        {RUN} \\
          --model-path "a b" \\
          --host '0.0.0.0' --json '{{"a": 1}}' \\
          --name a"b"'c'\\ d
        """
    ) == ["--model-path", "a b", "--host", "0.0.0.0", "--json", '{"a": 1}', "--name", "abc d"]


def test_a_string_that_is_not_closed_keeps_its_last_character() -> None:
    assert only(f'{RUN} --name "a b') == ["--name", "a b"]
    assert only(f'NAME=b\n{RUN} --name "a $NAME c') == ["--name", "a b c"]
    assert only(f'{RUN} --name "a \\$b') == ["--name", "a $b"]


def test_a_shift_in_a_default_begins_no_here_document() -> None:
    text = f"""\
        serve() {{
          export SIZE="${{SIZE:-$((32 << 30))}}"
          {RUN} --tp "${{TP:-$((1 << 2))}}"
        }}
        serve
        cat <<EOF > $((1)).log
        x << y ))
        EOF
        """
    assert only(text) == ["--tp", "4"]


def test_a_comment_in_a_continuation_ends_the_command() -> None:
    assert only(f"{RUN} --tp 8 \\\n  # comment \\\n  --dp 2\n") == ["--tp", "8"]


def test_arrays() -> None:
    assert only(
        f"""
        BASE=(--model-path m  # the model
              --tp 8)
        BASE+=(--dp "2")
        {RUN} "${{BASE[@]}}" ${{BASE[0]}} "$@"
        """
    ) == ["--model-path", "m", "--tp", "8", "--dp", "2", "--model-path", "…"]


def test_a_command_in_an_array_stands_where_it_is_written() -> None:
    (launch,) = find(f"CMD=(\n  {RUN}\n  --tp 8\n)\n\"${{CMD[@]}}\" --dp 2 > log\n")
    assert argv(launch) == ["--tp", "8", "--dp", "2"]
    assert launch.file.location(launch.span.start)[0] == 2


def test_strings_built_up() -> None:
    assert only(
        f"""
        ARGS="--tp 8"
        ARGS="$ARGS --dp 2"
        ARGS+=" --ep 4"
        {RUN} $ARGS
        """
    ) == ["--tp", "8", "--dp", "2", "--ep", "4"]


def test_defaults() -> None:
    (launch,) = find(f"{RUN} --tp ${{TP:-8}}\n")
    value = launch.words[1].value
    assert default_text(value) == "8"
    assert "`TP` keeps its default" in str(value.choice.labels)  # type: ignore[union-attr]


def test_what_is_not_known_is_not_guessed() -> None:
    assert only(f'{RUN} --tp "$TP" --dp $(nproc) --x "$1" --y a"$Z"b --glob *.json ~/m\n') == [
        "--tp", None, "--dp", "…", "--x", None, "--y", None, "--glob", "…", None,
    ]  # fmt: skip


def test_branches_become_alternatives() -> None:
    (launch,) = find(
        f"""
        if [ "$MODE" = spec ]; then A="--tp 4"; else A="--dp 8"; fi
        [ -n "$X" ] && A="$A --z"
        {RUN} $A
        """
    )
    assert [(w.text, len(w.guard)) for w in launch.words] == [
        ("--tp", 1), ("4", 1), ("--dp", 1), ("8", 1), ("--z", 1),
    ]  # fmt: skip


def test_a_branch_that_leaves_the_script_is_no_alternative() -> None:
    assert only(f'TP=8\nif [ -z "$1" ]; then TP=9; exit 1; fi\n{RUN} --tp $TP\n') == ["--tp", "8"]


@pytest.mark.parametrize("right", ["exit 4", "{ echo running; exit 4; }", "(exit 1) && exit"])
def test_a_command_that_the_script_ends_behind_may_fail(right: str) -> None:
    assert only(f"docker inspect x >/dev/null && {right}\n{RUN} --tp 8\n") == ["--tp", "8"]
    assert only(f"f() {{ pgrep x && return; {RUN} --tp 8; }}\nf\n") == ["--tp", "8"]


def test_known_conditions_are_decided() -> None:
    assert only(f'M=a\nif [[ "$M" == a && -n "x" ]]; then T=1; else T=2; fi\n{RUN} --tp $T\n') == ["--tp", "1"]
    assert only(f"M=a\ncase $M in b) T=1;; a|c) T=2;; *) T=3;; esac\n{RUN} --tp $T\n") == ["--tp", "2"]


def test_functions_are_followed_with_their_arguments() -> None:
    (launch,) = find(f'run() {{ local port=$1; shift; {RUN} --port "$port" "$@"; }}\nrun 30000 --tp 8\n')
    assert argv(launch) == ["--port", "30000", "--tp", "8"]


@pytest.mark.parametrize("other", ["run() { echo \"$*\"; }", "run() { log \"$1\"; }"])
def test_a_function_that_shows_what_it_is_given_runs_it_in_another_branch(other: str) -> None:
    text = f"if [ -z $DRY ]; then\n  run() {{ \"$@\"; }}\nelse\n  {other}\nfi\nrun {RUN} --tp 4\n"
    assert [argv(launch) for launch in find(text)] == [["--tp", "4"]]
    assert find(f"run() {{ \"$@\"; }}\n{other}\nrun {RUN} --tp 4\n") == []


def test_a_function_called_twice_is_one_launch_with_alternatives() -> None:
    (launch,) = find(f'run() {{ {RUN} --port "$1"; }}\nrun 1\nrun 2\n')
    assert argv(launch) == ["--port", None]
    assert launch.words[1].value.choice.labels == ("`run 1` calls it", "`run 2` calls it")  # type: ignore[union-attr]


def test_a_function_that_nobody_calls_is_read_too() -> None:
    assert only(f'run() {{ {RUN} --port "$1"; }}\n') == ["--port", None]


def test_loops() -> None:
    (launch,) = find(f"for t in 1 2; do {RUN} --tp $t --port $((30000 + t)); done\n")
    assert [str(w.value) for w in launch.words][1::2] == [
        "OneOf((Known('1'), Known('2')))",
        "OneOf((Known('30001'), Known('30002')))",
    ]


def test_arguments_parsed_in_a_loop_leave_their_defaults() -> None:
    assert only(
        f"""
        TP=8
        while [[ $# -gt 0 ]]; do
          case "$1" in --tp) TP="$2"; shift 2;; *) shift;; esac
        done
        {RUN} --tp $TP
        """
    ) == ["--tp", "8"]


def test_the_environment_of_a_launch() -> None:
    (launch,) = find(f"export A=1\nB=2\nC=3 docker run -e C -e D=4 --env E=5 img {RUN} --tp 8\n")
    assert {k: default_text(v) for k, v in launch.command.env.items()} == {"C": "3", "D": "4", "E": "5"}
    assert default_text(launch.command.image) == "img"  # type: ignore[arg-type]


def test_here_documents_that_a_shell_reads() -> None:
    text = f"bash <<'EOF'\n{RUN} --tp 8\nEOF\ncat > run.sh <<EOF\n{RUN} --dp 2\nEOF\ncat <<EOF\n{RUN} --ep 2\nEOF\n"
    assert sorted(map(str, map(argv, find(text)))) == ["['--dp', '2']", "['--tp', '8']"]


def test_crlf_and_wide_characters() -> None:
    text = f"# ä漢😀\r\nX='é'; {RUN} --tp '8'  \r\n"
    (launch,) = find(text)
    assert launch.words[1].span is not None
    assert launch.words[1].span.text == "'8'"


_PLAIN = st.text(alphabet="abXY09._/:,-=+@%", min_size=1, max_size=6)
_ODD = st.text(alphabet="ab \t'\"$\\*;&|<>(){}[]#~!é\n", max_size=6)


def _single(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _double(text: str) -> str:
    return '"' + "".join("\\" + c if c in '$`"\\' else c for c in text) + '"'


_WORD = st.one_of(
    _PLAIN,
    _ODD.map(_single),
    _ODD.map(_double),
    st.tuples(_PLAIN, _ODD.map(_double), _PLAIN).map("".join),
    st.sampled_from(["$A", '"$A"', "${B}", '"${B:-x y}"', "${U:-d}", '"${L[@]}"', "${L[@]}", '"${L[*]}"', "${L[1]}", "x$A$B"]),
    st.sampled_from(["$'a\\tb\\x41'", "$((1 + 2 * 3))", "$((N / 2))", '"$A $B"', '"p${L[@]}s"', "${A:+z}", "${E:-e}", "a\\ b"]),
    st.sampled_from(["$(echo q w)", '"$(echo "$A")"', "$(echo $B)", "$(echo '' e)", "$(fun)", '"$(fun)"', "$(echo -n x)"]),
    st.sampled_from(["$N$:57", "x$:", "$B$/b", '"$A$:$B"', "$N$", "$=$N", "a$.$B", '"$:"', "$B$%"]),
)


@settings(max_examples=60, deadline=None)
@given(
    st.tuples(_ODD.filter(lambda t: "\n" not in t), _PLAIN, st.lists(_PLAIN, min_size=2, max_size=3)),
    st.lists(st.lists(_WORD, max_size=5), min_size=1, max_size=6),
)
def test_known_words_are_what_bash_passes(values: tuple[str, str, list[str]], lines: list[list[str]]) -> None:
    """Every word that is called known equals what bash itself hands over."""
    a, b, items = values
    head = f"set -f\nA={_single(a)}\nB={b}\nE=\nN=7\nL=({' '.join(map(_single, items))})\nL+=(end)\n"
    head += "fun() { cat <<X\n--x $B\n y\n\nX\n}\n"
    body = "".join(f"python3 -m sglang.launch_server {' '.join(words)}\n" for words in lines)
    stub = "python3() { shift 2; for w; do printf '%s\\0' \"$w\"; done; printf '\\1'; }\n"
    env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    ran = subprocess.run(["bash", "--norc", "-c", stub + head + body], capture_output=True, env=env, check=False)
    real = [r.split("\0")[:-1] for r in ran.stdout.decode().split("\1")[:-1]]
    found = find_all(head + body)
    assert len(found) == len(lines) == len(real)
    for launch, words in zip(found, real, strict=True):
        if any(w.many for w in launch.words):
            continue
        got = [default_text(w.value) for w in launch.words]
        assert len(got) == len(words)
        assert all(g is None or g == w for g, w in zip(got, words, strict=True)), (got, words)


def find_all(text: str) -> list[Launch]:
    return launches(shell.read(SourceFile("x.sh", text.encode())))


@pytest.mark.parametrize("name", sorted(p.name for p in Path(__file__).parent.glob("*.py")))
def test_other_text_is_read_without_an_error(name: str) -> None:
    """Anything is shell to somebody: nothing raises."""
    shell.read(SourceFile(name, Path(__file__).with_name(name).read_bytes()))


@pytest.mark.parametrize(
    "text",
    [
        f"{RUN} `#ä` --tp 8 `# size` \\\n  --x `# why` \\\n  `# alone` \\\n  --dp 2 `# the last`\n",
        f"echo `# {RUN} --ep 2`\n{RUN} --tp 8 `#` --x --dp 2 # `#`\n",
    ],
)
def test_comments_between_backquotes(text: str) -> None:
    assert only(text) == ["--tp", "8", "--x", "--dp", "2"]


@pytest.mark.parametrize(
    "before",
    ["TP=8 PP=2", "TP=8 PP=2 # the widths", 'TP=8 PP="2"  X=`a`\n\n# why', "TP=1 PP=2\nTP=8", "f() {\n  TP=8 PP=2\n  b\n}\nf"],
)
def test_a_line_that_sets_several_names_sets_them_for_all_that_follows(before: str) -> None:
    (launch,) = find(f"{before}\n{RUN} --tp $TP --pp $PP\n")
    assert (argv(launch), launch.command.env) == (["--tp", "8", "--pp", "2"], {})


@pytest.mark.parametrize("text", [f"A=1 B=2 {RUN} --tp 8\nx\n", f"A=1 B=2 \\\n  {RUN} --tp 8\n"])
def test_several_names_before_a_command_are_set_for_it(text: str) -> None:
    (launch,) = find(text)
    assert sorted(launch.command.env) == ["A", "B"]


def test_lines_of_a_here_document_are_no_assignments() -> None:
    assert only(f"cat <<A\nTP=8 PP=2\nA\nX=1 Y=2\n{RUN} --tp $X\n") == ["--tp", "1"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"exec {RUN} --a\n{RUN} --b\n", [["--a"]]),
        (f"if x; then\n  exec {RUN} --a\nfi\nexec {RUN} --b\n{RUN} --c\n", [["--a"], ["--b"]]),
        (f"exec -a name $PY x\n{RUN} --b\n", [["--b"]]),
        (f"exec gunicorn x\n{RUN} --b\n", []),
        (f"exec > >(tee log) 2>&1\nexec 3<&0\nexec {{fd}}>x\n{RUN} --b\n", [["--b"]]),
        (f"exec $CMD\n{RUN} --b\n", [["--b"]]),
        (f"exec {RUN} --a > log 2>&1 &\n{RUN} --b\n", [["--a"], ["--b"]]),
        (f"cd x && exec {RUN} --a &\n(exec {RUN} --b)\n{RUN} --c\n", [["--a"], ["--b"], ["--c"]]),
    ],
)
def test_nothing_runs_behind_a_program_that_takes_the_place_of_the_shell(text: str, expected: list[list[str]]) -> None:
    assert [argv(launch) for launch in find(text)] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"if x; then\n  f() {{ T=8; return; }}\nelse\n  f() {{ T=2; }}\nfi\nf\n{RUN} --tp $T\n", [["--tp", None]]),
        (f"if x; then\n  f() {{ T=2; }}\nelse\n  f() {{ T=2; }}\nfi\nf\n{RUN} --tp $T\n", [["--tp", "2"]]),
        (f"case $X in a) f() {{ {RUN} --tp $1; }} ;; *) f() {{ vllm serve m; }} ;; esac\nf 4\n", [["--tp", "4"]]),
        (f"f() {{ {RUN} --a; }}\nx && f() {{ {RUN} --b; }}\nf\n", [["--a"], ["--b"]]),
        (f"f() {{ {RUN} --a; }}\nf() {{ {RUN} --b; }}\nf\n", [["--b"]]),
        (f"if x; then f() {{ T=8; }}; fi\nf() {{ T=2; }}\nf\n{RUN} --tp $T\n", [["--tp", "2"]]),
        (f"if x; then f() {{ echo 8; }}; else f() {{ echo 2; }}; fi\n{RUN} --tp $(f)\n", [["--tp", "…"]]),
        (f"if x; then f() {{ echo 8; }}; else f() {{ echo 2; }}; fi\ng() {{ f; }}\n{RUN} --tp $(g)\n", [["--tp", "…"]]),
    ],
)
def test_functions_that_branches_define(text: str, expected: list[list[str | None]]) -> None:
    assert [argv(launch) for launch in find(text)] == expected


def test_many_functions_of_branches_are_followed_a_bounded_number_of_times() -> None:
    again = "".join(f"if x; then f() {{ {RUN} --n {n}; f; }}; else f() {{ X={n}; f; f; }}; fi\n" for n in range(40))
    assert len(find(again + "f\n")) < 200


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('IFS=,\nT="${A[*]}"\n', "0,1"),
        ('f() { local IFS=:; T="$*"; }\nf "${A[@]}"\n', "0:1"),
        ('IFS=,\nT="${A[*]}"\nunset IFS\n', "0,1"),
        ('unset IFS\nT="${A[*]}"\n', "0 1"),
        ('IFS=$SEP\nT="${A[*]}"\n', None),
        ('IFS=, read -r x y <<< "a,b"\nT="${A[*]}"\n', "0 1"),
        ('X="IFS=,"\nT="${A[*]}"\n' + "# long\n" * 300, "0 1"),
        ('IFS=,\nT="${A[*]}"\n' + "# long\n" * 300, "0,1"),
    ],
)
def test_what_stands_between_elements_that_become_one_text(text: str, expected: str | None) -> None:
    assert only(f'A=(0 1)\n{text}\n{RUN} --x "$T"\n')[1] == expected


def test_what_a_function_in_the_background_sets_is_lost() -> None:
    assert only(f"T=1\nf() {{ T=5; }}\nf &\nf > log 2>&1 &\n{RUN} --tp $T\n") == ["--tp", "1"]
    assert only(f"T=1\nf() {{ T=5; }}\nf\nx &\n{RUN} --tp $T\n") == ["--tp", "5"]
