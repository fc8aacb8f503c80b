"""Files that another file names: a script that is sourced, the values of a chart, a configuration that a launch reads.

They are read from the project around the file and from nowhere else: what a repository links to or climbs up to outside
of itself is no part of it, and a linter that follows it would show what it was not given.
"""

from __future__ import annotations

import os
import stat

from speclint.source import SourceError, SourceFile

# Nobody writes scripts or values by hand that are larger.
MAX_BYTES = 1 << 20
_MAX_KEPT = 64
# The parser of SGLang's options, in its own repository.
PARSER = os.path.join("python", "sglang", "srt", "server_args.py")
# What the root of a repository has, SGLang's own as it is unpacked from an archive too.
_REPOSITORY = (".git", PARSER)
_MARKS = ("Chart.yaml", "pyproject.toml", "speclint.toml")

_Stamp = tuple[int, int]
_kept: dict[tuple[str, str], tuple[_Stamp, SourceFile | None]] = {}
_roots: dict[str, str] = {}
_met: dict[str, tuple[str, str]] = {}
# The folder that was asked about last, and what it is without links: a file asks often, and its neighbours ask next.
_asked: tuple[str, str] = ("", "")


def read(file: SourceFile, *names: str) -> SourceFile | None:
    """The first of the files that are ``names`` seen from the folder of ``file``; None where there is none to read.

    That is: it does not exist, is no regular file, lies outside of the project once links are followed, is larger than
    ``MAX_BYTES`` or no text. Its ``path`` is that of ``file`` with its name put in, as a reader of the report expects.
    """
    folder = _folder(file)
    found = (_read(file, folder, name) for name in names if folder is not None and name and "\0" not in name)
    return next((source for source in found if source is not None), None)


def _read(file: SourceFile, folder: str, name: str) -> SourceFile | None:
    try:
        path = os.path.join(folder, name)
        found = os.stat(path)  # most are not there, and links are followed at the price of a call for each folder
        path = os.path.realpath(path)
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES or not _is_below(path, root(folder)):
        return None
    shown = os.path.normpath(os.path.join(os.path.dirname(file.path), name))
    stamp = (found.st_mtime_ns, found.st_size)
    kept = _kept.get((path, shown))
    if kept is None or kept[0] != stamp:
        if len(_kept) >= _MAX_KEPT:
            _kept.clear()
        kept = _kept[path, shown] = (stamp, _source(path, shown))
    return kept[1]


def above(file: SourceFile, name: str) -> str | None:
    """The nearest folder at or above that of ``file``, within its project, that holds ``name``, seen from there."""
    folder = _folder(file)
    if folder is None:
        return None
    top = root(folder)
    at, shown = folder, ""
    while True:
        if os.path.lexists(os.path.join(at, name)):
            return shown or os.curdir
        parent = os.path.dirname(at)
        if at == top or parent == at:
            return None
        at, shown = parent, os.path.join(shown, os.pardir)


def root(folder: str, is_real: bool = False) -> str:
    """The folder of the project around an absolute folder: of its repository; else of the nearest file that marks one,
    the current folder if it lies in that, or itself. ``is_real``: no link is on the way to it."""
    known = _roots.get(folder)
    if known is None:
        if len(_roots) >= 16 * _MAX_KEPT:
            _roots.clear()
            _met.clear()
        known = _roots[folder] = _root(folder if is_real else os.path.realpath(folder))
    return known


def _root(folder: str) -> str:
    repository, marked = _signs(folder)
    if repository:
        return repository
    here = os.getcwd() if os.name == "posix" else os.path.realpath(os.curdir)  # there it has no links in it
    # A home or a root folder is no project.
    if _is_below(folder, here) and os.path.dirname(here) != here and here != os.path.expanduser("~"):
        return here
    return marked or folder


def _signs(folder: str) -> tuple[str, str]:
    """The repository around a folder and, where there is none, the nearest folder that is marked; "" for none.

    Each folder is looked at once, whatever lies below it.
    """
    way: list[str] = []
    at, found = folder, _met.get(folder)
    while found is None:
        if any(os.path.lexists(os.path.join(at, name)) for name in _REPOSITORY):
            found = _met[at] = (at, "")
            break
        way.append(at)
        above = os.path.dirname(at)
        found = ("", "") if above == at else _met.get(above)
        at = above
    for at in reversed(way):
        if not found[0] and any(os.path.lexists(os.path.join(at, mark)) for mark in _MARKS):
            found = ("", at)
        _met[at] = found
    return found


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(os.path.join(folder, ""))


def _folder(file: SourceFile) -> str | None:
    """The folder of a file; None for what is read from standard input without a name."""
    global _asked
    if file.path in ("", "-"):
        return None
    folder = os.path.dirname(os.path.abspath(file.path))
    if _asked[0] != folder:
        _asked = (folder, os.path.realpath(folder))
    return _asked[1]


def _source(path: str, shown: str) -> SourceFile | None:
    try:
        with open(path, "rb") as stream:
            return SourceFile(shown, stream.read(MAX_BYTES))
    except (OSError, SourceError):
        return None
