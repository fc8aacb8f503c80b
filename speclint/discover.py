"""Which files to read: walking folders, what is ignored, what language a file is in, and whether it can hold a launch.

A walk costs little more than listing the folders and reading the candidates once: a file whose bytes do not hold the
word that every launch holds is never decoded.
"""

from __future__ import annotations

import os

from speclint.globs import Globs
from speclint.hosts import SUFFIXES, of_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from speclint.config import Configs
    from speclint.settings import Settings

    Problem = Callable[[str, str], None]
    Level = tuple[Globs, str]

NEEDLE = b"sglang"
# Data may call the engine only so: `backend: SGLang`. A second search of every file costs as much as the first.
_NAME = b"SGLang"
_DATA = frozenset(("yaml", "json", "toml", "template"))
# A part of the word by whose last letters most files are told apart faster than by the whole: 90 ms of 130 in 160 MB.
_PART = b"lang"
STDIN = "-"
_WIDE_NEEDLES = (b"".join(b"%c\0" % byte for byte in NEEDLE), b"".join(b"\0%c" % byte for byte in NEEDLE))
_BUFFER = 1 << 20
_READ = os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
_BY_SUFFIX = {suffix[1:]: host for suffix, host in SUFFIXES.items()}
_SPECIAL = frozenset((".gitignore", "speclint.toml", "pyproject.toml", "setup.cfg"))


Candidate = tuple[int, str, str | None, bool]
"""A file to read: the number of the path that it was given by or found below, its path, the host that its name tells or
None, and whether it was given itself. A plain tuple, since a walk makes one for every file."""


def candidates(paths: Sequence[str], configs: Configs, problem: Problem) -> list[Candidate]:
    """The files that ``paths`` name or hold, in no order; no file twice.

    Without paths, what the current folder holds, named from there. ``problem(path, message)`` is told of what cannot be
    listed.
    """
    found: list[Candidate] = []
    for order, path in enumerate(paths or ("",)):
        if not path or os.path.isdir(path):
            walk = _Walk(configs, problem, order)
            walk.run(path)
            found.extend(walk.found)
        elif path == STDIN or os.path.lexists(path):
            settings = configs.for_file(path)
            if not (settings.force_exclude and excluded(settings, path)):
                found.append((order, path, host_of(path), True))
        else:
            problem(path, "no such file or folder")
    return found if len(paths) <= 1 else _once(found)


def _once(found: Iterable[Candidate]) -> list[Candidate]:
    unique: dict[str, Candidate] = {}
    for candidate in found:
        unique.setdefault(os.path.abspath(candidate[1]), candidate)
    return list(unique.values())


def excluded(settings: Settings, path: str) -> bool:
    """Whether the settings leave a file out."""
    from speclint.settings import relative_to

    globs = Globs((*settings.exclude, *settings.extend_exclude))
    return globs.covers(relative_to(settings.root, path).lstrip("./"))


def host_of(path: str) -> str | None:
    """The language that the name of a file tells."""
    return of_name(os.path.basename(path))


def host_by_content(raw: bytes, certain: bool = True) -> str | None:
    """The language that the content of a file tells: by its first line or, if not ``certain``, by its looks."""
    head = raw[:4096].removeprefix(b"\xef\xbb\xbf")
    if head.startswith(b"#!"):
        return _interpreter(head.split(b"\n", 1)[0][2:].decode("utf-8", "replace"))
    if certain:
        return None
    lines = head.splitlines()
    if any(line.startswith((b"apiVersion:", b"kind:", b"services:")) for line in lines):
        return "yaml"
    if any(line.startswith((b"import ", b"from ", b"def ", b"class ")) for line in lines):
        return "python"
    return "shell"


def _interpreter(line: str) -> str | None:
    names = [word.rsplit("/", 1)[-1] for word in line.split()]
    if names and names[0] == "env":
        names = [name for name in names[1:] if not name.startswith("-") and "=" not in name]
    if not names:
        return None
    if names[0] in _SHELLS:
        return "shell"
    return "python" if names[0].startswith(("python", "pypy")) else None


def holds_needle(raw: bytes | bytearray) -> bool:
    """Whether a file may hold a launch; one in UTF-16 counts, so that it can be told that it is not read."""
    return NEEDLE in raw or _NAME in raw or (b"\0" in raw[:64] and any(needle in raw for needle in _WIDE_NEEDLES))


def holding(found: Iterable[Candidate]) -> list[Candidate]:
    """The candidates that may hold a launch, in order; those that were named, pipes perhaps, are not read for it.

    Files are read into one buffer: making room for each would cost as much as reading it.
    """
    kept: list[Candidate] = []
    buffer = bytearray(_BUFFER)
    view = memoryview(buffer)
    find, start, stop, fill = buffer.find, os.open, os.close, _fill
    for candidate in found:
        if candidate[3]:
            kept.append(candidate)
            continue
        try:
            handle = start(candidate[1], _READ)
            try:
                size = fill(handle, view)
                if size == _BUFFER:
                    holds = _large(handle, buffer)
                elif (find(_PART, 0, size) >= 0 and find(NEEDLE, 0, size) >= 0) or (
                    candidate[2] in _DATA and find(_NAME, 0, size) >= 0
                ):
                    holds = True
                else:
                    holds = (not buffer[0] or not buffer[1] or buffer[0] > 0xFD) and holds_needle(buffer[:size])
            finally:
                stop(handle)
        except OSError:
            holds = True  # whoever reads it will tell why it cannot be read
        if holds:
            kept.append(candidate)
    return sorted(kept)


def _large(handle: int, buffer: bytearray) -> bool:
    """Whether a file that fills the buffer may hold a launch; the rest of it is read piece by piece."""
    overlap = 2 * len(NEEDLE)
    piece = bytes(buffer)
    while not holds_needle(piece):
        more = os.read(handle, _BUFFER)
        if not more:
            return False
        piece = piece[-overlap:] + more
    return True


if hasattr(os, "readv"):

    def _fill(handle: int, view: memoryview) -> int:
        return os.readv(handle, (view,))

else:

    def _fill(handle: int, view: memoryview) -> int:
        text = os.read(handle, len(view))
        view[: len(text)] = text
        return len(text)


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises OSError."""
    if path == STDIN:
        import sys

        return sys.stdin.buffer.read()
    with open(path, "rb") as stream:
        return stream.read()


class _Walk:
    """One folder given: what is below it, with the ignore files and the configurations met on the way."""

    def __init__(self, configs: Configs, problem: Problem, order: int) -> None:
        self.configs = configs
        self.order = order
        self.problem = problem
        self.found: list[Candidate] = []
        self._excludes: dict[Settings, Globs] = {}
        self._project: tuple[str, ...] | None = None

    def run(self, root: str) -> None:
        """Fill ``found`` with the candidates below ``root``."""
        top = os.path.abspath(root)
        self._top = os.path.join(os.path.realpath(top), "")
        self._gitignore = self.configs.for_folder(top).respect_gitignore
        self._todo: list[_Folder] = []
        levels = tuple(_above(top)) if self._gitignore else ()
        self._todo.append(_Folder(root, top, None, None, levels))
        while self._todo:
            folder = self._todo.pop()
            try:
                with os.scandir(folder.path or os.curdir) as entries:
                    self._take(folder, entries)
            except OSError as error:
                self.problem(folder.path, f"cannot be listed: {error.strerror}")

    def _take(self, folder: _Folder, entries: Iterable[os.DirEntry[str]]) -> None:
        folders: list[str] = []
        files: list[tuple[str, str | None]] = []
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
                continue
            _, dot, suffix = name.rpartition(".")
            host = _BY_SUFFIX.get(suffix) if dot else None
            if name in _SPECIAL:
                self._special(folder, name)
            if host is None:
                host = of_name(name)
                if host is None and dot:
                    continue
            if entry.is_file(follow_symlinks=False) or self._outside(entry):
                files.append((name, host))
        if folder.settings is None:
            folder.settings = self.configs.for_folder(folder.absolute)
        self._keep(folder, folder.settings, folders, files)

    def _special(self, folder: _Folder, name: str) -> None:
        """An ignore file or one that may hold a configuration."""
        if name != ".gitignore":
            folder.settings = folder.below = None
        elif self._gitignore:
            globs = _globs(os.path.join(folder.path, name))
            if globs:
                folder.levels = (*folder.levels, (globs, ""))

    def _keep(
        self, folder: _Folder, settings: Settings, folders: list[str], files: list[tuple[str, str | None]]
    ) -> None:
        """Of a folder's entries, those that nothing excludes."""
        path, levels = folder.path, folder.levels
        exclude = self._excludes.get(settings)
        if exclude is None:
            exclude = self._excludes[settings] = Globs((*settings.exclude, *settings.extend_exclude))
        here = folder.below
        if here is None:
            here = os.path.relpath(folder.absolute, settings.root).replace(os.sep, "/") + "/"
            here = "" if here == "./" else here
        front = os.path.join(path, "")
        above = os.path.join(folder.absolute, "")
        order, take = self.order, self.found.append
        for name in folders:
            if exclude.match(name, here, True) or (levels and _ignored(levels, name, True)):
                continue
            below = tuple((globs, f"{prefix}{name}/") for globs, prefix in levels)
            self._todo.append(_Folder(front + name, above + name, settings, f"{here}{name}/", below))
        names = exclude.names
        for name, host in files:
            if (names is None or name in names) and exclude.match(name, here, False):
                continue
            if not levels or not _ignored(levels, name, False):
                take((order, front + name, host, False))

    def _outside(self, entry: os.DirEntry[str]) -> bool:
        """Whether an entry is a link to a file of the project that the walk does not meet itself.

        A link that leads out of the project around the folder, and out of the current folder, is not followed.
        """
        if not entry.is_symlink():
            return False
        target = os.path.realpath(entry.path)
        if self._project is None:
            from speclint import beside

            folders = (os.path.realpath(os.curdir), beside.root(self._top))
            self._project = tuple(os.path.join(folder, "") for folder in folders)
        return os.path.isfile(target) and not target.startswith(self._top) and target.startswith(self._project)


class _Folder:
    """A folder to walk; ``below`` is its path from the root of ``settings``, both None until they are found out."""

    __slots__ = ("absolute", "below", "levels", "path", "settings")

    def __init__(
        self, path: str, absolute: str, settings: Settings | None, below: str | None, levels: tuple[Level, ...]
    ) -> None:
        self.path = path
        self.absolute = absolute
        self.settings = settings
        self.below = below
        self.levels = levels


def _ignored(levels: Sequence[Level], name: str, folder: bool) -> bool:
    """Whether the ignore files, the nearest first, leave an entry out."""
    for globs, prefix in reversed(levels):
        verdict = globs.match(name, prefix, folder)
        if verdict is not None:
            return verdict
    return False


def _above(top: str) -> Iterator[Level]:
    """The ignore files that the repository around a folder has for it, the nearest last."""
    folders = [top]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        parent = os.path.dirname(folders[-1])
        if parent == folders[-1]:
            return
        folders.append(parent)
    repository = folders[-1]
    info = _globs(os.path.join(repository, ".git", "info", "exclude"))
    for folder in reversed(folders):
        prefix = os.path.relpath(top, folder).replace(os.sep, "/") + "/"
        prefix = "" if prefix == "./" else prefix
        if folder == repository and info:
            yield info, prefix
        globs = _globs(os.path.join(folder, ".gitignore")) if folder != top else None
        if globs:
            yield globs, prefix


def _globs(path: str) -> Globs | None:
    """The patterns of an ignore file, if there is one."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as stream:
            return Globs(stream)
    except OSError:
        return None
