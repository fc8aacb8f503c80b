"""Runs of commands, in turn, and what they took."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
from typing import NamedTuple


class Cost(NamedTuple):
    """What one run took: seconds of processor time (user and system, children too), of wall time, and KiB at most."""

    cpu: float
    wall: float
    peak: int


class Run(NamedTuple):
    """A command, its folder, and the exit statuses that it may have."""

    words: tuple[str, ...]
    folder: str
    statuses: tuple[int, ...] = (0, 1)


def run(command: Run) -> Cost:
    """One run. Raises RuntimeError where it ends as it must not: a command that fails at once is always fast."""
    start = time.perf_counter()
    with open(os.devnull, "w") as nothing:
        process = subprocess.Popen(command.words, cwd=command.folder, stdout=nothing, stderr=nothing)
        _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in command.statuses:
        raise RuntimeError(f"`{' '.join(command.words)}` in {command.folder} ended with {process.returncode}")
    return Cost(used.ru_utime + used.ru_stime, time.perf_counter() - start, used.ru_maxrss)


def median(costs: list[Cost]) -> Cost:
    """The median of each part; of the peaks the highest."""
    return Cost(
        statistics.median(cost.cpu for cost in costs),
        statistics.median(cost.wall for cost in costs),
        max(cost.peak for cost in costs),
    )


def alternate(commands: list[Run], times: int) -> list[Cost]:
    """The medians of commands that take turns, so that what disturbs one disturbs all; one round is not counted."""
    costs: list[list[Cost]] = [[] for _ in commands]
    for number in range(times + 1):
        for command, found in zip(commands, costs, strict=True):
            cost = run(command)
            if number:
                found.append(cost)
    return [median(found) for found in costs]
