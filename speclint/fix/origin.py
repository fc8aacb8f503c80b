"""Where the characters of a value stand, and who else reads them there."""

from __future__ import annotations

from speclint.finding import APPLICABILITIES
from speclint.lean import pattern
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.fix.frame import Frame
    from speclint.source import SourceFile
    from speclint.text import Mapped
    from speclint.value import Known, Step

# How one character is written where it does not stand for itself.
_ESCAPE = pattern(r"(?s)\\(?:x[0-9A-Fa-f]+|[uU][0-9A-Fa-f]+|N\{[^}]*\}|[0-7]{1,3}|\r\n|.)|''|\{\{|\}\}|\s+")
_CONSTANT = pattern(r"(?:-?[0-9][0-9_]*(?:\.[0-9_]*)?(?:[eE][+-]?[0-9]+)?|True|False|None)\Z")


def literal(text: Mapped) -> Span | None:
    """The characters in the file that are these, one by one."""
    span = text.exact() if text.text else None
    if span is None or span.text != text.text or _escaped(span):
        return None
    return span


def cover(text: Mapped) -> Span | None:
    """The characters in the file that these were decoded from, escapes included, if they stand in one run."""
    result: Span | None = None
    for piece in text.pieces:
        span = piece.span
        if span is None or piece.hole is not None or not (piece.exact or _one(span, piece.length)):
            return None
        if result is None:
            result = span
            if _escaped(span):
                result = Span(span.file, span.start - 1, span.end)
            continue
        gap = span.file.text[result.end : span.start]
        if span.file is not result.file or span.start < result.end or gap not in ("", "\\"):
            return None
        result = result.to(span)
    return result


def _one(span: Span, length: int) -> bool:
    return length == 1 and _ESCAPE.fullmatch(span.text) is not None


def _escaped(span: Span) -> bool:
    """Whether a backslash before the first character belongs to it."""
    text = span.file.text
    count = 0
    while span.start - count > 0 and text[span.start - count - 1] == "\\":
        count += 1
    return count % 2 == 1


def within(text: Mapped, place: Span) -> bool:
    """Whether all of a text was written within a place."""
    spans = [piece.span for piece in text.pieces]
    return bool(spans) and all(
        s is not None and s.file is place.file and place.start <= s.start and s.end <= place.end for s in spans
    )


def spelled(text: Mapped, place: Span) -> bool:
    """Whether a text was written within a place character by character, and does not stand for what is there."""
    return within(text, place) and all(p.exact or (p.span is not None and _one(p.span, p.length)) for p in text.pieces)


def grade(value: Known, place: Span | None) -> str:
    """The applicability of an edit of a value where its characters stand; ``place`` is the word that has the value."""
    away = place is None or not within(value.text, place)
    if away and not any(step.definition is not None for step in value.steps):
        return "unsafe"  # who else reads it is not told
    return min((_grade(step) for step in value.steps), key=APPLICABILITIES.index, default="safe")


def _grade(step: Step) -> str:
    if step.kind == "loop":
        return "display"
    if step.kind in ("default", "branch"):
        return "unsafe"
    if step.definition is not None:
        return "safe" if step.definition.uses <= 1 and not step.definition.shared else "unsafe"
    # How often a function is called is not told.
    return "unsafe" if step.kind == "argument" else "safe"


def host_of(file: SourceFile) -> str:
    """The host of a file, by its name or else its content."""
    found = file.host
    if found is None:
        from speclint import discover

        found = discover.host_of(file.path) or discover.host_by_content(file.raw, certain=False) or "shell"
        file.host = found
    return found


def framed(span: Span, frame: Frame | None = None) -> tuple[Span, Frame | None]:
    """A place in the text that is edited there: the file, or what a text with escapes reads as; then with its frame.

    ``frame``: the one to look in, where that is known.
    """
    from speclint.fix.frame import frame_of

    found = frame or frame_of(span, host_of(span.file))
    inner = found.into(span) if found is not None else None
    return (span, None) if inner is None else (inner, found)


def language_of(span: Span) -> str:
    """The language that a place is written in."""
    from speclint.fix.embedded import language_at

    return language_at(span.file, host_of(span.file), span.start)


def bare_constant(span: Span) -> bool:
    """Whether the characters are a number, True, False or None of Python itself, not a part of a string."""
    if not _CONSTANT.match(span.text) or language_of(span) != "python":
        return False
    text = span.file.text
    before = text[span.start - 1 : span.start]
    if before in ("'", '"') and text[span.end : span.end + 1] == before:
        return False  # which tells without a parser
    from speclint.fix.context import in_python_string

    return not in_python_string(span.file, span.start)
