"""Data files are read in the form that loads fastest, and that is never older than the file itself."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import pytest

from speclint import prepared, process
from speclint.sglang import stored

if TYPE_CHECKING:
    from pathlib import Path

DATA = {"names": ["a", "b"], "points": [1, -2, None], "more": {"x": "é"}}


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A data file of a checkout."""
    path = tmp_path / "data" / "some.json"
    path.parent.mkdir()
    path.write_text(json.dumps(DATA))
    monkeypatch.setattr(stored, "DATA", str(path.parent))
    monkeypatch.setattr(prepared, "place", lambda: str(tmp_path / "build" / "prepared.bin"))
    monkeypatch.setattr(process, "is_ours", True)
    return path


def kept(file: Path) -> Path:
    return file.parents[1] / "build" / "some.bin"


def test_a_checkout_keeps_what_it_has_read(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert stored.read("some") == DATA
    assert kept(file).exists()
    monkeypatch.setattr(stored, "_json", lambda path: pytest.fail("it is read again"))
    assert stored.read("some") == DATA


def test_a_file_that_has_changed_is_read_again(file: Path) -> None:
    stored.read("some")
    file.write_text(json.dumps([1]))
    assert stored.read("some") == [1]
    assert stored.read("some") == [1]
    before = file.stat()
    file.write_text(json.dumps([2]))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns + 2 * 10**9))
    assert stored.read("some") == [2]


@pytest.mark.parametrize("content", [b"", b"x", b"\xe9\x00"])
def test_what_is_damaged_is_made_anew(file: Path, content: bytes) -> None:
    stored.read("some")
    whole = kept(file).read_bytes()
    for damaged in (content, whole[: len(whole) // 2]):
        kept(file).write_bytes(damaged)
        assert stored.read("some") == DATA
        assert kept(file).read_bytes() == whole


def test_nothing_is_written_where_that_cannot_be_or_for_others(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (file.parents[1] / "build").write_text("no folder")
    assert stored.read("some") == DATA
    (file.parents[1] / "build").unlink()
    monkeypatch.setattr(process, "is_ours", False)
    assert stored.read("some") == DATA
    monkeypatch.setattr(process, "is_ours", True)
    monkeypatch.setattr(prepared, "place", lambda: os.path.join(prepared.PACKAGE, "prepared.bin"))
    assert stored.read("some") == DATA
    assert not (file.parents[1] / "build").exists()


def test_a_build_writes_the_second_form_beside_the_first(file: Path) -> None:
    stored.compile_all(str(file.parent))
    file.unlink()
    assert stored.read("some") == DATA
