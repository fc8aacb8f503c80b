"""Python modules: lists, dictionaries and objects that are changed after they were made."""

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
        ("d = {'n': 2}\nd['n'] += 3\ncmd += [str(d['n'])]", ["5"]),
        ("d = {'n': 2}\nd['n'] *= f()\ncmd += [str(d['n'])]", [None]),
        ("d = {'n': 2}\nd[key] += 3\ncmd += [str(d['n'])]", [None]),
        ("d = {'a': cmd}\nd['a'] += ['--tp', '2']", ["--tp", "2"]),
        ("d = {'a': cmd}\nfor key in d:\n    d[key] += ['--tp', '2']", ["--tp", "2"]),
        ("d = {'a': {'x': '1'}}\nd['a'] |= {'x': '2'}\ncmd.append(d['a']['x'])", ["2"]),
        ("n = [1, 2]\nn[-1] += 3\ncmd += [str(n[0]), str(n[1])]", ["1", "5"]),
        ("cmd += ['--tp', '2']\ncmd[-1] += '4'", ["--tp", "24"]),
        ("cmd += ['--tp', '2']\ncmd[1:] += ['4']", ["…"]),
    ],
)
def test_an_element_that_is_added_to(find: Find, body: str, words: list[Any]) -> None:
    assert only(find, body) == words


def test_a_list_to_which_two_ways_lead_is_added_to_once(find: Find) -> None:
    """That `A` is not set, and that it is no "1", both leave the list as it was."""
    words = only(find, "if os.getenv('A', '0') == '1':\n    cmd = cmd + ['--a']\ncmd += ['--b']")
    assert words == ["--a", "--b"]
