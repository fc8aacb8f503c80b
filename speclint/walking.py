"""Walks a folder: which files below it may be linted, by their names, ignore files and configurations met on the way.

Of a folder with 20,000 files every entry is asked about, so each question here is the cheapest that decides: most names
are none of those that any pattern speaks of, and then no pattern is matched.
"""

from __future__ import annotations

import os

from speclint.globs import Globs
from speclint.hosts import SUFFIXES, of_name
from speclint.settings import relative_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from speclint.config import Configs
    from speclint.discover import Candidate
    from speclint.settings import Settings

    Problem = Callable[[str, str], None]
    Named = list[tuple[str, str | None]]

_GITIGNORE = ".gitignore"
_SPECIAL = frozenset((_GITIGNORE, "speclint.toml", "pyproject.toml", "setup.cfg"))


class _Level:
    """Patterns, and how to tell where a folder is, seen from theirs: ``front`` and its absolute path from ``start``."""

    __slots__ = ("front", "globs", "start")

    def __init__(self, globs: Globs, folder: str, top: str) -> None:
        """``folder`` is that of the patterns, ``top`` the one that is walked, both absolute."""
        inside, walked = os.path.join(folder, ""), os.path.join(top, "")
        self.globs = globs
        self.front, self.start = "", len(inside)
        if not (walked.startswith(inside) or inside.startswith(walked)):
            self.front, self.start = relative_to(folder, top) + "/", len(walked)

    def match(self, name: str, above: str, folder: bool) -> bool | None:
        """As ``Globs.match``, by the absolute path of the folder around the entry, with a separator behind it."""
        return self.globs.match(name, f"{self.front}{above[self.start :]}".replace(os.sep, "/"), folder)


class _Sieve:
    """What leaves entries out of a folder and of those below: its settings, and ignore files, the nearest first.

    Of a name that is none of ``names``, none of whose ends and starts is among the others, nothing is said.
    """

    __slots__ = ("ends", "exclude", "levels", "names", "settings", "starts", "suffixes")

    def __init__(self, settings: Settings, exclude: _Level, levels: tuple[_Level, ...]) -> None:
        self.settings = settings
        self.exclude = exclude
        self.levels = levels
        every = [level.globs for level in (exclude, *levels)]
        self.names = frozenset(name for globs in every for name in globs.names)
        self.suffixes = frozenset(f".{suffix}" for globs in every for suffix in globs.suffixes)
        self.starts = tuple({start for globs in every for start in globs.starts})
        self.ends = tuple({end for globs in every for end in globs.ends})

    def keeps(self, name: str, above: str, folder: bool) -> bool:
        """Whether an entry is not left out; ``above`` as for ``_Level.match``."""
        if not (
            name in self.names
            or (self.suffixes and name[name.rfind(".") :] in self.suffixes)
            or (self.starts and name.startswith(self.starts))
            or (self.ends and name.endswith(self.ends))
        ):
            return True
        if self.exclude.match(name, above, folder):
            return False
        for level in self.levels:
            verdict = level.match(name, above, folder)
            if verdict is not None:
                return not verdict
        return True


# A folder to walk: its path as it is told, its absolute one, both with a separator behind, and what holds above it.
_Folder = tuple[str, str, _Sieve]


class Walk:
    """One folder given: what is below it."""

    def __init__(self, configs: Configs, problem: Problem, order: int) -> None:
        """``order`` is the number of the folder among the paths that are given."""
        self.configs = configs
        self.order = order
        self.problem = problem
        self.found: list[Candidate] = []
        self._todo: list[_Folder] = []
        self._project: tuple[str, ...] | None = None

    def run(self, root: str) -> None:
        """Fill ``found`` with the candidates below ``root``."""
        self._start = os.path.abspath(root)
        self._top = os.path.join(os.path.realpath(self._start), "")
        settings = self.configs.for_folder(self._start)
        self._gitignore = settings.respect_gitignore
        levels = reversed(list(_above(self._start))) if self._gitignore else ()
        sieve = self._sieve(settings, tuple(levels))
        self._todo.append((os.path.join(root, "") if root else "", os.path.join(self._start, ""), sieve))
        while self._todo:
            folder = self._todo.pop()
            path = folder[0]
            shown = path if path == root or not path else path[:-1]
            try:
                with os.scandir(shown or os.curdir) as entries:
                    self._take(folder, entries)
            except OSError as error:
                self.problem(shown, f"cannot be listed: {error.strerror}")

    def _sieve(self, settings: Settings, levels: tuple[_Level, ...]) -> _Sieve:
        exclude = Globs((*settings.exclude, *settings.extend_exclude))
        return _Sieve(settings, _Level(exclude, settings.root, self._start), levels)

    def _take(self, folder: _Folder, entries: Iterable[os.DirEntry[str]]) -> None:
        path, above, sieve = folder
        folders: list[str] = []
        files: Named = []
        special: list[str] = []
        hosts = SUFFIXES
        for entry in entries:
            name = entry.name
            if entry.is_dir(follow_symlinks=False):
                folders.append(name)
                continue
            host = hosts.get(name[name.rfind(".") :])
            if host is None or host == "toml":
                if name in _SPECIAL:
                    special.append(name)
                host = of_name(name)
                if host is None and "." in name:
                    continue
            if entry.is_file(follow_symlinks=False) or self._outside(entry):
                files.append((name, host))
        if special:
            sieve = self._within(path, above, sieve, special)
        keeps, todo, order = sieve.keeps, self._todo, self.order
        for name in folders:
            if keeps(name, above, True):
                todo.append((f"{path}{name}{os.sep}", f"{above}{name}{os.sep}", sieve))
        self.found.extend([(order, path + name, host, False) for name, host in files if keeps(name, above, False)])

    def _within(self, path: str, above: str, sieve: _Sieve, special: Sequence[str]) -> _Sieve:
        """What holds in a folder that has an ignore file or one that may hold a configuration."""
        absolute = os.path.dirname(above)
        settings, levels = sieve.settings, sieve.levels
        if special != [_GITIGNORE]:
            settings = self.configs.for_folder(absolute)
        if self._gitignore and _GITIGNORE in special:
            globs = _globs(path + _GITIGNORE)
            if globs:
                levels = (_Level(globs, absolute, absolute), *levels)
        if settings is sieve.settings:
            return sieve if levels is sieve.levels else _Sieve(settings, sieve.exclude, levels)
        return self._sieve(settings, levels)

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


def _above(top: str) -> Iterator[_Level]:
    """The ignore files that the repository around a folder has for it, the nearest last."""
    folders = [top]
    while not os.path.lexists(os.path.join(folders[-1], ".git")):
        parent = os.path.dirname(folders[-1])
        if parent == folders[-1]:
            return
        folders.append(parent)
    repository = folders[-1]
    for folder in reversed(folders):
        info = _globs(os.path.join(repository, ".git", "info", "exclude")) if folder == repository else None
        own = _globs(os.path.join(folder, _GITIGNORE)) if folder != top else None
        for globs in (info, own):
            if globs:
                yield _Level(globs, folder, top)


def _globs(path: str) -> Globs | None:
    """The patterns of an ignore file, if there is one."""
    try:
        with open(path, encoding="utf-8-sig", errors="surrogateescape") as stream:
            return Globs(stream)
    except OSError:
        return None
