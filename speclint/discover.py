"""Which files to read, and what language a file is in."""

from __future__ import annotations

import os

from speclint.hosts import of_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from speclint.config import Configs
    from speclint.settings import Settings

    Problem = Callable[[str, str], None]

STDIN = "-"
_SHELLS = frozenset(("sh", "bash", "zsh", "dash", "ksh", "ash"))
_SCRIPTS = frozenset(("node", "nodejs", "bun", "deno"))

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
            from speclint.walking import Walk

            walk = Walk(configs, problem, order)
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
    unique: dict[tuple[str, str], Candidate] = {}
    folders: dict[str, str] = {}
    for candidate in found:
        folder, name = os.path.split(candidate[1])
        absolute = folders.get(folder)
        if absolute is None:
            absolute = folders[folder] = os.path.abspath(folder)
        unique.setdefault((absolute, name), candidate)
    return list(unique.values())


def excluded(settings: Settings, path: str) -> bool:
    """Whether the settings leave a file out."""
    from speclint.globs import Globs
    from speclint.settings import relative_to

    relative = relative_to(settings.root, path)
    while relative.startswith("../"):
        relative = relative[3:]
    return Globs((*settings.exclude, *settings.extend_exclude)).covers(relative.lstrip("/"))


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
    # A pipeline of Jenkins is Groovy, in which `sh` is given text to run.
    if any(line.startswith((b"pipeline {", b"node {", b"node(", b"@Library")) for line in lines):
        return None
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
    if names[0] in _SCRIPTS:
        return "javascript"
    return "python" if names[0].startswith(("python", "pypy")) else None


def read(path: str) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises OSError."""
    if path == STDIN:
        import sys

        return sys.stdin.buffer.read()
    with open(path, "rb") as stream:
        return stream.read()
