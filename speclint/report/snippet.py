"""The lines of a file that a finding is about, with marks below them."""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.report.style import LEVEL_COLOURS, clean, expand, width

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.finding import Edit, Finding
    from speclint.report.style import Style
    from speclint.source import SourceFile
    from speclint.text import Span

# A line is shown as far as a person reads it; a minified one is cut around the mark.
_LONGEST = 160
_BEFORE = 60
_CUT = "…"
_BLUE = "1;34"


class Mark(NamedTuple):
    """Something to point at: with ``^`` what is to blame, with ``-`` other places, which have a text of their own."""

    span: Span
    text: str
    primary: bool


def marks(finding: Finding) -> list[Mark]:
    """What a finding points at."""
    return [Mark(finding.span, "", True), *(Mark(span, text, False) for text, span in finding.related)]


def render(points: Iterable[Mark], level: str, style: Style) -> list[str]:
    """The lines of the snippet; places in other files follow those of the first, each under its name."""
    files: dict[SourceFile, dict[int, list[Mark]]] = {}
    for mark in points:
        row = mark.span.file.location(mark.span.start)[0]
        files.setdefault(mark.span.file, {}).setdefault(row, []).append(mark)
    gutter = max(len(str(row)) for rows in files.values() for row in rows)
    lines: list[str] = []
    for number, (file, rows) in enumerate(files.items()):
        if number:
            row = min(rows)
            column = file.location(rows[row][0].span.start)[1]
            lines.append(f"{' ' * gutter}{style.paint('-->', _BLUE)} {clean(file.path)}:{row}:{column}")
        lines.append(_edge(gutter, style))
        last = None
        for row in sorted(rows):
            if last is not None and row > last + 1:
                lines.append(style.paint("...", _BLUE))
            lines.extend(_row(file, row, rows[row], gutter, level, style))
            last = row
    return lines


def edge(points: Iterable[Mark], style: Style) -> str:
    """The empty gutter that goes below a snippet of these marks."""
    return _edge(max(len(str(mark.span.file.location(mark.span.start)[0])) for mark in points), style)


def _edge(gutter: int, style: Style) -> str:
    return f"{' ' * gutter} {style.paint('|', _BLUE)}"


def _row(file: SourceFile, row: int, points: Sequence[Mark], gutter: int, level: str, style: Style) -> list[str]:
    """One line of the file, the line of marks below it, and a line for each text that does not fit there."""
    start = file.offset(row)
    ordered = sorted(points, key=lambda mark: mark.span.start)
    shown, cut = _window(file, row, ordered[0].span.start - start)
    places: list[tuple[int, int, Mark]] = []
    for mark in ordered:
        left = min(max(mark.span.start - start - cut, 0), len(shown))
        right = min(max(mark.span.end - start - cut, left), len(shown))
        places.append((width(shown[:left]), max(width(shown[left:right]), 1), mark))
    below = ""
    columns = 0
    for at, size, mark in places:
        if at < columns:
            continue  # two marks on one word: the first says it
        sign = "^" if mark.primary else "-"
        below += " " * (at - columns) + style.paint(sign * size, LEVEL_COLOURS[level] if mark.primary else _BLUE)
        columns = at + size
    texts = [(at, mark.text) for at, _, mark in places if mark.text]
    if texts and texts[-1][0] == places[-1][0]:
        below += " " + style.paint(clean(texts.pop()[1]), _BLUE)
    front = f"{style.paint(str(row).rjust(gutter), _BLUE)} {style.paint('|', _BLUE)}"
    empty = _edge(gutter, style)
    lines = [f"{front} {expand(clean(shown))}".rstrip(), f"{empty} {below}"]
    lines.extend(f"{empty} {' ' * at}{style.paint(clean(text), _BLUE)}" for at, text in reversed(texts))
    return lines


def _window(file: SourceFile, row: int, at: int) -> tuple[str, int]:
    """As much of a row as is shown, and how many characters of the file stand before it, less those put there."""
    first, last = file.offset(row), file.offset(row + 1)
    if last - first <= _LONGEST:
        return file.line(row), 0
    newline = file.text[last - 2 : last]
    size = last - first - len(newline) + len(newline.rstrip("\r\n"))
    start = max(0, min(at - _BEFORE, size - _LONGEST))
    end = min(start + _LONGEST, size)
    head = _CUT if start else ""
    return head + file.text[first + start : first + end] + (_CUT if end < size else ""), start - len(head)


def changes(edits: Sequence[Edit], style: Style) -> list[str]:
    """The lines that edits change, before and after, as a small diff."""
    lines: list[str] = []
    for group in _groups(edits):
        file = group[0].span.file
        first = file.location(group[0].span.start)[0]
        start, end, head, tail = _around(group)
        parts, at = [head], start
        for edit in group:
            parts += (file.text[at : edit.span.start], edit.content)
            at = edit.span.end
        old = (head + file.text[start:end] + tail).splitlines()
        new = "".join((*parts, file.text[at:end], tail)).splitlines()
        while old and new and old[0] == new[0]:
            old, new, first = old[1:], new[1:], first + 1
        while old and new and old[-1] == new[-1]:
            old, new = old[:-1], new[:-1]
        lines.extend(_changed(first, old, "-", "31", style))
        lines.extend(_changed(first, new, "+", "32", style))
    return lines


def _around(group: Sequence[Edit]) -> tuple[int, int, str, str]:
    """The bounds of the rows that edits change, and what stands for the rest: of long ones a part is enough."""
    file = group[0].span.file
    first, last = group[0].span.start, group[-1].span.end
    (row, column), bottom = file.location(first), file.location(last)[0]
    start, end = first - column + 1, file.offset(bottom + 1)
    if end - start <= _LONGEST or bottom > row:
        return start, end, "", ""
    left, right = max(start, first - _BEFORE), min(end, last + _LONGEST)
    return left, right, _CUT if left > start else "", _CUT if right < end else ""


def _changed(row: int, texts: Sequence[str], sign: str, colour: str, style: Style) -> list[str]:
    shown = (text if len(text) <= _LONGEST else text[:_LONGEST] + _CUT for text in texts)
    return [style.paint(f"{row + i} {sign} {expand(clean(text))}".rstrip(), colour) for i, text in enumerate(shown)]


def _groups(edits: Sequence[Edit]) -> list[list[Edit]]:
    """Edits that touch the same rows, together."""
    groups: list[list[Edit]] = []
    for edit in edits:
        last = groups[-1][-1].span if groups else None
        file = edit.span.file
        if last is not None and last.file is file and file.location(last.end)[0] >= file.location(edit.span.start)[0]:
            groups[-1].append(edit)
        else:
            groups.append([edit])
    return groups
