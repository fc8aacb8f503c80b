"""Which functions of a module are worth reading."""

from __future__ import annotations

import ast
import textwrap

import pytest

from speclint.hosts.python.index import Index
from speclint.hosts.python.triggers import places, runs


def relevant(text: str) -> set[str]:
    text = textwrap.dedent(text)
    rows = [sorted({text.count("\n", 0, at) + 1 for at in found}) for found in (places(text), runs(text))]
    index = Index(ast.parse(text), *rows)
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
