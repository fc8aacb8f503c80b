"""Python modules that would take forever, or too deep, if every value in them were followed to the end."""

from __future__ import annotations

import sys

import pytest

from speclint.hosts import nested, python, shell
from speclint.hosts.shell import read_text
from speclint.launch import launches
from speclint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from speclint.text import Mapped
    from speclint.words import Command

RUN = 'import os, subprocess\ncmd = ["python", "-m", "sglang.launch_server", "--tp", "2"]\n'
END = "\nsubprocess.run(cmd + ['--end'])\n"
MANY = range(300)


@pytest.mark.parametrize(
    "body",
    [
        "x = " + "(" * 80 + "1" + ")" * 80,
        "x = " + "[" * 60 + "1" + "]" * 60,
        "s = '--a '\n" + "s = s + s\n" * 60 + "cmd += s.split()",
        "s = '--a'\n" + "s = s.replace('a', 'aa')\n" * 60 + "cmd += [s]",
        *("s = '--a'\n" + f"s = {each}\n" * 60 + "cmd += [s]"
          for each in ("f'{s}{s}'", "'{}{}'.format(s, s)", "'%s%s' % (s, s)", "' '.join([s, s])", "os.path.join(s, s)")),
        "cmd = cmd + cmd\n" * 40,
        "s = ['--a']\n" + "".join(f"if c{i}:\n    s = s + s\n" for i in range(40)) + "cmd += s",
        "s = 'a'\n" + "".join(f"if c{i}:\n    s = f'{{s}} {{s}}'\n" for i in range(60)) + "cmd += [s]",
        "".join(f"if c{i}:\n    cmd += ['--x{i}', str(v{i})]\n" for i in MANY),
        "".join(f"if a{i} and b{i} or not c{i}:\n    cmd += ['--x{i}']\n" for i in MANY),
        "x = 'a'\n" + "".join(f"x = x + 'b' if c{i} else x + 'c'\n" for i in MANY) + "cmd += [x]",
        "if " + " and ".join(f"c{i}" for i in range(2000)) + ":\n    cmd += ['--x']",
        "x = os.environ.get('X', 'a')\nif x == 'q':\n    pass\n"
        + "".join(f"elif x == '{i}':\n    cmd.append('--x{i}')\n" for i in MANY),
        "".join("    " * i + f"for i{i} in range(50):\n" for i in range(14)) + "    " * 14 + "cmd.append('--x')",
        "d = {}\n" + "".join(f"if c{i}:\n    d['k{i}'] = {i}\n" for i in range(60))
        + "for k, v in d.items():\n    cmd += [f'--{k}', str(v)]",
        "".join(f"y{i} = 'a' if c{i} else 'b'\n" for i in range(14)) + "z = " + " + ".join(f"y{i}" for i in range(14)),
        "DATA = [" + "{'tp_size': 1, 'page_size': 2}, " * 9000 + "]",
        "cmd.append(cmd)\nd = {}\nd['d'] = d\nimport json\nx = json.dumps(d)",
        "".join(f"f{i} = lambda c: f{i - 1}(c)\n" for i in range(1, 900)) + "f0 = print\nf899(1)",
        "".join(f"def f{i}(c):\n    f{i + 1}(c)\n    f{i + 1}(c)\n" for i in range(60)) + "f0(1)",
    ],
    ids=range(24),
)  # fmt: skip
def test_time_grows_with_the_module_and_no_faster(body: str) -> None:
    file = SourceFile("serve.py", (RUN + body + END).encode())
    calls = 0

    def count(*_: Any) -> None:
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        found = launches(python.read(file))
    finally:
        sys.setprofile(None)
    assert calls < 25_000_000  # in all, of which the slowest takes 15 and most take less than 1
    assert found  # what was not followed is not lost


@pytest.mark.parametrize(
    "body",
    [
        "x = " + " + ".join(f"a{i}" for i in range(1000)),
        "if " + " + ".join(f"a{i}" for i in range(1000)) + ":\n    cmd.append('--x')",
        "if " + " + ".join(f"a{i}" for i in range(1000)) + " != b:\n    cmd.append('--x')",
        "x = a" + ".b" * 900,
        "x = a" + ".b()" * 900,
        "x = " + "".join(f"'{i}' if a == '{i}' else " for i in range(500)) + "'x'\ncmd += ['--x', x]",
        "if a == 'a':\n    x = 1\n" + "".join(f"elif a == '{i}':\n    x = {i}\n" for i in range(900)),
    ],
    ids=["sum", "sum in a condition", "sum in a negation", "attributes", "calls", "alternatives", "elif"],
)
def test_what_goes_on_for_long_is_not_nested_deeply(body: str) -> None:
    (launch,) = launches(python.read(SourceFile("serve.py", (RUN + body + END).encode())))
    assert [word.text for word in launch.words][:2] == ["--tp", "2"]
    assert launch.words[-1].text == "--end"


def test_options_beside_a_long_sum_are_found() -> None:
    text = "import sglang\nargs = ['--mem-fraction-static', '0.5'] + " + " + ".join(f"a{i}" for i in range(1000))
    assert launches(python.read(SourceFile("serve.py", text.encode())))


def test_text_that_grows_line_by_line_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Mapped] = []

    def counted(text: Mapped, *given: Any) -> Sequence[Command]:
        read.append(text)
        return read_text(text, *given)

    monkeypatch.setattr(shell, "read_text", counted)
    text = "c = 'python -m sglang.launch_server --model-path a'\n" + "c += ' --tp 2'\n" * 300
    (command,) = python.read(SourceFile("serve.py", text.encode()))
    (launch,) = launches(nested.commands(command))
    assert len(launch.words) == 602
    assert len(read) < 5


def test_what_no_longer_is_followed_was_seen_before() -> None:
    text = "c = 'python -m sglang.launch_server'\n" + "c += ' --tp 2'\n" * 2000
    (command,) = python.read(SourceFile("serve.py", text.encode()))
    assert launches(nested.commands(command))
