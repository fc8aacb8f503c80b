"""Python modules: what parsers, objects of classes and records of data hold."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.value import Known
from speclint.worlds import resolve, worlds
from tests.hosts.conftest import CMD, only

Find = Any


PARSER = """\
p = argparse.ArgumentParser()
p.add_argument("-t", "--tp", type=int, default=4)
p.add_argument("--model", default="a/b")
p.add_argument("--log", action="store_true")
p.add_argument("--many", nargs="+", default="x")
p.set_defaults(port=3)
"""
GIVES = """
cmd += ["--model", args.model, "--tp", str(args.tp * 2)]
if args.log: cmd.append("--log")
"""


@pytest.mark.parametrize(
    ("given", "model", "tp", "log"),
    [
        ("['--tp', '2']", "a/b", "4", []),
        ("args=['-t', '2', '--log', '--mod=c/d']", "c/d", "4", ["--log"]),
        ("[]", "a/b", "8", []),
        ("['--model', E, '--tp', E]", None, None, []),
        # What else may be in a list may be any of the rest.
        ("['--tp', '2', *E]", ["a/b", None], "4", ["--log"]),
        ("['--tp', '2', E]", ["a/b", None], "4", ["--log"]),
        ("E", ["a/b", None], ["8", None], ["--log"]),
        ("None", ["a/b", None], ["8", None], ["--log"]),
    ],
)
def test_a_parser_that_is_handed_a_command_line(find: Find, given: str, model: Any, tp: Any, log: list[Any]) -> None:
    wanted = ["--model", model, "--tp", tp, *log]
    assert only(find, f"{PARSER}args = p.parse_args({given}){GIVES}") == wanted
    assert only(find, f"{PARSER}args, rest = p.parse_known_args({given}){GIVES}") == wanted


@pytest.mark.parametrize(
    ("given", "many", "port"),
    [("['--many', 'y', 'z']", None, "3"), ("[]", "x", "3"), ("['--port', '4']", ["x", None], ["3", None])],
)
def test_what_a_parser_is_handed_may_not_be_wholly_followed(find: Find, given: str, many: Any, port: Any) -> None:
    body = f"{PARSER}args = p.parse_args({given})\ncmd += [args.many, str(args.port)]"
    assert only(find, body) == [many, port]


def test_what_is_not_set_where_a_default_stands_is_not_known(find: Find) -> None:
    body = """
p = argparse.ArgumentParser()
p.add_argument("--kind", default="x", choices=["a", "b"])
kind = p.parse_args().kind
if kind == "a":
    model = "A"
elif kind == "b":
    model = "B"
cmd.append(model)
"""
    assert only(find, body) == [[None, ["A", [None, "B"]]]]


FAMILY = """
class T:
    model = "a"
    @classmethod
    def setUpClass(cls):
        subprocess.run([*cmd, cls.model])
class U(T):
    @classmethod
    def setUpClass(cls):
        %s
        super().setUpClass()
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("cls.model = 'b'", ["a", "b"]),
        ("cls.model = E", ["a", None]),
        ("cls.model = 'b'; cls.model = 'c'", ["a", None]),
        ("cls.model, cls.port = 'b', 1", ["a", None]),
        ("cls.model += 'b'", ["a", None]),
        ("cls.port = 1", "a"),
    ],
)
def test_what_a_derived_class_sets_before_it_hands_on(find: Find, body: str, words: Any) -> None:
    (found,) = find("python", CMD + FAMILY % body)
    assert found.words == [words]
    (found,) = find("python", f"{CMD}{FAMILY % body}\nU.setUpClass()")
    assert found.words == [words]


RECORD = """
from dataclasses import asdict, dataclass, replace
from typing import ClassVar
@dataclass
class Inner:
    a: int = 1
@dataclass
class R:
    kind: ClassVar[str] = "r"
    model: str
    tp: int = 1
    inner: Inner | None = None
"""
ALL = "cmd += [x for k, v in data.items() for x in (k, str(v['a'] if k == 'inner' else v))]"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (f"data = asdict(R('m', tp=4, inner=Inner(2)))\n{ALL}", ["model", "m", "tp", "4", "inner", "2"]),
        (f"data = asdict(replace(R('m', tp=4, inner=Inner(2)), model='n'))\n{ALL}", ["model", "n", "tp", "4", "inner", "2"]),
        (f"data = asdict(replace(R('m', 4), **E))\n{ALL}", ["model", None, "tp", None, "inner", None]),
        # Objects of one class hold what each of them was given.
        ("r, s = R('m', tp=4), R('n')\nr.tp = 5\ncmd += [str(r.tp), s.model]", ["5", "n"]),
        ("r, s = R('m', tp=4), R('n', **E)\ncmd += [str(vars(s)['tp']), s.model]", [["1", None], "n"]),
        ("r, s = R('m', tp=4), R('n')\ncmd += list(r.__dict__)", ["model", "tp", "inner"]),
    ],
)
def test_records_are_data(find: Find, body: str, words: list[Any]) -> None:
    assert only(find, RECORD + body) == words


def test_a_method_that_does_not_hand_on_has_no_part_in_that_of_its_base(find: Find) -> None:
    text = CMD + FAMILY.replace("super().setUpClass()", "pass") % "cls.model = 'b'"
    (found,) = find("python", text)
    assert found.words == ["a"]


def test_a_record_that_is_wholly_known_has_its_other_defaults_for_sure(find: Find) -> None:
    body = """
for k, v in asdict(R('m', tp=4)).items():
    if v is None: continue
    if v is True: cmd.append(f'--{k}')
    else: cmd += [f'--{k}', str(v)]
"""
    assert only(find, RECORD + body) == ["--model", "m", "--tp", "4"]
    assert only(find, RECORD + body.replace("tp=4", "inner=3")) == ["--model", "m", "--tp", "1", "--inner", "3"]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        ("self.tp *= 2", ["m", "8", "8"]),
        ("self.tp = self.tp if self.tp > 4 else 16", ["m", "16", "16"]),
        ("object.__setattr__(self, 'tp', 2)", ["m", "2", "2"]),
        ("self.tp = unknown()", ["m", None, None]),
        ("self.model += 'n'", ["mn", "4", "4"]),
    ],
)
def test_what_a_record_sets_of_itself(find: Find, method: str, words: list[Any]) -> None:
    more = f"    def __post_init__(self): {method}\n"
    body = "r = R('m', tp=4)\nd = asdict(r)\ncmd += [d['model'], str(d['tp']), str(r.tp)]"
    assert only(find, RECORD + more + body) == words
    other = "r = dataclasses.replace(R('x'), model='m', tp=4)\ncmd += [r.model, str(r.tp)]"
    if "+=" not in method:
        assert only(find, RECORD + more + other) == words[:2]


def test_what_a_record_is_not_given_is_its_default(find: Find) -> None:
    """And a method of the name of a function of another module is called where it is."""
    body = f"{RECORD}    def run(self): subprocess.run([*cmd, str(self.tp)])\nr = R('m')\nr.run()\n"
    (found,) = find("python", CMD + body)
    assert found.words == ["1"]


def test_each_record_has_a_list_of_its_own(find: Find) -> None:
    more = "    args: list = dataclasses.field(default_factory=list)\n"
    body = "a, b = R('m'), R('m')\na.args.append('--a')\nb.args += ['--b']\ncmd += a.args\ncmd += b.args"
    assert only(find, RECORD + more + body) == ["--a", "--b"]


METHODS = """
class M:
    size = 2
    @classmethod
    def of(cls, n=1): return cls(n * cls.size)
    @classmethod
    def words(cls): return ["--size", str(cls.size)]
    def __init__(self, n): self.n = n
    def __call__(self, word): return [word, str(self.n)]
    @property
    def tp(self): return self._tp
    @tp.setter
    def tp(self, value): self._tp = value * 2
M(1)
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("cmd += M.words()", ["--size", "2"]),
        ("cmd.append(str(M.of(3).n))", ["6"]),
        ("cmd += M(4)('--n')", ["--n", "4"]),
        ("m = M(1)\nm.tp = 3\ncmd += ['--tp', str(m.tp)]", ["--tp", None]),
    ],
)
def test_methods_of_a_class_and_calls_of_its_objects(find: Find, body: str, words: list[Any]) -> None:
    assert only(find, METHODS + body) == words


def test_a_partial_function_is_called_with_each_of_its_arguments(find: Find) -> None:
    body = "def f(tp, n):\n    subprocess.run([*cmd, str(tp), str(n)])\ng = functools.partial(f, 8)\ng(1)\ng(n=2, tp=4)\ng(n=3)"
    (found,) = find("python", "import functools\n" + CMD + body)
    points = [c for w in found.launch.words for c in w.choices()]
    lines = [[resolve(w.value, world) for w in found.launch.words] for world in worlds(points) or ()]
    told = {" ".join(w.text.text for w in line if isinstance(w, Known)) for line in lines}
    assert told == {"8 1", "4 2", "8 3"}


GUARDED = """
class M:
    def __init__(self, url=None):
        self.url = url
        self.tp = 2
    def start(self):
        if not self.url:
            self.tp += 2
            subprocess.run([*cmd, str(self.tp)])
            self.url = "http://h"
    def run(self):
        self.start()
    def other(self):
        self.start()
"""


def test_what_a_method_sets_is_not_set_when_it_is_called_first(find: Find) -> None:
    (found,) = find("python", CMD + GUARDED)
    assert found.words == ["4"]
    (found,) = find("python", f"{CMD}ready = False\ndef start():\n    global ready\n    if ready: return\n    ready = True\n"
                              "    subprocess.run([*cmd, '-x'])\nstart()\nstart()\n")
    assert found.words == ["-x"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("return ['python', '-m', module, '--tp', '8']", ["--tp", "8", "…"]),
        ("run(['python', '-m', module, '--tp', '8'])", ["--tp", "8"]),
        ("return f'python -m {module} --tp 8'", ["--tp", "8"]),
    ],
)
@pytest.mark.parametrize("other", ["dynamo.sglang", "vllm.serve"])
@pytest.mark.parametrize("order", [("'sglang.launch_server'", "'{}'"), ("'{}'", "'sglang.launch_server'")])
def test_a_module_that_is_one_of_several(
    find: Find, text: str, words: list[Any], other: str, order: tuple[str, str]
) -> None:
    one, two = (each.format(other) for each in order)
    found = find("python", f"def f(kind):\n    module = {one} if kind else {two}\n    {text}\n")
    assert {tuple(each.words) for each in found} == {tuple(words)}


@pytest.mark.parametrize(
    "call",
    [
        "import sglang as sgl\ngetattr(sgl, 'Engine', None)(model_path='m')",
        "import sglang\nE = getattr(sglang, \"Engine\")\nE(model_path='m')",
        "import importlib\nimportlib.import_module('sglang').Engine(model_path='m')",
        "from importlib import import_module\nm = import_module('sglang')\nm.Engine(model_path='m')",
    ],
)
def test_an_engine_that_is_looked_up_by_its_name(find: Find, call: str) -> None:
    (found,) = find("python", call)
    assert found.entry == "sglang.Engine"


def test_an_engine_that_sglang_may_not_have(find: Find) -> None:
    text = """
import sglang as sgl
def load(model):
    E = getattr(sgl, "Engine", None)
    if E is not None:
        return E(model_path=model)
    return sgl.Runtime(model_path=model)
"""
    assert {found.entry for found in find("python", text)} == {"sglang.Engine", "sglang.Runtime"}


@pytest.mark.parametrize(("derived", "words"), [(2, [["a", "b0", "b1"], "x"]), (20, [None, "x"])])
def test_what_differs_between_many_classes_is_not_known(find: Find, derived: int, words: list[Any]) -> None:
    head = "class T:\n    m, p = 'a', 'x'\n    def setUp(self):\n        self.run([*cmd, self.m, self.p])\n"
    more = "".join(f"class T{n}(T):\n    m = 'b{n}'\n" for n in range(derived))
    (found,) = find("python", CMD + head + more)
    assert found.words == words


SERVER = """\
class Server:
    def __init__(self, model, tp=1):
        self.model = model
        self.cmd = [*cmd, "--model-path", model]
        self.tp = tp
    def add(self, *words):
        self.cmd += words
        self.tp *= 2
        return self
    def start(self, port=1):
        subprocess.run([*self.cmd, "--tp", str(self.tp), "--port", str(port)])
"""


def ways(find: Find, body: str) -> set[str]:
    """The command lines of every world."""
    (found,) = find("python", CMD + SERVER + body)
    points = [c for w in found.launch.words for c in w.choices()]
    lines = set()
    for world in worlds(points) or ():
        there = [resolve(w.value, world) for w in found.launch.words if w.holds(world)]
        lines.add(" ".join(got.text.text if isinstance(got, Known) else "?" for got in there))
    return lines


A, B = "--model-path a --tp", "--model-path b --tp"


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("a = Server('a')\nb = Server('b', 4)\na.start()\nb.start(2)", {f"{A} 1 --port 1", f"{B} 4 --port 2"}),
        ("for s in [Server('a'), Server('b', 4)]:\n    s.start()", {f"{A} 1 --port 1", f"{B} 4 --port 1"}),
        (
            "all = [Server(m) for m in ('a', 'b')]\nfor i, s in enumerate(all):\n    s.start(i)",
            {f"{A} 1 --port 0", f"{B} 1 --port 1"},
        ),
        (
            "all = []\nfor m in ('a', 'b'):\n    all.append(Server(m))\nfor s in all:\n    s.start()",
            {f"{A} 1 --port 1", f"{B} 1 --port 1"},
        ),
        ("Server('a').add('--x').start()\nServer('b').start()", {"--model-path a --x --tp 2 --port 1", f"{B} 1 --port 1"}),
        # What is started is as it was then.
        ("a = Server('a')\na.start()\na.add('--x').start()", {f"{A} 1 --port 1", "--model-path a --x --tp 2 --port 1"}),
        ("a = Server('a')\nb = Server('b')\nb.tp = 8\na.start()\nb.start()", {f"{A} 1 --port 1", f"{B} 8 --port 1"}),
        ("a = Server('a')\nb = Server('b')\nsetattr(a, 'tp', 8)\na.start()", {f"{A} 8 --port 1"}),
        ("class Other:\n    def go(self):\n        self.s.start()\no = Other()\no.s = Server('a')\no.go()", {f"{A} 1 --port 1"}),
        # In a method that is read for all of them, what others set of one is not known.
        (
            "a = Server('a')\nb = Server('b')\nb.tp = 8\ndef run(s):\n    s.start(1)",
            {"--model-path a --tp ? --port ?", "--model-path b --tp ? --port ?", f"{A} ? --port 1", f"{B} ? --port 1"},
        ),
        ("a = Server('a')\nb = Server('b')", {f"{A} 1 --port 1", f"{B} 1 --port 1", f"{A} 1 --port ?", f"{B} 1 --port ?"}),
    ],
)  # fmt: skip
def test_objects_of_a_class_have_each_what_is_set_of_it(find: Find, body: str, wanted: set[str]) -> None:
    assert ways(find, body) == wanted


CONFIG = """\
@dataclasses.dataclass
class Config:
    model: str
    tp: int = 2
    more: str = None
"""


@pytest.mark.parametrize(
    "start",
    [
        "def start(config: Config):\n    {}",
        "def start(config: 'Config', port=1):\n    {}",
        "def start(port, *, config: Config):\n    {}",
        "def start(config: Config):\n    {}\nstart(load())",
        "class Server:\n    def start(self, config: Config):\n        {}",
    ],
)
def test_an_argument_that_is_annotated_as_a_record_has_its_defaults(find: Find, start: str) -> None:
    run = "subprocess.run([*cmd, '--tp', str(config.tp), '--model', config.model, '--more', config.more])"
    (found,) = find("python", CMD + CONFIG + start.format(run))
    assert found.words == ["--tp", ["2", None], "--model", None, "--more", None]
    (found,) = find("python", CMD + CONFIG + start.format(run).replace("Config", "Other"))
    assert found.words == ["--tp", None, "--model", None, "--more", None]


def test_an_argument_is_what_it_is_given_whatever_its_annotation_says(find: Find) -> None:
    body = "def start(config: Config):\n    subprocess.run([*cmd, '--tp', str(config.tp)])\nstart(Config('a/b', tp=8))"
    (found,) = find("python", CMD + CONFIG + body)
    assert found.words == ["--tp", "8"]


DERIVED = """\
from base import ServerConfig
class Config(ServerConfig):
    model: str
    tp: int = 2
"""


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("def start(c: Config):\n    cmd.extend(['--tp', str(c.tp), c.model])\n    subprocess.run(cmd)", ["--tp", ["2", None], None]),
        ("c = Config(tp=4, model='a/b')\ncmd += ['--tp', str(c.tp), c.model]\nsubprocess.run(cmd)", ["--tp", "4", "a/b"]),
        # What comes first are the fields of the base.
        ("c = Config('a/b', 1)\ncmd += ['--tp', str(c.tp), c.model]\nsubprocess.run(cmd)", ["--tp", ["2", None], None]),
    ],
)  # fmt: skip
def test_a_class_that_derives_from_settings_of_another_file_is_a_record(find: Find, body: str, words: list[Any]) -> None:
    (found,) = find("python", CMD + DERIVED + body)
    assert found.words == words


def test_a_record_has_the_fields_of_a_base_of_another_file_too(find: Find) -> None:
    text = "import dataclasses, sglang\n" + DERIVED + "e = sglang.Engine(**dataclasses.asdict(Config(model='a/b')))\n"
    (found,) = find("python", text)
    assert [k.name for k in found.launch.command.keywords] == [None, "model", "tp"]
    text = text.replace("ServerConfig):", "ServerConfig):\n    def __init__(self): ...")
    (found,) = find("python", text)
    assert [k.name for k in found.launch.command.keywords] == [None]
