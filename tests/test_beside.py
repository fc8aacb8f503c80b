"""Files that another file names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from speclint import beside
from speclint.source import SourceFile


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    (folder / "deploy").mkdir()
    (folder / "values.yaml").write_text("a: 1\n")
    (folder / "deploy" / "run.sh").write_text("source ../common.sh\n")
    (folder / "common.sh").write_text("TP=8\n")
    (tmp_path / "secret.sh").write_text("TOKEN=x\n")
    return folder


def at(path: Path) -> SourceFile:
    return SourceFile(str(path), path.read_bytes())


def test_reads_from_the_folder_of_the_file(project: Path) -> None:
    found = beside.read(at(project / "deploy" / "run.sh"), "../common.sh")
    assert found is not None
    assert found.text == "TP=8\n"
    assert found.path == str(project / "common.sh")


def test_path_is_told_as_the_file_was_given(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    found = beside.read(SourceFile("deploy/run.sh", b""), "../common.sh")
    assert found is not None
    assert found.path == "common.sh"


def test_nothing_outside_of_the_repository(project: Path) -> None:
    script = at(project / "deploy" / "run.sh")
    assert beside.read(script, "../../secret.sh") is None
    assert beside.read(script, str(project.parent / "secret.sh")) is None
    (project / "deploy" / "link.sh").symlink_to(project.parent / "secret.sh")
    assert beside.read(script, "link.sh") is None
    (project / "deploy" / "inner.sh").symlink_to(project / "common.sh")
    assert beside.read(script, "inner.sh") is not None


@pytest.mark.parametrize("name", ["missing.sh", "", "..", ".", "a\0b", "x" * 5000, "run.sh/x"])
def test_no_such_file(project: Path, name: str) -> None:
    assert beside.read(at(project / "deploy" / "run.sh"), name) is None


def test_no_pipe_no_large_and_no_binary_file(project: Path) -> None:
    script = at(project / "deploy" / "run.sh")
    os.mkfifo(project / "deploy" / "pipe")
    (project / "deploy" / "large").write_bytes(b"#" * (beside.MAX_BYTES + 1))
    (project / "deploy" / "binary").write_bytes(b"a\0b")
    for name in ("pipe", "large", "binary"):
        assert beside.read(script, name) is None


def test_a_changed_file_is_read_again(project: Path) -> None:
    script = at(project / "deploy" / "run.sh")
    first = beside.read(script, "../common.sh")
    assert beside.read(script, "../common.sh") is first
    (project / "common.sh").write_text("TP=16\n")
    again = beside.read(script, "../common.sh")
    assert again is not None
    assert again.text == "TP=16\n"


def test_standard_input_has_no_neighbours(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(project)
    assert beside.read(SourceFile("-", b""), "common.sh") is None
    assert beside.above(SourceFile("-", b""), "values.yaml") is None


def test_above(project: Path, tmp_path: Path) -> None:
    script = at(project / "deploy" / "run.sh")
    assert beside.above(script, "values.yaml") == ".."
    assert beside.above(script, "run.sh") == "."
    assert beside.above(script, "secret.sh") is None


def test_without_a_repository_the_marked_folder_is_the_project(tmp_path: Path) -> None:
    chart = tmp_path / "chart"
    (chart / "templates").mkdir(parents=True)
    (chart / "Chart.yaml").write_text("name: x\n")
    (chart / "values.yaml").write_text("a: 1\n")
    (tmp_path / "other.yaml").write_text("a: 1\n")
    template = SourceFile(str(chart / "templates" / "x.yaml"), b"")
    assert beside.read(template, "../values.yaml") is not None
    assert beside.read(template, "../../other.yaml") is None
