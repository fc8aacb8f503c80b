from __future__ import annotations

import errno
import os
import stat
from typing import TYPE_CHECKING

import pytest

from speclint.fix.write import WriteError, write
from speclint.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

OLD = b"\xef\xbb\xbfa --tp 8\r\nlast \xc3\xa9"


def laid(path: Path, raw: bytes = OLD) -> SourceFile:
    path.write_bytes(raw)
    return SourceFile(str(path), raw)


def test_bom_newlines_and_missing_last_newline_are_kept(tmp_path: Path) -> None:
    file = laid(tmp_path / "a.sh")
    write(file, file.text.replace("8", "4"))
    assert (tmp_path / "a.sh").read_bytes() == OLD.replace(b"8", b"4")


@pytest.mark.parametrize("mode", [0o644, 0o755, 0o600, 0o4755])
def test_mode_is_kept(tmp_path: Path, mode: int) -> None:
    file = laid(tmp_path / "a.sh")
    os.chmod(file.path, mode)
    write(file, "x")
    assert stat.S_IMODE(os.stat(file.path).st_mode) == mode


@pytest.mark.skipif(not hasattr(os, "chown") or os.geteuid() != 0, reason="only the super-user gives files away")
def test_owner_is_kept(tmp_path: Path) -> None:
    file = laid(tmp_path / "a.sh")
    try:
        os.chown(file.path, 1234, 2345)
    except PermissionError:
        pytest.skip("this super-user may not give files away")
    write(file, "x")
    status = os.stat(file.path)
    assert (status.st_uid, status.st_gid) == (1234, 2345)


def test_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "a.sh"
    target.write_bytes(b"old")
    link = tmp_path / "link.sh"
    link.symlink_to("real/a.sh")
    write(SourceFile(str(link), b"old"), "new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    assert os.listdir(tmp_path / "real") == ["a.sh"]


def test_hard_links_keep_sharing_one_file(tmp_path: Path) -> None:
    file = laid(tmp_path / "a.sh")
    os.link(tmp_path / "a.sh", tmp_path / "b.sh")
    write(file, "new")
    assert (tmp_path / "b.sh").read_bytes() == b"\xef\xbb\xbfnew"
    assert os.path.samefile(tmp_path / "a.sh", tmp_path / "b.sh")


@pytest.mark.parametrize("linked", [False, True])
def test_file_that_changed_since_is_left_alone(tmp_path: Path, linked: bool) -> None:
    file = laid(tmp_path / "a.sh")
    if linked:
        os.link(tmp_path / "a.sh", tmp_path / "b.sh")
    (tmp_path / "a.sh").write_bytes(b"by someone else")
    with pytest.raises(WriteError, match=r"a\.sh: the file has changed since it was read"):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == b"by someone else"
    assert set(os.listdir(tmp_path)) <= {"a.sh", "b.sh"}


def test_change_while_the_new_file_is_written_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = laid(tmp_path / "a.sh")
    sync = os.fsync

    def meddle(handle: int) -> None:
        (tmp_path / "a.sh").write_bytes(b"by someone else")
        sync(handle)

    monkeypatch.setattr(os, "fsync", meddle)
    with pytest.raises(WriteError, match="has changed"):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == b"by someone else"
    assert os.listdir(tmp_path) == ["a.sh"]


@pytest.mark.parametrize("step", ["fsync", "replace", "chmod"])
def test_failure_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    file = laid(tmp_path / "a.sh")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(WriteError, match=r"a\.sh: No space left on device"):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == OLD
    assert os.listdir(tmp_path) == ["a.sh"]


def test_interrupt_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = laid(tmp_path / "a.sh")

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == OLD
    assert os.listdir(tmp_path) == ["a.sh"]


def test_half_written_hard_link_is_put_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = laid(tmp_path / "a.sh")
    os.link(tmp_path / "a.sh", tmp_path / "b.sh")
    real, calls = os.write, []

    def short(handle: int, data: bytes) -> int:
        calls.append(len(data))
        if len(calls) == 2:
            raise OSError(errno.ENOSPC, "No space left on device")
        return real(handle, data[:3])

    monkeypatch.setattr(os, "write", short)
    with pytest.raises(WriteError, match="No space"):
        write(file, "something quite different and longer than before")
    assert (tmp_path / "a.sh").read_bytes() == OLD


def test_full_disk_for_real() -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    with pytest.raises(WriteError, match="/dev/full: not a regular file"):
        write(SourceFile("/dev/full", b""), "new")


def test_read_only_file_is_not_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = laid(tmp_path / "a.sh")
    os.chmod(file.path, 0o444)
    if os.geteuid() == 0:  # for the super-user nothing is read-only
        monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(WriteError, match="read-only"):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == OLD


def test_read_only_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = laid(tmp_path / "a.sh")

    def refuse(*_: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "open", refuse)
    with pytest.raises(WriteError, match=r"a\.sh: Permission denied"):
        write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == OLD


def test_file_that_is_gone_is_told(tmp_path: Path) -> None:
    with pytest.raises(WriteError, match=r"a\.sh: No such file"):
        write(SourceFile(str(tmp_path / "a.sh"), b"old"), "new")


def test_left_over_temporary_file_is_no_obstacle(tmp_path: Path) -> None:
    file = laid(tmp_path / "a.sh")
    stale = tmp_path / f".speclint-{os.getpid()}-0.tmp"
    stale.write_bytes(b"stale")
    write(file, "new")
    assert (tmp_path / "a.sh").read_bytes() == b"\xef\xbb\xbfnew"
    assert stale.read_bytes() == b"stale"


def test_text_that_is_no_utf8_is_refused(tmp_path: Path) -> None:
    file = laid(tmp_path / "a.sh")
    with pytest.raises(WriteError, match="UTF-8"):
        write(file, "\udcff")
    assert (tmp_path / "a.sh").read_bytes() == OLD
