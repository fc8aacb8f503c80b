"""How far a run has come: a line on a terminal, for runs that take more than a moment.

The run itself does nothing for it: a timer looks, from time to time, at how much of a list is left.
"""

from __future__ import annotations

import os
import signal
import sys
from operator import length_hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, TypeVar

    from speclint.parallel import Items

    Item = TypeVar("Item")

# Seconds before anything is shown, and from then on between two looks.
DELAY = 2.0
_PERIOD = 0.1
_CLEAR = b"\r\x1b[2K"


class Progress:
    """What is being gone through: a word for it, how many there are, and who gives them out."""

    def __init__(self) -> None:
        self.doing = "looking for launches"
        self.total = 0
        self._left: object = iter(())

    def over(self, items: list[Item] | Items, doing: str = "checking") -> Iterator[Item]:
        """Go through a list, or what of one falls to this process: that tells itself how much of all is left."""
        self.doing, self.total, left = doing, len(items), iter(items)
        self._left = left if isinstance(items, list) else items
        return left

    def told(self) -> str:
        """The line."""
        if not self.total:
            return f"speclint: {self.doing} …"
        done = self.total - length_hint(self._left)
        return f"speclint: {self.doing} … {100 * done // self.total} %"


class Shown:
    """Shows progress on standard error, which is a terminal, as long as its block runs."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self._ticked = False
        self._before: Any = None

    def __enter__(self) -> None:
        self._before = signal.signal(signal.SIGALRM, self._tick)
        signal.setitimer(signal.ITIMER_REAL, DELAY, _PERIOD)

    def __exit__(self, *error: object) -> None:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, self._before)
        if self._ticked:
            os.write(sys.stderr.fileno(), _CLEAR)

    def _tick(self, number: int, frame: object) -> None:
        self._ticked = True
        # Not by sys.stderr: the program may be in the middle of writing to it.
        os.write(sys.stderr.fileno(), _CLEAR + self.progress.told().encode(sys.stderr.encoding, "replace"))
