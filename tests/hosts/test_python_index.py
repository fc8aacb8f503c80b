"""Which functions of a module are worth reading."""

from __future__ import annotations

import ast
import textwrap

import pytest

from speclint.hosts.python.index import Index
from speclint.hosts.python.triggers import places, runs


def relevant(text: str) -> set[str]:
    text = textwrap.dedent(text)
    rows, running = [sorted({text.count("\n", 0, at) + 1 for at in found}) for found in (places(text), runs(text))]
    index = Index(ast.parse(text))
    index.relate(rows, running)
    return {f"{f.name}:{f.lineno}" for f in index.relevant if isinstance(f, ast.FunctionDef)}


NESTED = """\
def one():
    def start():
        return "sglang serve"
    start()
def two():
    def start():
        return 1
    def again():
        start()
    again()
def three():
    start()
"""


def test_a_name_calls_the_function_that_is_defined_nearest() -> None:
    assert relevant(NESTED) == {"one:1", "start:2", "three:11"}


@pytest.mark.parametrize(
    "text",
    [
        # Either definition may be the one that is called, and that of a class is none of its functions.
        """
        def f(x):
            if x:
                def start(): return "sglang serve"
            else:
                def start(): return 1
            start()
        """,
        """
        def start(): return "sglang serve"
        def f(x):
            class A:
                def start(self): return 1
            start()
        """,
        """
        def f(x):
            start = lambda: "sglang serve"
            start()
        """,
    ],
)
def test_what_calls_a_function_is_read_with_it(text: str) -> None:
    assert any(name.startswith("f:") for name in relevant(text))


NAMESAKES = """\
def one():
    cmd = "sglang serve"
    def inner():
        go(cmd)
    two(cmd)
def two(cmd):
    self.three(cmd)
def three(cmd):
    go(cmd)
def other(cmd):
    print(cmd)
def listing(cmd):
    return cmd + ["--tp-size"]
"""


def test_a_variable_is_read_in_its_function_and_in_what_that_calls() -> None:
    assert relevant(NAMESAKES) == {"one:1", "inner:3", "two:6", "three:8"}


@pytest.mark.parametrize(
    "text",
    [
        NAMESAKES.replace("cmd =", "global cmd\n    cmd ="),
        NAMESAKES.replace("cmd =", "self.cmd =").replace("print(cmd)", "print(self.cmd)"),
        "cmd = 'sglang serve'\n" + NAMESAKES.replace('"sglang serve"', "1"),
        "class A:\n    cmd = 'sglang serve'\n" + NAMESAKES.replace('"sglang serve"', "1"),
    ],
)
def test_what_is_no_variable_of_its_own_may_be_read_anywhere(text: str) -> None:
    assert any(name.startswith("other:") for name in relevant(text))


def test_functions_that_may_hold_options_are_read_where_they_read_the_name_too() -> None:
    index = Index(ast.parse(NAMESAKES))
    index.relate([2], [], lambda: [13])
    names = {f.name for f in index.relevant if isinstance(f, ast.FunctionDef)}
    assert names == {"one", "inner", "two", "three", "listing"}


def test_variables_of_one_name_in_many_functions_are_told_apart() -> None:
    text = "".join(f'def f{n}(cmd):\n    cmd = "sglang serve " + cmd\n    g{n}(cmd)\n' for n in range(50))
    text += "def g3(cmd):\n    go(cmd)\ndef other(cmd):\n    go(cmd)\n"
    assert {name.partition(":")[0] for name in relevant(text)} == {*(f"f{n}" for n in range(50)), "g3"}


SERVER = """\
import subprocess
import sglang
from sglang import Engine
class A:
    def __init__(self):
        self.engine = Engine(model_path="m")
    def ask(self):
        return go(self.engine.generate("x"), self.engine)
    def again(self):
        return self.ask()
"""


@pytest.mark.parametrize(
    "made",
    [
        'Engine(model_path="m")',
        'sglang.Engine(model_path="m")',
        'subprocess.Popen(["sglang", "serve"])',
        'await Popen(["sglang", "serve"])',
        'popen_launch_server("m", other_args=["--tp-size"])',
    ],
)
def test_who_reads_a_server_or_a_process_learns_of_no_command(made: str) -> None:
    text = SERVER.replace('Engine(model_path="m")', made).replace("def __init__", "async def __init__")
    assert not {name for name in relevant(text) if name.startswith(("ask:", "again:"))}


@pytest.mark.parametrize(
    "text",
    [
        SERVER.replace('Engine(model_path="m")', '"sglang serve"'),
        SERVER.replace('Engine(model_path="m")', 'wrapped(Engine(model_path="m"))'),
        SERVER.replace('Engine(model_path="m")', 'Engine(model_path="m").run("sglang serve")'),
        SERVER.replace("    def again", '        self.engine = "sglang serve"\n    def again'),
        # One that the module makes itself may give anything.
        SERVER + "def Engine(model_path):\n    return 'sglang serve'\n",
        SERVER + "Engine = lambda model_path: 'sglang serve'\n",
        SERVER + "class Engine:\n    pass\n",
        # What sets something may set what a command is made of.
        *(SERVER.replace("return go(", f"{target} = (") for target in ("self.tp", "tp['a']", "a, self.tp", "x[0].y")),
        SERVER.replace("        return go(", "        global tp\n        tp = ("),
        SERVER.replace("return go(", "def inner():\n            self.tp = 2\n        return go("),
    ],
)
def test_what_reads_more_than_a_server_is_read_and_what_calls_it(text: str) -> None:
    assert {name.partition(":")[0] for name in relevant(text)} >= {"__init__", "ask", "again"}


def test_what_reads_a_server_and_may_hold_options_is_read() -> None:
    index = Index(ast.parse(SERVER))
    index.relate([6], [], lambda: [8])
    assert {f.name for f in index.relevant if isinstance(f, ast.FunctionDef)} == {"__init__", "ask", "again"}
