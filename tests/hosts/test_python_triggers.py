"""What a module must hold to be parsed."""

from __future__ import annotations

import ast

import pytest

from speclint.hosts import python
from speclint.hosts.python import flags, fragments, idle, keyed, listed, prose
from speclint.hosts.python.source import Source
from speclint.hosts.python.triggers import is_option, places, runs
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
    assert flags.of_lists(text) == [text.index("'--tp"), text.index("'--{"), text.index("'--dp")]
    assert flags.of_lists("from sglang import Engine\nmake = Engine\n['--tp-size']") is None
    assert flags.of_lists("import sglang\nsglang_kwargs = {}\n['--tp-size']") is None


_TOLD = (
    *('"""python -m sglang.launch_server"""', "x = 1  # sglang serve\n", "def f():\n    'sglang serve'"),
    *("raise ValueError('use sglang serve' + x)", "assert x, f'{y} sglang serve'", "print('sglang serve', x)"),
    *("log.info(f'{y} sglang serve', x)", "p = ArgumentParser(prog='sglang serve')", "def popen_launch_server(): pass"),
    *("p.add_argument('x', help='as of sglang serve')", "f(\n  1,  # sglang serve\n  x)"),
    *(
        "from sglang.test.test_utils import popen_launch_server",
        "r = re.compile('-m sglang.launch_server|sglang serve')",
    ),
    "é = 'é'; raise ValueError('é sglang serve')",
)
_NOT_TOLD = (
    *("x = 'sglang serve'", 'x = """\n# sglang serve\n"""', "f'sglang serve {x}'.split()", "y('sglang serve')  # 1"),
    *("print(os.system('sglang serve'))", "def log(x): os.system(x)\nlog('sglang serve')", "popen_launch_server(m)"),
    *("from a import run as log\nlog('sglang serve')", "p.add_argument('--x', default='sglang serve')"),
    *("from sglang import Engine as E\nE(x)", "@f('sglang serve')\ndef g(): pass", "x = '#'; y = 'sglang serve'"),
    "dict(help='sglang serve')",
)


@pytest.mark.parametrize("text", [*_TOLD, *_NOT_TOLD])
def test_what_only_tells_of_a_launch(text: str) -> None:
    tree, source, found = _read(text)
    assert all(prose.is_told(tree, source, at) for at in found) is (text in _TOLD)


def _read(text: str) -> tuple[ast.Module, Source, list[int]]:
    found = places(text)
    assert found
    return ast.parse(text), Source(Mapped.of(SourceFile("x.py", text.encode()))), found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x = ['--tp-size', '--dp-size']", True),
        ("extra_args = [\n  *more, '--tp-size=' + n]", True),
        ("x = ['--tp-size']\nx.append('--dp-size')", True),
        ("x += ['--tp-size', '--dp-size']", True),
        ("name = '--tp-size'\nargs = [name, 2]", True),
        ("def f():\n  return '--tp-size'\nrun(args=[f(), 2])", True),
        ("extra_args = ('--tp-size', 2)", True),
        ("f(('--tp-size', '--dp-size', 2))", True),
        ("run(x=['--tp-size', '--dp-size'])", True),
        ("use({key: ['--tp-size']})", True),
        ("@cases(['--tp-size', '--dp-size'])\ndef f(): pass", True),
        ("x = ['--' + name]\ny = '--tp-size'", True),
        ("x = [f'--tp-{name}']", True),
        ("sglang_args = f(x=['--tp-size', '--a', '--b'])", True),
        ("a = b = '--tp-size'", True),
        # Too few, or among too many others.
        ("x = ['--tp-size']", False),
        ("args = ['--tp-size', '--a', '--b', '--c']", False),
        ("args = ['program', '--tp-size']", False),
        ("x.append('--tp-size')", False),
        ("name = '--tp-size'\nraise ValueError(f'{name} is wrong')", False),
        ("def f():\n  return '--tp-size'", False),
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
def test_options_are_elements_of_a_list_or_become_such(text, expected):
    text = f"import sglang\n{text}"
    source = Source(Mapped.of(SourceFile("x.py", text.encode())))
    assert listed.may_be(ast.parse(text), source, flags.own(text)) is expected


@pytest.mark.parametrize("start", ["", "import sglang\n", "import sgl_jax\n"])
def test_how_many_options_a_list_has_to_hold_is_told_by_what_is_imported(start: str) -> None:
    for options, least in (
        ("'--tp-size'", 1),
        ("'--tp-size', '--ep-size'", 2),
        ("'--tp-size', '--ep-size', '--dp-size'", 3),
    ):
        text = f"{start}x = [{options}]"
        source = Source(Mapped.of(SourceFile("x.py", text.encode())))
        expected = least >= 3 if not start else least >= 2 and "jax" not in start
        assert listed.may_be(ast.parse(text), source, flags.own(text)) is expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("engine_args = {'tp_size': 1, 'dp_size': 2}", True),
        ("engine_args = {'tp_size': 1}\nengine_args['dp_size'] = 2", True),
        ("f(server_args={'tp_size': 1, 'dp_size': 2})", True),
        ("x = {'server_args': {'tp_size': 1, **more}}\n'dp_size'", True),
        ("def server_args():\n  return {'tp_size': 1, 'dp_size': 2}", True),
        ("sglang = {'tp_size': 1}", True),
        ("x = {key: {'tp_size': 1}}", True),
        ("server_args = make()\ndef make():\n  f({'tp_size': 1, 'dp_size': 2})", True),
        ("sglang_args = make()\ndef make():\n  x = {'tp_size': 1}", True),
        ("def f(x): x['dp_size'] = 2\nf(server_args={'tp_size': 1})", True),
        # Under other names, or too few.
        ("x = {'tp_size': 1, 'dp_size': 2}", False),
        ("engine_args = {'tp_size': 1}", False),
        ("server_args = make()\nx = {'tp_size': 1, 'dp_size': 2}", False),
        ("post(json={'server_args': {'tp_size': 1}})\nfrom http import post\nx = {'dp_size': 1}", False),
        ("client.post(json={'server_args': {'tp_size': 1}}, x='dp_size')", False),
        ("engine_args = {}\nx = {'tp_size': 1, 'dp_size': 2}", False),
        ("raise E(engine_args={'tp_size': 1, 'dp_size': 2})", False),
    ],
)
def test_options_are_keys_of_a_dictionary_under_a_name_that_tells_so(text, expected):
    text = f"import sglang\n{text}"
    assert keyed.may_be(ast.parse(text), Source(Mapped.of(SourceFile("x.py", text.encode())))) is expected


def test_a_module_that_only_tells_of_launches_and_options_is_idle() -> None:
    told = (
        "import sglang\nraise ValueError('sglang serve')\nlog.info('--tp-size')\nx = {'tp_size': 1}\nengine_args = {}\n"
    )
    for text, expected in ((told, True), (told + "engine_args = {'tp_size': 1, 'dp_size': 2}", False)):
        assert bool(idle.mattering(*_read(text))) is not expected
    text = "from sglang import Engine\nmake = Engine\nargs = ['--tp-size=x is wrong']\nengine_args = {'tp_size': 1}"
    assert idle.mattering(*_read(text))


@pytest.mark.parametrize(
    ("use", "idle_"),
    [
        ("def f(x: Engine, y: list[Engine] = None) -> Engine: x.Engine = 1", True),
        ("x: Engine = 1", True),
        ("isinstance(x, Engine)", True),
        ("Engine.default(x)", True),
        ("make: type = Engine", False),
        ("start(x, (1, Engine))", False),
        ("def f(x=Engine): pass", False),
        ("f(make=Engine)()", False),
    ],
)
def test_a_class_that_is_used_as_a_value_may_be_called_by_another_name(use: str, idle_: bool) -> None:
    text = f"from sglang.srt import (\n  Engine,\n)\nengine_args = {{'tp_size': 1}}\n{use}"
    assert bool(idle.mattering(*_read(text))) is not idle_


@pytest.mark.parametrize(
    ("options", "matter"),
    [
        ("x = ask(words, '--tp-size')\n'--dp-size' in words", False),
        ("x = {'tp_size': ask(words, '--tp-size')}", False),
        ("cmd.append('--tp-size')", True),
        ("cmd = [*cmd, '--tp-size']", True),
        ("size = '--tp-size'", True),
        ("x = ask(words, '--tp-size')\nsglang = {'tp_size': x}", True),
    ],
)
def test_options_matter_where_they_may_be_those_of_a_command(options: str, matter: bool) -> None:
    tree, source, found = _read(f"import sglang\nrun('sglang serve')\n{options}")
    starts = [at for at in found if not is_option(source.text.text, at)]
    assert list(idle.mattering(tree, source, found)) == (found if matter else starts)


def test_documentation_of_an_idle_module_is_read() -> None:
    rest = "print('sglang serve')\n" + "x = 1\n" * 2_000
    text = f'def f():\n    """\n    ```bash\n    sglang serve --model-path m\n    ```\n    """\n\n\n{rest}'
    assert not idle.mattering(*_read(text))
    for each in (text, text[: -6 * 1_900]):
        (command,) = python.read(SourceFile("x.py", each.encode()))
        assert [word.text for word in command.words] == ["sglang", "serve", "--model-path", "m"]


def test_places_are_those_of_options_or_of_what_starts_a_server() -> None:
    text = "import sglang\nengine_args = {'tp_size': 1}\nx = ['--tp-size']\ny = ['sglang', 'serve']\nsglang.Engine()\n"
    assert [is_option(text, at) for at in places(text)] == [True, True, False, False]


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
