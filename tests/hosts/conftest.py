"""What tests of several hosts use: the launches in a text, told as plain values, with their places proved."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known, OneOf, Unknown

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.launch import Launch
    from speclint.value import Value


class Found:
    """A launch as plain values: unknown words are None, words of unknown number are "…"."""

    def __init__(self, launch: Launch) -> None:
        command, file = launch.command, launch.file
        self.launch = launch
        self.row, self.column = file.location(launch.head.start)
        self.entry = launch.entrypoint
        self.words = ["…" if word.many else shown(word.value) for word in launch.words]
        self.places = [word.span.text if word.span else None for word in launch.words]
        self.env = {name: shown(value) for name, value in command.env.items()}
        self.image = shown(command.image) if command.image is not None else None
        self.host, self.object, self.fixable = command.host, command.object, command.fixable


def shown(value: Value) -> Any:
    """A value as text, None where it is not known, a list of alternatives."""
    if isinstance(value, Known):
        return value.text.text
    return [shown(arm) for arm in value.arms] if isinstance(value, OneOf) else None


def prove(launch: Launch) -> None:
    """Every place lies in the file, and what claims to stand there character by character does."""
    for word in launch.words:
        assert word.span is None or 0 <= word.span.start <= word.span.end <= len(launch.file.text)
        if isinstance(word.value, Known):
            exact = word.value.text.exact()
            assert exact is None or exact.text == word.value.text.text
        if isinstance(word.value, Unknown):
            assert word.value.reason


# A command of a Python module, what a test adds to it, and what runs it.
CMD = 'import argparse, dataclasses, os, subprocess\ncmd = ["python", "-m", "sglang.launch_server"]\n'
RUN = "\nsubprocess.run(cmd)\n"


def only(find: Callable[..., list[Found]], body: str) -> list[Any]:
    """The words that some statements give a command."""
    (found,) = find("python", CMD + body + RUN)
    return list(found.words)


@pytest.fixture
def find() -> Callable[..., list[Found]]:
    """Reads a text as a host does."""

    def read(host: str, text: str, name: str = "file") -> list[Found]:
        file = SourceFile(name, text.encode())
        every = launches(inner for outer in hosts.read(file, host, []) for inner in commands(outer))
        for launch in every:
            prove(launch)
        return [Found(launch) for launch in every]

    return read
