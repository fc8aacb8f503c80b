"""The targets of fuzz/: a few inputs each, made from the fixtures; more where SPECLINT_FUZZ_SECONDS says how long."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "fuzz"))

import run
import targets

SECONDS = float(os.environ.get("SPECLINT_FUZZ_SECONDS", "0"))
INPUTS = 40


@pytest.mark.parametrize("name", targets.TARGETS)
def test_nothing_breaks(name: str, tmp_path: Path) -> None:
    known, chance = run.seeds(Path(__file__).resolve().parent.parent / "fixtures"), random.Random(name)
    if SECONDS:
        assert run.fuzz(name, SECONDS, random.Random(), known, tmp_path)[1] == 0
    for _ in range(INPUTS):
        data = run.mutated(known, chance)
        assert run.failed(targets.TARGETS[name], data) is None, data


# Inputs that took a time which doubled with each line.
KNOWN = {
    "shell": "".join(f"if c{n}; then\nM=${{M:-m}}\nX=${{X:-a}}\nelse\n" for n in range(40))
    + "fi\n" * 40
    + "sglang serve --model-path $M --tp $X\n",
}


@pytest.mark.parametrize("name", KNOWN)
def test_what_was_slow_is_not(name: str) -> None:
    assert run.failed(targets.TARGETS[name], KNOWN[name].encode()) is None


def test_what_breaks_is_seen() -> None:
    def raises(data: bytes) -> None:
        raise ValueError(data)

    def hangs(data: bytes) -> None:
        while True:
            pass

    assert "ValueError" in str(run.failed(raises, b"x"))
    run.TOO_LONG, kept = 0.1, run.TOO_LONG
    try:
        assert "took more than" in str(run.failed(hangs, b"x"))
    finally:
        run.TOO_LONG = kept
