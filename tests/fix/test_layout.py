"""Lists, rows and cells: what stands between options stays, and what is put in looks as its neighbours do."""

from __future__ import annotations

import json
import re
from copy import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint import discover
from speclint.analysis import Analysis
from speclint.config import Configs
from speclint.finding import Finding, Fix
from speclint.fix import embedded, intent
from speclint.fix.apply import fix_file
from speclint.run import Linter
from speclint.sglang.options import Options
from speclint.source import SourceFile
from speclint.value import Known

LINTER = Linter(Configs(isolated=True), ask=False)
SETTINGS = LINTER.configs.for_file("x")


def analyse(path: str, text: str) -> Analysis:
    file = SourceFile(path, text.encode())
    host = discover.host_of(path)
    assert host is not None
    return LINTER.analyse(file, host, SETTINGS)


def act(options: Options, what: str) -> tuple[Fix, ...]:
    one = options.written("page_size")[-1]
    if what == "set":
        return intent.set_value(one, "1", "x")
    if what == "rename":
        return intent.rename_option(one, "--watchdog-timeout", "x")
    if what == "remove":
        return intent.remove_option(one, "x")
    if what == "replace":
        return intent.replace_option(one, ["--log-level", "a b"], "x")
    return intent.add_option(options, "--page-new", "1", "x")


def fixed(path: str, text: str, what: str) -> tuple[str | None, Analysis]:
    """The text after a fix, None if none is offered; a fix that breaks a promise fails the test."""
    before = analyse(path, text)
    (launch,) = before.launches
    fixes = act(before.options[0], what)
    if not fixes:
        return None, before
    first = copy(before)
    first.findings = [Finding("ZZZ", "trial", "error", what, launch.head, launch=launch, fix=fixes[0])]
    result = fix_file(before.file, lambda new: analyse(path, new), "unsafe", first)
    assert result.applied, result.dropped[0][1]
    return result.text, result.remaining


PYTHON = "import subprocess\ncmd = [\n    'sglang', 'serve',  # what\n{}]\nsubprocess.run(cmd)\n"
DOCKER = 'FROM lmsysorg/sglang:v0.5.9\nCMD [ \\\n  "sglang", "serve", \\\n{}]\n'
LISTS = [
    ("a.py", PYTHON, "remove", "    # why\n    '--page-size', '64',\n    '--tp', '2'\n", "    # why\n    '--tp', '2'\n"),
    ("a.py", PYTHON, "remove", "    '--tp', '2',  # two\n    # why\n    '--page-size', '64'  # size\n", "    '--tp', '2',  # two\n    # why\n    # size\n"),
    ("a.py", PYTHON, "add", "    # why\n    '--page-size', '64',  # size\n", "    # why\n    '--page-size', '64',  # size\n    '--page-new', '1',\n"),
    ("a.py", PYTHON, "add", "    # why\n    '--page-size', '64'  # size\n", "    # why\n    '--page-size', '64',  # size\n    '--page-new', '1'\n"),
    ("a.py", PYTHON, "add", "    '--page-size',\n    '64',\n", "    '--page-size',\n    '64',\n    '--page-new',\n    '1',\n"),
    ("a.py", PYTHON, "replace", "    '--page-size',\n    '64'\n", "    '--log-level',\n    'a b'\n"),
    ("Dockerfile", DOCKER, "remove", "  # why\n  \"--page-size\", \"64\", \\\n  \"--tp\", \"2\" \\\n", "  # why\n  \"--tp\", \"2\" \\\n"),
    ("Dockerfile", DOCKER, "remove", "  \"--tp\", \"2\", \\\n  \"--page-size\", \"64\" \\\n", "  \"--tp\", \"2\" \\\n"),
    ("Dockerfile", DOCKER, "remove", "  \"--tp\", \"2\", \\\n  # why\n  \"--page-size\", \"64\" \\\n", "  \"--tp\", \"2\" \\\n  # why\n"),
    ("Dockerfile", DOCKER, "add", "  # why\n  \"--page-size\", \"64\" \\\n", "  # why\n  \"--page-size\", \"64\", \\\n  \"--page-new\", \"1\" \\\n"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "frame", "what", "before", "after"), LISTS, ids=range(len(LISTS)))
def test_comments_between_items_stay(path: str, frame: str, what: str, before: str, after: str) -> None:
    assert fixed(path, frame.format(before), what)[0] == frame.format(after)


ROWS = [
    ("remove", "cmd.append('--page-size')\ncmd.append('64')\n", ""),
    ("remove", "cmd.append('--page-size=64')  # why\n", "# why\n"),
    ("add", "cmd.append('--page-size')\ncmd.append('64')  # why\n", "cmd.append('--page-size')\ncmd.append('64')  # why\ncmd.append('--page-new')\ncmd.append('1')\n"),
    ("replace", "cmd.append('--page-size')\ncmd.append('64')\n", "cmd.append('--log-level')\ncmd.append('a b')\n"),
    ("remove", "cmd.append('--page-size'); cmd.append('64')\n", None),
    ("remove", "if True:\n    cmd.append('--page-size=64')\n", None),
    ("remove", "cmd.append('--page-size')\nprint()\ncmd.append('64')\n", None),
]  # fmt: skip


@pytest.mark.parametrize(("what", "before", "after"), ROWS)
def test_statements(what: str, before: str, after: str | None) -> None:
    frame = "import subprocess\ncmd = ['sglang', 'serve']\n{}subprocess.run(cmd)\n"
    wanted = None if after is None else frame.format(after)
    assert fixed("a.py", frame.format(before), what)[0] == wanted


MAPPINGS = [
    ("remove", "    page_size: 64 # why\n    tp_size: 2\n", "    # why\n    tp_size: 2\n"),
    ("remove", "    tp_size: 2\n    page_size: 64", "    tp_size: 2"),
    ("add", "    page_size: 64 # why\n    tp_size: 2\n", "    page_size: 64 # why\n    page_new: 1\n    tp_size: 2\n"),
    ("add", "    'page-size': 64\n    tp_size: 2\n", "    'page-size': 64\n    'page-new': 1\n    tp_size: 2\n"),
    ("replace", "    page_size: 64\n    tp_size: 2\n", '    log_level: "a b"\n    tp_size: 2\n'),
]


@pytest.mark.parametrize(("what", "before", "after"), MAPPINGS)
def test_entries_of_a_mapping(what: str, before: str, after: str) -> None:
    frame = "sglang:\n  server_args:\n    model_path: m\n{}"
    assert fixed("a.yaml", frame.format(before), what)[0] == frame.format(after)


def test_entry_is_put_behind_the_last_one_of_a_mapping_that_a_program_adds_to() -> None:
    text = (
        "backend:\n  type: sglang\n  sglang_config:\n    decode:\n      mem-fraction-static: 0.9\n      page-size: 64"
    )
    assert fixed("a.yaml", text, "add")[0] == text + "\n      page-new: 1"


def notebook(source: object) -> str:
    cell = {"cell_type": "code", "metadata": {}, "outputs": [], "execution_count": None, "source": source}
    return json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


CELL = "import subprocess\ncmd = [\n    'sglang', 'serve',  # \"what\"\n    '--tp', '2',\n    '--page-size', '64'\n]\nsubprocess.run(cmd)"
CELLS = {
    "remove": CELL.replace("    '--page-size', '64'\n", ""),
    "set": CELL.replace("64", "1"),
    "rename": CELL.replace("--page-size", "--watchdog-timeout"),
    "replace": CELL.replace("'--page-size', '64'", "'--log-level', 'a b'"),
    "add": CELL.replace("'64'\n", "'64',\n    '--page-new', '1'\n"),
}


@pytest.mark.parametrize("lines", [True, False])
@pytest.mark.parametrize("what", CELLS)
def test_a_cell_is_written_as_its_kernel_would_write_it(what: str, lines: bool) -> None:
    def written(text: str) -> str:
        return notebook(text.splitlines(keepends=True) if lines else text)

    assert fixed("a.ipynb", written(CELL), what)[0] == written(CELLS[what])


def test_value_of_a_cell_becomes_text_where_it_must() -> None:
    text = notebook(["import sglang\n", "sglang.Engine(model_path='m', page_size=64)"])
    before = analyse("a.ipynb", text)
    (fix, *_) = intent.set_value(before.options[0].written("page_size")[-1], "auto", "x")
    (edit,) = fix.edits
    assert edit.content == '\\"auto\\"'


@pytest.mark.parametrize("odd", ["\0", "\ufeff", "\ud800"])
def test_a_cell_that_no_file_could_hold_has_no_fix_that_needs_it(odd: str) -> None:
    text = notebook([f"{odd}!sglang serve --page-size 64 --tp 2\n", "import sglang\n", "sglang.Engine(page_size=64)"])
    before = analyse("a.ipynb", text)
    for options in before.options:
        for one in options.written("page_size"):
            intent.set_value(one, "a b", "x")
            intent.remove_option(one, "x")


# -- whatever stands between the items

GAPS = {
    "a.py": [", ", ",\n    ", ",  # c{}\n    ", ",\n    # c{}\n    ", ",\n\n    ", " ,\n  "],
    "Dockerfile": [", ", ", \\\n  ", ", \\\n  # c{}\n  ", " , \\\n\\\n  "],
    "a.toml": [", ", ",\n  ", ", # c{}\n  ", ",\n  # c{}\n  "],
    "a.yaml": [", ", ",\n      ", ", # c{}\n      ", ",\n      # c{}\n      "],
    "a.ipynb": [", ", ",\n    ", ",  # c{}\n    ", ",\n    # c{}\n    "],
}
FRAMES = {
    "a.py": "import subprocess\nsubprocess.run([{}])\n",
    "Dockerfile": "FROM x\nCMD [{}]\n",
    "a.toml": "[x]\ncommand = [{}]\n",
    "a.yaml": "apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - name: x\n    image: y\n    command: [{}]\n",
    "a.ipynb": "import subprocess\nsubprocess.run([{}])\n",
}
WORDS = ["python3", "-m", "sglang.launch_server", "--tp", "2", "--page-size", "64", "--enable-metrics", "--dp", "2"]
PATHS = st.sampled_from(sorted(FRAMES))
ENDS = st.sampled_from(["", ",", "\n", ",\n", ",  # c\n"])


@st.composite
def lists(draw: st.DrawFn) -> tuple[str, str]:
    path = draw(PATHS)
    size = draw(st.sampled_from([7, 8, 10]))
    text = f'"{WORDS[0]}"'
    for number, word in enumerate(WORDS[1:size]):
        text += draw(st.sampled_from(GAPS[path])).format(number) + f'"{word}"'
    if path in ("a.py", "a.toml", "a.ipynb", "a.yaml"):
        text += draw(ENDS)
    whole = FRAMES[path].format(text)
    if path == "a.ipynb":
        whole = notebook(whole.splitlines(keepends=True))
    elif draw(st.booleans()):
        whole = whole.replace("\n", "\r\n")
    return path, whole


@given(lists(), st.sampled_from(["set", "rename", "remove", "replace", "add"]))
@settings(max_examples=150, deadline=None)
def test_whatever_stands_between_items(case: tuple[str, str], what: str) -> None:
    path, text = case
    (launch,) = analyse(path, text).launches
    old = [word.value.text.text for word in launch.words if isinstance(word.value, Known)]
    after, analysis = fixed(path, text, what)
    if after is None:
        return
    at = old.index("--page-size")
    new = {
        "set": ["--page-size", "1"],
        "rename": ["--watchdog-timeout", "64"],
        "remove": [],
        "replace": ["--log-level", "a b"],
    }
    wanted = [*old[:at], *new.get(what, ["--page-size", "64"]), *old[at + 2 :]]
    (changed,) = analysis.launches
    got = [word.value.text.text for word in changed.words if isinstance(word.value, Known)]
    if what == "add":
        at = got.index("--page-new")
        got[at : at + 2] = [] if got[at + 1] == "1" else ["wrong"]
    assert got == wanted
    assert sorted(re.findall(r"# c\d*", after)) == sorted(re.findall(r"# c\d*", text))
    assert ("\r" in after) == ("\r" in text)
    assert after.count("\r") in (0, after.count("\n"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(("info", "expected"), [("yaml", "yaml"), ("python", "python"), ("sh", "shell"), ("", "shell")])
def test_the_language_of_a_block_in_a_document(newline: str, info: str, expected: str) -> None:
    text = f"# a\n\n~~~\nx\n~~~\n\n```{info}\na: 1\n```\n".replace("\n", newline)
    file = SourceFile("a.md", text.encode())
    assert embedded.language_at(file, "markdown", text.index("a: 1")) == expected
