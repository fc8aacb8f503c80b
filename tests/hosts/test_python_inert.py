"""Python modules: what need not be followed, and what has to be all the same."""

from __future__ import annotations

import ast
import textwrap

import pytest

from speclint.hosts import python
from speclint.hosts.nested import commands
from speclint.hosts.python import inert
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import default_text

TEXT = "python -m sglang.launch_server"
RUN = '"python", "-m", "sglang.launch_server"'
HEAD = f"""
import asyncio, os, subprocess, sys, threading, time
tp = 1
args = ["--port", "1"]
def serve(more=()):
    subprocess.run([{RUN}, *args, "--tp", str(tp), *more])
"""


def found(text: str) -> list[list[str | None]]:
    file = SourceFile("serve.py", text.encode())
    read = launches(inner for outer in python.read(file) for inner in commands(outer))
    return [["…" if w.many else default_text(w.value) for w in each.words] for each in read]


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    time.sleep(1)",
        "while time.time() < deadline:\n    try:\n        urlopen(url)\n        break\n    except OSError:\n        time.sleep(1)",
        "while not ready(url, timeout=3):\n    if process.poll() is not None:\n        raise Failed(url)",
        "while server:\n    with lock:\n        pass\nelse:\n    server.close()",
        "print(f'{host}:{port}')",
        "logger.info('ready in %s', time.time() - start)",
        "await asyncio.sleep(interval)",
        "kill_process_tree(process.pid, include_parent=False)",
    ],
)
def test_what_only_waits_or_shows_is_passed_over(text: str) -> None:
    assert inert.names_of(ast.parse(text).body[0]) is not None


@pytest.mark.parametrize(
    "text",
    [
        "while True:\n    tp = 2",
        "while True:\n    self.tp = 2",
        "while True:\n    tp[0] = 2",
        "while True:\n    tp += 2",
        "while True:\n    tp: int = 2",
        "while True:\n    del tp",
        "while True:\n    for tp in x: pass",
        "while True:\n    with x as tp: pass",
        "while True:\n    try: pass\n    except E as tp: pass",
        "while True:\n    import tp",
        "while True:\n    from x import tp",
        "while True:\n    def tp(): pass",
        "while True:\n    class tp: pass",
        "while True:\n    global tp",
        "print(tp := 2)",
        "yield server",
        "print([1])",
        "print({'tp': 2})",
        "print({1})",
        "print(x for x in y)",
        "print(lambda: 1)",
        "args.append(x)",
        "args.extend(x)",
        "os.environ.pop(x)",
        "environ.get(x)",
        "load(sys.argv)",
        "sys.exit(1)",
        "os._exit(1)",
        "exit()",
        "super().__init__(x)",
        "print(x or 1)",
        "print(1 if x else 2)",
        "print(os.getenv('TP', '1'))",
        "start('sglang' + ' serve')",
        "SGLangConfig(tp)",
        "x.SglangArgs(tp)",
        "print(" + "x + " * 200 + "x)",
    ],
)
def test_what_sets_or_may_start_something_is_followed(text: str) -> None:
    assert inert.names_of(ast.parse(text).body[0]) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # What is called, or handed on, may start a server.
        ("while True:\n    serve()", [["--port", "1", "--tp", "1"]]),
        ("print(serve())", [["--port", "1", "--tp", "1"]]),
        ("threading.Thread(target=serve).start()", [["--port", "1", "--tp", "1"]]),
        ("start = serve if x else None\nprint(start())", [["--port", "1", "--tp", "1", "…"]]),
        ("class A:\n    def go(self):\n        serve(['-x'])\na = A()\na.go()", [["--port", "1", "--tp", "1", "-x"]]),
        (
            "class A:\n    def go(self):\n        serve(['-x'])\nclass B(A):\n    def go(self):\n        super().go()\n",
            [["--port", "1", "--tp", "1", "-x"]],
        ),
        (
            "from sglang import Engine\nclass A(Engine):\n    def __init__(self, tp):\n"
            "        super().__init__(tp_size=tp)\nA(tp=4)",
            [["--port", "1", "--tp", "1", "…"], []],
        ),
        # So may what is imported under another name, or end the program.
        ("from sglang import Engine as E\nE(model_path='m')", [["--port", "1", "--tp", "1", "…"], []]),
        (
            "from utils import popen_launch_server as p\np('m')",
            [["--port", "1", "--tp", "1", "…"], ["--model-path", "m"]],
        ),
        ("from sys import exit as bye\nif x:\n    tp = 2\n    bye()\nserve()", [["--port", "1", "--tp", "1"]]),
        ("from os import execv as go\nif x:\n    tp = 2\n    go(x, y)\nserve()", [["--port", "1", "--tp", "1"]]),
        # It may add to a list, set a variable of the environment, or end the program.
        ("fill(args)\nserve()", [["--port", "1", "…", "--tp", "1"]]),
        ("while x:\n    args.append('-x')\nserve()", [["--port", "1", "…", "--tp", "1"]]),
        ("while x:\n    tp = 2\nserve()", [["--port", "1", "--tp", None]]),
        ("if x:\n    args = []\n    sys.exit()\nserve()", [["--port", "1", "--tp", "1"]]),
        # A launcher that is passed on is run.
        (f"cmd = [{RUN}]\nstart(cmd)", [["--port", "1", "--tp", "1", "…"], []]),
        (f"cmd = '{TEXT} --tp 4'\nstart(cmd)", [["--port", "1", "--tp", "1", "…"], ["--tp", "4"]]),
        (f"while x:\n    start('{TEXT} --tp 4')", [["--port", "1", "--tp", "1", "…"], ["--tp", "4"]]),
        ("start('sglang' + ' serve --tp 4')", [["--port", "1", "--tp", "1", "…"], ["--tp", "4"]]),
        ("cmd = 'sglang.launch_' + x\nstart('python -m ' + cmd + ' --tp 4')", [["--port", "1", "--tp", "1", "…"]]),
    ],
)
def test_what_it_does_is_known(text: str, expected: list[list[str | None]]) -> None:
    assert sorted(found(HEAD + text), key=str) == sorted(expected, key=str)


def test_what_a_loop_returns_is_known_to_who_asks_for_it() -> None:
    text = """
        def size():
            while True:
                if ready():
                    return 4
                time.sleep(1)
        def main():
            serve(["--dp", str(size())])
        main()
    """
    file = SourceFile("serve.py", (HEAD + textwrap.dedent(text)).encode())
    (launch,) = launches(inner for outer in python.read(file) for inner in commands(outer))
    assert "4" in repr(launch.words[-1].value)


def test_a_loop_that_waits_does_not_hide_what_follows() -> None:
    text = """
        def main(cmd):
            process = subprocess.Popen(cmd)
            while process.poll() is None:
                if ready():
                    return process
                time.sleep(1)
            subprocess.run([*cmd, "--tp", "2"])
        main(["python", "-m", "sglang.launch_server"])
    """
    assert ["--tp", "2"] in found(HEAD + textwrap.dedent(text))


@pytest.mark.parametrize(
    "text",
    [
        "os.environ.update({'SGLANG_A': '1'})",
        "os.environ.setdefault('SGLANG_A', '1')",
        "from os import environ\nenviron.update(SGLANG_A='1')",
    ],
)
def test_the_environment_that_is_set_holds(text: str) -> None:
    file = SourceFile("serve.py", f"{HEAD}{text}\nserve()\n".encode())
    (launch,) = launches(inner for outer in python.read(file) for inner in commands(outer))
    assert set(launch.command.env) == {"SGLANG_A"}
