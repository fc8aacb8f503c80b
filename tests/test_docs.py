"""The documentation: what its examples show is what happens, its generated pages are fresh, its links lead somewhere."""

from __future__ import annotations

import importlib.util
import json
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

from speclint.home import HOME, rule_url

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_examples(path: Path) -> None:
    page = path.read_text("utf-8")
    assert tool("docs_examples").renewed(page) == page


def test_an_example_that_shows_something_else_is_told() -> None:
    page = '```sh title="a.sh"\necho a\n```\n\n```console\n$ bash a.sh\nb\n```\n'
    assert tool("docs_examples").renewed(page) == page.replace("\nb\n", "\na\n")


def test_upgrade_pages_are_fresh() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "upgrade_pages.py", "--check"],
        env={"PYTHONPATH": str(ROOT)}, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, f"run tools/upgrade_pages.py:\n{done.stdout}{done.stderr}"


def test_upgrade_page_says_what_the_catalogue_says() -> None:
    page = (ROOT / "docs/upgrade/0.5.18-to-0.5.23.md").read_text("utf-8")
    assert "| `--stream-output` | `--incremental-streaming-output` |" in page
    assert "| `--quantization marlin` |" in page
    assert "| `--mamba-full-memory-ratio` | `0.9` | `None` |" in page


def test_every_rule_has_the_page_that_its_address_names(cli: Any) -> None:
    for rule in cli("rule", "--output-format", "json").json:
        path = (rule_url(rule["code"]) or "").removeprefix(f"{HOME}/blob/main/")
        assert (ROOT / path).is_file(), path


@pytest.mark.parametrize("path", [*PAGES, ROOT / "README.md", ROOT / "CONTRIBUTING.md"], ids=lambda path: path.name)
def test_links(path: Path) -> None:
    for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", path.read_text("utf-8")):
        if "://" not in target:
            assert (path.parent / target).exists(), target


def test_home_is_repeated_as_it_is() -> None:
    assert yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["repo_url"] == HOME
    assert f'Homepage = "{HOME}"' in (ROOT / "pyproject.toml").read_text("utf-8")
    for path in (ROOT / "docs/schema").iterdir():
        assert json.loads(path.read_text("utf-8"))["$id"].startswith(f"{HOME}/")
    assert f"repo: {HOME}" in (ROOT / "docs/ci.md").read_text("utf-8")


def test_navigation() -> None:
    listed = [next(iter(item.values())) for item in yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"]]
    assert {name for name in listed if name.endswith(".md")} == {path.name for path in PAGES}
    assert {name for name in listed if name.endswith("/")} == {"upgrade/", "rules/"}
