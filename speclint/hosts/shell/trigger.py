"""What tells in the text of a script that it launches something, and where that stands."""

from __future__ import annotations

from bisect import bisect_left

from speclint.lean import pattern
from speclint.needle import commented

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from tree_sitter import Node

# Text without which no command is a launch, whatever it is put together from. Each begins with letters, which are found
# many times faster than what begins in one way or another.
_PARTS = (
    r"launch_server",
    r"sglang(?:\.(?:bench|compile|launch|srt|[$\\\"'{])|[\s\\\"',]+serve\b|[\"']?[\s\\]+[\"']?\$)",
    # An image, whose entry point takes the options behind it, or the command of the program that it is.
    r"sglang[\w./-]{0,200}:[\w.${}-]{1,200}[\"']?[\s\\]{1,99}(?:--[a-z]|serve\b)",
    r"dynamo\.sglang",
    r"--sglang-",
)
_SERVE = r"\$[\w{]\S{0,200}[\s\\\"']+serve\b"
LAUNCH = "|".join((*_PARTS, _SERVE))
_PARTS_IN_BYTES = tuple(pattern(part.encode()) for part in _PARTS)
_SERVE_IN_BYTES = pattern(_SERVE.encode())
_SERVE_WORD = pattern(rb"serve\b")
_LAST_NAME = pattern(rb"\$[\w{](?:[^$]|\$(?![\w{]))*\Z")
# A command that reads in another file, and what may stand before it; a point right behind a bracket ends a sentence.
_SOURCES = (pattern(rb"source[ \t\\]+[^\s=]"), pattern(rb"(?<!\))\.[ \t\\]+[^\s=]"))
_BEFORE = pattern(rb"(?:^|[\n;&|({)`])[ \t]*(?:(?:then|do|else|if|elif|while|until|time|!|[A-Za-z_]\w*=\S*)[ \t]+)*\Z")
_LINE = 1000


class Telling:
    """Where in a script stands what tells a launch, looked up once since nodes lie within nodes."""

    __slots__ = ("_data", "_ends", "_starts")

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._starts: list[int] | None = None
        self._ends: list[int] = []

    def places(self) -> list[int]:
        """Where what tells a launch begins, comments left out."""
        if self._starts is None:
            self._starts = self._look()
        return [at for at in self._starts if not commented(self._data, at)]

    def holds(self, node: Node) -> bool:
        """Whether what tells a launch stands in a node."""
        starts = self._starts
        if starts is None:
            starts = self._starts = self._look()
        at = bisect_left(starts, node.start_byte)
        return at < len(starts) and self._ends[at] <= node.end_byte

    def _look(self) -> list[int]:
        """Where each such text begins; ``_ends`` tells the first end of it and of those behind it."""
        found = sorted(told(self._data))
        ends = self._ends = [end for _, end in found]
        for at in range(len(ends) - 2, -1, -1):
            ends[at] = min(ends[at], ends[at + 1])
        return [start for start, _ in found]


def told(data: bytes) -> Iterator[tuple[int, int]]:
    """The bounds of all that tells a launch, in no order."""
    for part in _PARTS_IN_BYTES:
        found = part.search(data)
        while found is not None:  # one may begin in another
            yield found.span()
            found = part.search(data, found.start() + 1)
    if _SERVE_WORD.search(data):
        for found in _SERVE_IN_BYTES.finditer(data):
            # Of several names before the word the last one is enough.
            last = _LAST_NAME.search(data, found.start(), found.end())
            yield (last or found).start(), found.end()


def may_launch(data: bytes) -> bool:
    """Whether a script may launch something: it says so other than in comments, or reads in another file."""
    return any(not commented(data, start) for start, _ in told(data)) or _reads_in(data)


def _reads_in(data: bytes) -> bool:
    for wanted in _SOURCES:
        for found in wanted.finditer(data):
            at = found.start()
            if _BEFORE.search(data, max(at - _LINE, 0), at) is not None and not commented(data, at):
                return True
    return False
