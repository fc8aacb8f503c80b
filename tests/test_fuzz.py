"""The targets of fuzz/: an input made from each fixture; others as well where SPECLINT_FUZZ_SECONDS says how long."""

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
FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"


@pytest.mark.parametrize("name", targets.TARGETS)
def test_nothing_breaks(name: str, tmp_path: Path) -> None:
    """What becomes of a fixture does not hang on what other files there are."""
    if SECONDS:
        assert run.fuzz(name, SECONDS, random.Random(), run.seeds(FIXTURES), tmp_path)[1] == 0
    for path in sorted(FIXTURES.rglob("*.*")):
        if path.suffix != ".expected" and path.stat().st_size < run.LARGEST:
            data = run.mutated([path.read_bytes()], random.Random(f"{name} {path.name}"))
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
