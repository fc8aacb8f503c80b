"""Options with rows of their own: statements (``cmd.append("--x")``, ``options["x"] = 1``) and entries (``x: 1``)."""

from __future__ import annotations

from itertools import pairwise

from speclint.fix.quote import python_string
from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.finding import Edit
    from speclint.fix.layout import Layout

_CALL = pattern(r"[ \t]*([A-Za-z_][\w.]*\.append\([ \t]*)")
_CLOSE = pattern(r"[ \t]*\)")
_BLANK = pattern(r"[ \t]*\Z")


class Call:
    """Words each of which is appended to a list by a statement of its own; ``fits``: whether they are."""

    def __init__(self, layout: Layout) -> None:
        text = layout.file.text
        found = _CALL.match(text, layout.row, layout.start)
        self.fits = found is not None and found.end() == layout.start
        self.lead = found[1] if found is not None else ""
        self.joined = False
        if not self.fits:
            return
        layout.indent = text[layout.row : layout.start - len(self.lead)]
        ends = [_CLOSE.match(text, span.end) for span in layout.spans]
        if any(end is None for end in ends):
            self.fits = False
            return
        gaps = [text[a.end : b.start] for a, b in pairwise(layout.spans)]
        between = layout.indent + self.lead
        self.joined = all(gap.replace("\r", "").replace(" ", "") == f")\n{between}".replace(" ", "") for gap in gaps)
        layout.start -= len(self.lead)
        layout.end = ends[-1].end() if ends[-1] is not None else layout.end
        layout.after = layout.rest(layout.end)
        layout.own_rows = True
        layout.before = layout.indent

    def written(self, word: str, like: str) -> str:
        """The statement that appends a word."""
        return f"{self.lead}{python_string(word, like)})"


def remove(layout: Layout) -> Sequence[Edit]:
    """The edit that takes the rows out; none where something would be left without what it needs."""
    rest = layout.after
    if not layout.own_rows or layout.before.strip() or not _has_neighbour(layout):
        return ()
    if not rest.strip():
        return (layout.remove_rows(layout.end),)
    if rest.lstrip().startswith("#"):
        return (layout.edit(layout.start, layout.end + len(rest) - len(rest.lstrip())),)
    return ()


def insert(layout: Layout, words: Sequence[str]) -> Sequence[Edit]:
    """The edit that puts rows behind these; none where more stands on their last row."""
    if layout.after.strip() and not layout.after.lstrip().startswith("#"):
        return ()
    at = layout.end + len(layout.after)
    between = layout.file.newline(layout.start) + _margin(layout)
    return (layout.edit(at, at, "".join(between + one for one in _written(layout, words))),)


def replace(layout: Layout, words: Sequence[str]) -> Sequence[Edit]:
    """The edit that puts others in the place of these rows."""
    between = layout.file.newline(layout.start) + _margin(layout)
    return (layout.edit(layout.start, layout.end, between.join(_written(layout, words))),)


def _written(layout: Layout, words: Sequence[str]) -> list[str]:
    if layout.statement is None:
        return list(words)
    like = layout.file.text[layout.spans[0].start : layout.spans[0].start + 3]
    return [layout.statement.written(word, like) for word in words]


def _margin(layout: Layout) -> str:
    """What a row begins with; in an entry that begins the item of a list, blanks in the place of the dash."""
    return layout.before if not layout.before.strip() else layout.before.replace("-", " ")


def _has_neighbour(layout: Layout) -> bool:
    """Whether another row of the same depth stands beside these: a block or mapping may not be left empty."""
    file = layout.file
    first, last = file.location(layout.start)[0], file.location(layout.end)[0]
    rows = len(file.line_starts)
    for step, row in ((-1, first - 1), (1, last + 1)):
        while 1 <= row <= rows:
            line = file.line(row)
            depth = len(line) - len(line.lstrip(" \t"))
            if line.strip() and not line.lstrip().startswith("#"):
                if depth == len(layout.indent):
                    return True
                if depth < len(layout.indent):
                    break
            row += step
    return False
