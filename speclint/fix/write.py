"""Putting a fixed file on disk: afterwards it is the old file or the new one, never a part of either."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile


class WriteError(Exception):
    """A file that could not be written; ``str()`` names the file and the reason, for people."""


def write(file: SourceFile, text: str) -> None:
    """Give the file on disk the content ``text``; byte order mark and newlines are those of ``file`` and ``text``.

    A symbolic link stays one and its target is written. Raises WriteError, with the old content in place, where the
    bytes on disk are no longer those of ``file``, where it is no regular file or is read-only, and where the system
    says no.
    """
    target = os.path.realpath(file.path)
    try:
        new = file.encode(text)
        status = os.stat(target)
        if not stat.S_ISREG(status.st_mode):
            raise WriteError(f"{file.path}: not a regular file")
        if not os.access(target, os.W_OK):
            raise WriteError(f"{file.path}: the file is read-only")
        if status.st_nlink > 1:
            _in_place(file, target, new)
        else:
            _replace(file, target, new, status)
    except OSError as error:
        raise WriteError(f"{file.path}: {error.strerror or error}") from error
    except UnicodeEncodeError as error:
        raise WriteError(f"{file.path}: the new text is no UTF-8") from error


def _check(file: SourceFile, target: str) -> None:
    """What was read must still be there: the edits are for that text."""
    with open(target, "rb") as stream:
        if stream.read() != file.raw:
            raise WriteError(f"{file.path}: the file has changed since it was read")


def _replace(file: SourceFile, target: str, new: bytes, status: os.stat_result) -> None:
    folder = os.path.dirname(target)
    handle, temporary = _create(folder)
    try:
        with open(handle, "wb") as stream:
            stream.write(new)
            stream.flush()
            _like(temporary, target, status)
            os.fsync(stream.fileno())
        _check(file, target)
        os.replace(temporary, target)
    except BaseException:
        _remove(temporary)
        raise
    _sync(folder)


def _create(folder: str) -> tuple[int, str]:
    """A new file beside the target (a rename is atomic only within one file system), for its owner alone at first."""
    for number in range(100):
        name = os.path.join(folder, f".speclint-{os.getpid()}-{number}.tmp")
        try:
            return os.open(name, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600), name
        except FileExistsError:
            continue
    raise FileExistsError(errno.EEXIST, "temporary files of earlier runs are in the way", folder)


def _like(temporary: str, target: str, status: os.stat_result) -> None:
    """Owner, extended attributes (access lists among them) and mode of the target; only the mode is a must."""
    if hasattr(os, "chown"):
        with suppress(OSError):  # only the super-user may give a file away
            os.chown(temporary, status.st_uid, status.st_gid)
    if hasattr(os, "listxattr"):
        with suppress(OSError):  # not every file system has them
            for name in os.listxattr(target):
                os.setxattr(temporary, name, os.getxattr(target, name))
    os.chmod(temporary, stat.S_IMODE(status.st_mode))  # last: a change of owner clears some bits


def _in_place(file: SourceFile, target: str, new: bytes) -> None:
    """A file of several names keeps them, so the content is changed under them and put back if that fails half-way."""
    _check(file, target)
    with open(target, "r+b", buffering=0) as stream:
        try:
            _pour(stream.fileno(), new)
        except BaseException:
            _pour(stream.fileno(), file.raw)
            raise


def _pour(handle: int, content: bytes) -> None:
    os.lseek(handle, 0, os.SEEK_SET)
    rest = memoryview(content)
    while rest:
        rest = rest[os.write(handle, rest) :]
    os.ftruncate(handle, len(content))
    os.fsync(handle)


def _remove(path: str) -> None:
    with suppress(OSError):  # the first error is the one to tell
        os.unlink(path)


def _sync(folder: str) -> None:
    """Make the rename last through a crash; a file system that cannot is no reason to fail."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
