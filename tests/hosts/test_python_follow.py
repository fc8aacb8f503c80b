"""Python modules: values followed through calls that hand functions on, through choices, and through data."""

from __future__ import annotations

import shlex
import textwrap
from typing import TYPE_CHECKING

import pytest

from speclint.hosts import python
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import choices, default_text, resolve, worlds

if TYPE_CHECKING:
    from speclint.launch import Launch

RUN = '"python", "-m", "sglang.launch_server"'
TEXT = "python -m sglang.launch_server"


def find(text: str) -> list[Launch]:
    file = SourceFile("serve.py", textwrap.dedent(text).encode())
    return launches(inner for outer in python.read(file) for inner in commands(outer))


def only(text: str) -> list[str | None]:
    (launch,) = find(text)
    return ["…" if w.many else default_text(w.value) for w in launch.words]


def ways(text: str) -> set[str]:
    """The command lines of every world; what is not known is "?"."""
    (launch,) = find(text)
    points = [c for w in launch.words for c in w.choices()]
    found = set()
    for world in worlds(points) or ():
        there = [w for w in launch.words if w.holds(world)]
        got = [resolve(w.value, world) for w in there]
        found.add(" ".join(g.text.text if hasattr(g, "text") else "?" for g in got))
    return found


SERVE = (
    f"import subprocess\ndef serve(tp, port=1):\n    subprocess.run([{RUN}, '--tp', str(tp), '--port', str(port)])\n"
)


@pytest.mark.parametrize(
    "call",
    [
        "import threading\nthreading.Thread(target=serve, args=(8, 2)).start()",
        "from multiprocessing import Process\nProcess(target=serve, args=(8,), kwargs={'port': 2})",
        "import threading\nthreading.Timer(3, serve, (8, 2)).start()",
        "pool.submit(serve, 8, port=2)",
        "loop.run_in_executor(None, serve, 8, 2)",
        "import functools\nfunctools.partial(serve, port=2)(8)",
        "from functools import partial\nstart = partial(serve, 8)\nstart(port=2)",
        "run = lambda tp: serve(tp, 2)\nrun(8)",
        "import ray\nray.remote(serve).remote(8, 2)",
        "serve.options(num_gpus=1).remote(8, port=2)",
    ],
)
def test_a_function_that_is_handed_on_is_called_with_what_it_will_get(call: str) -> None:
    assert only(SERVE + call) == ["--tp", "8", "--port", "2"]


def test_an_engine_in_a_wrapper_is_found() -> None:
    (launch,) = find("import ray, sglang\nE = ray.remote(num_gpus=1)(sglang.Engine)\nE.remote(model_path='m')")
    assert launch.entrypoint == "sglang.Engine"
    assert [k.name for k in launch.command.keywords or ()] == ["model_path"]


HEAD = f"import os, subprocess\ncmd = [{RUN}]\n"
END = "\nsubprocess.run(cmd)"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # One condition is asked of one value: there is no world in which it is both.
        (
            "for x in ('a', 'b', 'c'):\n    run = [*cmd, '--n', x]\n    if x == 'a':\n        run += ['--one', x]\n"
            "    elif x == 'b':\n        run += ['--two', x]\n    subprocess.run(run)",
            {"--n a --one a", "--n b --two b", "--n c"},
        ),
        ("x = 'p' if flag else 'q'\nif x == 'p':\n    cmd += [x, x + '1']\nelse:\n    cmd.append(x)", {"p p1", "q"}),
        ("if flag:\n    cmd.append('--a' if flag else '--b')", {"--a", ""}),
        ("if flag:\n    raise SystemExit\ncmd.append('--a' if flag else '--b')", {"--b"}),
        # A default of None is left where something is asked of it.
        ("x = os.environ.get('X')\nif x:\n    cmd += ['--x', x]", {"", "--x ?"}),
        ("x = os.environ.get('X')\nif x is None:\n    x = '1'\ncmd += ['--x', x]", {"--x 1", "--x ?"}),
        ("x = os.environ.get('X', '8') or '4'\ncmd += ['--x', x]", {"--x 8", "--x ?"}),
        ("d = {'a': 1}\nif flag:\n    d['b'] = 2\nfor k, v in d.items():\n    cmd += [f'--{k}', str(v)]", {"--a 1", "--a 1 --b 2"}),
        ("d = {'a': 1}\nif flag:\n    d['a'] = 2\ncmd += [f'--{k}={v}' for k, v in d.items()]", {"--a=1", "--a=2"}),
        ("cmd += [x for x in ('--a', '--b') if x != skipped]", {"", "--a", "--b", "--a --b"}),
        ("for i in range(int(os.environ.get('N', 2))):\n    cmd.append(f'--{i}')", {"--0 --1", "?"}),
    ],
)  # fmt: skip
def test_choices_that_hang_together_are_kept_together(body: str, wanted: set[str]) -> None:
    assert ways(HEAD + body + ("" if "subprocess" in body else END)) == wanted


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"def main():\n    '''Serve.\n\n    Run::\n\n        {TEXT} \\\\\n            --tp 2\n    '''", ["--tp", "2"]),
        (f'"""Serve.\n\n$ {TEXT} --tp 2\n"""', ["--tp", "2"]),
        (f'r"""\n```bash\n{TEXT} --tp 2 \\\n  --dp 3\n```\n"""', ["--tp", "2", "--dp", "3"]),
    ],
)
def test_documentation_shows_launches(text: str, wanted: list[str]) -> None:
    assert only(text) == wanted


def test_what_documentation_shows_has_its_place() -> None:
    (launch,) = find(f'"""Serve.\n\n    {TEXT} --tp 2\n"""\n')
    assert launch.words[1].span is not None
    assert launch.file.location(launch.words[1].span.start) == (3, len(f"    {TEXT} --tp ") + 1)


def test_configurations_have_attributes() -> None:
    text = "import sglang\nfrom types import SimpleNamespace\nc = SimpleNamespace(e={'tp': 8})\nc.m = 'm'\n"
    (launch,) = find(text + "sglang.Engine(model_path=c.m, tp_size=c.e['tp'])")
    values = {k.name: default_text(k.value) for k in launch.command.keywords or ()}
    assert values == {"model_path": "m", "tp_size": "8"}
    assert not any(choices(k.value) for k in launch.command.keywords or ())


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        # Where `A or B` does not hold, B does not either.
        (
            "b = other and not a\nif a or b:\n    cmd.append('--ab')\nelse:\n    cmd.append('--no')\n"
            "if b:\n    cmd.append('--b')",
            {"--ab", "--ab --b", "--no"},
        ),
        (
            "for name, flag in {'A': '--a', 'B': '--b'}.items():\n    value = os.getenv(name)\n"
            "    if value is not None and value != '':\n        cmd.extend([flag, value])",
            {"", "--a ?", "--b ?", "--a ? --b ?"},
        ),
        ("if not flag:\n    cmd.append('--off')\nif flag:\n    cmd.append('--on')", {"--off", "--on"}),
        ("if x is not None:\n    cmd.append('--x')\nif x is None:\n    cmd.append('--none')", {"--x", "--none"}),
        ("if x == 'a' and y:\n    cmd.append('--both')\nif x != 'a':\n    cmd.append('--x')", {"--both", "", "--x"}),
        ("if a and b:\n    raise SystemExit\nif a:\n    cmd.append('--a')", {"--a", ""}),
        ("cmd += ['--p', '1' if a and b else '2']\nif a and b:\n    cmd.append('--ab')", {"--p 1 --ab", "--p 2"}),
    ],
)
def test_conditions_are_taken_apart(body: str, wanted: set[str]) -> None:
    assert ways(HEAD + body + END) == wanted


@pytest.mark.parametrize(
    ("calls", "wanted"),
    [
        ("start(many, addr)", {"--addr h:1", ""}),
        ("start(many, addr)\n    start(several=many, addr=addr)", {"--addr h:1", ""}),
        ("start(False, None)\n    start(many, addr)", {"--addr h:1", ""}),
    ],
)
def test_what_a_caller_has_asked_is_so_where_it_calls(calls: str, wanted: set[str]) -> None:
    text = f"""
def start(several, addr):
    cmd = [{RUN}]
    if several:
        cmd += ["--addr", addr]
    subprocess.run(cmd)
def main():
    many, addr = len(os.environ["PEERS"]) > 1, None
    if many:
        addr = "h:1"
    {calls}
"""
    assert ways("import os, subprocess" + text) == wanted


MATCHED = """
def go(kind, n=8):
    match kind:
        case "x" | "y":
            cmd.extend(["--kind", "xy"])
        case None:
            return
        case True if n > 4:
            cmd.append("--many")
        case False:
            cmd.append("--none")
        case str() as name:
            cmd.extend(["--name", name])
        case [first, *_]:
            cmd.extend(["--first", first])
        case _:
            cmd.append("--other")
"""


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("go('y')", {"--kind xy"}),
        ("go(None)", {""}),
        ("go(True)", {"--many", "--other"}),
        ("go(False)", {"--none"}),
        ("go(1)", {"--other"}),
        ("name = 'n'\ngo('z')", {"--name z"}),
        ("go('y' if a else False)", {"--kind xy", "--none"}),
        ("go('y' if a else 'z')\nif a:\n    cmd.append('--a')", {"--kind xy --a", "--name z"}),
        ("for kind in ('x', False, 'z'):\n    go(kind)", {"--kind xy --none --name z"}),
        ("first = 'n'\ngo(read())", {"--kind xy", "--many", "--none", "--name ?", "--first ?", "--other"}),
    ],
)
def test_a_value_goes_to_the_arm_that_matches_it(body: str, wanted: set[str]) -> None:
    assert ways(HEAD + MATCHED + body + END) == wanted


@pytest.mark.parametrize(
    ("raising", "labels"),
    [
        ("case _:\n        raise ValueError", ["`kind` is `'a'`", "`kind` is `'b'`"]),
        ("case 'c':\n        raise ValueError", ["`kind` is `'a'`", "`kind` is `'b'`", "`kind` is something else"]),
    ],
)
def test_a_case_that_raises_is_no_way_to_go(raising: str, labels: list[str]) -> None:
    body = "\nmatch kind:\n    case 'a':\n        cmd.append('--a')\n    case 'b':\n        cmd.append('--b')\n    "
    (launch,) = find(HEAD + body + raising + END)
    assert {label for word in launch.words for choice in word.choices() for label in choice.labels} == set(labels)
    one = "\nmatch kind:\n    case 'a':\n        cmd.append('--a')\n    "
    assert ways(HEAD + one + "case _:\n        raise ValueError" + END) == {"--a"}


def test_a_condition_reads_as_it_decides() -> None:
    (launch,) = find(HEAD + "if x is not None:\n    cmd.append('--x')" + END)
    ((choice, arm),) = launch.words[0].guard
    assert choice.labels[arm] == "`x is None` does not hold"


CASES = (
    "import pytest\n@pytest.mark.parametrize({}, {})\ndef test(tp, dp=1):\n    subprocess.run([*cmd, str(tp), str(dp)])"
)


@pytest.mark.parametrize(
    ("names", "cases", "wanted"),
    [
        ("'tp'", "[2, 4]", {"2 1", "4 1"}),
        ("'tp, dp'", "[(2, 3), (4, 5)]", {"2 3", "4 5"}),
        ("['tp', 'dp']", "[pytest.param(2, 3, id='a'), (4, 5)]", {"2 3", "4 5"}),
        ("'tp'", "cases()", {"? 1"}),
    ],
)
def test_a_test_is_run_with_each_of_its_cases(names: str, cases: str, wanted: set[str]) -> None:
    assert {way.replace("? ?", "? 1") for way in ways(HEAD + CASES.format(names, cases))} >= wanted


def test_options_of_a_command_line_have_defaults() -> None:
    text = (
        "import click\n@click.command()\n@click.option('--tp', default=8)\n@click.option('--dp')\ndef main(tp, dp):\n"
    )
    assert ways(HEAD + text + "    subprocess.run([*cmd, str(tp)])\nmain()") == {"8", "?"}


def test_an_empty_list_of_a_base_class_is_for_others_to_fill() -> None:
    text = "class Base(unittest.TestCase):\n    more = []\n    def setUp(self):\n        if not self.more:\n            raise E\n"
    assert only(HEAD + text + "        subprocess.run([*cmd, '--tp', '2', *self.more])") == ["--tp", "2", "…"]


@pytest.mark.parametrize("base", ["(Base)", "(launchers.Base)"])
def test_a_constructor_that_calls_its_base_has_the_defaults_of_its_own(base: str) -> None:
    text = f"class Launcher{base}:\n    def __init__(self, tp: int = 8, **more):\n        super().__init__(**more)\n"
    text += f"        self.tp = tp\n    def go(self):\n        subprocess.run([{RUN}, '--tp', str(self.tp)])\n"
    assert only("import subprocess\n" + text) == ["--tp", "8"]
    # What a class that derives from it here hands over is no default.
    other = "class Other(Launcher):\n    def __init__(self):\n        super().__init__(tp=4)\n"
    assert "--tp 4" in ways("import subprocess\n" + text + other) <= {"--tp 4", "--tp ?"}


@pytest.mark.parametrize(
    "text",
    [
        f'p.add_argument("--tp", type=int)\na = p.parse_args()\nrun(f"{TEXT} --tp {{a.tp}}", shell=True)',
        f'p.add_argument("--tp", default=None)\na = p.parse_args()\nrun([{RUN}, "--tp", str(a.tp)])',
        f'def serve(tp=None):\n    run([{RUN}, "--tp", f"{{tp}}"])',
        f'def serve(tp=None):\n    run("{TEXT} --tp {{}}".format(tp), shell=True)',
        f'run([{RUN}, "--tp", str(os.environ.get("TP"))])',
        f'run([{RUN}, "--tp", os.environ.get("TP")])',
    ],
)
def test_a_default_of_none_is_no_text(text: str) -> None:
    head = "import argparse, os\nfrom subprocess import run\np = argparse.ArgumentParser()\n"
    assert only(head + text) in (["--tp", None], ["--tp", "…"])


def test_an_engine_that_may_not_be_installed_is_found_however_deep_its_call() -> None:
    text = (
        "if installed('sglang'):\n    from sglang import Engine\nelse:\n    Engine = None\nclass Model(Base):\n"
        "    def __init__(self, config):\n        self.model = self.make(config)\n    def make(self, config):\n"
        "        args = {'model_path': 'm', 'tp_size': 2}\n        return Engine(**args)\n"
    )
    (launch,) = find(text)
    assert {k.name: default_text(k.value) for k in launch.command.keywords or ()} == {"model_path": "m", "tp_size": "2"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("def f(config): run([{}, '--tp', str(config.get('tp', 4))])", "4"),
        ("def f(**more): run([{}, '--tp', str(more.get('tp', default=4))])", "4"),
        ("def f(config): run([{}, '--tp', config['a'].get('tp', '4')])", "4"),
        ("def f(config): run([{}, '--tp', str(config.get('tp'))])", None),
        ("def f(config): run([{}, '--tp', str(config.get('tp', None))])", None),
        ("def f(config): run([{}, '--tp', str(config.get(key, 4))])", None),
        ("def f(**more):\n    more['tp'] = g()\n    run([{}, '--tp', str(more.get('tp', 4))])", None),
        # A section and a key, not a key and a default.
        ("import configparser\ndef f(config): run([{}, '--tp', config.get('server', 'tp')])", None),
        ("def f(session): run([{}, '--tp', session.get('/tp', '4')])", None),
    ],
)
def test_a_setting_that_is_looked_up_has_a_default(text: str, wanted: str | None) -> None:
    assert only("from subprocess import run\n" + text.format(RUN)) == ["--tp", wanted]


@pytest.mark.parametrize("start", ["#!/bin/bash\n#SBATCH --nodes=2\n\nset -e\n", "# Setup\n# =====\n\nexport X=1\n", "\n# only this\n"])
def test_a_script_may_begin_with_comments(start: str) -> None:
    assert only(f'SCRIPT = """{start}{TEXT} --model m --tp 2\n"""\n') == ["--model", "m", "--tp", "2"]


def test_a_script_that_names_no_model_is_open_at_each_of_its_launches() -> None:
    text = f'SCRIPT = """#!/bin/bash\n{TEXT} --port 1 &\n{TEXT} --port 2 > log\necho\n"""\n'
    assert [[default_text(w.value) for w in x.words] for x in find(text)] == [[None, "--port", "1"], [None, "--port", "2"]]
    assert all(x.words[0].many for x in find(text))
    assert only(f'LINE = "{TEXT} --port 1"\n') == ["--port", "1", "…"]


def test_a_document_under_a_heading_is_no_script() -> None:
    assert not find(f'DOC = """# Title\n\nRun this:\n{TEXT} --tp 2\n"""\nTEXT = """# Title\n> {TEXT} --tp 2\n"""\n')


def test_what_a_test_expects_is_no_launch() -> None:
    assert not find('def test():\n    expected = ["python", "-m", "sglang.launch_server", "--tp", "2"]\n    assert build() == expected\n')
    assert only(f'from subprocess import run\ncmd = [{RUN}, "--tp", "2"]\nrun(cmd)') == ["--tp", "2"]


DERIVED = """
from sglang.srt.entrypoints.engine import Engine

class Plain(Engine):
    pass

class Async(Engine):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.reload = True

class Named(Async):
    def __init__(self, model, *, own=1, **more):
        more["trust_remote_code"] = True
        super().__init__(model_path=model, **more)

class Direct(Engine):
    def __init__(self, model):
        Engine.__init__(self, model_path=model, tp_size=4)

class Other(Engine):
    def __init__(self, model):
        self.model = model

"""


@pytest.mark.parametrize(
    ("call", "given"),
    [
        ("Plain(model_path='m', tp_size=2)", {"model_path": "m", "tp_size": "2"}),
        ("Async(model_path='m', tp_size=2)", {"model_path": "m", "tp_size": "2"}),
        ("Named('m', own=3, tp_size=2)", {"model_path": "m", "tp_size": "2", "trust_remote_code": "True"}),
        ("Direct('m')", {"model_path": "m", "tp_size": "4"}),
        ("ray.remote(Async).remote(model_path='m')", {"model_path": "m"}),
        ("[Async(**{'model_path': 'm', 'dp_size': n}) for n in (1,)]", {"model_path": "m", "dp_size": "1"}),
    ],
)
def test_a_class_that_derives_from_the_engine(call: str, given: dict[str, str]) -> None:
    """What its constructor hands on starts one, where it is called: in a function or not."""
    for text in (f"{call}\n", f"def f():\n    return {call}\n"):
        (launch,) = find(f"import ray\n{DERIVED}{text}")
        keywords = {k.name: default_text(k.value) for k in launch.command.keywords or ()}
        assert (launch.entrypoint, keywords) == ("sglang.Engine", given)
        assert launch.head.text in call.split("(", 1)[0] + call


def test_a_class_that_derives_from_the_engine_and_starts_none() -> None:
    assert not find(f"{DERIVED}Other('m')\n")
    assert not find(f"{DERIVED}Plain.x('m')\n")
    args = "from sglang.srt.server_args import ServerArgs\nclass A(ServerArgs):\n    own: int = 1\n\nA(model_path='m', own=2)\n"
    assert not find(args)


def test_ends_of_text_are_cut_though_its_middle_is_not_known() -> None:
    text = f"""
    import os
    def f(m, n):
        command = f\"\"\"
        {TEXT} --model-path {{m}} \\
          --tp 2
        \"\"\"
        if n > 1:
            command = command.rstrip() + f" --nnodes {{n}}"
        os.system(command.strip())
    """
    assert only(text) == ["--model-path", "…", "--tp", "2", "--nnodes", "…"]


PROGRAMS = f"""
import subprocess
def start(backend, m, conf):
    if backend == "other":
        cmd = ["other", "serve", m]
    elif backend == "sglang":
        cmd = [{RUN}, "--model-path", m]
    else:
        raise ValueError(backend)
    if conf.get("proxy"):
        cmd.append("--of-other")
    subprocess.run(cmd)
"""


@pytest.mark.parametrize(
    ("text", "mixed"),
    [
        (PROGRAMS, True),
        (PROGRAMS.replace("subprocess.run(cmd)", "return cmd"), True),
        (PROGRAMS.replace('["other", "serve", m]', f'[{RUN.replace("python", "python3")}, "--model-path", m]'), False),
        (PROGRAMS.replace('        cmd = ["other", "serve", m]', "        pass"), False),
    ],
)
def test_a_command_that_is_one_of_several_programs(text: str, mixed: bool) -> None:
    assert [launch.command.mixed for launch in find(text)][:1] == [mixed]


def test_an_engine_that_is_kept_is_one_launch_whoever_uses_it() -> None:
    text = """
        import sglang
        from sglang.srt.server_args import ServerArgs
        class A:
            def __init__(self, tp):
                self.server_args = ServerArgs(model_path="m", tp_size=2)
                self.start()
            def start(self):
                self.engine = sglang.Engine(server_args=self.server_args)
            def host(self):
                return self.server_args.host
            def more(self):
                return sglang.Engine(model_path=self.server_args.model_path, tp_size=self.size())
            def size(self):
                self.engine.flush()
                return 4
    """
    first, second = find(text)
    assert [first.entrypoint, second.entrypoint] == ["sglang.ServerArgs", "sglang.Engine"]
    assert [default_text(k.value) for k in second.command.keywords or () if k.name == "tp_size"] == ["4"]


def test_what_a_reader_of_an_engine_sets_is_known_to_others() -> None:
    text = f"""
        import subprocess
        from sglang import Engine
        class A:
            def open(self):
                self.engine = Engine(model_path="m")
            def ask(self):
                self.port = self.engine.port()
                self.tp = 2
            def serve(self):
                subprocess.run([{RUN}, "--tp", str(self.tp)])
    """
    _, launch = find(text)
    assert [default_text(w.value) for w in launch.words][-1] == "2"


def test_what_documentation_tells_of_does_not_hide_what_runs_beside_it() -> None:
    text = f"""
        import subprocess
        def serve(cmd=[{RUN}, "--tp", "2"]):
            "Call (run) {TEXT}."; subprocess.run(cmd)
        def told(cmd=[{RUN}, "--tp", "3"]):
            \'\'\'Runs (or calls (x))

            subprocess.run(cmd)
            \'\'\'
            return subprocess.call(cmd)
    """
    assert sorted(default_text(launch.words[-1].value) or "" for launch in find(text)) == ["2", "3"]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("subprocess.run(cmd)", [["--tp", "2"]]),
        ("subprocess.run(cmd, env={'A': '1'})\nsubprocess.run(cmd)", [["--tp", "2"]] * 2),
        ("cmd.append('-x')\nsubprocess.run(cmd)", [["--tp", "2", "-x"]]),
        ("subprocess.run(cmd)\ncmd.append('-x')", [["--tp", "2"]]),
        # What is run is another program by then; what was kept is told all the same.
        ("cmd[2] = 'sglang.bench_serving'\nsubprocess.run(cmd)", [["--tp", "2", "…"]]),
        ("subprocess.run(cmd)\ncmd[2] = 'sglang.bench_serving'", [["--tp", "2"]]),
        ("other = [*cmd, '-x']\nsubprocess.run(cmd)", [["--tp", "2"]]),
        ("cmd = [c for c in cmd if c != '2']\nsubprocess.run(cmd)", [["--tp"]]),
        ("cmd = ['4' if c == '2' else c for c in cmd]\nsubprocess.run(cmd)", [["--tp", "4"]]),
    ],
)
def test_a_command_that_is_kept_and_run_is_told_as_it_is_run(rest: str, expected: list[list[str]]) -> None:
    found = find(f"import subprocess\ncmd = [{RUN}, '--tp', '2']\n{rest}\n")
    assert [["…" if w.many else default_text(w.value) for w in x.words] for x in found] == expected


@pytest.mark.parametrize(
    ("rest", "words"),
    [
        # What a shell alone reads tells that the list is joined to a line for one, wherever that is.
        ("cmd.append('> /dev/null 2>&1 &')\nwith open('run.sh', 'w') as f:\n    f.write(' '.join(cmd))", ["--tp", "2"]),
        ("cmd += ['2>&1', '|', 'tee', 'log']\nline = ' '.join(cmd)\nfor e in envs:\n    line = f'{e} && ' + line", ["--tp", "2"]),
        ("def run(host):\n    return host.start([*cmd, '&>', 'log', '&'])", ["--tp", "2"]),
        ("cmd.append('->')", ["--tp", "2", "->"]),
        # Where no shell reads it, it is a word like others.
        ("subprocess.run([*cmd, '>', 'log'])", ["--tp", "2", ">", "log"]),
    ],
)  # fmt: skip
def test_a_list_that_is_a_line_of_a_shell(rest: str, words: list[str]) -> None:
    (*_, launch) = sorted(find(f"import subprocess\ncmd = [{RUN}, '--tp', '2']\n{rest}\n"), key=lambda x: len(x.words))
    assert [default_text(w.value) for w in launch.words if not w.many] == words


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # A body that always raises goes on in what handles it.
        ("tp = 8\ntry:\n    tp = 2\n    raise E\nexcept E:\n    tp = tp * 2\ncmd += ['--tp', str(tp)]", ["--tp", "4"]),
        ("try:\n    raise E\nexcept E:\n    cmd += ['--a']\nfinally:\n    cmd += ['--b']", ["--a", "--b"]),
        ("cmd += ['--a', '1', '--b', '2']\ndel cmd[3:5]", ["--b", "2"]),
        ("cmd += ['--a', '--b']\ndel cmd[-1]", ["--a"]),
        ("cmd += ['--a', '--b', '--c']\ndel cmd[4], cmd[::9], cmd[0:0]\ncmd.insert(0, 'python')", ["--a", "--c"]),
        ("class A:\n    tp = 8\nsetattr(A, 'tp', 4)\ncmd += ['--tp', str(A.tp)]", ["--tp", "4"]),
    ],
)
def test_what_is_raised_deleted_or_set_by_its_name(body: str, words: list[str]) -> None:
    assert only(HEAD + body + END) == words


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("cmd[cmd.index('--tp') + 1] = '4'", ["--m", "a", "--tp", "4"]),
        ("i = cmd.index('--tp')\ncmd[i + 1] = '4'\nif x:\n    cmd.append('--x')", ["--m", "a", "--tp", "4", "--x"]),
        ("if x:\n    cmd.append('--x')\ncmd[cmd.index('--tp') + 1] = '4'", ["--m", "a", "--tp", "4", "--x"]),
        ("i = cmd.index('--tp')\ndel cmd[i:i + 2]", ["--m", "a"]),
        ("cmd[4] = model\ncmd[cmd.index('--tp') + 1] = '4'", ["--m", None, "--tp", "4"]),
        ("cmd[4] = model\ncmd[cmd.index('a')] = '4'", ["…"]),
        ("i = cmd.index('--tp')\ncmd.pop(i)\ncmd.pop(i)", ["--m", "a"]),
        ("cmd[3:3] = ['--d', 'b']", ["--d", "b", "--m", "a", "--tp", "8"]),
        ("cmd[len(cmd):] = ['--d', 'b']", ["--m", "a", "--tp", "8", "--d", "b"]),
        ("cmd[-2:] = ['--d', *more]", ["--m", "a", "--d", "…"]),
        ("i = cmd.index('--tp')\nfor f in reversed(['--d', 'b']):\n    cmd.insert(i, f)", ["--m", "a", "--d", "b", "--tp", "8"]),
        # What is changed somewhere is not what it was.
        ("cmd[place] = '4'", ["…"]),
        ("cmd[cmd.index(flag) + 1] = '4'", ["…"]),
        ("cmd[place:place] = ['--d', 'b']", ["…"]),
        ("cmd[::2] = ['--d', 'b']", ["…"]),
        ("cmd.remove(flag)", ["…"]),
        ("cmd = [*more, *cmd]\ncmd[cmd.index('--tp') + 1] = '4'", ["…"]),
    ],
)  # fmt: skip
def test_a_list_is_changed_where_it_is_found_to_hold_something(edit: str, words: list[str | None]) -> None:
    assert only(f"import subprocess\ncmd = [{RUN}, '--m', 'a', '--tp', '8']\n{edit}{END}") == words


def test_a_list_that_is_emptied_and_filled_anew_is_what_it_holds_then() -> None:
    assert find(f"import subprocess\ncmd = [{RUN}, '--tp', '8']\ncmd.clear()\ncmd.extend(['echo', 'x']){END}") == []


@pytest.mark.parametrize(
    ("how", "first", "second"),
    [
        ("copy.deepcopy(C)", "8", "4"),
        ("copy.deepcopy(x=C)", "8", "4"),
        ("copy.copy(C)", "4", "4"),
        ("copy.deepcopy(C if a else C)", "8", "4"),
        ("copy.deepcopy([C, C])[1]", "8", "4"),
    ],
)
def test_a_deep_copy_shares_nothing_with_what_it_was(how: str, first: str, second: str) -> None:
    text = f"import copy, sglang\nC = {{'a': {{'tp_size': 8}}}}\nd = {how}\nd['a']['tp_size'] = 4\n"
    found = find(f"{text}sglang.Engine(**C['a'])\nsglang.Engine(**d['a'])")
    given = [default_text(keyword.value) for launch in found for keyword in launch.command.keywords or ()]
    assert given == [first, second]


def test_what_holds_itself_is_copied_once() -> None:
    assert only(HEAD + "import copy\ncmd.append(cmd)\ncmd = copy.deepcopy(cmd)\ncmd.pop()\ncmd.append('--x')" + END) == ["--x"]


@pytest.mark.parametrize(
    "line",
    [
        "--tp 2 # two of them\n  --dp 3#no\n#no\n--x '#' \"a#b\" \\# c",
        "--tp 2 #' no quote\n--dp '3'",
        "# nothing\n",
        "--tp 2 #",
    ],
)
@pytest.mark.parametrize("comments", ["comments=True", "True", "comments=False", ""])
def test_comments_are_no_words_where_they_are_not_asked_for(line: str, comments: str) -> None:
    text = f"import shlex, subprocess\nsubprocess.run([{RUN}, *shlex.split({line!r}, {comments})])"
    try:
        words = shlex.split(line, "True" in comments)
    except ValueError:
        return
    assert only(text) == words


def test_what_is_put_into_a_comment_may_end_it() -> None:
    assert only(f"import shlex, subprocess\nsubprocess.run([{RUN}, *shlex.split(f'--tp 2 # {{x}} y', True)])")[:2] == ["--tp", "2"]


@pytest.mark.parametrize(
    ("body", "count"),
    [
        ("if a:\n    if b:\n        o = '--sglang-tp 1 '\n    else:\n        o = '--sglang-tp 2 '\nelse:\n    o = '--sglang-tp 3 '", 1),
        ("k = '--sglang-dtype half ' if a else ''\no = f'--sglang-tp 2 {k}'", 1),
        ("k = '--sglang-dtype half '\no = '--sglang-tp 2 '", 2),
    ],
)  # fmt: skip
def test_options_that_are_put_into_a_command_are_no_launch_of_their_own(body: str, count: int) -> None:
    text = f"{body}\no += '--sglang-port 1 '\nos.system(f'python train.py {{o}}')"
    assert len(find("import os\ndef run(a, b):\n" + textwrap.indent(text, "    "))) == count


def test_what_one_of_several_handlers_leaves() -> None:
    body = "try:\n    raise E\nexcept A:\n    cmd += ['--a']\nexcept B:\n    cmd += ['--b']\nexcept C:\n    raise"
    assert ways(HEAD + body + END) == {"--a", "--b"}


@pytest.mark.parametrize(
    "value",
    [
        '{"s": {"image": "x:1", "command": "sglang serve --tp 2"}}',
        '{"image": "y:1", "s": {"docker_image": "x:1", "env": {"A": "1"}, "command": ["sglang", "serve", "--tp", "2"]}}',
        '[dict(container="x:1", spec=dict(cmd="sglang serve --tp 2"))]',
    ],
)
def test_the_image_beside_a_command(find, value: str) -> None:
    (launch,) = find("python", f"RUNTIMES = {value}\n")
    assert launch.image == "x:1"


BUILD = f"def build():\n    cmd = [{RUN}, '--model', 'm']\n"
BASE = f"class Base:\n    def build(self):\n        return [{RUN}, '--model', 'm']\n"
OVERRIDES = "class {0}(Base):\n    def build(self):\n        return super().build() + ['--dp', '{0}']\n"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        # What is passed on first may get more before it is returned.
        (BUILD + "    note(cmd)\n    cmd += ['--dp', '8']\n    return cmd\n", ["--model", "m", "…", "--dp", "8", "…"]),
        (BUILD + "    log.event('x', cmd)\n    return cmd + ['--dp', '8']\n", ["--model", "m", "…", "--dp", "8", "…"]),
        (BUILD + "    add_common(cmd)\n    return cmd\n", ["--model", "m", "…", "…"]),
        # It is what its caller starts, not what it was when it was given to be filled.
        (
            BUILD
            + "    add_common(cmd)\n    cmd += ['--dp', '8']\n    return cmd\n"
            + "def a():\n    start(build())\ndef b():\n    start(build())\n",
            ["--model", "m", "…", "--dp", "8"],
        ),
        # What starts it is given all there is.
        (BUILD + "    start(cmd)\n", ["--model", "m"]),
        (BUILD + "    proc = start(cmd)\n    return proc\n", ["--model", "m"]),
        # What gives a command for it may add to it.
        (BUILD + "    cmd = add_common(cmd)\n    return cmd\n", ["--model", "m", "…"]),
        (BUILD + "    full_cmd = wrapped(cmd)\n    return full_cmd\n", ["--model", "m", "…"]),
        # Each adds its own.
        (BUILD + "    return cmd\n" + "".join(f"def d{n}(): return build() + ['--dp', '{n}']\n" for n in (2, 4)),
         ["--model", "m", "…"]),
        (BASE + OVERRIDES.format("A") + OVERRIDES.format("B"), ["--model", "m", "…"]),
        (
            BASE + "    def start(self):\n        import subprocess\n        subprocess.run(self.build())\n"
            + OVERRIDES.format("A") + OVERRIDES.format("B") + "A().start()\nB().start()\n",
            ["--model", "m", "--dp", "A", "--dp", "B"],
        ),
        (BASE + OVERRIDES.format("A"), ["--model", "m", "--dp", "A"]),
    ],
)  # fmt: skip
def test_a_command_has_the_words_that_it_gets_later(text: str, words: list[str]) -> None:
    assert only(text) == words


@pytest.mark.parametrize("model", ["m", "{model}"])
def test_text_of_a_command_that_is_changed_by_what_is_not_known(model: str) -> None:
    text = f"def build(model, args):\n    cmd = f'{TEXT} --model {model}'\n    cmd = args.decorate(cmd)\n    return cmd\n"
    (launch,) = find(text)
    assert [default_text(w.value) for w in launch.words] == ["--model", "m" if model == "m" else None, None]
    assert launch.words[-1].many


FILLED = f"{TEXT} --model {{{{ model }}}} --tp {{{{ tp | default(2) }}}}{{% if fp8 %}} --quantization fp8{{% endif %}}"


@pytest.mark.parametrize(
    "text",
    [
        f'T = "{FILLED}"\n',
        f'import jinja2\ndef make(**kw):\n    return jinja2.Template("""\n{FILLED}\n""").render(**kw)\n',
        f'import subprocess\nsubprocess.run(["bash", "-lc", "{FILLED}"])\n',
        f'import os\nos.system("cd {{{{ folder }}}} && {FILLED}")\n',
    ],
)
def test_text_that_a_template_makes(text: str) -> None:
    (launch,) = find(text)
    assert [default_text(w.value) for w in launch.words] == ["--model", None, "--tp", "2", "--quantization", "fp8"]
    assert not launch.command.fixable
    assert launch.words[-1].choices()


def test_braces_that_are_no_template(find) -> None:
    text = f"import os\nos.system(\"{TEXT} --a '{{{{}}}}' --b '{{{{\\\"c\\\": 1}}}}'\")\n"
    (launch,) = find("python", text)
    assert launch.words == ["--a", "{{}}", "--b", '{{"c": 1}}']
    assert launch.fixable


LAUNCHED = '["python3", "-m", "sglang.launch_server"]'
OPTIONS = '["--model-path", "m", "--tp", "2"]'


@pytest.mark.parametrize(
    "text",
    [
        f'c.V1Container(image="x:1", command={LAUNCHED}, args={OPTIONS}, env=[{{"name": "A", "value": "1"}}])',
        f'KubernetesPodOperator(image="x:1", cmds={LAUNCHED}, arguments={OPTIONS}, env_vars={{"A": "1"}})',
        f'client.containers.run("x:1", {LAUNCHED} + {OPTIONS}, environment={{"A": "1"}}, detach=True)',
        f'client.containers.create("x:1", command="{TEXT} --model-path m --tp 2", environment=["A=1", "HF_TOKEN"])',
        f'Container(image="x:1", command=["sh", "-c"], args=["{TEXT} --model-path m --tp 2"], env=dict(A="1"))',
        'c.run(image="x:1", entrypoint="python3", command="-m sglang.launch_server --model-path m --tp 2", env={"A": "1"})',
        'pod = {"spec": {"template": {"spec": {"containers": [{"image": "x:1", "command": '
        f'{LAUNCHED}, "args": {OPTIONS}, "env": [{{"name": "A", "value": "1"}}]}}]}}}}}}}}',
    ],
)  # fmt: skip
def test_a_container_that_is_described(find, text: str) -> None:
    (launch,) = find("python", f"{text}\n")
    assert launch.words == ["--model-path", "m", "--tp", "2"]
    assert (launch.image, launch.env) == ("x:1", {"A": "1"})


@pytest.mark.parametrize(
    "text",
    [
        "args = {options}\nenv = [{env}]\nc.V1Container(image='x:1', command={launched}, args=args, env=env)",
        "run({{'image': 'x:1', 'command': {launched}, 'args': {options}, 'env': [{env}]}})",
        "def build():\n    cmd = {launched} + {options}\n    return {{'image': 'x:1', 'command': cmd, 'env': [{env}]}}",
        "cmd = {launched} + {options}\nstart({{'image': 'x:1', 'command': cmd, 'env': [{env}]}})",
    ],
)
def test_variables_of_a_container_are_put_in(find, text: str) -> None:
    env = "V1EnvVar(name='M', value='a/b'), V1EnvVar(name='S', value_from=V1EnvVarSource()), {'name': 'T', 'valueFrom': {}}"
    options = "['--model-path', '$(M)', '--tp', '$(S)', '--dp', '$(T)', '--port', '$(OTHER)']"
    (launch,) = find(
        "python",
        "from kubernetes import client as c\nfrom kubernetes.client import V1EnvVar, V1EnvVarSource\n"
        + text.format(launched=LAUNCHED, options=options, env=env),
    )
    assert launch.words == ["--model-path", "a/b", "--tp", None, "--dp", None, "--port", "$(OTHER)"]
    assert (launch.image, launch.env) == ("x:1", {"M": "a/b", "S": None, "T": None})


@pytest.mark.parametrize(
    ("image", "wanted"),
    [("os.environ.get('I', 'x:1')", ["x:1", None]), ("'x:1' if a else 'y:1'", ["x:1", "y:1"]), ("i", ["z:1", None]),
     ("None", None), ("read()", None)],
)  # fmt: skip
def test_an_image_that_is_a_default_or_one_of_several(find, image: str, wanted: list[str | None] | None) -> None:
    text = f"import os\ndef start(i='z:1'):\n    i = {image}\n    c.create(image=i, command={LAUNCHED}, args={OPTIONS})\n"
    (launch,) = find("python", text)
    assert launch.image == wanted


@pytest.mark.parametrize(("name", "count"), [("docker_argv", 1), ("notebook_cmd", 1), ("doc", 0), ("usage_note", 0)])
def test_a_command_that_is_kept_by_a_name_that_says_what_it_is_for(find, name: str, count: int) -> None:
    text = f"def plan(model):\n    {name} = {LAUNCHED} + ['--model-path', model, '--tp', '2']\n    return 1\n"
    assert len(find("python", text)) == count


def test_a_container_whose_arguments_are_not_known(find) -> None:
    (launch,) = find("python", f"def f(more):\n    c.V1Container(command={LAUNCHED}, args=more)\n")
    assert launch.words == ["…"]


def test_what_a_call_gives_beside_a_command_is_there_with_the_variables_of_the_process(find) -> None:
    text = f'import os\nos.environ["B"] = "2"\nstart(cmd={LAUNCHED} + {OPTIONS}, env={{"A": "1"}}, args=None)\n'
    (launch,) = find("python", text)
    assert (launch.words, launch.env) == (["--model-path", "m", "--tp", "2"], {"A": "1", "B": "2"})


@pytest.mark.parametrize(
    ("imported", "given", "more"),
    [
        ("from sglang.utils import launch_server_cmd", "", ["--port", None]),
        ("from sglang.utils import launch_server_cmd", ", '0.0.0.0', 3", ["--port", "3"]),
        ("from sglang.utils import launch_server_cmd", ", port=None", ["--port", None]),
        ("from sglang.test.doc_patch import launch_server_cmd", ", port=3", ["--port", "3", "…"]),
        (
            "if a():\n    from patch import launch_server_cmd\nelse:\n    from sglang.utils import launch_server_cmd",
            "",
            ["--port", None],
        ),
        # What a module has of its own, or of another, may do anything.
        ("def launch_server_cmd(c):\n    return subprocess.Popen(c.split())", "", []),
        ("from helpers import launch_server_cmd", ", port=3", []),
    ],
)
def test_the_port_that_sglang_puts_behind_a_command(find, imported: str, given: str, more: list[str | None]) -> None:
    (launch,) = find("python", f"import subprocess\n{imported}\nlaunch_server_cmd('{TEXT} --tp 2'{given})\n")
    assert launch.words == ["--tp", "2", *more]


@pytest.mark.parametrize(
    ("images", "env"),
    [
        ("i = modal.Image.from_registry('x:1').env({'A': '1'})", {"A": "1"}),
        ("V = {'A': '1'}\ni = (\n    modal.Image.debian_slim()\n    .pip_install('x')\n    .env(V)\n    .env({'B': '2'})\n)",
         {"A": "1", "B": "2"}),
        # Which of them the function runs in is not known.
        ("j = modal.Image.debian_slim()\ni = modal.Image.debian_slim().env({'A': '1'})", {"A": None}),
        ("j = modal.Image.debian_slim()\ni = j.env({'A': '1'})", {"A": None}),
        ("i = settings.env({'A': '1'})", {"A": None}),
    ],
)  # fmt: skip
def test_variables_of_an_image_for_modal(find, images: str, env: dict[str, str | None]) -> None:
    serve = f"@app.function(image=i)\ndef serve():\n    subprocess.run([{RUN}, '--model', 'm'])\n"
    (launch,) = find("python", f"import modal, subprocess\nI = modal.Image\n{images}\n{serve}")
    assert launch.env == env
    (launch,) = find("python", f"import subprocess\n{images.replace('modal.', '')}\n{serve}")
    assert launch.env == {}


def test_a_function_that_imports_another_of_its_name_does_not_call_itself() -> None:
    text = """
    @ray.remote
    def launch_server(**kwargs):
        from sglang.srt.entrypoints.http_server import launch_server
        from sglang.srt.server_args import ServerArgs
        launch_server(ServerArgs(**kwargs))
    launch_server.options(num_gpus=1).remote(model_path="m", tp_size=4)
    """
    (launch,) = find("import ray\n" + textwrap.dedent(text))
    assert {k.name: default_text(k.value) for k in launch.command.keywords or ()} == {"model_path": "m", "tp_size": "4"}


ENGINES = f'{{"a": [{RUN}, "--tp", "8"], "b": ["vllm", "serve"]}}'


@pytest.mark.parametrize(
    "picks",
    ["cmd = ENGINES[e]", "cmd = ENGINES.get(e)", "cmd = ENGINES.get(e)\n    if cmd is None:\n        raise SystemExit(e)"],
)
def test_a_command_that_is_picked_by_a_key_that_is_not_known(picks: str) -> None:
    text = f"def go(e, dp):\n    {picks}\n    subprocess.run(cmd + ['--dp', str(dp)])\n"
    assert only(f"import subprocess\nENGINES = {ENGINES}\n{text}") == ["--tp", "8", "--dp", None]


def test_text_that_is_picked_by_a_key_that_is_not_known() -> None:
    text = "def go(e):\n    cmd = ENGINES[e].format(tp=2)\n    cmd += ' --log'\n    os.system(cmd)\n"
    engines = f'{{"a": "{TEXT} --tp {{tp}}", "b": "vllm serve"}}'
    assert only(f"import os\nENGINES = {engines}\n{text}") == ["--tp", "2", "--log"]


def test_what_is_picked_from_among_many_may_get_more() -> None:
    many = ", ".join(f'"k{n}": ["vllm"]' for n in range(9))
    text = f'E = {{"a": [{RUN}, "--model", "m"], {many}}}\ndef go(e):\n    start(E[e] + ["--dp", "2"])\n'
    assert only(text) == ["--model", "m", "…"]


def test_a_command_that_is_returned_with_more_in_a_branch() -> None:
    assert only(BUILD + "    if e():\n        return cmd + ['--dp', '2']\n    return cmd\nbuild()\n") == ["--model", "m", "…"]
