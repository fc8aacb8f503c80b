"""Python modules: lists, dictionaries and objects that are changed after they were made."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.hosts.python.commands import joined
from speclint.hosts.python.values import Item, known, value_of
from speclint.value import Choice, Known
from speclint.worlds import resolve, worlds
from tests.hosts.conftest import CMD, RUN, only

Find = Any


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


OPTIONAL = "if os.getenv('A'):\n    cmd.append('--a')\n"


def ways(find: Find, body: str, run: str = RUN) -> set[str]:
    """The command lines of every world; "…" stands for words of unknown number."""
    (found,) = find("python", CMD + body + run)
    points = [c for w in found.launch.words for c in w.choices()]
    lines = set()
    for world in worlds(points) or ():
        there = [(w, resolve(w.value, world)) for w in found.launch.words if w.holds(world)]
        lines.add(" ".join("…" if w.many else got.text.text if isinstance(got, Known) else "?" for w, got in there))
    return lines


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        (OPTIONAL + "if '--a' not in cmd:\n    cmd.append('--b')", {"--a", "--b"}),
        (OPTIONAL + "cmd.append('--b' if '--a' in cmd else '--c')", {"--a --b", "--c"}),
        (OPTIONAL + "if '--b' not in cmd:\n    cmd.append('--b')", {"--b", "--a --b"}),
        ("cmd.append(unknown)\nif '--b' not in cmd:\n    cmd.append('--b')", {"? --b"}),
        ("cmd.append(unknown)\nif 'b' not in cmd:\n    cmd.append('b')", {"? b", "?"}),
        ("cmd += unknown\nif '--b' not in cmd:\n    cmd.append('--b')", {"… --b", "…"}),
        ("d = {'a': 1}\nif 'a' in d:\n    cmd.append('--a')\nif 'b' in d:\n    cmd.append('--b')", {"--a"}),
        ("d = {'a': 1, **unknown}\nif 'b' in d:\n    cmd.append('--b')", {"--b", ""}),
        ("d = {}\nif os.getenv('A'):\n    d['a'] = 1\nif 'a' in d:\n    cmd.append('--a')", {"", "--a"}),
        ("if 'A' in os.environ:\n    cmd.append('--a')", {"", "--a"}),
        ("os.environ['A'] = '1'\nif 'A' in os.environ:\n    cmd.append('--a')", {"--a"}),
    ],
)
def test_whether_something_is_in_a_list_that_branches_add_to(find: Find, body: str, wanted: set[str]) -> None:
    assert ways(find, body) == wanted


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("cmd += ['--a', *unknown, '--b']\ncmd = [w for w in cmd if w != '--a']", ["…", "--b"]),
        ("cmd += ['--a', *unknown]\ncmd = [str(w) for w in cmd]", ["--a", "…"]),
        ("cmd += ['--a', unknown]\ncmd = [w for w in cmd if w != 'b']", ["--a", None]),
        ("d = {'a': 1, **unknown}\nd = {k: v for k, v in d.items()}\ncmd.append(str(d['a']))", [None]),
    ],
)
def test_a_list_of_which_a_part_is_not_known_is_gone_through(find: Find, body: str, words: list[Any]) -> None:
    assert only(find, body) == words


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("d = {'a': unknown}\nd.setdefault('a', 1)\ncmd += [str(d['a'])]", {"?"}),
        ("d = {**unknown}\nd.setdefault('a', 1)\ncmd += [str(d['a'])]", {"?"}),
        ("d = {'a': 2}\nd.setdefault('a', 1)\ncmd += [str(d['a'])]", {"2"}),
        ("d = {}\ncmd += [str(d.setdefault('a', 1)), str(d['a'])]", {"1 1"}),
        ("d = {}\nif os.getenv('A'):\n    d['a'] = 2\nd.setdefault('a', 1)\ncmd += [str(d['a'])]", {"1", "2"}),
    ],
)
def test_a_default_is_set_where_nothing_is(find: Find, body: str, wanted: set[str]) -> None:
    assert ways(find, body) == wanted


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # Of lists that differ in the middle the rest is there for sure.
        ("more = ['--m', 'x']\nif A:\n    more = [*more, '--a']\ncmd += [*more, '--z']", ["--m", "x", "--a", "--z"]),
        ("more = ['--m', 'x']\nif A:\n    more = more + ['--a']\nmore[1] = 'y'\ncmd += more", ["--m", "y", "--a"]),
        ("more = ['--m', 'x']\nif A:\n    more = more + ['--a']\nmore[more.index('--m') + 1] = 'y'\ncmd += more", ["--m", "y", "--a"]),
        ("more = ['--m', 'x']\nif A:\n    more = more + ['--a']\nmore.insert(0, '--0')\ncmd += more", ["--0", "--m", "x", "--a"]),
    ],
)  # fmt: skip
def test_what_lists_of_several_branches_have_in_common(find: Find, body: str, words: list[Any]) -> None:
    (found,) = find("python", CMD + "A = os.getenv('A')\n" + body + RUN)
    assert list(found.words) == words
    assert [word.is_open() for word in found.launch.words] == [word == "--a" for word in words]


@pytest.mark.parametrize(
    "body",
    [
        "for i in unknown:\n    cmd = cmd + [str(i)]",
        "for i in (1, 2):\n    if unknown:\n        if more:\n            continue\n    cmd = [*cmd, '--a']",
        "while unknown:\n    cmd = [w for w in cmd if w != unknown]",
    ],
)
def test_a_list_that_a_loop_puts_another_in_the_place_of_starts_a_server_still(find: Find, body: str) -> None:
    assert only(find, "cmd += ['--model-path', 'm']\n" + body) == ["…"]


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("a = []\nif os.getenv('A'):\n    a.append('a')\na.append('b')\ncmd.append(','.join(a))", {"a,b", "b"}),
        ("def f(*a):\n    cmd.append(','.join(map(str, a)))\nf(1, 2)", {"1,2"}),
        ("a = [0, 1] if os.getenv('A') else [2, 3]\ncmd.append(','.join(str(x) for x in a))", {"0,1", "2,3"}),
    ],
)
def test_a_separator_stands_between_what_is_there(find: Find, body: str, wanted: set[str]) -> None:
    assert ways(find, body) == wanted


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("cmd += ['--port', '0']\nfor p in (1, 2):\n    cmd[-1] = str(p)\n    subprocess.run(cmd)", {"--port 1", "--port 2"}),
        ("todo = [1, 2]\nwhile todo:\n    n = todo.pop(0)\n    subprocess.run([*cmd, str(n)])", {"?"}),
        ("todo = ['--a', '--b'] if os.getenv('A') else ['--c']\nsubprocess.run([*cmd, todo.pop()])", {"?"}),
    ],
)  # fmt: skip
def test_a_list_that_is_changed_from_round_to_round(find: Find, body: str, wanted: set[str]) -> None:
    assert ways(find, body, "") == wanted


@pytest.mark.parametrize(
    ("method", "words"),
    [("removesuffix(' --b')", ["--a"]), ("removesuffix('--c')", ["--a", "--b"]), ("removeprefix('x ')", ["--a", "--b"])],
)
def test_text_of_which_an_end_is_cut_is_one_launch(find: Find, method: str, words: list[str]) -> None:
    text = f"import subprocess\ns = 'x python -m sglang.launch_server --a --b'\ns = s.{method}\nsubprocess.run(s.split())"
    (found,) = find("python", text)
    assert found.words == words


def test_what_is_run_in_one_branch_is_as_it_is_there(find: Find) -> None:
    run = "    if dry:\n        return line\n    subprocess.run(line)\n"
    body = f"def f(tp, dry=False):\n    line = [*cmd, '--tp', str(tp)]\n{run}f(1)\nf(2, dry=True)"
    assert ways(find, body, "") == {"--tp 1"}


@pytest.mark.parametrize(("separator", "wanted"), [(",", "b"), (" && ", "b"), (" ", " b"), (" \\\n", " \\\nb")])
def test_a_line_that_goes_on_hangs_on_nothing(separator: str, wanted: str) -> None:
    """It is nothing to a shell, and words are told apart where it is sure to stand."""
    choice = Choice("branch", ("it is there", "it is not"))
    items = [Item(known("a", None), None, ((choice, 0),)), Item(known("b", None), None)]
    value = value_of(joined(known(separator, None), items))
    told = [resolve(value, {choice: way}) for way in (0, 1)]
    assert [each.text.text for each in told if isinstance(each, Known)] == [f"a{separator}b", wanted]


def test_an_option_that_is_added_to_lists_of_several_branches_keeps_its_value(find: Find) -> None:
    """Of an element that may be one of several there are no copies, of others there are."""
    more = "more = more + ['--tp', str(a or b)]\nmore = list(more)\nif A:\n    more = ['--c', *more]\ncmd += more"
    body = f"A = os.getenv('A')\nmore = ['--m', 'x']\nif A:\n    more = ['--b', *more]\n{more}"
    assert ways(find, body) == {"--m x --tp ?", "--c --b --m x --tp ?"}
    (found,) = find("python", CMD + body + RUN)
    assert [word.is_open() for word in found.launch.words if word.prefix == "--tp"] == [False]
