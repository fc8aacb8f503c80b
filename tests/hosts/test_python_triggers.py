"""What a module must hold to be parsed."""

from __future__ import annotations

import ast

import pytest

from speclint.hosts.python import fragments, listed, prose
from speclint.hosts.python.source import Source
from speclint.hosts.python.triggers import flags, places, runs
from speclint.source import SourceFile
from speclint.text import Mapped


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("subprocess.run('python -m sglang.launch_server')", [39]),
        ("x = '/sgl-workspace/sglang/launch_server.py'", [33]),
        ("run(f'python -m {package}launch_server')", [31]),
        ("popen_launch_server(m)", [12]),
        ("popen_launch_pd_server(m)", [12]),
        ("launch_server_cmd('x')", [6]),
        ("run('sglang   serve m')", [5]),
        ("run(['sglang', 'serve'])", [15]),
        ("run(['dynamo.sglang', '-x'])", [13]),
        ("import sglang\nsglang.Engine(model_path='m')", [21]),
        ("from sglang.srt import (\n  a,\n  Engine,\n)\nEngine (x)", [42]),
        ("from sglang import Engine as E", [19]),
        ("import sglang\nmake = sglang.Engine", [19]),
        ("import sglang as sgl\nstart(sgl.srt.Engine, x)", [26]),
        ("from sglang import Engine\nclass A(B, Engine): pass", [37]),
        ("import sglang\nclass A(sglang.srt.Engine):\n    pass", [21, 33]),
        ("from other import Engine\nclass A(Engine): pass", []),
        ("sglang_kwargs = {'mem_fraction_static': 0.8}", [17]),
        ("engine_args: dict[str, object] = {'tp_size': 2}", [34]),
        ("f(server_args={'tp_size': 2})", [15]),
        ("x['engine_config'] = build({'tp_size': 2})\ndef build(a): pass", [28]),
        ("def server_args():\n    return {'tp_size': 2}", [31]),
        ("import sglang\n['--tp-size=2']", [16]),
        ("['--tp-size', '--ep-size', '--other-thing']", [2, 15]),
        ("'--sglang-tp-size 2'", [3]),
        ("f'--sglang-{name}'", [4]),
        ("mod = f'{package}.launch_server'", [24]),
        ("'\\nsglang.launch_server'", [16]),
        ("SRTRunner(m)", [0]),
        ("import sglang\nengine = Engine\nlaunch_server\nsglang.Engine(x)", [51]),
        ("TransferEngine(x)", []),
        ("class MyEngine: pass", []),
        ("raise RuntimeError(x)", []),
        ("the server serves; Engine", []),
        ("batch_size = 3", []),
        ("", []),
        # What only names what starts a server.
        ("'--sglang-url x'", []),
        ("p.add_argument('--sglang-tp-size')", []),
        ("'sglang.multimodal_gen.runtime.launch_server'", []),
        ("launch_server(x)", []),
        ("from sglang.launch_server import run_server", []),
        ("self.launch_server.remote()", []),
        ("'sglang.launch_server_x'", []),
        ("Thread(target=launch_server)", []),
        ("see `sglang serve`", []),
        ("# as in sglang\nrun(['vllm', 'serve'])", []),
        ("Engine(x)", []),
        ("from sglang.multimodal_gen import ServerArgs\nServerArgs(x)", []),
        ("import sglang\nclass ServerArgs(Base): pass", []),
        ("import sglang\nif '--tp-size' not in words: pass", []),
        ("import sglang\nf('it is said '\n  '--tp-size=2 is')", []),
        ("['--tp-size', '--ep-size']", []),
        ("{'tp_size': 2}", []),
        ("f(server_args=server_args, x={'tp_size': 2})", []),
        ("server_args: ServerArgs\n{'tp_size': 2}", []),
    ],
)
def test_places(text, expected):
    assert places(text) == expected


def test_options_of_lists_are_those_that_only_sglang_has() -> None:
    text = "import sglang\nx = ['--tp-size', '--host', f'--{name}', '--tp-size is wrong', '--dp-size=2']\n"
    assert flags(text, places(text)) == [text.index("'--tp"), text.index("'--{"), text.index("'--dp")]
    assert flags("import sglang\nsglang.Engine()\n['--tp-size']", [0]) is None


def test_places_in_comments_and_documentation_tell_only_of_a_launch() -> None:
    told = '"""python -m sglang.launch_server"""\n# sglang serve\ndef f():\n    "sglang serve"  # sglang serve\n'
    assert prose.is_all(*_read(told))
    for text in ("x = 'sglang serve'", 'x = """\n# sglang serve\n"""', "f'sglang serve {x}'", "y('sglang serve')  # 1"):
        assert not prose.is_all(*_read(text))


def _read(text: str) -> tuple[ast.Module, Source, list[int]]:
    found = places(text)
    assert found
    return ast.parse(text), Source(Mapped.of(SourceFile("x.py", text.encode()))), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = ['--tp-size', '2']", True),
        ("x = [\n  'a',\n  *more, '--tp-size=' + n]", True),
        ("x.append('--tp-size')", True),
        ("x += ['--tp-size']", True),
        ("name = '--tp-size'", True),
        ("def f():\n  return '--tp-size'", True),
        ("extra_args = ('--tp-size', 2)", True),
        ("f(('--tp-size', 2))", True),
        ("run(x=['--tp-size'])", True),
        ("@cases(['--tp-size'])\ndef f(): pass", True),
        ("pairs = ('--tp-size', 2)", False),
        ("x = {'--tp-size'}", False),
        ("run(['program', '--tp-size'])", False),
        ("assertEqual(x, ['--tp-size'])", False),
        ("if '--tp-size' in words: pass", False),
        ("words.index('--tp-size')", False),
        ("raise ValueError('--tp-size is wrong')", False),
        ("x = ['a']\ny('--tp-size')", False),
    ],
)
def test_an_option_is_an_element_of_a_list_or_becomes_one(text, expected):
    rows = [row for row, line in enumerate(text.split("\n"), 1) if "--" in line]
    assert listed.may_be(ast.parse(text), rows) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("server_args = {}", True),
        ("sglang_kwargs: dict = dict(a=1)", True),
        ("x = {'engine_config':\n  {'a': 1}}", True),
        ("engine_args = a | b", True),
        ("def server_args(x):\n  if x:\n    return {'a': x}\n\nprint()", True),
        ("def server_args(x):\n  return x.args\n\ndef other():\n  return {}", False),
        ("server_args = parse()", False),
        ("server_args = parse()\ndef parse(): pass", True),
        ("f(server_args=server_args)", False),
        ("server_args: ServerArgs = None", False),
        ("server_args = None\nx = {}", False),
        ("if backend == 'sglang':\n  from a import b", False),
        ("x['engine_args'] = 'text'", False),
        ("other_args = {}", False),
    ],
)
def test_names_that_tell_of_options(text, expected):
    assert fragments.names_options(text) is expected


@pytest.mark.parametrize(
    "text",
    [
        *("run(c)", "subprocess.run(c)", "run (c)", "run  \t(c)", "run\n (c)", "def run(self):"),
        *("Popen(c)", "popen(c)", "call(c)", "check_call(c)", "check_output(c)", "getoutput(c)", "getstatusoutput(c)"),
        *("os.system(c)", "execl(c)", "execv(c)", "execvp(c)", "execve(c)", "execlpe(c)", "spawnv(c)", "pspawn(c)"),
        *("posix_spawn(c)", "posix_spawnp (c)", "create_subprocess_shell(c)"),
    ],
)
def test_what_runs_a_command_is_found_on_its_row(text: str) -> None:
    (place,) = runs(f"x = 1\ny = {text}\n")
    assert 6 <= place <= 10 + text.index("(")


@pytest.mark.parametrize("text", ["rerun(c)", "run_it(c)", "run", "brun  (c)", "x = (run)", "recall (c)", "(", " ("])
def test_names_that_only_end_so_run_nothing(text: str) -> None:
    assert runs(text) == []
