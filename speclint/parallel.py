"""One piece of work over many items, in several processes where that pays.

Each process takes some items at a time, and more when it is done with them, so that none waits for another that has
met the large ones. What they take next is numbers in a pipe, which all of them read.
"""

from __future__ import annotations

import os
import sys
from itertools import chain
from time import perf_counter

from speclint import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any, TypeVar

    Result = TypeVar("Result")
    Work = Callable[["Items | list[Any]"], Result]

# From this many items on further processes start at once; with fewer, when this one has worked for so many seconds and
# has about as many more before it: a hundred items may be work for a minute, or for nothing.
_MANY = 2000
_PATIENCE = 0.1
# Items that are taken at a time, if a pipe of the smallest size holds the numbers of all.
_TAKEN = 16
_NUMBER = 4
_NUMBERS = 4096 // _NUMBER


class Items:
    """Some of a list of items: those that this process takes. ``len()`` is how many of the list are left."""

    def __init__(self, items: Sequence[Any], numbers: int, size: int, late: Callable[[], None] | None = None) -> None:
        """``numbers``: whence the numbers of parts are read; ``late`` starts further processes, if that pays."""
        self._items = items
        self._numbers = numbers
        self._size = size
        self._late = late
        self._left = len(items)

    def __len__(self) -> int:
        return self._left

    def __iter__(self) -> Iterator[Any]:
        return chain.from_iterable(self._parts())

    def _parts(self) -> Iterator[Sequence[Any]]:
        begin = perf_counter()
        while number := os.read(self._numbers, _NUMBER):
            start = int.from_bytes(number, "little") * self._size
            self._left = len(self._items) - start
            if self._late is not None and start:
                worked = perf_counter() - begin
                if worked > _PATIENCE and worked * self._left / start > _PATIENCE:
                    self._late()
                    self._late = None
            yield self._items[start : start + self._size]
        self._left = 0


def run(work: Work[Result], items: list[Any], jobs: int) -> list[Result]:
    """What ``work`` makes of parts of the items, in no order; ``jobs`` 0 is as many processes as pay.

    An error in one part is raised here. Processes are forked, so that what is loaded already need not be loaded again;
    where that cannot be done all work is done in this one.
    """
    late = jobs == 0 and len(items) < _MANY
    jobs = min(jobs or _processors(), len(items))
    if jobs < 2 or not hasattr(os, "fork") or sys.platform == "darwin":
        return [work(items)]
    size = max(1, min(_TAKEN, len(items) // (8 * jobs)), -(-len(items) // _NUMBERS))
    numbers, into = os.pipe()
    with os.fdopen(into, "wb") as stream:
        stream.writelines(number.to_bytes(_NUMBER, "little") for number in range(-(-len(items) // size)))
    children: list[tuple[int, int]] = []

    def start() -> None:
        if process.is_ours:
            import gc

            gc.freeze()  # what is there already is shared with the other processes as long as nobody touches it
        children.extend(_start(work, Items(items, numbers, size)) for _ in range(1, jobs))

    try:
        if not late:
            start()
        results = [work(Items(items, numbers, size, start if late else None))]
        while children:
            results.append(_finish(*children.pop()))
    finally:
        while children and os.read(numbers, _NUMBER * _NUMBERS):
            pass  # after an error nobody shall take more
        os.close(numbers)
        for _, out in children:  # all of them before any is waited for: each process also holds those made before it
            os.close(out)
        for child, _ in children:
            os.waitpid(child, 0)
    return results


def _processors() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity is not None else os.cpu_count() or 1


def _start(work: Work[Any], share: Items) -> tuple[int, int]:
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
