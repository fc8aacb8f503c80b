"""How reports for services name files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from speclint.report.paths import relative, uri


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("GITHUB_ACTIONS", "GITHUB_WORKSPACE", "GITLAB_CI", "CI_PROJECT_DIR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / "sub").mkdir()
    monkeypatch.chdir(tmp_path / "sub")
    return tmp_path


def test_from_the_current_folder(folder: Path) -> None:
    assert [relative(path) for path in ("a.sh", "./a.sh", "x/../a.sh", str(folder / "sub" / "a.sh"))] == ["a.sh"] * 4
    assert relative("..a.sh") == "..a.sh"
    assert relative("../a.sh") == str(folder / "a.sh")


@pytest.mark.parametrize(
    ("mark", "root"), [("GITHUB_ACTIONS", "GITHUB_WORKSPACE"), ("GITLAB_CI", "CI_PROJECT_DIR")]
)
def test_from_the_checkout(folder: Path, monkeypatch: pytest.MonkeyPatch, mark: str, root: str) -> None:
    monkeypatch.setenv(root, str(folder))
    assert relative("a.sh") == "a.sh"  # the variable alone says nothing: it may be left over
    monkeypatch.setenv(mark, "true")
    assert relative("a.sh") == "sub/a.sh"
    assert relative("../a.sh") == "a.sh"


def test_link_has_its_own_name(folder: Path) -> None:
    (folder / "a.sh").write_text("")
    os.symlink(folder / "a.sh", folder / "sub" / "b.sh")
    assert relative("b.sh") == "b.sh"
    os.symlink(folder / "sub", folder / "sub" / "loop")
    assert relative("loop/b.sh") == "b.sh"


def test_uri() -> None:
    assert uri("a b#é%.sh") == "a%20b%23%C3%A9%25.sh"
    assert uri("/x y/a.sh") == "file:///x%20y/a.sh"
    assert uri("a:b.sh") == "a%3Ab.sh"
    assert uri("\udcff.sh") == "%FF.sh"
