"""Findings that a file asks not to be told: ``# speclint: ignore[SGL201] reason``, in every language.

Where comments begin with ``//``, that stands before or in the place of ``#``.
At the end of a line the comment holds for that line; in a shell command that goes on over several lines, for all of
them, since only the last can carry a comment. Alone on a line it holds for the next line with what is indented below
it, and for every launch that begins there. ``# speclint: file-ignore[SGL2]`` holds for the file, the annotation
``speclint.dev/ignore: SGL201`` for its YAML document. One that suppresses nothing is told as SGL002. ``until=`` in the
reason says when it ends, see expiry.
"""

from __future__ import annotations

from speclint.finding import Edit, Finding, Fix
from speclint.lean import pattern, re
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from speclint.expiry import Until
    from speclint.source import SourceFile

CODE = "SGL002"
NAME = "unused-suppression"
MARK = "speclint"
# What `speclint rule` tells of it; it is asked of a file as a whole, so it is no rule file.
RULE: dict[str, object] = {
    "code": CODE,
    "name": NAME,
    "level": "warning",
    "summary": "A comment or annotation that suppresses findings should suppress one.",
    "why": (
        "A suppression that outlives its cause hides the next finding of the same rule. It is told when every rule\n"
        "that it names was asked and none spoke where it holds. The fix removes it, or the names that are of no use."
    ),
    "examples": {
        "bad": [
            {
                "host": "shell",
                "text": "python -m sglang.launch_server --model-path Qwen/Qwen3-8B  # speclint: ignore[SGL201]\n",
                "fixed": "python -m sglang.launch_server --model-path Qwen/Qwen3-8B\n",
            }
        ]
    },
}
# A comment is not for what stands further away than this, in rows.
_MAX_BLOCK = 1000
# A comment belongs to what stands behind so many other comments at most.
_MAX_COMMENTS = 100
_COMMENT = pattern(
    r"(?:(?<=[\s;])|^)(?:#|//[ \t]*#?)[ \t]*speclint:[ \t]*(?P<kind>ignore|file-ignore)\b"
    r"(?:\[(?P<codes>[^\]\r\n]*)\])?[^\r\n]*",
    re.MULTILINE,
)
_ANNOTATION = pattern(
    r"^[ \t]*(?P<key>[\"']?speclint\.dev/ignore[\"']?)[ \t]*:[ \t]*"
    r"[\"']?(?P<codes>[\w,-](?:[\w, \t-]*[\w,-])?)[\"']?[ \t]*(?:#[^\r\n]*)?$",
    re.MULTILINE,
)


class Suppression:
    """One comment or annotation: what it names, the rows that it holds for, and which names were of use.

    ``rows`` is None for the whole file. ``launches``: it holds for all of a launch that begins in its rows. ``until``:
    when it ends, None for never; ``expired`` are the names that it would have suppressed, ``held``: it still did some.
    """

    __slots__ = ("codes", "expired", "held", "kind", "launches", "rows", "span", "until", "used")

    def __init__(
        self,
        span: Span,
        kind: str,
        codes: Sequence[tuple[str, Span]],
        rows: range | None,
        until: Until | None = None,
    ) -> None:
        self.span = span
        self.kind = kind
        self.codes = tuple(codes)
        self.rows = rows
        self.launches = kind != "line"
        self.used: set[str] = set()
        self.until = until
        self.expired: dict[str, None] = {}
        self.held = False

    def takes(self, finding: Finding, rows: Sequence[int], begins: int | None) -> bool:
        """Whether it suppresses a finding that stands on ``rows``, in a launch that begins on row ``begins``."""
        if self.rows is not None:
            whole = self.launches and begins is not None and begins in self.rows
            if not whole and not any(row in self.rows for row in rows):
                return False
        names = [name for name, _ in self.codes if names_rule(name, finding.code, finding.name)]
        self.used.update(names)
        if names and self.until is not None and self.until.over(finding.version):
            self.expired.update(dict.fromkeys(names))
            return False
        self.held = self.held or bool(names)
        return bool(names)


def rules() -> tuple[dict[str, object], ...]:
    """What `speclint rule` tells of the rules that are asked of comments."""
    from speclint import expiry

    return RULE, expiry.RULE


def names_rule(selector: str, code: str, name: str) -> bool:
    """Whether a code, a prefix of one or a rule name means a rule."""
    return selector == name or (selector.isupper() and code.startswith(selector))


def read(file: SourceFile) -> list[Suppression]:
    """Every suppression in a file, in order."""
    if MARK not in file.text:
        return []
    found = [_comment(file, match) for match in _COMMENT.finditer(file.text)]
    found.extend(_annotation(file, match) for match in _ANNOTATION.finditer(file.text))
    return sorted(found, key=lambda suppression: suppression.span.start)


def apply(findings: Iterable[Finding], suppressions: Sequence[Suppression]) -> list[Finding]:
    """The findings that nothing suppresses; the suppressions remember what they were of use for."""
    if not suppressions:
        return list(findings)
    kept: list[Finding] = []
    for finding in findings:
        rows, begins = _rows(finding)
        # All are asked, so that of two that hold for one finding neither is called unused.
        if not [s for s in suppressions if s.takes(finding, rows, begins)]:
            kept.append(finding)
    return kept


def unused(suppressions: Iterable[Suppression], enabled: Callable[[str], bool]) -> list[Finding]:
    """What SGL002 says of a file. ``enabled`` tells whether any rule that a name means was asked."""
    return [finding for s in suppressions if (finding := _unused(s, enabled)) is not None]


def expired(suppressions: Iterable[Suppression]) -> list[Finding]:
    """What SGL003 says of a file."""
    return [finding for s in suppressions if s.until is not None and (finding := _expired(s, s.until)) is not None]


def _expired(suppression: Suppression, until: Until) -> Finding | None:
    from speclint import expiry

    if not until.readable:
        message = f"`{until.span.text}` says no end: write `until=2027-01-31` or `until=sglang>=0.6`"
        return Finding(expiry.CODE, expiry.NAME, "warning", message, until.span)
    if not suppression.expired:
        return None
    names = ", ".join(f"`{name}`" for name in suppression.expired)
    message = f"this comment has ended (`{until.span.text}`), so {names} is told again"
    # For a launch that is judged by another release it may still hold.
    fix = None if suppression.held else Fix("safe", "remove it", [Edit(_whole(until.span.file, suppression.span), "")])
    return Finding(expiry.CODE, expiry.NAME, "warning", message, suppression.span, fix=fix)


def _unused(suppression: Suppression, enabled: Callable[[str], bool]) -> Finding | None:
    file = suppression.span.file
    if not suppression.codes:
        message = "this comment suppresses nothing: it names no rule in brackets, as in `ignore[SGL201]`"
        return Finding(CODE, NAME, "warning", message, suppression.span)
    idle = [(name, span) for name, span in suppression.codes if name not in suppression.used and enabled(name)]
    if not idle:
        return None
    names = ", ".join(f"`{name}`" for name, _ in idle)
    message = f"{names} in this {'annotation' if suppression.kind == 'annotation' else 'comment'} suppresses nothing"
    if len(idle) == len(suppression.codes):
        edit = Edit(_whole(file, suppression.span), "")
        fix = Fix("safe", "remove it", [edit])
        if suppression.kind == "annotation":
            fix = Fix("unsafe", "remove it", [edit])  # `annotations:` may be left without any
        return Finding(CODE, NAME, "warning", message, suppression.span, fix=fix)
    rest = ",".join(name for name, _ in suppression.codes if name not in {name for name, _ in idle})
    codes = Span(file, suppression.codes[0][1].start, suppression.codes[-1][1].end)
    fix = Fix("safe", f"remove {names}", [Edit(codes, rest)])
    return Finding(CODE, NAME, "warning", message, idle[0][1].to(idle[-1][1]), fix=fix)


def _whole(file: SourceFile, span: Span) -> Span:
    """A comment with the white space before it; with its whole line where nothing else is on it."""
    row, column = file.location(span.start)
    line = file.line(row)
    before = line[: column - 1]
    if before.strip():
        return Span(file, span.start - (len(before) - len(before.rstrip())), span.end)
    start = file.offset(row)
    end = file.offset(row + 1)
    if end == len(file.text) and not file.text.endswith(("\n", "\r")) and row > 1:
        start = file.offset(row - 1) + len(file.line(row - 1))
    return Span(file, start, end)


def _rows(finding: Finding) -> tuple[list[int], int | None]:
    """The rows of a finding and of the places that it tells, and the first of its launch."""
    file = finding.span.file
    spans = [finding.span, *(span for _, span in finding.related if span.file is file)]
    rows = [row for span in spans for row in _covered(span)]
    return rows, file.location(finding.launch.span.start)[0] if finding.launch is not None else None


def _covered(span: Span) -> range:
    first = span.file.location(span.start)[0]
    return range(first, span.file.location(max(span.start, span.end - 1))[0] + 1)


def _comment(file: SourceFile, match: re.Match[str]) -> Suppression:
    codes = _names(file, match)
    span = Span(file, match.start(), match.start() + len(match.group().rstrip()))
    until = None
    if "until=" in match.group():
        from speclint import expiry

        until = expiry.read(file, span.start, span.end)
    if match["kind"] == "file-ignore":
        return Suppression(span, "file", codes, None, until)
    row, column = file.location(match.start())
    if file.line(row)[: column - 1].strip():
        return Suppression(span, "line", codes, range(_command_start(file, row), row + 1), until)
    return Suppression(span, "block", codes, _block(file, row), until)


def _annotation(file: SourceFile, match: re.Match[str]) -> Suppression:
    row = file.location(match.start("key"))[0]
    first = last = row
    while first > 1 and not file.line(first).startswith("---"):
        first -= 1
    while last < len(file.line_starts) and not file.line(last + 1).startswith("---"):
        last += 1
    span = Span(file, match.start("key"), match.end())
    return Suppression(span, "annotation", _names(file, match), range(first, last + 1))


def _names(file: SourceFile, match: re.Match[str]) -> list[tuple[str, Span]]:
    """The names in the brackets, each where it stands."""
    found: list[tuple[str, Span]] = []
    for part in re.finditer(r"[^,\s]+", match["codes"] or ""):
        start = match.start("codes") + part.start()
        found.append((part.group(), Span(file, start, start + len(part.group()))))
    return found


def _command_start(file: SourceFile, row: int) -> int:
    """The row on which the shell command that ends on ``row`` begins: those before it end in a backslash."""
    while row > 1 and file.line(row - 1).endswith("\\"):
        row -= 1
    return row


def _block(file: SourceFile, row: int) -> range:
    """The next line that is no comment, with those that are indented below it."""
    last = len(file.line_starts)
    first = row + 1
    last = min(last, row + _MAX_BLOCK)
    near = min(last, row + _MAX_COMMENTS)
    while first <= near and (not file.line(first).strip() or file.line(first).lstrip().startswith(("#", "//"))):
        first += 1
    if first > near:
        return range(row, row + 1)
    line = file.line(first)
    depth = _indent(line)
    items = line.rstrip().endswith(":") and not line.lstrip().startswith("- ")
    end = first
    for at in range(first + 1, last + 1):
        text = file.line(at)
        if text.strip():
            inside = _indent(text) > depth or (items and _indent(text) == depth and text.lstrip().startswith("- "))
            if not inside:
                break
            end = at
    return range(row, end + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
