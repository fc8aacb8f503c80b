"""JavaScript: commands that pages and scripts make, read as Python's are, and as Node runs them."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess
from typing import Any

import pytest

from speclint import hosts
from speclint.analysis import Outcome
from speclint.config import Configs
from speclint.run import Linter
from speclint.source import SourceError, SourceFile

START = "sglang serve --model-path m"

# Bodies of functions that return a command, and the words behind the model.
SAME = [
    ("return `{S} --tp ${4 + 4}`;", ["--tp", "8"]),
    ("const tp = 8; return '{S} --tp ' + tp;", ["--tp", "8"]),
    ("const tp = 8; return '{S} --tp ' + tp + \" --port \" + 1 + 2;", ["--tp", "8", "--port", "12"]),
    ("let c = '{S}'; c += ` \\\\\\n  --tp ${2 * 4}`; return c;", ["--tp", "8"]),
    ("return '{S} --x \\x61\\u0062\\u{63} --y \"it\\'s\"';", ["--x", "abc", "--y", "it's"]),
    ("return '{S} \\\n--tp 8';", ["--tp", "8"]),
    ("return `{S} --x '${'a b'}'`;", ["--x", "a b"]),
    ("return ['{S}', '--tp', 8].join(' ');", ["--tp", "8"]),
    ("const a = ['{S}']; a.push('--tp', '8'); a.push(...['--dp', 2]); return a.join(' ');", ["--tp", "8", "--dp", "2"]),
    ("const a = ['--tp 8']; a.unshift('{S}'); return a.join(' ');", ["--tp", "8"]),
    ("const a = ['x', '{S}']; a.shift(); return a.concat(['--tp 8']).join(' ');", ["--tp", "8"]),
    ("return ['{S}', null, false, '--tp 8', ''].filter(Boolean).join(' ');", ["--tp", "8"]),
    ("return '{S} ' + [1, 2].map((n) => `--n${n} ${n}`).join(' ');", ["--n1", "1", "--n2", "2"]),
    ("return '{S} ' + ['--a', 'b'].filter((x) => x.startsWith('--')).join(' ');", ["--a"]),
    ("const o = { tp: 8, 'dp-size': 2 }; return `{S} --tp ${o.tp} --dp ${o['dp-size']}`;", ["--tp", "8", "--dp", "2"]),
    ("const { tp, dp: d, pp = 3 } = { tp: 8, dp: 2 }; return `{S} ${tp} ${d} ${pp}`;", ["8", "2", "3"]),
    ("const [a, , b] = [1, 2, 3]; return `{S} ${a} ${b}`;", ["1", "3"]),
    ("const o = { ...{ tp: 1 }, tp: 8 }; return `{S} ${o.tp} ${o.no ?? 'x'} ${o.no || 'y'}`;", ["8", "x", "y"]),
    ("const o = {}; o.tp = 8; o['dp'] = 2; delete o.dp; return `{S} ${o.tp}${o.dp ? ' --dp' : ''}`;", ["8"]),
    (
        "let c = '{S}'; for (const [k, v] of Object.entries({ a: 1, b: 2 })) c += ` --${k} ${v}`; return c;",
        ["--a", "1", "--b", "2"],
    ),
    ("let c = '{S}'; ['a', 'b'].forEach((k, i) => { if (k === 'a') return; c += ` --${k}`; }); return c;", ["--b"]),
    ("let c = '{S}'; for (const k in { a: 1 }) { c += ` --${k}`; } return c;", ["--a"]),
    ("const f = (a, b = 2, ...c) => `${a} ${b}`; return `{S} ${f(1)}`;", ["1", "2"]),
    ("function f({ tp }, [x]) { return tp + x; } return `{S} ${f({ tp: 8 }, ['y'])}`;", ["8y"]),
    ("const f = function () { return 8; }; return `{S} --tp ${f()}`;", ["--tp", "8"]),
    (
        "const o = { get: (v) => `--x ${v}`, go() { return '--y'; } }; return `{S} ${o.get(1)} ${o.go()}`;",
        ["--x", "1", "--y"],
    ),
    (
        "class A { constructor(tp) { this.tp = tp; } cmd() { return `{S} --tp ${this.tp}`; } } return new A(8).cmd();",
        ["--tp", "8"],
    ),
    ("switch ('b') { case 'a': return '{S} 1'; case 'b': return '{S} 2'; default: return '{S} 3'; }", ["2"]),
    (
        "let c = '{S}'; switch (1) { case 1: c += ' 1'; case 2: c += ' 2'; break; case 3: c += ' 3'; } return c;",
        ["1", "2"],
    ),
    ("if ([]) return '{S} --list'; return '{S}';", ["--list"]),
    ("if ({}) return '{S} --object'; return '{S}';", ["--object"]),
    ("if ([].length) return '{S} --none'; return '{S}';", []),
    ("return `{S} ${true} ${[1, 2].includes(2)} ${'ab'.includes('c')}`;", ["true", "true", "false"]),
    ("return `{S} ${Math.floor(9 / 2)} ${String(3)} ${'X'.toLowerCase()}`;", ["4", "3", "x"]),
    ("const a = [3, 4]; return `{S} ${a.slice(1)[0]} ${a[0]} ${a.length}`;", ["4", "3", "2"]),
    ("const f = () => ({ tp: 8 }); return `{S} --tp ${f()?.tp}`;", ["--tp", "8"]),
    ("let i = 1; i++; i += 2; return `{S} ${i}`;", ["4"]),
    ("const s = new Set(['a', 'b']); return '{S} ' + Object.assign({}, { k: 'v' }).k;", ["v"]),
    ("try { return '{S} 1'; } catch (e) { return null; }", ["1"]),
    ("return ('{S} 1', '{S} 2');", ["2"]),
    ("const open = 8, list = 2; return `{S} ${open} ${list}`;", ["8", "2"]),
    ("return `{S} ${'a-b'.replaceAll('-', '_')} ${'a,b'.split(',').join('+')} ${' x '.trim()}`;", ["a_b", "a+b", "x"]),
]


def _script(body: str) -> str:
    return f"export const make = () => {{\n  {body.replace('{S}', START)}\n}};\n"


@pytest.mark.parametrize(("body", "words"), SAME)
def test_what_a_function_makes(find, body: str, words: list[str]) -> None:
    (launch,) = find("javascript", _script(body))
    assert launch.words == ["--model-path", "m", *words]


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node to ask")
def test_node_makes_the_same() -> None:
    functions = ",\n".join(_script(body).removeprefix("export const make = ").rstrip().rstrip(";") for body, _ in SAME)
    script = f"console.log(JSON.stringify([{functions}].map((f) => f())))"
    told = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True, timeout=60)
    for (body, words), made in zip(SAME, json.loads(told.stdout), strict=True):
        assert shlex.split(made.replace("\\\n", ""))[2:] == ["--model-path", "m", *words], body


@pytest.mark.parametrize(
    ("body", "words"),
    [
        # What is chosen is one of several, what is given is not known.
        ("return `{S} --tp ${v.fast ? 8 : 4}`;", ["--tp", ["8", "4"]]),
        ("const { tp } = v; return `{S} --tp ${tp} --dp 1`;", ["--tp", "…", "--dp", "1"]),
        ("const { tp = 8 } = v; return `{S} --tp ${tp}`;", ["--tp", ["8", None]]),
        ("return `{S} --tp ${v.tp || 8}`;", ["--tp", ["8", None]]),
        ("const t = { a: 1 }; return `{S} --tp ${t[v] || 8}`;", ["--tp", [None, "8"]]),
        ("return `{S} --tp ${process.env.TP ?? 8} --dp ${process.env['DP']}`;", ["--tp", ["8", None], "--dp", "…"]),
        ("let c = '{S}'; if (v) c += ' --a'; return c;", ["--a"]),
        ("let c = '{S}'; for (const x of v) c += ` --a ${x}`; return c;", ["…"]),
        ("let c = '{S}'; for (let i = 0; i < 3; i++) c += ' --a'; return c;", ["…"]),
        ("return `{S} --tp ${8 / 2} --n ${1.0} --o ${null}`;", ["--tp", "…", "--n", "…", "--o", "…"]),
        ("return '{S} ' + 'a-b-c'.replace('-', '+');", ["…"]),
        ("return `{S} --tp ${v.get('tp')} --x ${v.items()}`;", ["--tp", "…", "--x", "…"]),
        # What is shown to people has words that they fill in.
        (
            "return '{S} --node-rank <0|1> --tp {{TP}} --port PORT';",
            ["--node-rank", None, "--tp", None, "--port", None],
        ),
        # Of a list that was changed in a way that is not followed nothing is known.
        ("const a = ['--tp', '8']; a.splice(0, 1); return '{S} ' + a.join(' ');", ["…"]),
    ],
)
def test_what_is_not_known(find, body: str, words: list[Any]) -> None:
    script = _script(body).replace("make = ()", "make = (v)")
    (launch,) = find("javascript", script)
    assert launch.words == ["--model-path", "m", *words]


@pytest.mark.parametrize(
    ("script", "words"),
    [
        ("execSync(`sglang serve --tp ${8}`);", ["--tp", "8"]),
        ("child_process.exec('sglang serve --tp 8', () => {});", ["--tp", "8"]),
        ("spawn('sglang', ['serve', '--tp', '8'], { shell: false });", ["--tp", "8"]),
        ("const { spawn: s } = cp; cp.spawn('sglang', ['serve', ...['--tp', 8]]);", ["--tp", "8"]),
        ("await $`sglang serve --tp ${8}`;", ["--tp", "8"]),
        ("run('sglang serve --tp 8');", ["--tp", "8"]),
        ("#!/usr/bin/env node\nrun('sglang serve --tp 8');", ["--tp", "8"]),
        ("const CMD = 'sglang serve --tp 8 --model-path m';", ["--tp", "8", "--model-path", "m"]),
        ("export default { start: 'sglang serve --tp 8 --model-path m' };", ["--tp", "8", "--model-path", "m"]),
        (
            "const M = [{ id: 1, configs: [{ hw: { a: [{ cmd: 'sglang serve --tp 8 --model-path m' }] } }] }];",
            ["--tp", "8", "--model-path", "m"],
        ),
        ("const p = () => <pre>{'sglang serve --tp 8'}</pre>;", ["--tp", "8"]),
    ],
)
def test_where_a_command_is_run(find, script: str, words: list[str]) -> None:
    (launch,) = find("javascript", script)
    assert launch.words == words


def test_the_environment_of_a_process(find) -> None:
    (launch,) = find(
        "javascript", "spawn('sglang', ['serve', '--tp', '8'], { env: { ...process.env, A: '1', B: process.env.B } });"
    )
    assert launch.env == {"A": "1", "B": None}


@pytest.mark.parametrize(
    "script",
    [
        "/sglang serve --tp 8/.exec(text);",
        "pattern.exec('sglang serve --tp 8');\nconsole.log('sglang serve --tp 8');",
        "// sglang serve --tp 8\n/* sglang serve */",
        "const help = 'Start it: sglang serve --tp 8';",
        "execSync('pkill -f sglang.launch_server');",
        "const a = 'sglang serve --tp 8';" + "x" * 3000,
        "import sglang from 'sglang';\nconst o = ['--a', '--b'];",
    ],
)
def test_what_starts_nothing(find, script: str) -> None:
    assert find("javascript", script) == []


def test_a_list_of_options(find) -> None:
    script = """
        const flags = ['--tp-size 8', '--page-size 64', `--mem-fraction-static ${0.8}`, "--json-model-override-args '{\\"a\\": 1}'"]; // sglang
        const names = ['--tp-size', '--page-size', '--mem-fraction-static'];
    """
    (launch,) = find("javascript", script)
    assert launch.entry == "sglang options"
    assert launch.words[:8] == [
        "--tp-size", "8", "--page-size", "64", "--mem-fraction-static", "0.8",
        "--json-model-override-args", '{"a": 1}',
    ]  # fmt: skip


def test_words_stand_where_they_are_written(find) -> None:
    script = "const tp = 8;\nconst é = `sglang serve --model-path m --tp ${tp} \\\\\\n  --page-size 64 --x \\x62`;\nrun(é);\n"
    (launch,) = find("javascript", script)
    assert (launch.row, launch.column) == (2, 12)
    assert launch.words == ["--model-path", "m", "--tp", "8", "--page-size", "64", "--x", "b"]
    assert launch.places[2:] == ["--tp", "tp", "--page-size", "64", "--x", "\\x62"]


@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_line_ends(find, ending: str) -> None:
    script = "run(`sglang serve\n  --tp 8 \\\\\n  --dp 2`);\n"
    assert [launch.words for launch in find("javascript", script.replace("\n", ending))] == [["…"]]
    script = "run(`sglang serve --model-path m \\\\\n  --tp 8 \\\\\n  --dp 2`);\n"
    (launch,) = find("javascript", script.replace("\n", ending))
    assert launch.words == ["--model-path", "m", "--tp", "8", "--dp", "2"]


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        ("const a = 'sglang serve --tp 8';\nconst b = (;\n", 2, 9),
        ("run('sglang serve --tp 8')\ninterface A { a: B }\n", 2, 1),
        ('é = ("sglang serve --tp 8", é é);\n', 1, 31),
    ],
)
def test_what_is_no_javascript_is_told(text: str, row: int, column: int) -> None:
    with pytest.raises(SourceError) as told:
        hosts.read(SourceFile("a.js", text.encode()), "javascript")
    assert (told.value.row, told.value.column) == (row, column)


def test_nothing_is_parsed_that_names_no_launch(find) -> None:
    assert find("javascript", "const b = (; // sglang") == []


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "(" * 3000 + "'sglang serve --a'" + ")" * 3000,
        "x = 'sglang serve --a'" + " + 'b'\n" * 3000,
        "x = 'sglang serve --a'\n" + "if (a) {\n" * 500 + "}\n" * 500,
        "let c = 'sglang serve';\n" + "if (a.b) { c += ' --a'; }\n" * 300 + "run(c);",
        "let c = 'sglang serve';\n" + "c += c;\n" * 60 + "run(c);",
    ],
)
def test_what_is_deep_or_long_ends(text: str) -> None:
    outcome = Outcome()
    Linter(Configs(isolated=True)).content("a.js", text.encode(), "javascript", True, outcome)
    assert all("deeply" in error for error in outcome.errors)


def test_what_a_program_made_is_not_parsed(find) -> None:
    assert find("javascript", "run('sglang serve --tp 8'); (;\n" + "// x\n" * 100_000) == []
    assert find("javascript", "a = ['--tp-size', '--page-size']; (; // sglang\n") == []


def test_arguments_of_a_container(find) -> None:
    """The program is its entry point, which stands beside them."""
    (launch,) = find(
        "javascript", "run({ entrypoint: 'python3', args: ['-m', 'sglang.launch_server', '--tp', '2'] });\n"
    )
    assert (launch.entry, launch.words[:2]) == ("sglang.launch_server", ["--tp", "2"])


def test_the_image_beside_a_command(find) -> None:
    (launch,) = find("javascript", 'export const r = { s: { image: "x:1", command: "sglang serve --model-path m" } };\n')
    assert launch.image == "x:1"
