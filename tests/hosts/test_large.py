"""What is found in a large file is what is found in it as a whole, though most of it is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.hosts import large, shell
from speclint.hosts.shell.large import narrowed
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.text import Mapped

LAUNCH = "python3 -m sglang.launch_server --model-path a/b"
BLOCKS = (
    f"{LAUNCH} --tp 2\n",
    f"{LAUNCH} --tp $TP \\\n  --port ${{PORT:-30000}} $ARGS &\n",
    f'run() {{\n  {LAUNCH} --tp "$1"\n}}\n',
    "run 4\n",
    "run $TP; run 8\n",
    "TP=4\n",
    "TP=$OTHER\n",
    "OTHER=8 # é\n",
    "if [ -n \"$TP\" ]; then\n  TP=1\nelse\n  ARGS='--dp 2'\nfi\n",
    "ARGS+=' --enable-metrics'\n",
    "for PORT in 1 2; do\n  echo $PORT\ndone\n",
    "read -r TP <<< 4\n",
    "export CUDA_VISIBLE_DEVICES=0\n",
    "export NAME=1\n",
    "exit 0\n",
    '[ -z "$X" ] && exit 1\n',
    "set -- --tp 4\n",
    f'{LAUNCH} "$@"\n',
    "cat <<EOF\nTP=2\n$TP\nEOF\n",
    "cat > a.sh <<'END'\n" + LAUNCH + " --tp 2\nEND\n",
    "cat <<EOF\n",
    "'\n",
    "# a comment\n\n",
    "case $X in\n  a)\n    TP=3\n    ;;\nesac\n",
    'eval "TP=$X"\n',
    "echo $TP\n",
    "X=1; Y=2\n",
    "while true; do\nbreak\ndone\n",
)
FILLER = tuple(f'NAME_{n}="value {n}"\nif [ -n "$NAME_{n}" ]; then\n  echo "$NAME_{n}"\nfi\n' for n in range(4))


def found(text: str) -> list[object]:
    """What is told of each launch of a script: its words with their values, places and conditions, its environment."""
    read = launches(shell.read(SourceFile("x.sh", text.encode())))
    return [
        (
            one.head.start,
            [
                (repr(w), w.span and (w.span.start, w.span.end), [(c.labels, arm) for c, arm in w.guard])
                for w in one.words
            ],
            sorted((name, repr(value)) for name, value in one.command.env.items()),
        )
        for one in read
    ]


@given(st.lists(st.sampled_from((*BLOCKS, *FILLER)), min_size=1, max_size=14), st.integers(1, 80))
def test_a_large_script_tells_what_it_does_as_a_whole(blocks: list[str], least: int) -> None:
    text = "".join(blocks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LEAST", least)
        patch.setattr(shell, "_LARGE", 10**9)
        wanted = found(text)
        patch.setattr(shell, "_LARGE", 0)
        assert found(text) == wanted


def test_what_cannot_matter_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LEAST", 50)
    text = "".join((*FILLER, "TP=2\n", *FILLER, f"{LAUNCH} --tp $TP\n", *FILLER))
    assert narrowed(Mapped.of(SourceFile("x.sh", text.encode()))).text == f"TP=2\n{LAUNCH} --tp $TP\n"


@pytest.mark.parametrize("wrong", ["cat <<EOF\n", "'\n", "if true; then\n", 'eval "$X"\n', "echo ${!X}\n"])
def test_a_script_is_read_as_a_whole_where_that_cannot_be_told(wrong: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LEAST", 50)
    text = "".join((*FILLER, wrong, *FILLER, f"{LAUNCH}\n", *FILLER))
    assert narrowed(Mapped.of(SourceFile("x.sh", text.encode()))).text == text


def test_a_document_may_stand_between(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LEAST", 10)
    text = f"cat <<EOF\nread ${{X}}\nas text\nEOF\n{LAUNCH}\ncat <<-'A B'\nA\n\tA B\n"
    assert narrowed(Mapped.of(SourceFile("x.sh", text.encode()))).text == f"{LAUNCH}\n"
