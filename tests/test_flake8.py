"""The plugin through flake8 itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Cli = Any
FOUND = 'a.py:{row}:{column}: SGL201 '


def flake8(folder: Path, *words: str, stdin: str | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flake8", "--isolated", "-j1", *words],
        cwd=folder,
        input=stdin,
        capture_output=True,
        text=True,
        encoding="utf-8",
        env={**os.environ, "PYTHONUTF8": "1"},
        check=False,
    )


@pytest.fixture
def source(sources: dict[str, str]) -> str:
    return sources["serve.py"]


def test_same_findings_as_check(cli: Cli, source: str) -> None:
    cli.write("a.py", source)
    done = flake8(cli.folder, "--select", "SGL", "a.py")
    expected = cli("check", "--output-format", "json", "a.py").json
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        f"a.py:{f['location']['row']}:{f['location']['column']}: {f['code']} {f['message']}" for f in expected
    ]
    assert "SGL201" in done.stdout


def test_on_without_being_selected(cli: Cli, source: str) -> None:
    cli.write("a.py", source)
    assert " SGL201 " in flake8(cli.folder, "a.py").stdout


def test_columns_count_code_points(cli: Cli, source: str) -> None:
    text = source.replace("llm = sgl", '名前 = "😀é"; llm = sgl').replace("\n    ", " ").replace("\n)", ")")
    cli.write("a.py", text)
    row = text.split("\n").index(next(line for line in text.split("\n") if "topk" in line)) + 1
    column = text.split("\n")[row - 1].index("topk=4") + len("topk=") + 1
    done = flake8(cli.folder, "--select", "SGL201", "a.py")
    assert done.stdout.startswith(FOUND.format(row=row, column=column))


@pytest.mark.parametrize("change", [lambda b: b"\xef\xbb\xbf" + b, lambda b: b.replace(b"\n", b"\r\n")])
def test_byte_order_mark_and_newlines(cli: Cli, source: str, change: Any) -> None:
    cli.write("a.py", change(source.encode()))
    assert flake8(cli.folder, "--select", "SGL201", "a.py").stdout.startswith(FOUND.format(row=7, column=28))


def test_noqa(cli: Cli, source: str) -> None:
    cli.write("a.py", source.replace("topk=4,", "topk=4,  # noqa: SGL201"))
    assert flake8(cli.folder, "--select", "SGL201", "a.py").stdout == ""


def test_own_comments_and_configuration_hold(cli: Cli, source: str) -> None:
    cli.write("a.py", source.replace("topk=4,", "topk=4,  # speclint: ignore[SGL201]"))
    assert flake8(cli.folder, "--select", "SGL", "a.py").stdout.count("SGL201") == 0
    cli.write("a.py", source)
    cli.write("speclint.toml", 'ignore = ["SGL201"]\n')
    assert "SGL201" not in flake8(cli.folder, "--select", "SGL", "a.py").stdout


def test_standard_input(cli: Cli, source: str) -> None:
    done = flake8(cli.folder, "--select", "SGL201", "--stdin-display-name", "a.py", "-", stdin=source)
    assert done.stdout.startswith(FOUND.format(row=7, column=28))


def test_file_that_cannot_be_parsed_is_flake8s_own_matter(cli: Cli) -> None:
    cli.write("a.py", "import sglang\nsglang.Engine(\n")
    done = flake8(cli.folder, "a.py")
    assert "E999" in done.stdout
    assert "Traceback" not in done.stderr


def test_nothing_is_imported_for_a_file_without_a_launch() -> None:
    code = (
        "import sys; from speclint.flake8 import Plugin; before = set(sys.modules);"
        "assert list(Plugin(None, 'a.py', ['import os\\n'] * 9).run()) == [];"
        "assert not set(sys.modules) - before; assert 'speclint.run' not in sys.modules"
    )
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)}
    subprocess.run([sys.executable, "-c", code], check=True, env=env)
