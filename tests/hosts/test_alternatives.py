"""Commands that branches put together from text: each way is read as a shell would read it, and no value is mixed up."""

from __future__ import annotations

import textwrap
from typing import Any

import pytest

from speclint.analysis import Analysis
from speclint.config import Configs
from speclint.run import Linter
from speclint.source import SourceFile


def _lint(text: str, name: str = "make.py") -> Analysis:
    linter = Linter(Configs(isolated=True))
    host = "javascript" if name.endswith("js") else "python"
    return linter.analyse(SourceFile(name, textwrap.dedent(text).encode()), host, linter.configs.for_file(name))


def _ways(analysis: Analysis) -> Any:
    """For each launch its words and when they are there."""
    return [
        [(word.text, [choice.labels[arm] for choice, arm in word.guard]) for word in launch.words]
        for launch in analysis.launches
    ]


def test_lines_that_go_on_in_branches_are_no_words() -> None:
    options = ["--tp 2", "--dp 2", "--page-size 64", "--enable-metrics", "--trust-remote-code"]
    adds = "\n".join(f"    if a{i}:\n        cmd += ' \\\\\\n  {option}'" for i, option in enumerate(options))
    names = ", ".join(f"a{i}" for i in range(5))
    text = f"def make({names}):\n    cmd = 'sglang serve --model-path m'\n{adds}\n    return cmd\n"
    analysis = _lint(text)
    ((*words,),) = _ways(analysis)
    assert [word for word, when in words if not when] == ["--model-path", "m"]
    told = {word: when for word, when in words if when}
    assert told["--tp"] == ["`a0` holds"]
    assert told["--trust-remote-code"] == ["`a4` holds"]
    assert not any("\\" in (word or "") for word, _ in words)
    assert [finding.code for finding in analysis.findings] == []


def test_a_variable_that_a_branch_sets_before_the_command() -> None:
    text = """
        def make(amd):
            cmd = 'sglang serve \\\\\\n'
            if amd:
                cmd = 'SGLANG_USE_AITER=1 ' + cmd
            cmd += '  --model-path m --tp 8'
            return cmd
    """
    (launch,) = _lint(text).launches
    assert [word.text for word in launch.words] == ["--model-path", "m", "--tp", "8"]
    assert not any(word.guard for word in launch.words)


def test_every_way_of_a_returned_command_counts() -> None:
    text = """
        def make(kind, fast):
            cmd = 'python -m sglang.launch_server --model-path m'
            if kind == 'amd':
                cmd = 'python3 -m sglang.launch_server --model-path m --tp 8'
            if fast:
                cmd += ' --page-size 64'
            return cmd
    """
    words = [word.text for launch in _lint(text).launches for word in launch.words]
    assert {"--tp", "8", "--page-size", "64"} <= set(words)


@pytest.mark.parametrize("quantity", [2, 6])
def test_quotes_in_branches_are_quotes(quantity: int) -> None:
    adds = "\n".join(f'    if a{i}:\n        cmd += " --x{i} \'{{\\"a\\": 1}}\'"' for i in range(quantity))
    names = ", ".join(f"a{i}" for i in range(quantity))
    analysis = _lint(f"def make({names}):\n    cmd = 'sglang serve --model-path m'\n{adds}\n    return cmd\n")
    (launch,) = analysis.launches
    # Of more ways than are told apart nothing is said.
    assert all(word.text is None or "'" not in word.text for word in launch.words)
    assert any(word.many for word in launch.words) is (quantity > 3)


def test_what_stands_beside_an_alternative_has_its_own_place() -> None:
    text = """
        def make(fp8, n):
            kv = "--kv-cache-dtype fp8_e4m3 " if fp8 else ""
            more = " --trust-remote-code" if n else ""
            return (
                f"sglang serve --model-path m {kv}"
                f"--cuda-graph-max-bs {n} --dp-size"
                f"=2{more}"
            )
    """
    (launch,) = _lint(text).launches
    places = {word.text: word.span.text for word in launch.words if word.text and word.span}
    assert places["--cuda-graph-max-bs"] == "--cuda-graph-max-bs"
    assert places["--kv-cache-dtype"] == "--kv-cache-dtype"
    assert places["--dp-size=2"].startswith("--dp-size")
    assert places["--dp-size=2"].endswith("=2")


def test_an_option_is_there_with_its_value() -> None:
    text = """
        def make(xeon):
            cmd = 'sglang serve'
            cmd += " --tp 6 --x '1 2'" if xeon else " --tp 8 --model-path m"
            return cmd + ' --port 1'
    """
    (launch,) = _lint(text).launches
    assert [word.text for word in launch.words] == [
        "--tp",
        None,
        "--x",
        "1 2",
        "--model-path",
        "m",
        "--port",
        "1",
    ]
    assert [bool(word.guard) for word in launch.words] == [False] * 2 + [True] * 4 + [False] * 2


def test_what_a_loop_adds_is_no_part_of_the_word_before() -> None:
    text = """
        def make(model, more):
            cmd = f'sglang serve --model-path {model}'
            for key, value in more:
                if value:
                    cmd += f' --{key} {value}'
            return cmd
    """
    (launch,) = _lint(text).launches
    assert [word.many for word in launch.words] == [False, True, True]


def test_suppression_in_a_comment_of_javascript() -> None:
    script = """
        export const a = () => `python -m sglang.launch_server --model-path m --fast-path`; // speclint: ignore[SGL101] ours
        // speclint: ignore[unknown-option]
        export const b = () => `python -m sglang.launch_server --model-path m --fast-path`;
        export const c = () => `python -m sglang.launch_server --model-path m --fast-path`;
        // # speclint: ignore[SGL101]
    """
    analysis = _lint(script, "a.mjs")
    assert [(f.code, f.span.file.location(f.span.start)[0]) for f in analysis.findings] == [
        ("SGL101", 5),
        ("SGL002", 6),
    ]
