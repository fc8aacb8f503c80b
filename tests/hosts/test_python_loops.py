"""Python modules: what loops leave, whatever ends them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.hosts.conftest import CMD, only

Find = Any


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # Where every round can be followed, the loop ends where it does.
        ("for i in range(5):\n    if i == 3:\n        tp = i\n        break\nelse:\n    tp = 9", "3"),
        ("for i in range(5):\n    if i == 7:\n        tp = i\n        break\nelse:\n    tp = 9", "9"),
        ("tp = 1\nfor i in range(5):\n    tp = tp * 2\n    if tp > 4: break", "8"),
        ("for i in range(5):\n    for tp in (2, 4):\n        if tp == 4: break\n    else:\n        break", "4"),
        # Elsewhere what the `else` sets is one of several.
        ("for i in range(5):\n    if E:\n        tp = i\n        break\nelse:\n    tp = 9", ["9", None]),
        ("while True:\n    if E:\n        tp = 4\n        break\nelse:\n    tp = 9", ["9", "4"]),
        ("tp = 2\nfor i in E:\n    if i: break\nelse:\n    tp = 9", ["9", "2"]),
        ("tp = 2\nfor i in E:\n    if i: tp = 4\nelse:\n    tp = 9", "9"),
        # What gives up where nothing ends the loop says nothing of what comes then.
        ("tp = 2\nfor i in E:\n    if i: break\nelse:\n    raise E", "2"),
        ("tp = 1\nfor i in (1, 2):\n    try:\n        tp = E(tp)\n        break\n    except E: pass\nelse:\n    tp = 9", ["9", None]),
    ],
)
def test_what_follows_a_loop_that_no_break_ends(find: Find, body: str, words: Any) -> None:
    assert only(find, f"{body}\ncmd += ['--tp', str(tp)]") == ["--tp", words]


@pytest.mark.parametrize(
    ("last", "words"),
    [
        ("elif v is False:\n        continue\n    else:\n        cmd.extend([f'--{k}', str(v)])", ["--tp", "2", "--a", "--b", "3"]),
        ("elif v == 2:\n        if k == 'tp': continue\n    cmd.append(f'--{k}')", ["--a", "--a", "--x", "--b"]),
        # A round that may end or not tells nothing of what the loop leaves.
        ("elif E:\n        continue\n    else:\n        cmd.extend([f'--{k}', str(v)])", ["…"]),
    ],
)
def test_rounds_that_end_deep_in_them(find: Find, last: str, words: list[Any]) -> None:
    head = "opts = {'tp': 2, 'a': True, 'x': False, 'b': 3}\nfor k, v in opts.items():\n"
    assert only(find, f"{head}    if v is True:\n        cmd.append(f'--{{k}}')\n    {last}") == words


START = "def start(model, tp=1):\n    subprocess.run([*cmd, model, '--tp', str(tp)])\n"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("all = [start(m, tp=t) for m, t in (('a', 2), ('b', 4))]", [["a", "b"], "--tp", ["2", "4"]]),
        ("all = {m: start(m) for m in ('a', 'b') if m != 'b'}", ["a", "--tp", "1"]),
        ("all = [start(m) for m in E]", [None, "--tp", "1"]),
        ("import sys\nlist(map(start, ['a', 'b'], (2, 4)))", [["a", "b"], "--tp", ["2", "4"]]),
        ("list(map(start, ['a', 'b']))", [["a", "b"], "--tp", "1"]),
        ("pool.map(start, ['a'], [2])", ["a", "--tp", "2"]),
        ("pool.map(start, E, [2])", [None, "--tp", None]),
        ("pool.starmap(start, [('a', 2), ('b', 4)])", [["a", "b"], "--tp", ["2", "4"]]),
    ],
)
def test_what_is_started_for_each_of_some_values(find: Find, body: str, words: list[Any]) -> None:
    (found,) = find("python", CMD + START + body)
    assert found.words == words


def test_what_is_started_for_parts_of_unknown_number_has_no_certain_default(find: Find) -> None:
    (found,) = find("python", CMD + START + "pool.starmap(start, E)")
    assert found.words == [None, "--tp", ["1", None]]


def test_engines_of_a_comprehension_are_one_of_several(find: Find) -> None:
    text = "import sglang as sgl\nall = [sgl.Engine(model_path=m, base_gpu_id=i) for i, m in enumerate(['a', 'b'])]"
    (found,) = find("python", text)
    assert [len(k.value.arms) for k in found.launch.command.keywords] == [2, 2]


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        ("os.environ | {'A': '1'}", {"A": "1"}),
        ("x", {"A": ["1", "2"], "B": ["3", None]}),
        ("x if E else None", {"A": [["1", "2"], None], "B": [["3", None], None]}),
        ("{'C': '4'} | {'C': '5'} if E else make()", {"C": ["5", None]}),
        ("make()", {}),
    ],
)
def test_the_environment_is_that_of_one_round(find: Find, env: str, wanted: dict[str, Any]) -> None:
    body = "for x in ({'A': '1', 'B': '3'}, dict(os.environ, A='2')):\n    subprocess.run(cmd + ['-x'], env="
    (found,) = find("python", f"{CMD}{body}{env})")
    assert found.env == wanted


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def f():\n    yield '--a'\n    yield from ('--b', '1')\ncmd += f()", ["--a", "--b", "1"]),
        ("def f(d):\n    for k, v in d.items():\n        yield f'--{k}'\n        yield v\ncmd += list(f({'a': '1'}))", ["--a", "1"]),
        ("def f(x):\n    if x: yield '--a'\n    else: return\n    yield '--b'\ncmd += [*f(1), *f(0)]", ["--a", "--b"]),
        ("def f():\n    yield '--a'\n    if E: return\n    yield '--b'\ncmd += f()", ["…"]),
        ("def f():\n    while E:\n        yield '--a'\n    yield '--b'\ncmd += f()", ["…", "--b"]),
        ("def f():\n    def g():\n        yield 1\n    return '--a'\ncmd.append(f())", ["--a"]),
        ("@contextlib.contextmanager\ndef f():\n    yield '--a'\nwith f() as a:\n    cmd.append(a)", ["--a"]),
        ("@contextmanager\ndef f():\n    if E: yield '--a'\n    else: yield '--b'\nwith f() as a:\n    cmd.append(a)", [None]),
        ("import functools\ncmd = functools.reduce(lambda a, b: a + [b], E, cmd)", ["…"]),
    ],
)
def test_what_is_yielded_is_a_list(find: Find, body: str, words: list[Any]) -> None:
    assert only(find, body) == words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # Each of the words is there in one of the rounds.
        ("def f():\n    for p in '12':\n        yield [*cmd, p]\n    yield ['ls']\nfor c in f(): subprocess.run(c)", [None]),
        ("def f(p):\n    yield [*cmd, '--port', p]", ["--port", None, "…"]),
    ],
)
def test_a_command_that_is_yielded(find: Find, body: str, words: list[Any]) -> None:
    (found,) = find("python", CMD + body)
    assert found.words == words


def test_a_command_line_that_is_yielded(find: Find) -> None:
    (found,) = find("python", "def f(p):\n    yield f'python -m sglang.launch_server --port {p}'")
    assert found.words == ["--port", "…"]
