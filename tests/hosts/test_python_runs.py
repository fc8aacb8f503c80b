"""What speclint says of a module is what Python does: small programs are run with ``subprocess`` replaced."""

from __future__ import annotations

import os
import subprocess
import sys
import types
from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import python
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from speclint.words import Word

HEAD = """\
import functools, itertools, json, os, pathlib, string, subprocess, sys, threading, types
TP, NAME, RATE, NONE = 8, "a-b", 0.5, None
BASE = ["--base", "1"]
OPTS = {"alpha": 1, "beta": "x"}
class Config:
    size = 4
    def __init__(self, port, host="h"):
        self.port = port
        self.host = host
    def words(self):
        return ["--port", str(self.port), "--host", self.host]
def pair(name, value=3):
    if value == 0:
        return []
    return [f"--{name}", str(value)]
def grow(cmd, word):
    cmd.append(word)
    return cmd
def given(options, more=()):
    for name, value in options.items():
        if value is None:
            continue
        yield f"--{name}"
        if value is not True:
            yield str(value)
    yield from more
def option(name, value):
    flag = "--" + name.replace("_", "-")
    if isinstance(value, bool):
        return [flag] if value else []
    if isinstance(value, (list, tuple)):
        return [flag, *map(str, value)]
    return [] if value is None else [flag, str(value)]
SPACE = types.SimpleNamespace(width=3, inner=types.SimpleNamespace(name="n"))
MIXED = {"on_top": True, "off": False, "many": [1, 2], "none": None, "text": "t"}
config = Config(port=30000)
cmd = [sys.executable, "-m", "sglang.launch_server"]
"""
STATEMENTS = [
    "cmd += BASE",
    "cmd = cmd + ['--plus']",
    "cmd.append(f'--name={NAME}')",
    "cmd.append(str(TP))",
    "cmd.extend(['--rate', str(RATE)])",
    "cmd.extend(pair('p'))",
    "cmd.extend(pair('q', 5))",
    "cmd.extend(pair('zero', 0))",
    "cmd += config.words()",
    "cmd += ['--size', str(config.size)]",
    "cmd.insert(3, '--first')",
    "cmd = [*cmd, *('--t', 'u')]",
    "cmd += '--s 1'.split()",
    "cmd += [f'--{k}={v}' for k, v in OPTS.items()]",
    "for k in OPTS:\n    cmd.append('--' + k)",
    "for i in range(2):\n    cmd += ['--i', str(i * 2)]",
    "for n, w in enumerate(['x', 'y']):\n    if n == 1:\n        cmd.append(w)",
    "TP *= 2",
    "TP += 1",
    "NAME = NAME + 'c'",
    "NAME += '%s-%d' % ('z', 3)",
    "NAME = '{}_{n}'.format(NAME, n=1)",
    "NAME = NAME.replace('a', 'q').upper()",
    "OPTS['gamma'] = TP",
    "OPTS.update(delta=2)",
    "OPTS.pop('beta', None)",
    "OPTS = OPTS | {'alpha': 7, 'or': NAME}",
    "BASE = BASE + ['2']",
    "BASE = list(BASE)\nBASE.reverse()",
    "if TP > 10:\n    cmd.append('--big')\nelse:\n    cmd.append('--small')",
    "if NONE is None and NAME:\n    cmd.append('--none')",
    "cmd += ['--or', str(NONE or TP)]",
    "cmd += ['--if', 'yes' if 'a' in NAME else 'no']",
    "cmd = grow(cmd, '--grown')",
    "grow(cmd, word='--more')",
    "cmd += ['--hex', f'{TP:>4}|{RATE:.2f}|{NAME!r}']",
    "cmd = cmd[:3] + ['--cut'] + cmd[3:]",
    "cmd += list(map(str, (1, TP)))",
    "config.port = 1",
    "try:\n    cmd.append('--try')\nfinally:\n    cmd.append('--end')",
    "a, b = '--l', '--r'\ncmd += [b, a]",
    "while False:\n    pass",
    "for n in (1, 2, 3):\n    if n * TP > 20:\n        cmd += ['--n', str(n)]\n        break\nelse:\n    cmd.append('--all')",
    "for k, v in MIXED.items():\n    if v is True:\n        cmd.append(k)\n    elif not v or k == 'many':\n        continue\n    else:\n"
    "        cmd += [f'--{k}', str(v)]",
    "cmd.remove('--plus') if '--plus' in cmd else None",
    "cmd += [x for x in ['--k', '', '--m'] if x]",
    "for k, v in MIXED.items():\n    cmd += option(k, v)",
    "for k, v in sorted(MIXED.items()):\n    if v is True:\n        cmd.append(f'--{k}')\n    elif isinstance(v, list):\n"
    "        cmd += [f'--{k}', *(str(x) for x in v)]\n    elif v:\n        cmd.extend((f'--{k}', str(v)))",
    "MIXED['late'] = TP",
    "cmd += itertools.chain.from_iterable((f'--{k}', str(v)) for k, v in OPTS.items())",
    "cmd += sum([[f'--{k}', str(v)] for k, v in OPTS.items()], [])",
    "cmd += [part for k, v in OPTS.items() for part in (f'--{k}', str(v))]",
    "cmd += ['--json', json.dumps({'a': [1, None, True], 'b': {'c': 'd'}})]",
    "cmd += ['--power', str(2**TP % 7)]",
    "cmd += ['--path', str(pathlib.Path('/models') / NAME / 'x')]",
    "cmd += string.Template('--s $name ${n}').substitute(name=NAME, n=TP).split()",
    "cmd += '--t {name} {n}'.format_map({'name': NAME, 'n': 1}).split(' ')",
    "cmd += ['--parts', *'a,b,c'.split(',', 1)]",
    "cmd += ['--lines', *'a\\nb'.splitlines()]",
    "cmd += ['--space', str(SPACE.width), SPACE.inner.name]",
    "SPACE.width += 1",
    "add = lambda word: cmd.append(word)\nadd('--lambda')",
    "more = functools.partial(grow, cmd)\nmore('--partial')\nmore(word='--named')",
    "[cmd.append(w) for w in ('--each', NAME)]",
    "thread = threading.Thread(target=grow, args=(cmd, '--thread'))\nthread.start()\nthread.join()",
    "cmd += given(OPTS)",
    "cmd.extend(given({'g': TP, 'on': True, 'no': NONE}, BASE))",
    "cmd += [*(word.upper() for word in given(OPTS, more=given({'h': 1})))]",
    "cmd = functools.reduce(lambda words, pair: words + [f'--{pair[0]}', str(pair[1])], OPTS.items(), cmd)",
    "cmd += reversed(['2', '--two'])",
    "cmd += list(filter(None, ['--kept', '', None]))",
    "cmd += ['--and', str(NAME and TP), str(None or 0 or 'z')]",
    "kind = 'b' if TP > 10 else 'a'\nif kind == 'a':\n    cmd.append('--a')\nelif kind == 'b':\n    cmd.append('--b')",
]
RUNS = ["subprocess.run(cmd)", "subprocess.Popen(args=cmd)", "subprocess.call(' '.join(cmd), shell=True)"]


def really(text: str) -> list[str]:
    """The words that the program passes on."""
    seen: list[list[str]] = []

    def run(args: list[str] | str, shell: bool = False) -> None:
        seen.append(args.split() if isinstance(args, str) else args)

    stub = types.SimpleNamespace(run=run, Popen=run, call=run)
    saved = sys.modules["subprocess"]
    sys.modules["subprocess"] = stub  # type: ignore[assignment]
    try:
        exec(compile(text, "program.py", "exec"), {"__name__": "program"})
    finally:
        sys.modules["subprocess"] = saved
    assert subprocess is saved
    assert os is not None
    (words,) = seen
    return words[3:]


def _matches(said: list[Word], done: list[str]) -> bool:
    """Whether every word that is known is the one that was passed; unknown stretches match anything."""
    if not said:
        return not done
    first, rest = said[0], said[1:]
    if first.many:
        return any(_matches(rest, done[n:]) for n in range(len(done) + 1))
    text = default_text(first.value)
    return bool(done) and text in (None, done[0]) and _matches(rest, done[1:])


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=7), st.sampled_from(RUNS))
def test_known_words_are_those_that_python_passes(body: list[str], run: str) -> None:
    text = HEAD + "\n".join(body) + "\n" + run + "\n"
    done = really(text)
    file = SourceFile("program.py", text.encode())
    (launch,) = launches(inner for outer in python.read(file) for inner in commands(outer))
    said = list(launch.words)
    if "shell" not in run or not any(quote in word for word in done for quote in " '\""):
        assert _matches(said, done), ([default_text(w.value) for w in said], done)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(STATEMENTS), max_size=5))
def test_statements_without_surprises_leave_nothing_unknown(body: list[str]) -> None:
    text = HEAD + "\n".join(s for s in body if "remove" not in s) + "\nsubprocess.run(cmd)\n"
    done = really(text)
    (launch,) = launches(python.read(SourceFile("program.py", text.encode())))
    assert [default_text(w.value) for w in launch.words] == done
