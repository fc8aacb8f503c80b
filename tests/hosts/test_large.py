"""What is found in a large file is what is found in it as a whole, though most of it is left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.hosts import large, python, shell
from speclint.hosts.python import large as python_large
from speclint.hosts.python import triggers
from speclint.hosts.shell.large import narrowed
from speclint.launch import launches
from speclint.source import SourceError, SourceFile
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


CALL = 'subprocess.run(["python", "-m", "sglang.launch_server", "--model-path", "a/b", '
MODULE = (
    "import subprocess\n",
    "import os, sys  # é\n",
    f'{CALL}"--tp", "2"])\n',
    f'def run(tp):\n    {CALL}"--tp", str(tp)])\n',
    f'def serve(tp=4):\n    port = 30000\n    {CALL}"--tp", tp, "--port", f"{{port}}", *ARGS])\n',
    "run(4)\n",
    "run(TP); serve(8)\n",
    "TP = 4\n",
    "TP: int = OTHER\n",
    "OTHER = int(os.environ.get('OTHER', '8'))\n",
    "ARGS = ['--dp-size', '2']\n",
    "ARGS = []\n",
    "ARGS.append('--enable-metrics')\n",
    "CONFIG = {}\n",
    "CONFIG['tp_size'] = 2\n",
    "if TP > 2:\n    TP = 1\n",
    "def helper(value):\n    return value\n",
    "TP = helper(8)\n",
    "def call(command):\n    subprocess.run(command)\n",
    "CMD = ['python', '-m', 'sglang.launch_server', '--tp', '2']\n",
    "call(CMD)\n",
    "def main():\n    call([*CMD, '--dp', str(TP)])\n",
    "if __name__ == '__main__':\n    main()\n",
    "class Server:\n    tp = TP\n    def start(self):\n        run(self.tp)\n",
    "class Other(Server):\n    def __init__(self):\n        self.tp = 3\n        self.start()\n",
    "Other()\n",
    "def change():\n    global TP\n    TP = 5\n",
    "engine_args = dict(tp_size=2, mem_fraction_static=0.8)\n",
    "import sglang\n",
    "def make():\n    return sglang.Engine(model_path='a/b', tp_size=TP)\n",
    '"""\nRun it:\n\n    python -m sglang.launch_server --model-path a/b --tp 2\n"""\n',
    "x = '''\n",
    "def broken(:\n",
)
FUNCTIONS = tuple(f"def function_{n}(a, b=None):\n    value = [a, {n}, b]\n    return value\n\n\n" for n in range(4))


def found(file: SourceFile) -> list[object]:
    """What is told of each launch of a file: its words with their values, places and conditions, its environment."""
    read = launches((python if file.path.endswith(".py") else shell).read(file))
    return [
        (
            one.head.start,
            [
                (repr(w), repr(getattr(w.value, "steps", ())), w.span, [(c.labels, arm) for c, arm in w.guard])
                for w in one.words
            ],
            [(k.name, repr(k.value)) for k in one.command.keywords or ()],
            sorted((name, repr(value)) for name, value in one.command.env.items()),
        )
        for one in read
    ]


@given(st.lists(st.sampled_from((*BLOCKS, *FILLER)), min_size=1, max_size=14), st.integers(1, 80))
def test_a_large_script_tells_what_it_does_as_a_whole(blocks: list[str], least: int) -> None:
    text = "".join(blocks)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LEAST", least)
        file = SourceFile("x.sh", text.encode())
        patch.setattr(shell, "_HUGE", 10**9)
        wanted = found(file)
        patch.setattr(shell, "_HUGE", 0)
        assert found(file) == wanted


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


def read(file: SourceFile) -> object:
    """What is found in a module, or why it cannot be parsed."""
    try:
        return found(file)
    except SourceError as error:
        return str(error), error.row, error.column


@given(st.lists(st.sampled_from((*MODULE, *FUNCTIONS)), min_size=1, max_size=14), st.integers(1, 80))
def test_a_large_module_tells_what_it_does_as_a_whole(statements: list[str], least: int) -> None:
    file = SourceFile("x.py", "".join(statements).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(large, "LEAST", least)
        patch.setattr(python, "_HUGE", 10**9)
        wanted = read(file)
        patch.setattr(python, "_HUGE", 0)
        assert read(file) == wanted


def test_what_cannot_matter_of_a_module_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(large, "LEAST", 50)
    own = ("import subprocess\n", "TP = 2\n", f'def serve():\n    {CALL}"--tp", str(TP)])\n')
    text = "".join((*FUNCTIONS, own[0], *FUNCTIONS, own[1], own[2], "OTHER = TP\n", *FUNCTIONS))
    found = python_large.narrowed(Mapped.of(SourceFile("x.py", text.encode())), triggers.places(text))
    assert found is not None
    assert (found[0].text, found[1]) == ("".join(own), triggers.places("".join(own)))
