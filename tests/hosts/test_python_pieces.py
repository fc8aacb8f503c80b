"""A large module that is parsed piece by piece has the tree that it has as a whole."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.hosts import python
from speclint.hosts.python import pieces
from speclint.source import SourceError, SourceFile

PARTS = (
    "import os\n",
    "x = 1\n",
    "x = (\n\n  1,\n\n)\n",
    "def f(a):\n    return a\n",
    "async def g():\n    pass\n\n    await g()\n",
    "class A:\n    def m(self):\n        '''é.\n\ndef inner text\n'''\n",
    "if x:\n    y = 1\n\nelse:\n    y = 2\n",
    "@decorated\n\ndef h(): pass\n",
    "s = '''\n\ndef f(a):\n    return a\n\n'''\n",
    "t = f'''{x\n\n}é {x}'''\n",
    "z = [\n\n\n",
    "]\n",
    "v = 1 + \\\n\n",
    "'''\n",
    "   \n",
    "\f\n",
    "# a comment\n",
)


def tree(text: str) -> str | None:
    try:
        return ast.dump(ast.parse(text), include_attributes=True)
    except SyntaxError:
        return None


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=12), st.sampled_from(("\n", "")), st.integers(1, 40))
def test_pieces_are_the_whole(parts: list[str], between: str, least: int) -> None:
    text = between.join(parts)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "LEAST", least)
        patch.setattr(pieces, "_MOST_PIECES", 1000)
        wanted = tree(text)
        if wanted is None:
            with pytest.raises(SyntaxError):
                pieces.parse(text)
        else:
            assert ast.dump(pieces.parse(text), include_attributes=True) == wanted


def test_a_module_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(f"def f{number}(a):\n    return 'é'\n\n\n" for number in range(400))
    met: list[str] = []

    def parse(source: str) -> ast.Module:
        met.append(source)
        return ast.parse(source)

    monkeypatch.setattr(pieces.ast, "parse", parse)
    monkeypatch.setattr(pieces, "LEAST", 1000)
    assert ast.dump(pieces.parse(text), include_attributes=True) == tree(text)
    assert len(met) > 3
    assert max(len(piece.lstrip("\n")) for piece in met) < len(text) / 2


def test_what_is_wrong_with_a_large_module_is_told_where_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(python, "_LARGE", 1)
    monkeypatch.setattr(pieces, "LEAST", 1)
    text = "import os\n\nx = 1\n\ny = (\n\nos.system('python -m sglang.launch_server --tp 2')\nz = \n"
    with pytest.raises(SourceError) as small:
        python.read(SourceFile("x.py", text.encode()))
    monkeypatch.setattr(python, "_LARGE", 10**9)
    with pytest.raises(SourceError) as whole:
        python.read(SourceFile("x.py", text.encode()))
    assert str(small.value) == str(whole.value)
    assert (small.value.row, small.value.column) == (whole.value.row, whole.value.column)


def test_launches_of_a_large_module_are_where_they_were(monkeypatch: pytest.MonkeyPatch) -> None:
    run = 'import subprocess\n\ndef f():\n    subprocess.run(["python", "-m", "sglang.launch_server", "--tp", "2"])\n\n'
    file = SourceFile("x.py", (run * 3).encode())
    wanted = [(command.span.start, command.span.end) for command in python.read(file)]
    monkeypatch.setattr(python, "_LARGE", 1)
    monkeypatch.setattr(pieces, "LEAST", 1)
    assert wanted
    assert [(command.span.start, command.span.end) for command in python.read(file)] == wanted
