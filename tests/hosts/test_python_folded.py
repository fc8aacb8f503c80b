"""Python modules: what functions of the standard library make of several things that are known."""

from __future__ import annotations

import pytest

from speclint.hosts import python
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import resolve, worlds

CMD = 'import collections, enum, itertools, json, os, subprocess\ncmd = ["python", "-m", "sglang.launch_server"]\n'
RUN = "\nsubprocess.run(cmd)\n"


def ways(body: str) -> list[str]:
    """The command lines of every world; what is not known is "?"."""
    file = SourceFile("serve.py", (CMD + body + ("" if "subprocess" in body else RUN)).encode())
    told = []
    for launch in launches(inner for outer in python.read(file) for inner in commands(outer)):
        for world in worlds(c for w in launch.words for c in w.choices()) or ():
            got = [resolve(w.value, world) for w in launch.words if w.holds(world)]
            told.append(" ".join(g.text.text if hasattr(g, "text") else "?" for g in got))
    return told


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ("min(8, 6, 7)", "6"),
        ("max(1, 16 // 3)", "5"),
        ("max([2, 4])", "4"),
        ("min(0.9, 0.85)", "0.85"),
        ("min(8, count)", "?"),
        ("min(8, 2, key=order)", "?"),
        ("min(*counts)", "?"),
        ("min()", "?"),
        ("min('a', 'b')", "?"),
        ("round(0.8765, 2)", "0.88"),
        ("round(2.6)", "3"),
        ("round(0.5, places)", "?"),
        ("abs(-4)", "4"),
        ("os.path.basename('/models/Qwen3-8B')", "Qwen3-8B"),
        ("os.path.basename(f'{root}/Qwen3-8B')", "Qwen3-8B"),
        ("os.path.basename('Qwen3-8B')", "Qwen3-8B"),
        ("os.path.basename(f'/models/{name}')", "?"),
        ("os.path.basename(f'{root}-8B')", "?"),
        ("json.loads('{\"tp\": [1, 2.5, true, null]}')['tp'][0]", "1"),
        ("json.loads('[\"a\", \"b\"]')[-1]", "b"),
        ("json.loads('{')", "?"),
        ("'a/b/c'.rsplit('/', 1)[-1]", "c"),
        ("'a/b/c'.rsplit('/', 1)[0]", "a/b"),
        ("'--'.join('a/b/c'.rsplit('/', 2))", "a--b--c"),
        ("'--'.join('a/b'.rsplit('/', 4))", "a--b"),
        ("'a/b/c'.rsplit('/')[1]", "b"),
        ("len('a/b/c'.rsplit('/', 0))", "1"),
        ("'abc'.rsplit('/', 1)[0]", "abc"),
        ("name.rsplit('/', 1)[0]", "?"),
        ("json.loads(text)['tp']", "?"),
        ("dict(zip(['a', 'b'], [1, 2]))['b']", "2"),
        ("dict([('a', 1), ('b', 2)])['a']", "1"),
        ("dict(zip(['a', 'b'], count))['b']", "?"),
        ("dict([('a', 1), other])['a']", "?"),
        ("collections.ChainMap({'a': 1}, {'a': 2, 'b': 3})['a']", "1"),
        ("collections.ChainMap({'a': 1}, {'a': 2, 'b': 3})['b']", "3"),
        ("collections.ChainMap(other, {'a': 2})['a']", "?"),
    ],
)
def test_what_is_made_of_what_is_known(value: str, wanted: str) -> None:
    assert ways(f"cmd += ['--x', str({value})]") == [f"--x {wanted}"]


NAMED = "One = collections.namedtuple('One', {})\n"


@pytest.mark.parametrize(
    "body",
    [
        NAMED.format("'model tp'") + "model, tp = One('a/b', 4)",
        NAMED.format("['model', 'tp']") + "model, tp = One('a/b', tp=4)",
        NAMED.format("('model, tp')") + "one = One('a/b', 4)\nmodel, tp = one.model, one[1]",
        "from typing import NamedTuple\nclass One(NamedTuple):\n    model: str\n    tp: int = 4\n(model, tp) = One('a/b')",
        "class Model(enum.Enum):\n    SMALL = 'a/b'\nmodel, tp = Model['SMALL'].value, 4",
        "for model, tp in [collections.namedtuple('P', 'model tp')('a/b', 4)]:\n    pass",
    ],
)
def test_names_of_parts(body: str) -> None:
    assert ways(f"{body}\ncmd += [model, str(tp)]") == ["a/b 4"]


@pytest.mark.parametrize("fields", ["names", "'model tp', defaults=[1]", "[name, 'tp']", "''"])
def test_a_named_tuple_whose_fields_are_not_known(fields: str) -> None:
    one = f"One = collections.namedtuple('One', {fields})\nmodel, tp = One('a/b', 4)"
    assert ways(f"{one}\ncmd += ['--x', model]") == ["--x ?"]


def test_a_loop_over_a_product_goes_through_its_rows() -> None:
    loop = "for model, tp in itertools.product(['a', 'b'], (1, 2)):\n    subprocess.run([*cmd, model, str(tp)])"
    assert ways(loop) == ["a 1", "a 2", "b 1", "b 2"]
    assert ways(loop.replace("(1, 2)", "range(40)")) == ["? ?"]
    assert ways("for x in itertools.product('a', repeat=other):\n    subprocess.run([*cmd, *x])") == ["?"]


def test_a_default_that_is_read_from_json() -> None:
    body = "more = json.loads(os.environ.get('MORE', '[\"--log-requests\"]'))\ncmd.extend(more)"
    assert ways(body) == ["--log-requests", "?"]


@pytest.mark.parametrize("test", ["os.environ.get('N', '1') == '1'", "os.environ.get('N')", "one and two", "one"])
def test_what_a_dictionary_has_in_some_branches_is_there_in_those(test: str) -> None:
    body = f"d = {{'a': 1}}\nif {test}:\n    d.update({{'b': 2, 'c': 3}})\n"
    for each in ("'--%s=%s' % (k, v) for k, v in d.items()", "[f'--{k}={v}' for k, v in d.items()]"):
        text = f"{body}cmd = 'python -m sglang.launch_server ' + ' '.join({each})\nsubprocess.run(cmd, shell=True)"
        assert set(ways(text)) == {"?", "--a=1 --b=2 --c=3", "--a=1"}  # the first of which is what is not run
    assert set(ways(f"{body}for k in d:\n    cmd += ['--' + k]")) == {"--a --b --c", "--a"}


def test_a_key_that_may_be_there_twice_is_not_followed() -> None:
    body = "d = {}\nif one:\n    d['a'] = 1\nif two:\n    d['a'] = 2\ncmd += [f'--{k}={v}' for k, v in d.items()]"
    assert set(ways(body)) == {"?"}
