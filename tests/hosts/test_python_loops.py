"""Python modules: what loops leave, whatever ends them."""

from __future__ import annotations

from typing import Any

import pytest

Find = Any
CMD = 'import os, subprocess\ncmd = ["python", "-m", "sglang.launch_server"]\n'
RUN = "\nsubprocess.run(cmd)\n"


def only(find: Find, body: str) -> list[Any]:
    (found,) = find("python", CMD + body + RUN)
    return list(found.words)


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
