"""What the README shows is what happens."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

Cli = Any


@pytest.fixture
def readme(repository: Path) -> str:
    return (repository / "README.md").read_text(encoding="utf-8")


def test_demo(cli: Cli, repository: Path, readme: str) -> None:
    shutil.copytree(repository / "fixtures", cli.folder / "fixtures")
    command, output = re.findall(r"```console\n\$ speclint ([^\n]+)\n(.+?)```", readme, re.DOTALL)[0]
    ran = cli("--isolated", *command.split())
    assert ran.status == 1
    assert ran.out == output


def test_fix_changes_one_character(cli: Cli, repository: Path) -> None:
    for name in ("serve.sh", "serve.py", "serve.yaml"):
        before = (repository / "fixtures" / name).read_text()
        cli.write(f"fixtures/{name}", before)
        assert cli("--isolated", "--select", "SGL201", "--fix", f"fixtures/{name}").status == 0
        after = (cli.folder / "fixtures" / name).read_text()
        assert [(a, b) for a, b in zip(before, after, strict=True) if a != b] == [("4", "1")]
        assert cli("--isolated", f"fixtures/{name}").status == 0


def test_commands(cli: Cli, readme: str) -> None:
    for command in re.findall(r"^\| `speclint (\w+) ", readme, re.MULTILINE):
        assert cli(command, "--help").status == 0


def test_every_key_of_the_configuration_is_an_option_or_named(readme: str) -> None:
    from speclint.arguments import parse
    from speclint.settings import KEYS

    for key in set(KEYS) - {"models", "rules", "per-file-ignores"}:
        value = {"fail-on": "error", "output-format": "json", "jobs": "1", "sglang-version": "0.5.9"}.get(key, "SGL201")
        switch = key in ("fix", "unsafe-fixes", "force-exclude", "respect-gitignore", "quiet", "statistics", "show-unknown")
        assert key in parse([f"--{key}"] if switch else [f"--{key}", value]).given
    for key in ("models", "rules", "per-file-ignores"):
        assert f"`{key}`" in readme
