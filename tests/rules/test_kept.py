"""What a checkout keeps of its rules is what is in them."""

from __future__ import annotations

import os
import pathlib

import pytest

from speclint.rules import kept, load
from speclint.rules.load import RuleError

RULE = pathlib.Path(load.rules()[0].path)


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    found = tmp_path / "rules"
    found.mkdir()
    (found / RULE.name).write_bytes(RULE.read_bytes())
    return found


def test_what_is_kept_is_read_until_a_file_changes(folder, monkeypatch):
    first = kept.rules(str(folder))
    assert [rule.code for rule in first] == ["SGL101"]
    assert (folder.parent / "build" / load.COMPILED).exists()
    with monkeypatch.context() as patch:
        patch.setattr(load, "read_all", None)
        assert [rule.data for rule in kept.rules(str(folder))] == [rule.data for rule in first]
    path = folder / RULE.name
    path.write_text(path.read_text(encoding="utf-8").replace("level: error", "level: info", 1), encoding="utf-8")
    assert [rule.level for rule in kept.rules(str(folder))] == ["info"]


def test_a_file_that_goes_or_is_put_back_is_noticed(folder):
    kept.rules(str(folder))
    other = folder / "other.yaml"
    other.write_text((folder / RULE.name).read_text(encoding="utf-8").replace("SGL101", "SGL100"), encoding="utf-8")
    assert [rule.code for rule in kept.rules(str(folder))] == ["SGL100", "SGL101"]
    other.unlink()
    assert [rule.code for rule in kept.rules(str(folder))] == ["SGL101"]


def test_where_nothing_can_be_written_the_files_are_read(folder):
    (folder.parent / "build").write_text("no folder")
    assert kept.rules(str(folder)) == ()


def test_a_wrong_file_is_told_and_nothing_is_kept(folder):
    (folder / "wrong.yaml").write_text("code: [")
    with pytest.raises(RuleError):
        kept.rules(str(folder))
    assert not os.path.exists(folder.parent / "build" / f"{load.COMPILED}.stamp")
