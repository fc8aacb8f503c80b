"""Several processes find what one finds, in the same order, and pass on what goes wrong."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from speclint import parallel

if TYPE_CHECKING:
    from speclint.parallel import Items

Cli = Any
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="processes are not forked here")


def squares(items: Items | list[int]) -> list[int]:
    return [item * item for item in items]


@pytest.mark.parametrize("number", [2, 7, 100, 20_000])
@pytest.mark.parametrize("jobs", [0, 1, 2, 3, 8])
def test_all_is_done_once(jobs: int, number: int) -> None:
    parts = parallel.run(squares, list(range(number)), jobs)
    assert sorted(item for part in parts for item in part) == [n * n for n in range(number)]


def test_processes_that_start_late_do_what_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parallel, "_PATIENCE", 0.0)
    monkeypatch.setattr(parallel, "_processors", lambda: 3)

    def work(items: Items | list[int]) -> tuple[int, list[int]]:
        return os.getpid(), list(items)

    parts = parallel.run(work, list(range(100)), 0)
    assert len({process for process, _ in parts}) == 3
    assert sorted(item for _, part in parts for item in part) == list(range(100))


def test_how_much_is_left() -> None:
    left: list[int] = []

    def work(items: Items | list[int]) -> None:
        left.append(len(items))
        for _ in items:
            left.append(len(items))
        left.append(len(items))

    parallel.run(work, list(range(64)), 2)
    assert left[0] == 64
    assert left == sorted(left, reverse=True)
    assert left[-1] == 0


def test_large_answers_pass() -> None:
    parts = parallel.run(lambda items: "x" * 3_000_000, [1, 2, 3], 3)
    assert [len(part) for part in parts] == [3_000_000] * 3


def test_errors_are_raised_here() -> None:
    def work(items: Items | list[int]) -> list[int]:
        if 1 in items:
            raise LookupError("share 1")
        return list(items)

    with pytest.raises(LookupError, match="share 1"):
        parallel.run(work, [0, 1], 2)


@pytest.mark.parametrize("mine", [True, False])
def test_after_an_error_no_process_is_left(mine: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    here, made, fork = os.getpid(), [], os.fork
    monkeypatch.setattr(os, "fork", lambda: made.append(child := fork()) or child)

    def work(items: Items | list[int]) -> str:
        if (os.getpid() == here) is mine:
            raise LookupError("here")
        return "x" * 3_000_000  # more than a pipe takes while nobody reads

    with pytest.raises(LookupError, match="here"):
        parallel.run(work, list(range(100)), 4)
    assert len(made) == 3
    for child in made:
        with pytest.raises(ChildProcessError):
            os.waitpid(child, os.WNOHANG)


def test_process_that_dies_is_noticed() -> None:
    here = os.getpid()

    def work(items: Items | list[int]) -> list[int]:
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
