"""Large scripts: see ``speclint.hosts.large``."""

from __future__ import annotations

from bisect import bisect_right

from speclint.byteindex import ByteIndex
from speclint.hosts import large
from speclint.hosts.shell.grammar import parsed
from speclint.hosts.shell.marks import TOLD
from speclint.hosts.shell.outline import ARGUMENTS, INDIRECT, Outline
from speclint.hosts.shell.trigger import told
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tree_sitter import Node

    from speclint.text import Mapped

# The end of a line before one that begins a statement by a word; the line does not go on in it.
_BEGINS = pattern(r"(?<!\\)(?<!\\\r)\n(?=[A-Za-z_])(?!(?:then|do|done|fi|esac|else|elif)\b)")
# The grammar takes the end of a text for that of a here-document.
_DOCUMENT = pattern(rb"(?<!<)<<-?[ \t]*(?:\"([^\"\n]+)\"|'([^'\n]+)'|\\?([^\s\"';&|<>()]+))")


def narrowed(text: Mapped) -> Mapped:
    """What may matter of a script that reads in no other for what it launches; all of it where that cannot be told."""
    entangled = False

    def look(start: int, end: int) -> list[large.Statement] | None:
        nonlocal entangled
        part = text.text[start:end]
        data = part.encode("utf-8", "surrogateescape")
        root = parsed(data)
        if root.has_error or _is_open(data):
            return None
        outline = Outline(root, data)
        # A name that is put together may be any.
        entangled = entangled or INDIRECT in outline.reads or "eval" in outline.calls or bool(outline.naming)
        index = ByteIndex(part)
        found = [one._replace(start=start + index(one.start)) for one in _statements(root, outline, data)]
        outline.dissolve()
        return found

    bounds = large.kept(text.text, _BEGINS, look)
    return text if bounds is None or entangled else large.joined(text, bounds)


def _is_open(data: bytes) -> bool:
    """Whether a here-document may go on behind a text: the line that ends it is not found."""
    last: dict[bytes, int] | None = None
    for found in _DOCUMENT.finditer(data):
        if last is None:
            last = {line.strip(b"\t\r"): row for row, line in enumerate(data.split(b"\n"))}
        if last.get(found[found.lastindex or 0], 0) <= data.count(b"\n", 0, found.end()):
            return True
    return False


def _statements(root: Node, outline: Outline, data: bytes) -> list[large.Statement]:
    """The statements that stand on lines of their own; where they begin is told in bytes."""
    starts, end = [0], 0
    for node in root.named_children:
        at = node.start_byte
        row = data.rfind(b"\n", end, at)
        if row >= 0 and not data[row:at].strip() and node.type != "comment":
            starts.append(at)
        end = node.end_byte
    defines: list[list[str]] = [[] for _ in starts]
    for name, events in (*outline.setters.items(), *outline.functions.items()):
        for event in events:
            defines[bisect_right(starts, event.start) - 1].append(name)
    matter = {bisect_right(starts, at) - 1 for at in _mattering(outline, data)}
    return [large.Statement(at, number in matter, True, defines[number]) for number, at in enumerate(starts)]


def _mattering(outline: Outline, data: bytes) -> list[int]:
    """Where something stands that matters by itself: it tells of a launch, or changes more than variables."""
    return [
        *(at for at, _ in told(data)),
        *(event.start for event in outline.over),
        *(waiting.start for event in outline.events for waiting in event.waiting),
        *(event.start for name, events in outline.setters.items() if TOLD.match(name) for event in events),
        *outline.reads.get(ARGUMENTS, ()),
    ]
