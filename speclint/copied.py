"""Scripts that a Dockerfile beside them copies into its image and runs there."""

from __future__ import annotations

import os

from speclint import beside

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceFile
    from speclint.words import Command

_PREFIX, _SUFFIX = "dockerfile", ".dockerfile"
# A project has no more of them in one folder.
_MOST = 16


class Dockerfiles:
    """The Dockerfiles of a project, each read once."""

    def __init__(self) -> None:
        self._folders: dict[str, list[_Dockerfile]] = {}

    def running(self, file: SourceFile, folder: str) -> list[Command]:
        """The commands of Dockerfiles that run a script that lies in a folder, which they have copied."""
        found: list[Command] = []
        top = beside.root(folder, True)
        at, name, way = folder, os.path.basename(file.path), ""
        while True:
            if at not in self._folders:
                self._folders[at] = list(_read(file, at, way))
            for one in self._folders[at]:
                found += one.running(os.path.relpath(os.path.join(folder, name), at))
            if at == top or os.path.dirname(at) == at:
                return found
            at, way = os.path.dirname(at), os.path.join(way, os.pardir)


class _Dockerfile:
    """What a Dockerfile copies and runs."""

    def __init__(self, file: SourceFile) -> None:
        from speclint.hosts import dockerfile

        self.copied, self.commands = dockerfile.read_copied(file)

    def running(self, path: str) -> list[Command]:
        """The commands that run a script at a path seen from here."""
        path = path.replace(os.sep, "/")
        if not any(source in ("", path) or path.startswith(source + "/") for source in self.copied):
            return []
        name = "/" + path.rpartition("/")[2]
        return [c for c in self.commands if any(("/" + (word.text or "")).endswith(name) for word in c.words)]


def _read(file: SourceFile, folder: str, way: str) -> Iterator[_Dockerfile]:
    try:
        names = sorted(name for name in os.listdir(folder) if _is_one(name.lower()))
    except OSError:
        return
    for name in names[:_MOST]:
        found = beside.read(file, os.path.join(way, name))
        if found is not None:
            yield _Dockerfile(found)


def _is_one(name: str) -> bool:
    return name.startswith(_PREFIX) or name.endswith(_SUFFIX)
