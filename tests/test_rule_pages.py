"""The pages of docs/rules are those that the rule files make."""

from __future__ import annotations

import importlib.util
import pathlib

import pytest

from speclint import home
from speclint.rules import load

ROOT = pathlib.Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("rule_pages", ROOT / "tools" / "rule_pages.py")
assert SPEC is not None
assert SPEC.loader is not None
rule_pages = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(rule_pages)


def test_no_page_is_stale(capsys: pytest.CaptureFixture[str]) -> None:
    assert rule_pages.main(["--check"]) == 0, capsys.readouterr().out


def test_a_page_that_differs_is_told_and_written(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(rule_pages, "FOLDER", tmp_path / "rules")
    assert rule_pages.main([]) == 0
    (tmp_path / "rules" / "SGL201.md").write_text("old", encoding="utf-8")
    (tmp_path / "rules" / "SGL999.md").write_text("gone", encoding="utf-8")
    assert rule_pages.main(["--check"]) == 1
    told = capsys.readouterr().out
    assert {name for name in ("SGL201.md", "SGL202.md", "SGL999.md") if name in told} == {"SGL201.md", "SGL999.md"}
    assert rule_pages.main([]) == 0
    assert rule_pages.main(["--check"]) == 0
    assert not (tmp_path / "rules" / "SGL999.md").exists()


def test_every_rule_has_the_page_that_its_findings_name() -> None:
    for code in (*(rule.code for rule in load.rules()), "SGL002", "SGL003"):
        path = (home.rule_url(code) or "").partition("/blob/main/")[2]
        assert (ROOT / path).is_file(), code


def test_the_index_links_every_page() -> None:
    pages = rule_pages.pages()
    for name in pages:
        assert name == "index.md" or f"({name})" in pages["index.md"], name
