"""What tells in the text of a script that it launches something, and where that stands."""

from __future__ import annotations

from bisect import bisect_left

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

# Text without which no command is a launch, whatever it is put together from.
LAUNCH = (
    r"launch_server|sglang\.(?:bench|compile|launch|srt|[$\\\"'{])|dynamo\.sglang|--sglang-"
    r"|(?:sglang|\$[\w{]\S{0,200})[\s\\\"']+serve\b|sglang[\"']?[\s\\]+[\"']?\$"
    # An image, whose entry point takes the options behind it.
    r"|sglang[\w./-]{0,200}:[\w.${}-]{1,200}[\"']?[\s\\]{1,99}--[a-z]"
)
LAUNCH_IN_BYTES = pattern(LAUNCH.encode())


class Telling:
    """Where in a script stands what tells a launch, looked up once since nodes lie within nodes."""

    __slots__ = ("_data", "_ends", "_starts")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def holds(self, node: Node) -> bool:
        """Whether what tells a launch stands in a node."""
        starts = self._starts
        if starts is None:
            starts = self._starts = self._look()
        at = bisect_left(starts, node.start_byte)
        return at < len(starts) and self._ends[at] <= node.end_byte

    def _look(self) -> list[int]:
        """Where each such text begins; ``_ends`` tells the first end of it and of those behind it."""
        starts: list[int] = []
        ends = self._ends
        found = LAUNCH_IN_BYTES.search(self._data)
        while found is not None:
            starts.append(found.start())
            ends.append(found.end())
            found = LAUNCH_IN_BYTES.search(self._data, found.start() + 1)
        for at in range(len(ends) - 2, -1, -1):
            ends[at] = min(ends[at], ends[at + 1])
        return starts
