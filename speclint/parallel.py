"""One piece of work over many files, in several processes where that pays."""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeVar

    Result = TypeVar("Result")
    Item = TypeVar("Item")

# Below this many files another process costs more than it saves.
_SHARE = 2000


def run(work: Callable[[Sequence[Item]], Result], items: Sequence[Item], jobs: int) -> list[Result]:
    """What ``work`` makes of shares of the items, in no order; ``jobs`` 0 is as many processes as pay.

    An error in one share is raised here. Processes are forked, so that what is loaded already need not be loaded again;
    where that cannot be done all work is done in this one.
    """
    if jobs == 0:
        jobs = min(_processors(), 1 + len(items) // _SHARE)
    jobs = min(jobs, len(items))
    if jobs < 2 or not hasattr(os, "fork") or sys.platform == "darwin":
        return [work(items)]
    children = [_start(work, items[number::jobs]) for number in range(1, jobs)]
    results: list[Any] = [work(items[0::jobs])]
    results.extend(_finish(*child) for child in children)
    return results


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _start(work: Callable[[Sequence[Item]], Result], share: Sequence[Item]) -> tuple[int, int]:
    """A process that does a share of the work: its id, and the pipe that its result comes through."""
    out, into = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child:
        os.close(into)
        return child, out
    status = 1
    try:
        os.close(out)
        from pickle import dumps

        try:
            answer = dumps((True, work(share)), 4)
        except Exception as error:
            answer = dumps((False, error), 4)
        with os.fdopen(into, "wb") as stream:
            stream.write(answer)
        status = 0
    finally:
        os._exit(status)


def _finish(child: int, out: int) -> Any:
    from pickle import loads

    with os.fdopen(out, "rb") as stream:
        answer = stream.read()
    os.waitpid(child, 0)
    if not answer:
        raise RuntimeError("a process ended before its work was done")
    well, result = loads(answer)
    if not well:
        raise result
    return result
