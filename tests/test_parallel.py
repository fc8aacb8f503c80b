"""Several processes find what one finds, in the same order, and pass on what goes wrong."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from speclint import parallel

if TYPE_CHECKING:
    from collections.abc import Sequence

Cli = Any
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")


def squares(items: Sequence[int]) -> list[int]:
    return [item * item for item in items]


@pytest.mark.parametrize("jobs", [0, 1, 2, 3, 8])
def test_all_is_done_once(jobs: int) -> None:
    parts = parallel.run(squares, list(range(7)), jobs)
    assert sorted(item for part in parts for item in part) == [n * n for n in range(7)]


def test_large_answers_pass() -> None:
    parts = parallel.run(lambda items: "x" * 3_000_000, [1, 2, 3], 3)
    assert [len(part) for part in parts] == [3_000_000] * 3


def test_errors_are_raised_here() -> None:
    def work(items: Sequence[int]) -> list[int]:
        if 1 in items:
            raise LookupError("share 1")
        return list(items)

    with pytest.raises(LookupError, match="share 1"):
        parallel.run(work, [0, 1], 2)


def test_process_that_dies_is_noticed() -> None:
    here = os.getpid()

    def work(items: Sequence[int]) -> list[int]:
        if os.getpid() != here:
            os._exit(9)
        return list(items)

    with pytest.raises(RuntimeError, match="ended before"):
        parallel.run(work, [0, 1], 2)


def test_same_output_as_one_process(cli: Cli, sources: dict[str, str]) -> None:
    for number in range(4):
        for name, text in sources.items():
            cli.write(f"{number}/{name}", text)
    cli.write("2/bad.sh", b"sglang\0")
    cli.write("1/bad.py", "import sglang\nsglang.Engine(\n")
    one = cli("--output-format", "text", "--jobs", "1", "--show-unknown")
    many = cli("--output-format", "text", "--jobs", "3", "--show-unknown")
    assert (one.status, one.out, one.err) == (many.status, many.out, many.err)
    assert one.out.count("SGL201") >= 12
    assert len(one.err.splitlines()) == 2
