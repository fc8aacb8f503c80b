"""What is told while a run lasts: on a terminal only."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Cli = Any
ROOT = Path(__file__).resolve().parent.parent
# As a run that lasts: the clock is set forward, not the run slowed down.
SCRIPT = """
import sys
from speclint import progress
progress.DELAY, progress._PERIOD = 0.001, 0.001
from speclint.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(folder: Path, *words: str, terminal: bool = True, **env: str) -> tuple[str, str]:
    """Standard output, and what standard error was told."""
    import pty
    import tempfile

    ours, theirs = pty.openpty()
    # Files, since a pipe holds only so much while nobody reads from it.
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err, subprocess.Popen(
        [sys.executable, "-c", SCRIPT, *words], cwd=folder, stdout=out,
        stderr=theirs if terminal else err, env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", **env},
    ) as process:  # fmt: skip
        os.close(theirs)
        told = b""
        while terminal:
            try:
                told += os.read(ours, 4096)
            except OSError:  # the other end has gone
                break
        assert process.wait(timeout=900) == 1
        os.close(ours)
        out.seek(0)
        err.seek(0)
        return out.read().decode(), (told or err.read()).decode()


@pytest.fixture
def folder(cli: Cli, sources: dict[str, str]) -> Path:
    for number in range(40):
        cli.write(f"{number}.sh", sources["serve.sh"])
    return Path(cli.folder)


@pytest.mark.parametrize("words", [("check",), ("check", "--jobs", "2"), ("check", "--diff")])
def test_terminal(folder: Path, words: tuple[str, ...]) -> None:
    out, told = run(folder, *words, ".")
    assert "speclint: checking … " in told
    numbers = [int(part.split(" %")[0]) for part in told.split("checking … ")[1:]]
    assert all(0 <= number <= 100 for number in numbers)
    # The line is gone before anything else is told.
    assert told.rpartition("\r\x1b[2K")[2] in ("", "Would fix 40 problems.\r\n")
    assert "\x1b[2K" not in out


@pytest.mark.parametrize(
    ("words", "terminal", "env"),
    [
        ((), False, {}),
        (("--quiet",), True, {}),
        ((), True, {"CI": "true"}),
        ((), True, {"TERM": "dumb"}),
    ],
)
def test_nobody_watches(folder: Path, words: tuple[str, ...], terminal: bool, env: dict[str, str]) -> None:
    out, told = run(folder, *words, ".", terminal=terminal, **env)
    assert told == ""
    assert out
