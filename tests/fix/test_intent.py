"""What a fix makes of a launch, in every language and layout: text before, what to do, text after."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pytest

from speclint import hosts
from speclint.finding import APPLICABILITIES
from speclint.fix import intent
from speclint.fix.verify import apply, edit_key
from speclint.hosts.nested import commands
from speclint.launch import find
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.source import SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from speclint.finding import Fix
    from speclint.sglang.setting import Setting

NAMES = {"shell": "a.sh", "python": "a.py", "yaml": "a.yaml"}
PAGE = "page_size"


def read(host: str, text: str, number: int = 0) -> Options:
    file = SourceFile(NAMES[host], text.encode())
    found = [x for c in hosts.read(file, host) for inner in commands(c) if (x := find(inner)) is not None]
    return Options.read(found[number], catalog.release("0.5.23"))


def setting(options: Options, dest: str = PAGE) -> Setting:
    return options.written(dest)[-1]


def made(text: str, fixes: tuple[Fix, ...], number: int = 0) -> str:
    return apply(text, sorted(edit_key(edit) for edit in fixes[number].edits))[0]


POD = """\
apiVersion: v1
kind: Pod
spec:
  containers:
  - name: x
    image: lmsysorg/sglang:v0.5.9
"""


class Case(NamedTuple):
    host: str
    before: str
    after: str
    how: str = "safe"


def ids(cases: list[Case]) -> list[str]:
    return [f"{c.host}-{i}" for i, c in enumerate(cases)]


SET = [
    Case("shell", "sglang serve --page-size sixty> log\n", "sglang serve --page-size 1 > log\n"),
    Case("shell", "sglang serve --page-size=sixty> log\n", "sglang serve --page-size=1> log\n"),
    Case("shell", "sglang serve --page-size 64 --tp 2\n", "sglang serve --page-size 1 --tp 2\n"),
    Case("shell", "sglang serve --page-size=64\n", "sglang serve --page-size=1\n"),
    Case("shell", "sglang serve --page-size '64'\n", "sglang serve --page-size '1'\n"),
    Case("shell", 'sglang serve "--page-size=64"\n', 'sglang serve "--page-size=1"\n'),
    Case("shell", 'sglang serve --page-size="64"\n', 'sglang serve --page-size="1"\n'),
    Case(
        "shell", "sglang serve --page-size \\\r\n  64 \\\r\n --tp 2", "sglang serve --page-size \\\r\n  1 \\\r\n --tp 2"
    ),
    Case("shell", "sglang serve --page-size 6''4\n", "sglang serve --page-size 1\n"),
    Case("shell", "sglang serve --page-size \\64\n", "sglang serve --page-size 1\n"),
    Case("shell", "sglang serve --page-size $'6\\x34'\n", "sglang serve --page-size $'1'\n"),
    Case("shell", "P=64\nsglang serve --page-size $P\n", "P=1\nsglang serve --page-size $P\n"),
    Case("shell", "P='64'\nsglang serve --page-size=$P\n", "P='1'\nsglang serve --page-size=$P\n"),
    Case(
        "shell", "P=64\nsglang serve --page-size $P\nuse $P\n", "P=1\nsglang serve --page-size $P\nuse $P\n", "unsafe"
    ),
    Case("shell", "sglang serve --page-size ${P:-64}\n", "sglang serve --page-size ${P:-1}\n", "unsafe"),
    Case(
        "shell", 'P="${P:-64}"\nsglang serve --page-size $P\n', 'P="${P:-1}"\nsglang serve --page-size $P\n', "unsafe"
    ),
    Case("shell", "A=(--page-size 64)\nsglang serve ${A[@]}\n", "A=(--page-size 1)\nsglang serve ${A[@]}\n"),
    Case("shell", 'A="--tp 2 --page-size 64"\nsglang serve $A\n', 'A="--tp 2 --page-size 1"\nsglang serve $A\n'),
    Case("shell", "bash -c 'sglang serve --page-size 64'\n", "bash -c 'sglang serve --page-size 1'\n"),
    Case("shell", 'bash -c "sglang serve --page-size \\"64\\""\n', 'bash -c "sglang serve --page-size \\"1\\""\n'),
    Case(
        "shell",
        "for p in 32 64; do sglang serve --page-size 64; done\n",
        "for p in 32 64; do sglang serve --page-size 1; done\n",
    ),
    Case("shell", "sglang serve --page-size 64 # é\n", "sglang serve --page-size 1 # é\n"),
    Case("shell", "\ufeff# é\nsglang serve --page-size 64\n".lstrip("\ufeff"), "# é\nsglang serve --page-size 1\n"),
    Case(
        "python",
        'import subprocess\nsubprocess.run(["sglang", "serve", "--page-size", "64"])\n',
        'import subprocess\nsubprocess.run(["sglang", "serve", "--page-size", "1"])\n',
    ),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size=64'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size=1'])\n",
    ),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', str(64)])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', str(1)])\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m', page_size=1)\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=None)\n",
        "import sglang\nsglang.Engine(model_path='m', page_size=1)\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size='64')\n",
        "import sglang\nsglang.Engine(model_path='m', page_size='1')\n",
    ),
    Case(
        "python",
        "import sglang\nP = 64\nsglang.Engine(model_path='m', page_size=P)\n",
        "import sglang\nP = 1\nsglang.Engine(model_path='m', page_size=P)\n",
    ),
    Case(
        "yaml",
        POD + '    args: [python3, -m, sglang.launch_server, --page-size, "64"]\n',
        POD + '    args: [python3, -m, sglang.launch_server, --page-size, "1"]\n',
    ),
    Case(
        "yaml",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size=64 # why\n",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size=1 # why\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 64]\n",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 1]\n",
    ),
    Case(
        "yaml",
        POD + '    env: [{name: P, value: "64"}]\n    args: [python3, -m, sglang.launch_server, --page-size, $(P)]\n',
        POD + '    env: [{name: P, value: "1"}]\n    args: [python3, -m, sglang.launch_server, --page-size, $(P)]\n',
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve \\\n        --page-size 64\n",
        POD + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve \\\n        --page-size 1\n",
    ),
    Case(
        "yaml",
        POD + '    command: [bash, -c, "sglang serve \\\n      --page-size \\x364"]\n',
        POD + '    command: [bash, -c, "sglang serve \\\n      --page-size 1"]\n',
    ),
]


@pytest.mark.parametrize("case", SET, ids=ids(SET))
def test_set_value(case: Case) -> None:
    fixes = intent.set_value(setting(read(case.host, case.before)), "1", "set it", True)
    assert fixes
    assert made(case.before, fixes) == case.after
    assert fixes[0].applicability == case.how
    # What is offered besides is never better.
    ranks = [APPLICABILITIES.index(fix.applicability) for fix in fixes]
    assert ranks == sorted(ranks, reverse=True)
    again = setting(read(case.host, case.after))
    assert all(isinstance(again.values[0], type(v)) for v in setting(read(case.host, case.before)).values)


TO_TEXT = [
    Case("shell", "sglang serve --page-size 64\n", "sglang serve --page-size 'a b'\n"),
    Case("shell", "sglang serve --page-size '64'\n", "sglang serve --page-size 'a b'\n"),
    Case("shell", "sglang serve --page-size=64\n", "sglang serve '--page-size=a b'\n"),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', 'a b'])\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m', page_size=\"a b\")\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 64]\n",
        POD + '    args: [python3, -m, sglang.launch_server, --page-size, "a b"]\n',
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve --page-size 64\n",
        POD + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve --page-size 'a b'\n",
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c, 'sglang serve --page-size 64']\n",
        POD + "    command: [bash, -c, 'sglang serve --page-size ''a b''']\n",
    ),
    Case(
        "python",
        'import os\nos.system("sglang serve --page-size 64")\n',
        "import os\nos.system(\"sglang serve --page-size 'a b'\")\n",
    ),
    Case(
        "python",
        "import os\nos.system('sglang serve --page-size 64')\n",
        "import os\nos.system('sglang serve --page-size \\'a b\\'')\n",
    ),
    Case("shell", "bash -c 'sglang serve --page-size 64'\n", "bash -c 'sglang serve --page-size \"a b\"'\n"),
    Case(
        "python",
        "import os\nc = ['sglang', 'serve', '--page-size', '64']\nos.system(' '.join(c))\n",
        "import os\nc = ['sglang', 'serve', '--page-size', '\\'a b\\'']\nos.system(' '.join(c))\n",
    ),
    Case("shell", 'P="64"\nsglang serve --page-size "$P"\n', 'P="a b"\nsglang serve --page-size "$P"\n'),
    Case(
        "yaml",
        POD + '    command: [bash, -c, "sglang serve --tp \\"1\\" --page-size 64"]\n',
        POD + '    command: [bash, -c, "sglang serve --tp \\"1\\" --page-size \'a b\'"]\n',
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c, \"sglang serve --tp '1' --page-size '64'\"]\n",
        POD + "    command: [bash, -c, \"sglang serve --tp '1' --page-size 'a b'\"]\n",
    ),
]


@pytest.mark.parametrize("case", TO_TEXT, ids=ids(TO_TEXT))
def test_value_that_needs_quotes(case: Case) -> None:
    fixes = intent.set_value(setting(read(case.host, case.before)), "a b", "set it", True)
    assert made(case.before, fixes) == case.after
    value = setting(read(case.host, case.after)).value
    assert value is not None
    assert value.text.text == "a b"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("host", "before"),
    [
        ("shell", 'A="--page-size 64"\nsglang serve $A\n'),
        ("shell", 'cat <<EOF\nsglang serve --page-size 64\nEOF\nsglang serve --page-size "$1"\n'),
        ("shell", "A=(--page-size 64)\nsglang serve ${A[@]}\n"),
    ],
)
def test_no_fix_where_quotes_cannot_be_told(host: str, before: str) -> None:
    assert intent.set_value(setting(read(host, before)), "a b", "set it", True) == ()


def test_a_python_constant_becomes_a_string_where_it_must() -> None:
    text = "import sglang\nP = 64\nsglang.Engine(model_path='m', page_size=P)\n"
    fixes = intent.set_value(setting(read("python", text)), "auto", "set it", True)
    assert made(text, fixes) == text.replace("P = 64", 'P = "auto"')


def test_what_is_used_elsewhere_can_be_shown_at_the_launch() -> None:
    text = "P=64\nsglang serve --page-size $P\nuse $P\n"
    fixes = intent.set_value(setting(read("shell", text)), "1", "set it", True)
    assert [fix.applicability for fix in fixes] == ["unsafe", "display"]
    assert made(text, fixes, 1) == "P=64\nsglang serve --page-size 1\nuse $P\n"


def test_field_of_an_f_string_is_shown_with_its_braces() -> None:
    text = "import os\nP = 64\nos.system(f'sglang serve --page-size {P} --tp 2')\n"
    options = read("python", text)
    (fix,) = shown = intent.set_value(setting(options), "a b", "set it", True)
    assert fix.applicability == "display"
    assert made(text, shown) == text.replace("{P}", "\\'a b\\'")
    assert made(text, intent.remove_option(setting(options), "remove it")) == text.replace(" --page-size {P}", "")


@pytest.mark.parametrize(
    ("text", "shared"),
    [
        ('cfg = {"page_size": 64}\nuse(cfg["page_size"])\nsglang.Engine(**cfg)\n', "unsafe"),
        ('cfg = {"page_size": 64}\nuse(cfg.get("page_size", 1))\nsglang.Engine(**cfg)\n', "unsafe"),
        ('cfg = {}\ncfg["page_size"] = 64\nsglang.Engine(**cfg)\n', "safe"),
    ],
)
def test_key_that_is_asked_for_elsewhere_is_not_changed_safely(text: str, shared: str) -> None:
    one = setting(read("python", "import sglang\n" + text))
    for fixes in (intent.rename_option(one, "--zz", "x"), intent.remove_option(one, "x")):
        assert [fix.applicability for fix in fixes] == [shared]


@pytest.mark.parametrize(
    "text",
    [
        "import sglang\nmodel_path = 'm'\nsglang.ServerArgs(model_path, tp_size=2)\n",
        "import sglang\ncfg = {k: 'm' for k in ['model_path']}\nsglang.ServerArgs(**cfg)\n",
    ],
)
def test_argument_whose_name_is_not_written_is_not_renamed(text: str) -> None:
    assert intent.rename_option(setting(read("python", text), "model_path"), "--zz", "x") == ()
    assert intent.remove_option(setting(read("python", text), "model_path"), "x") == ()


def test_loop_is_shown_only() -> None:
    text = "for p in 32 64; do sglang serve --page-size $p; done\n"
    fixes = intent.set_value(setting(read("shell", text)), "1", "set it", True)
    assert all(fix.applicability == "display" for fix in fixes)


def test_branches_that_differ_are_all_set_and_not_safely() -> None:
    text = 'if [ -n "$X" ]; then P=32; else P=64; fi\nsglang serve --page-size $P\n'
    fixes = intent.set_value(setting(read("shell", text)), "1", "set it")
    assert made(text, fixes) == text.replace("32", "1").replace("64", "1")
    assert fixes[0].applicability == "unsafe"


@pytest.mark.parametrize(
    ("rest", "how"),
    [
        ('A="$A --tp 2"\nsglang serve $A\n', "safe"),
        ('A="${A} --tp 2"\nA+=" --dp 2"\nsglang serve $A\n', "safe"),
        ('B="$A --tp 2"\nuse $B\nsglang serve $A\n', "unsafe"),
        ('A="$A $(use $A)"\nsglang serve $A\n', "unsafe"),
        ('A="$A --tp 2"\nsglang serve $A\nuse $A\n', "unsafe"),
    ],
)
def test_variable_that_hands_on_what_it_had_is_not_another_reader(rest: str, how: str) -> None:
    text = 'A="--page-size 64"\n' + rest
    fixes = intent.set_value(setting(read("shell", text)), "1", "set it", True)
    assert fixes[0].applicability == how
    assert made(text, fixes) == text.replace("64", "1")


IN_A_BRANCH = [
    'A=()\nif [ -n "$X" ]; then A+=(--page-size 64); fi\nsglang serve "${A[@]}"\n',
    'if [ -n "$X" ]; then P=64; else P=1; fi\nsglang serve --page-size $P\n',
]


@pytest.mark.parametrize("text", IN_A_BRANCH)
def test_value_in_a_branch_is_not_set_safely(text: str) -> None:
    whole = setting(read("shell", text))
    narrow = whole.narrow(dict.fromkeys(whole.choices(), 0))
    fixes = intent.set_value(narrow, "1", "set it", True)
    assert fixes[0].applicability == "unsafe"
    assert made(text, fixes) == text.replace("64", "1")


@pytest.mark.parametrize(("certain", "how"), [(True, "safe"), (False, "unsafe")])
def test_value_that_is_right_in_another_world(certain: bool, how: str) -> None:
    options = read("shell", "sglang serve --page-size 64\n")
    assert intent.set_value(setting(options), "1", "set it", certain)[0].applicability == how
    assert intent.remove_option(setting(options), "remove it", certain)[0].applicability == how


@pytest.mark.parametrize(
    "text", ["sglang serve --page-size $P\n", "sglang serve --page-size $(f)\n", "sglang serve --trust-remote-code\n"]
)
def test_what_is_not_known_is_not_set(text: str) -> None:
    options = read("shell", text)
    assert intent.set_value(options.settings[-1], "1", "set it") == ()


def test_computed_value_is_shown_at_the_launch_at_most() -> None:
    text = "A=8\nsglang serve --page-size $((A*8))\n"
    fixes = intent.set_value(setting(read("shell", text)), "1", "set it", True)
    assert all("A=8" in made(text, fixes, i) for i in range(len(fixes)))


RENAME = [
    Case("shell", "sglang serve --page-size 64\n", "sglang serve --block 64\n"),
    Case("shell", "sglang serve '--page-size'=64\n", "sglang serve '--block'=64\n"),
    Case("shell", "sglang serve --page-size=$X\n", "sglang serve --block=$X\n"),
    Case("shell", 'sglang serve "--page-size=$X"\n', 'sglang serve "--block=$X"\n'),
    Case("shell", "sglang serve --page-s 64\n", "sglang serve --block 64\n"),
    Case("shell", "F=--page-size\nsglang serve $F 64\n", "F=--block\nsglang serve $F 64\n"),
    Case("shell", "F=--page-size\nsglang serve $F 64\nuse $F\n", "F=--block\nsglang serve $F 64\nuse $F\n", "unsafe"),
    Case(
        "shell",
        'A=()\nif [ "$X" ]; then A+=(--page-size 64); fi\nsglang serve "${A[@]}"\n',
        'A=()\nif [ "$X" ]; then A+=(--block 64); fi\nsglang serve "${A[@]}"\n',
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m', block=64)\n",
    ),
    Case(
        "python",
        "import subprocess\nx = 1\nsubprocess.run(f'sglang serve --page-size {x}', shell=True)\n",
        "import subprocess\nx = 1\nsubprocess.run(f'sglang serve --block {x}', shell=True)\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, '--page-size', 64]\n",
        POD + "    args: [python3, -m, sglang.launch_server, '--block', 64]\n",
    ),
]


@pytest.mark.parametrize("case", RENAME, ids=ids(RENAME))
def test_rename(case: Case) -> None:
    fixes = intent.rename_option(setting(read(case.host, case.before)), "--block", "rename it")
    assert made(case.before, fixes) == case.after
    assert fixes[0].applicability == case.how


REMOVE = [
    Case("shell", "sglang serve --tp 2 --page-size 64 --dp 2\n", "sglang serve --tp 2 --dp 2\n"),
    Case("shell", "sglang serve --tp 2 --page-size 64\n", "sglang serve --tp 2\n"),
    Case("shell", "sglang serve --tp 2 --page-size=64 > log 2>&1 &\n", "sglang serve --tp 2 > log 2>&1 &\n"),
    Case(
        "shell",
        "sglang serve \\\n  --tp 2 \\\n  --page-size 64 \\\n  --dp 2\n",
        "sglang serve \\\n  --tp 2 \\\n  --dp 2\n",
    ),
    Case(
        "shell",
        "sglang serve \\\r\n  --tp 2 \\\r\n  --page-size 64\r\necho\r\n",
        "sglang serve \\\r\n  --tp 2\r\necho\r\n",
    ),
    Case("shell", "sglang serve \\\n  --tp 2 \\\n  --page-size 64", "sglang serve \\\n  --tp 2"),
    Case("shell", "sglang serve \\\n  --page-size \\\n    64 \\\n  --dp 2\n", "sglang serve \\\n  --dp 2\n"),
    Case(
        "shell", "sglang serve \\\n  --page-size 64 --dp 2 \\\n  --tp 2\n", "sglang serve \\\n  --dp 2 \\\n  --tp 2\n"
    ),
    Case(
        "shell", "sglang serve \\\n  --dp 2 --page-size 64 \\\n  --tp 2\n", "sglang serve \\\n  --dp 2 \\\n  --tp 2\n"
    ),
    Case(
        "shell", "sglang serve \\\n  --tp 2 \\\n  --page-size 64 > log &\n", "sglang serve \\\n  --tp 2 \\\n  > log &\n"
    ),
    Case(
        "shell",
        "A=(\n  --tp 2\n  --page-size 64\n  # why\n  --dp 2\n)\nsglang serve ${A[@]}\n",
        "A=(\n  --tp 2\n  # why\n  --dp 2\n)\nsglang serve ${A[@]}\n",
    ),
    Case("shell", "A=(\n  --page-size 64  # why\n)\nsglang serve ${A[@]}\n", "A=(\n  # why\n)\nsglang serve ${A[@]}\n"),
    Case("shell", "A=(--page-size 64 --tp 2)\nsglang serve ${A[@]}\n", "A=(--tp 2)\nsglang serve ${A[@]}\n"),
    Case("shell", 'A="--page-size 64 --tp 2"\nsglang serve $A\n', 'A="--tp 2"\nsglang serve $A\n'),
    Case("shell", 'A="--tp 2 --page-size 64"\nsglang serve $A\n', 'A="--tp 2"\nsglang serve $A\n'),
    Case("shell", "P=64\nsglang serve --page-size $P --tp 2\nuse $P\n", "P=64\nsglang serve --tp 2\nuse $P\n"),
    Case("shell", "bash -c 'sglang serve --page-size 64'\n", "bash -c 'sglang serve'\n"),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64', '--tp', '2'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--tp', '2'])\n",
    ),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve'])\n",
    ),
    Case(
        "python",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--page-size', '64',\n    '--tp', '2',\n]\nsubprocess.run(cmd)\n",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--tp', '2',\n]\nsubprocess.run(cmd)\n",
    ),
    Case(
        "python",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--page-size',\n    '64'\n]\nsubprocess.run(cmd)\n",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n]\nsubprocess.run(cmd)\n",
    ),
    Case(
        "python",
        "import subprocess\ncmd = [\n    'sglang', 'serve', '--page-size', '64',\n    '--tp', '2']\nsubprocess.run(cmd)\n",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--tp', '2']\nsubprocess.run(cmd)\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m')\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(page_size=64, model_path='m')\n",
        "import sglang\nsglang.Engine(model_path='m')\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(\n    model_path='m',\n    page_size=64,  # why\n    tp_size=2,\n)\n",
        "import sglang\nsglang.Engine(\n    model_path='m',\n    # why\n    tp_size=2,\n)\n",
    ),
    Case(
        "python",
        "import os\nos.system('''sglang serve \\\\\n  --tp 2 \\\\\n  --page-size 64 \\\\\n  --dp 2''')\n",
        "import os\nos.system('''sglang serve \\\\\n  --tp 2 \\\\\n  --dp 2''')\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 64, --tp, 2]\n",
        POD + "    args: [python3, -m, sglang.launch_server, --tp, 2]\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 64]\n",
        POD + "    args: [python3, -m, sglang.launch_server]\n",
    ),
    Case(
        "yaml",
        POD
        + '    args: [\n      python3, -m, sglang.launch_server,\n      "--page-size", "64",\n      "--tp", "2"\n    ]\n',
        POD + '    args: [\n      python3, -m, sglang.launch_server,\n      "--tp", "2"\n    ]\n',
    ),
    Case(
        "yaml",
        POD
        + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size\n    - '64'\n    - --tp=2\n",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --tp=2\n",
    ),
    Case(
        "yaml",
        POD
        + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size=64 # why\n    - --tp=2",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    # why\n    - --tp=2",
    ),
    Case(
        "yaml",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size=64",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server",
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c]\n    args:\n    - >-\n      sglang serve\n      --page-size 64\n      --tp 2\n",
        POD + "    command: [bash, -c]\n    args:\n    - >-\n      sglang serve\n      --tp 2\n",
    ),
    Case(
        "yaml",
        POD
        + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve \\\n        --tp 2 \\\n        --page-size 64\n",
        POD + "    command: [bash, -c]\n    args:\n    - |\n      sglang serve \\\n        --tp 2\n",
    ),
]


@pytest.mark.parametrize("case", REMOVE, ids=ids(REMOVE))
def test_remove(case: Case) -> None:
    fixes = intent.remove_option(setting(read(case.host, case.before)), "remove it", True)
    assert made(case.before, fixes) == case.after
    assert fixes[0].applicability == case.how
    assert not read(case.host, case.after).written(PAGE)


@pytest.mark.parametrize(
    ("host", "before"),
    [
        ("shell", "A=(--page-size # why\n 64)\nsglang serve ${A[@]}\n"),
        ("shell", "A=(--page-size)\nB=(64)\nsglang serve ${A[@]} ${B[@]}\n"),
        ("python", "import subprocess\nA = ['sglang', 'serve', '--page-size']\nsubprocess.run(A + ['64'])\n"),
        (
            "yaml",
            POD
            + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size\n    # why\n    - '64'\n",
        ),
    ],
)
def test_nothing_is_removed_along_with_an_option(host: str, before: str) -> None:
    assert intent.remove_option(setting(read(host, before)), "remove it", True) == ()


ADD = [
    Case("shell", "sglang serve --page-size 64\n", "sglang serve --page-size 64 --page-new 1\n"),
    Case("shell", "sglang serve --page-size=64 --tp 2\n", "sglang serve --page-size=64 --page-new=1 --tp 2\n"),
    Case(
        "shell",
        "sglang serve \\\n  --page-size 64 \\\n  --tp 2\n",
        "sglang serve \\\n  --page-size 64 \\\n  --page-new 1 \\\n  --tp 2\n",
    ),
    Case(
        "shell",
        "sglang serve \\\r\n  --tp 2  \\\r\n\t--page-size 64",
        "sglang serve \\\r\n  --tp 2  \\\r\n\t--page-size 64  \\\r\n\t--page-new 1",
    ),
    Case(
        "shell",
        "A=(\n  --page-size 64 # why\n)\nsglang serve ${A[@]}\n",
        "A=(\n  --page-size 64 --page-new 1 # why\n)\nsglang serve ${A[@]}\n",
    ),
    Case(
        "shell",
        "A=(\n  --page-size 64\n)\nsglang serve ${A[@]}\n",
        "A=(\n  --page-size 64\n  --page-new 1\n)\nsglang serve ${A[@]}\n",
    ),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64', '--page-new', '1'])\n",
    ),
    Case(
        "python",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--page-size', '64',\n]\nsubprocess.run(cmd)\n",
        "import subprocess\ncmd = [\n    'sglang', 'serve',\n    '--page-size', '64',\n    '--page-new', '1',\n]\nsubprocess.run(cmd)\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m', page_size=64, page_new=1)\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(\n    model_path='m',\n    page_size=64\n)\n",
        "import sglang\nsglang.Engine(\n    model_path='m',\n    page_size=64,\n    page_new=1\n)\n",
    ),
    Case(
        "yaml",
        POD + "    args: [python3, -m, sglang.launch_server, --page-size, 64]\n",
        POD + '    args: [python3, -m, sglang.launch_server, --page-size, 64, --page-new, "1"]\n',
    ),
    Case(
        "yaml",
        POD
        + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - '--page-size'\n    - '64' # why\n    - --tp=2\n",
        POD
        + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - '--page-size'\n    - '64' # why\n    - '--page-new'\n    - '1'\n    - --tp=2\n",
    ),
    Case(
        "yaml",
        POD + "    args:\n      - python3\n      - -m\n      - sglang.launch_server\n      - --page-size=64",
        POD
        + "    args:\n      - python3\n      - -m\n      - sglang.launch_server\n      - --page-size=64\n      - --page-new=1",
    ),
    Case(
        "yaml",
        POD + "    command: [bash, -c]\n    args:\n    - >-\n      sglang serve\n      --page-size 64\n",
        POD
        + "    command: [bash, -c]\n    args:\n    - >-\n      sglang serve\n      --page-size 64\n      --page-new 1\n",
    ),
    Case("shell", "sglang serve\n", "sglang serve --page-new 1\n"),
]


@pytest.mark.parametrize("case", ADD, ids=ids(ADD))
def test_add(case: Case) -> None:
    fixes = intent.add_option(read(case.host, case.before), "--page-new", "1", "add it")
    assert made(case.before, fixes) == case.after
    assert fixes[0].applicability == case.how


def test_switch_is_added_without_a_value() -> None:
    text = "sglang serve --tp 2\n"
    assert made(text, intent.add_option(read("shell", text), "--x", None, "add it")) == "sglang serve --tp 2 --x\n"


def test_option_is_added_beside_its_kin_and_not_in_a_branch() -> None:
    text = (
        "A=(--speculative-num-steps 3)\n"
        'if [ -n "$X" ]; then A+=(--speculative-eagle-topk 1); fi\n'
        "sglang serve --tp 2 --page-size 64 ${A[@]} --dp 2\n"
    )
    fixes = intent.add_option(read("shell", text), "--speculative-num-draft-tokens", "4", "add it")
    assert made(text, fixes).startswith("A=(--speculative-num-steps 3 --speculative-num-draft-tokens 4)\n")


DICTS = [
    ("remove", 'cfg = {"model_path": "m", "page_size": 64}\n', 'cfg = {"model_path": "m"}\n'),
    ("remove", 'cfg = {\n    "page_size": 64,\n    "model_path": "m",\n}\n', 'cfg = {\n    "model_path": "m",\n}\n'),
    ("set", 'cfg = {"page_size": 64}\n', 'cfg = {"page_size": 1}\n'),
    ("rename", "cfg = {'page_size': 64}\n", "cfg = {'zz': 64}\n"),
    ("add", "cfg = {'page_size': 64}\n", "cfg = {'page_size': 64, 'page_zz': 1}\n"),
    ("replace", 'cfg = {"page_size": 64}\n', 'cfg = {"page_zz": 1}\n'),
    ("remove", "cfg = dict(page_size=64)\n", None),
    ("remove", 'cfg = {}\ncfg["page_size"] = 64\n', "cfg = {}\n"),
    ("add", 'cfg = {}\ncfg["page_size"] = 64  # why\n', 'cfg = {}\ncfg["page_size"] = 64  # why\ncfg["page_zz"] = 1\n'),
    ("replace", 'cfg = {}\ncfg["page_size"] = 64\n', 'cfg = {}\ncfg["page_zz"] = 1\n'),
    ("rename", 'cfg = {}\ncfg.setdefault("page_size", 64)\n', 'cfg = {}\ncfg.setdefault("zz", 64)\n'),
    ("set", 'cfg = {}\ncfg["page_size"] = 64\n', 'cfg = {}\ncfg["page_size"] = 1\n'),
    ("rename", 'cfg = {}\ncfg["page_size"] = 64\n', 'cfg = {}\ncfg["zz"] = 64\n'),
]


@pytest.mark.parametrize(("what", "before", "after"), DICTS)
def test_dict_of_keywords(what: str, before: str, after: str | None) -> None:
    frame = "import sglang\n{}sglang.Engine(**cfg)\n"
    options = read("python", frame.format(before))
    act: dict[str, Callable[[], tuple[Fix, ...]]] = {
        "set": lambda: intent.set_value(setting(options), "1", "x", True),
        "rename": lambda: intent.rename_option(setting(options), "--zz", "x"),
        "remove": lambda: intent.remove_option(setting(options), "x", True),
        "add": lambda: intent.add_option(options, "--page-zz", "1", "x"),
        "replace": lambda: intent.replace_option(setting(options), ["--page-zz", "1"], "x", True),
    }
    fixes = act[what]()
    if after is None:
        assert fixes == ()
    else:
        assert made(frame.format(before), fixes) == frame.format(after)


REPLACE = [
    Case("shell", "sglang serve --page-size 64 --tp 2\n", "sglang serve --a b --tp 2\n"),
    Case("shell", "sglang serve --page-size=64\n", "sglang serve --a=b\n"),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--page-size', '64'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--a', 'b'])\n",
    ),
    Case(
        "python",
        "import sglang\nsglang.Engine(model_path='m', page_size=64)\n",
        "import sglang\nsglang.Engine(model_path='m', a=\"b\")\n",
    ),
    Case(
        "yaml",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --page-size\n    - 64\n",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --a\n    - b\n",
    ),
]


@pytest.mark.parametrize("case", REPLACE, ids=ids(REPLACE))
def test_replace(case: Case) -> None:
    fixes = intent.replace_option(setting(read(case.host, case.before)), ["--a", "b"], "replace it", True)
    assert made(case.before, fixes) == case.after


SPLIT = [
    Case(
        "yaml",
        POD + "    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --tp 8\n",
        POD + '    args:\n    - python3\n    - -m\n    - sglang.launch_server\n    - --tp\n    - "8"\n',
    ),
    Case(
        "yaml",
        POD + '    args: [python3, -m, sglang.launch_server, "--tp 8"]\n',
        POD + '    args: [python3, -m, sglang.launch_server, "--tp", "8"]\n',
    ),
    Case(
        "python",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--tp 8'])\n",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--tp', '8'])\n",
    ),
    Case("shell", 'sglang serve "--tp 8"\n', "sglang serve --tp 8\n"),
]


@pytest.mark.parametrize("case", SPLIT, ids=ids(SPLIT))
def test_split_word(case: Case) -> None:
    word = read(case.host, case.before).launch.words[-1]
    fixes = intent.split_word(word, ["--tp", "8"], "split it", case.host)
    assert made(case.before, fixes) == case.after
    assert [w.text for w in read(case.host, case.after).launch.words[-2:]] == ["--tp", "8"]


def test_word_that_needs_quotes_gets_them() -> None:
    text = 'sglang serve --x {"a":1,"b":2} --tp 2\n'
    word = read("shell", text).launch.words[1]
    fixes = intent.split_word(word, ['{"a":1,"b":2}'], "quote it")
    assert made(text, fixes) == 'sglang serve --x \'{"a":1,"b":2}\' --tp 2\n'


def test_template_is_shown_only() -> None:
    options = read("shell", "sglang serve --page-size 64\n")
    options.launch.command.fixable = False
    fixes = intent.settle(intent.set_value(setting(options), "1", "set it", True), options.launch)
    assert [fix.applicability for fix in fixes] == ["display"]


def test_file_in_another_encoding_is_shown_only() -> None:
    file = SourceFile("a.sh", b"# \xe9\nsglang serve --page-size 64\n")
    (launch,) = (x for c in hosts.read(file, "shell") if (x := find(c)) is not None)
    options = Options.read(launch, catalog.release("0.5.23"))
    for act in ACTIONS:
        assert all(fix.applicability == "display" for fix in act(options))


ACTIONS: list[Callable[[Options], tuple[Fix, ...]]] = [
    lambda options: intent.set_value(setting(options), "1", "x", True),
    lambda options: intent.rename_option(setting(options), "--x", "x"),
    lambda options: intent.remove_option(setting(options), "x", True),
    lambda options: intent.add_option(options, "--x", "1", "x"),
]


def test_every_launch_of_the_fixtures_can_be_asked_for_one_more_option(repository: Path) -> None:
    from speclint.config import Configs
    from speclint.run import Linter

    every = Linter(Configs(isolated=True), ask=False).run([str(repository / "fixtures")]).analyses
    launches = [options for analysis in every for options in analysis.options]
    made = [intent.add_option(options, "--page-size", "1", "add it") for options in launches]
    assert sum(map(bool, made)) > len(launches) * 0.8
