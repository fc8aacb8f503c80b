"""Python modules: which launches are found, where, with which words."""

from __future__ import annotations

import contextlib
import json
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from speclint.hosts import python
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceError, SourceFile
from speclint.value import Known
from speclint.worlds import default_text

if TYPE_CHECKING:
    from speclint.launch import Launch

RUN = '"python", "-m", "sglang.launch_server"'
TEXT = "python -m sglang.launch_server"


def find(text: str) -> list[Launch]:
    file = SourceFile("serve.py", textwrap.dedent(text).encode())
    return launches(inner for outer in python.read(file) for inner in commands(outer))


def argv(launch: Launch) -> list[str | None]:
    return ["…" if w.many else default_text(w.value) for w in launch.words]


def only(text: str) -> list[str | None]:
    (launch,) = find(text)
    return argv(launch)


def keywords(text: str) -> dict[str | None, tuple[str | None, str | None]]:
    (launch,) = find(text)
    assert launch.command.keywords is not None
    return {k.name: (default_text(k.value), k.literal) for k in launch.command.keywords}


def guarded(text: str) -> list[tuple[str, str]]:
    """The words that stand in some way only, with when."""
    (launch,) = find(text)
    return [(w.text or "?", c.labels[arm]) for w in launch.words for c, arm in w.guard]


@pytest.mark.parametrize(
    "text",
    [
        f"import subprocess\nsubprocess.run([{RUN}, '--tp', '2'])",
        f"from subprocess import Popen\nPopen([{RUN}, '--tp', '2'])",
        f"import subprocess as sp\nsp.check_call(({RUN}, '--tp', '2'))",
        f"import subprocess\nsubprocess.Popen('{TEXT} --tp 2', shell=True)",
        f"import subprocess\nsubprocess.Popen(['{TEXT} --tp 2'], shell=True)",
        f"import subprocess, shlex\nsubprocess.call(shlex.split('{TEXT} --tp 2'))",
        f"import subprocess\nsubprocess.call(' '.join([{RUN}, '--tp', '2']), shell=True)",
        f"import os\nos.system('{TEXT} --tp 2')",
        f"import os\nos.execvp('python', [{RUN}, '--tp', '2'])",
        f"import os\nos.execlp('python', {RUN}, '--tp', '2')",
        f"import os\nos.spawnvp(os.P_NOWAIT, 'python', [{RUN}, '--tp', '2'])",
        f"import asyncio\nasync def f():\n    await asyncio.create_subprocess_exec({RUN}, '--tp', '2')",
        f"import asyncio\nasync def f():\n    await asyncio.create_subprocess_shell('{TEXT} --tp 2')",
        "import subprocess, sys\nsubprocess.run([sys.executable, '-m', 'sglang.launch_server', '--tp', '2'])",
        f"import subprocess\nsubprocess.run(['bash', '-c', '{TEXT} --tp 2'])",
        "import subprocess\nsubprocess.run(['sglang', 'serve', '--tp', '2'])",
        f"def build():\n    return [{RUN}, '--tp', '2']\nimport subprocess\nsubprocess.run(build())",
        f"cmd = [{RUN}, '--tp', '2']\nstart(cmd)",
        f"start(command='{TEXT} --tp 2')",
        f"def f(cmd):\n    import subprocess\n    subprocess.run(cmd)\nf([{RUN}, '--tp', '2'])",
        f"class A:\n    def __init__(self):\n        self.cmd = [{RUN}]\n"
        "    def go(self):\n        import subprocess\n        subprocess.run(self.cmd + ['--tp', '2'])",
        f"class A:\n    @property\n    def cmd(self):\n        return [{RUN}, '--tp', '2']\n"
        "    def go(self):\n        import subprocess\n        subprocess.run(self.cmd)",
    ],
)
def test_a_launch_is_found_once(text: str) -> None:
    assert only(text) == ["--tp", "2"]


PREPARED = "from sglang.srt.server_args import prepare_server_args\nfrom sglang.launch_server import run_server\n"


def test_arguments_that_something_else_gives_to_python() -> None:
    """A list that begins with ``-m`` is a launch: a container's entry point, or what starts it, is the program."""
    assert only("""
        def options():
            return {"entrypoint": "python3", "args": ["-m", "sglang.launch_server", "--model-path", "m", "--tp", "2"]}
    """) == ["--model-path", "m", "--tp", "2"]
    # Handed to a program that is written, it is one launch.
    assert only("""
        import subprocess, sys
        args = ["-m", "sglang.launch_server", "--model-path", "m"]
        subprocess.run([sys.executable, *args, "--tp", "2"])
    """) == ["--model-path", "m", "--tp", "2"]
    assert (
        find(
            'assert words[1:3] == ["-m", "sglang.launch_server"]\nFLAGS = ["-m", "sglang.bench_serving", "--port", "1"]\n'
        )
        == []
    )


@pytest.mark.parametrize(
    "text",
    [
        "run_server(prepare_server_args(['--tp', '2']))",
        "args = ['--tp']\nargs.append('2')\nargs = prepare_server_args(args)\nrun_server(args)",
        "import sys\nsys.argv = ['x', '--tp', '2']\nrun_server(prepare_server_args(sys.argv[1:]))",
        "import sys\ndef f():\n    sys.argv += ['--tp', '2']\nsys.argv = ['x']\nf()\n"
        "run_server(prepare_server_args(sys.argv[1:]))",
        "import runpy, sys\nsys.argv = ['x', '--tp', '2']\nrunpy.run_module('sglang.launch_server', run_name='__main__')",
        "import sys\nfrom runpy import run_module\nargs = ['x', '--tp', '2']\nsys.argv = args\n"
        "run_module('sglang.launch_server', run_name='__main__', alter_sys=True)",
    ],
)
def test_a_module_that_becomes_the_server(text: str) -> None:
    (launch,) = find(PREPARED + text)
    assert (launch.entrypoint, argv(launch)) == ("sglang.launch_server", ["--tp", "2"])
    assert launch.head.text in ("prepare_server_args", "runpy.run_module", "run_module")


def test_what_a_module_that_becomes_the_server_is_given_is_open() -> None:
    given = "run_server(prepare_server_args(sys.argv[1:]))"
    assert only(f"{PREPARED}import sys\nsys.argv = ['x', '--tp', '2', *sys.argv[1:]]\n{given}") == ["--tp", "2", "…"]
    assert find(f"{PREPARED}import sys\n{given}") == []
    assert find(f"{PREPARED}import sys\nsys.argv = ['x', *sys.argv[1:]]\n{given}") == []
    assert find("import runpy\nrunpy.run_module('sglang.launch_server', run_name='__main__')") == []


def test_options_that_are_only_read_start_nothing() -> None:
    imported = "from sglang.srt.server_args import prepare_server_args\n"
    assert find(f"{imported}def test():\n    assert prepare_server_args(['--tp', '2']).tp_size == 2") == []
    started = "import subprocess\nsubprocess.run(['sglang', 'serve', '--dp', '4'])\n"
    assert only(f"{imported}{started}prepare_server_args(['--tp', '2'])") == ["--dp", "4"]
    pictures = "from sglang.multimodal_gen.runtime.server_args import prepare_server_args\n"
    assert find(f"{pictures}launch_server(prepare_server_args(['--tp', '2']))") == []


def test_a_part_of_a_list_that_goes_on_is_known_from_its_start() -> None:
    text = f"import subprocess, sys\ncmd = ['env', {RUN}, '--tp', '2', *sys.argv[1:]]\nsubprocess.run(cmd[1:])"
    assert only(text) == ["--tp", "2", "…"]


@pytest.mark.parametrize(
    "text", [f"CMD = '{TEXT} --tp 2'", f"CMD = [{RUN}, '--tp', '2']", f"f([{{'cmd': '{TEXT} --tp 2'}}])"]
)
def test_what_is_only_kept_and_names_no_model_is_open(text: str) -> None:
    """It would not start as it is: what runs it adds the model, and perhaps more."""
    assert only(text) == ["--tp", "2", "…"]
    assert "…" not in only(text.replace("--tp", "--model"))


@pytest.mark.parametrize(
    "text",
    [
        f'"""Usage: {TEXT} --tp 2"""',
        f'def f():\n    """Starts ``{TEXT}`` in another process."""',
        f"print('{TEXT} --tp 2')",
        f"logger.info('{TEXT} --tp 2')",
        f"raise ValueError('{TEXT} --tp 2')",
        f"USAGE = '{TEXT} --tp 2'",
        f"parser.add_argument('--x', help='{TEXT} --tp 2')",
        f"import subprocess\nsubprocess.run(['pkill', '-f', '{TEXT}'])",
        f"text = 'Start it with {TEXT} --tp 2'",
        f"# {TEXT} --tp 2",
        f"assert cmd == [{RUN}, '--tp', '2']",
        f"self.assertEqual(cmd, [{RUN}, '--tp', '2'])",
        "from sglang.multimodal_gen import ServerArgs\nServerArgs(tp_size=2)",
        "from sgl_jax import Engine\nEngine(tp_size=2)",
        "x = 1",
    ],
)
def test_a_mention_is_no_launch(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("TP = 8\ncmd += ['--tp', str(TP)]", ["--tp", "8"]),
        ("cmd.append('--a')\ncmd.extend(['--b', '1'])\ncmd.insert(5, '--c')", ["--a", "--b", "--c", "1"]),
        ("cmd = cmd + ['--a'] + list(('--b',))", ["--a", "--b"]),
        ("more = ['--a', '1']\ncmd = [*cmd, *more]", ["--a", "1"]),
        ("for k, v in {'a': 1, 'b': 2}.items():\n    cmd += [f'--{k}', str(v)]", ["--a", "1", "--b", "2"]),
        ("for x in ['--a', '--b']:\n    if x == '--a':\n        continue\n    cmd.append(x)", ["--b"]),
        ("cmd += [f'--{k}={v}' for k, v in dict(a=1, b=2).items()]", ["--a=1", "--b=2"]),
        ("cmd += ['--tp', '%d' % 8, '--x', '{}-{n}'.format('a', n=2)]", ["--tp", "8", "--x", "a-2"]),
        ("cmd += ['--tp', str(2 * 4), '--f', f'{0.5:.2f}']", ["--tp", "8", "--f", "0.50"]),
        ("cfg = {'tp': 8}\ncmd += ['--tp', str(cfg['tp'])]", ["--tp", "8"]),
        ("import os\ncmd += ['--tp', os.environ.get('TP', '8')]", ["--tp", "8"]),
        ("import os\ncmd += ['--tp', os.getenv('TP') or '8']", ["--tp", "8"]),
        ("tp = None\ncmd += ['--tp', str(tp or 4)]", ["--tp", "4"]),
        ("cmd += '--a 1'.split()", ["--a", "1"]),
        ("cmd += extra", ["…"]),
        ("while wait():\n    cmd.append('--x')", ["…"]),
        ("add(cmd)", ["…"]),
        ("if True:\n    cmd.append('--a')\nelse:\n    cmd.append('--b')", ["--a"]),
        ("try:\n    tp = 4\nexcept ValueError:\n    raise\ncmd += ['--tp', str(tp)]", ["--tp", "4"]),
        ("with open('x') as f:\n    cmd.append('--a')", ["--a"]),
        ("cmd = list(map(str, cmd + [1]))", ["1"]),
    ],
)
def test_how_a_list_is_built(body: str, wanted: list[str]) -> None:
    assert only(f"import subprocess\ncmd = [{RUN}]\n{body}\nsubprocess.run(cmd)\n") == wanted


def test_both_branches_are_alternatives() -> None:
    text = (
        f"import os\ncmd = '{TEXT} --tp 2'\nif fast():\n    cmd += ' --a'\nelse:\n    cmd += ' --b 1'\nos.system(cmd)\n"
    )
    holds, fails = "`fast()` holds", "`fast()` does not hold"
    assert guarded(text) == [("--a", holds), ("--b", fails), ("1", fails)]
    lists = f"cmd = [{RUN}]\ncmd.append('--a' if fast() else '--b')\nstart(cmd)\n"
    (word,) = find(lists)[0].words
    assert [c.labels for c in word.choices()] == [(holds, fails)]


def test_the_same_condition_is_one_choice() -> None:
    text = f"""
    def f(mtp):
        cmd = [{RUN}]
        if mtp:
            cmd.append("--a")
        cmd.append("--b")
        if mtp:
            cmd.append("--c")
        return cmd
    """
    (launch,) = find(text)
    choices = {c for w in launch.words for c, _ in w.guard}
    assert len(choices) == 1
    assert [w.text for w in launch.words if w.guard] == ["--a", "--c"]


def test_a_branch_that_ends_leaves_no_alternative() -> None:
    text = f"""
    import subprocess
    def f(x):
        cmd = [{RUN}]
        if x < 0:
            cmd.append("--never")
            raise ValueError
        if x == 0:
            cmd.append("--first")
            subprocess.run(cmd)
            return
        cmd.append("--last")
        subprocess.run(cmd)
    """
    assert [argv(launch) for launch in find(text)] == [["--first"], ["--last"]]


def test_argparse_defaults_are_defaults() -> None:
    text = f"""
    import argparse, subprocess
    def launch(args):
        cmd = [{RUN}, "--tp", str(args.tp_size), "--model-path", args.model]
        if args.spec:
            cmd.append("--spec")
        if args.draft is not None:
            cmd += ["--draft", args.draft]
        subprocess.run(cmd)
    def main():
        parser = argparse.ArgumentParser()
        group = parser.add_argument_group("x")
        group.add_argument("--tp-size", type=int, default=8)
        parser.add_argument("--spec", action="store_true")
        parser.add_argument("--draft")
        parser.add_argument("model")
        launch(parser.parse_args())
    main()
    """
    (launch,) = find(text)
    assert argv(launch)[:4] == ["--tp", "8", "--model-path", None]
    kinds = [(w.text, c.kind, c.labels[arm]) for w in launch.words for c, arm in w.guard]
    assert kinds[0] == ("--spec", "default", "`--spec` is given")
    assert kinds[1] == ("--draft", "default", "`--draft` is given")


def test_parameters_take_their_defaults_or_the_arguments_of_all_calls() -> None:
    body = f"    import subprocess\n    subprocess.run([{RUN}, '--tp', str(tp)])\n"
    (alone,) = find(f"def f(tp=8):\n{body}")
    assert default_text(alone.words[1].value) == "8"
    assert [c.kind for c in alone.words[1].choices()] == ["default"]
    assert only(f"def f(tp=8):\n{body}f(4)\n") == ["--tp", "4"]
    (twice,) = find(f"def f(tp=8):\n{body}f(4)\nf(tp=2)\n")
    assert [c.labels for c in twice.words[1].choices()] == [("`f(4)` calls `f`", "`f(tp=2)` calls `f`")]


def test_a_loop_over_values_is_a_choice() -> None:
    text = f"import subprocess\nfor tp in (1, 2):\n    subprocess.run([{RUN}, '--tp', str(tp)])\n"
    (launch,) = find(text)
    (choice,) = launch.words[1].choices()
    assert (choice.kind, choice.labels) == ("loop", ("`tp` is `1`", "`tp` is `2`"))


def test_engine_keywords() -> None:
    text = """
    import sglang as sgl
    common = dict(tp_size=2)
    common["mem_fraction_static"] = 0.8
    common.update({"log_level": "info"}, dtype=None)
    more = {"tp_size": 4, **common, "disable_radix_cache": True}
    llm = sgl.Engine(model_path="m", chunked_prefill_size=-1, lora_paths=["a"], x=f(), **more)
    """
    assert keywords(text) == {
        "model_path": ("m", "str"),
        "chunked_prefill_size": ("-1", "int"),
        "lora_paths": (None, "list"),
        "x": (None, None),
        "tp_size": ("2", "int"),
        "mem_fraction_static": ("0.8", "float"),
        "log_level": ("info", "str"),
        "dtype": ("None", "none"),
        "disable_radix_cache": ("True", "bool"),
    }


def test_engine_classes_and_what_is_open() -> None:
    assert keywords("from sglang import Engine as E\nE(**kw)\n") == {None: (None, None)}
    (launch,) = find("from sglang.srt.server_args import ServerArgs\nServerArgs('m', tp_size=2)\n")
    assert launch.entrypoint == "sglang.ServerArgs"
    assert [k.name for k in launch.command.keywords or ()] == ["model_path", "tp_size"]
    both = "from sglang import Engine, ServerArgs\nargs = ServerArgs(tp_size=2)\nEngine(server_args=args)\n"
    assert [launch.entrypoint for launch in find(both)] == ["sglang.ServerArgs"]


def test_keyword_places() -> None:
    file = SourceFile("x.py", b"import sglang\nd = {'tp_size': 2}\nsglang.Engine(model_path='m', **d)\n")
    (command,) = python.read(file)
    assert command.keywords is not None
    assert [(k.name_span.text, k.span.text) for k in command.keywords] == [("model_path", "'m'"), ("tp_size", "2")]


def test_the_server_of_the_tests() -> None:
    text = """
    from sglang.test.test_utils import popen_launch_server
    class TestIt:
        @classmethod
        def setUpClass(cls):
            cls.model = "m"
            cls.extra = ["--tp", "2"]
            cls.process = popen_launch_server(cls.model, URL, timeout=9, other_args=cls.extra, env={"A": "1"})
    """
    (launch,) = find(text)
    assert argv(launch) == ["--model-path", "m", "--tp", "2"]
    assert default_text(launch.command.env["A"]) == "1"
    assert only("popen_launch_server('m', u, 9, None, ['--tp', '2'])") == ["--model-path", "m", "--tp", "2"]
    assert only("popen_launch_server('m', u, 9, other_args=f())") == ["--model-path", "m", "…"]


def test_a_port_of_sglang_has_options_of_its_own() -> None:
    text = """
    from PORT.test.test_utils import popen_launch_server
    popen_launch_server("m", u, 9, other_args=[
        "--attention-backend", "fa", "--mem-fraction-static", "0.6", "--max-prefill-tokens", "8192", "--tp-size", "1",
    ])
    """
    assert find(text.replace("PORT", "sglang"))
    assert not find(text.replace("PORT", "sgl_jax"))


def test_class_attributes_of_derived_classes() -> None:
    text = """
    class Base:
        args = ["--a"]
        @classmethod
        def setUpClass(cls):
            popen_launch_server("m", u, 9, other_args=cls.args)
    class TestOne(Base):
        args = ["--b"]
    """
    assert guarded(text) == [("--a", "the class is `Base`"), ("--b", "the class is `TestOne`")]
    mixin = "class Mixin:\n    args = None\n    def f(self):\n        popen_launch_server('m', u, 9, other_args=self.args)\n"
    assert only(mixin) == ["--model-path", "m", "…"]


@pytest.mark.parametrize(
    "text",
    [
        "os.environ['A'] = '1'\nsubprocess.run(cmd)",
        "env = os.environ.copy()\nenv['A'] = '1'\nsubprocess.run(cmd, env=env)",
        "subprocess.run(cmd, env={**os.environ, 'A': '1'})",
        "subprocess.run(cmd, env=dict(os.environ, A='1'))",
        "env = {}\nenv.update({'A': '1'})\nsubprocess.run(cmd, env=env)",
        "os.environ.setdefault('A', '1')\nsubprocess.run(cmd)",
        "from sglang.srt.environ import envs\nwith envs.A.override(1):\n    subprocess.run(cmd)",
        "from unittest import mock\nwith mock.patch.dict(os.environ, {'A': '1'}):\n    subprocess.run(cmd)",
    ],
)
def test_the_environment(text: str) -> None:
    (launch,) = find(f"import os, subprocess\ncmd = [{RUN}, '--tp', '2']\n{text}\n")
    assert default_text(launch.command.env["A"]) == "1"


def test_where_words_stand_and_how_they_came_to_be() -> None:
    text = f"TP = 8\nimport subprocess\nsubprocess.run([{RUN}, '--tp', str(TP)])\n"
    file = SourceFile("x.py", text.encode())
    (launch,) = launches(python.read(file))
    word = launch.words[1]
    assert word.span is not None
    assert word.span.text == "str(TP)"
    assert isinstance(word.value, Known)
    written = word.value.text.exact()
    assert written is not None
    assert (written.start, written.text) == (5, "8")
    (step,) = word.value.steps
    assert step.note == "set by `TP = 8`"
    assert step.definition is not None
    assert (step.definition.name, step.definition.uses, step.definition.shared) == ("TP", 1, False)


def test_a_list_that_is_read_more_than_once_says_so() -> None:
    text = f"import subprocess\nBASE = ['--tp', '2']\nsubprocess.run([{RUN}, *BASE])\nprint(BASE)\n"
    (launch,) = find(text)
    value = launch.words[1].value
    assert isinstance(value, Known)
    assert [(s.definition.name, s.definition.uses) for s in value.steps if s.definition] == [("BASE", 2)]


def test_places_in_wide_text() -> None:
    text = f"s = '漢字é'; import os; os.system(f'{TEXT} --tp {{8}}')\n"
    (launch,) = launches(inner for outer in python.read(SourceFile("x.py", text.encode())) for inner in commands(outer))
    assert [w.span.text for w in launch.words if w.span] == ["--tp", "8"]


def test_a_builder_that_others_call_is_open() -> None:
    assert only(f"def build():\n    return [{RUN}, '--tp', '2']\n") == ["--tp", "2", "…"]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("def f(:\n  serve('sglang serve')\n", 1),
        ("x = 1\n  popen_launch_server()\n", 2),
        ("'launch_server'\n" + "(" * 400, None),
    ],
)
def test_a_module_that_cannot_be_parsed(text: str, row: int | None) -> None:
    with pytest.raises(SourceError) as caught:
        python.read(SourceFile("x.py", text.encode()))
    assert row is None or caught.value.row == row


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "a." * 3000 + "b",
        "x = " + "[" * 80 + "]" * 80,
        "x = " + " + ".join(["'a'"] * 3000),
        "\n".join(f"if a{i}: x{i} = {i}" for i in range(300)),
        "def f(n):\n    if n: return f(n - 1)\n    return g(n)\ndef g(n): return f(n)\nf(3)",
        "class A(A): pass\nclass B(B):\n    def f(self): return self.x.y",
        "\n".join("    " * i + "for x in range(3):" for i in range(15)) + "\n" + "    " * 15 + "cmd.append(x)",
        "x = [1]\nx.append(x)\nprint(x)\nsubprocess.run(x)",
        "d = {}\nd['d'] = d\nfor k in d: pass\nd.update(d)",
        "x = 10 ** 10 ** 10\ny = 'a' * 10 ** 9\nz = 1 << 10 ** 9",
    ],
)
def test_odd_modules_end_without_a_traceback(text: str) -> None:
    file = SourceFile("x.py", f"import subprocess\n# launch_server\n{text}\n".encode())
    with contextlib.suppress(SourceError):
        assert python.read(file) == []


def test_bytes_that_are_no_utf8_make_a_command_unfixable() -> None:
    raw = f"import os\nx = 'é'\nos.system('{TEXT} --tp 2')\n".encode("latin-1")
    (command,) = python.read(SourceFile("x.py", raw))
    assert not command.fixable


FIXTURES = sorted((Path(__file__).parents[2] / "fixtures" / "python").glob("*.py"))


@pytest.mark.parametrize("path", FIXTURES, ids=lambda p: p.stem)
def test_fixtures(path: Path) -> None:
    file = SourceFile(path.name, path.read_bytes())
    found = launches(inner for outer in python.read(file) for inner in commands(outer))
    said = [
        {
            "row": file.location(launch.span.start)[0],
            "entrypoint": launch.entrypoint,
            "argv": argv(launch)
            if launch.command.keywords is None
            else {str(k.name): default_text(k.value) for k in launch.command.keywords},
        }
        for launch in found
    ]
    assert said == json.loads(path.with_suffix(".json").read_text())


@pytest.mark.parametrize("call", ["self.CMD.format(tp=2)", "self.CMD.replace('{tp}', '2')", "L.CMD.format(tp=2)"])
def test_text_of_a_class_is_filled_in(call: str) -> None:
    """A derived class may have another, of which nothing is known."""
    text = (
        f"import subprocess\nclass L:\n    CMD = '{TEXT} --tp {{tp}}'\n"
        f"    def go(self):\n        subprocess.run({call}, shell=True)\n"
    )
    assert only(text) == ["--tp", "2"]
