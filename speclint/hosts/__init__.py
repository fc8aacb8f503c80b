"""The languages in which launches are written.

A host is a module with ``read(file, problems) -> Iterable[Command]``: every command that the file runs, as words with
origins; what it cannot read of a file is added to ``problems``.
Hosts know languages and nothing of SGLang. One more host is one module and one line here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.source import SourceError, SourceFile
    from speclint.words import Command

# Host name -> module with read(file, problems).
HOSTS = {
    "shell": "speclint.hosts.shell",
    "python": "speclint.hosts.python",
    "yaml": "speclint.hosts.yaml",
}
SUFFIXES = {
    ".sh": "shell",
    ".bash": "shell",
    ".zsh": "shell",
    ".sbatch": "shell",
    ".slurm": "shell",
    ".py": "python",
    ".yaml": "yaml",
    ".yml": "yaml",
}


def read(file: SourceFile, host: str, problems: list[SourceError] | None = None) -> Iterable[Command]:
    """Every command in ``file``; parts that cannot be read are added to ``problems``.

    Raises SourceError if it cannot be parsed at all.
    """
    from importlib import import_module

    module = import_module(HOSTS[host])
    commands: Iterable[Command] = module.read(file, problems)
    return commands
