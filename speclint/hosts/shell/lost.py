"""Options that were meant for a command and that the shell runs as a command of their own.

A backslash continues a line only as its last character, and a comment goes on to the end of its line, whatever stands
there: behind either, the options that follow are no longer words of the command.
"""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

_OPTION = pattern(r"(?<!\S)--[A-Za-z][\w.-]*")
_FIRST = pattern(r"[ \t]*(--[A-Za-z][\w.-]*)(?=[=\s]|\Z)")
_COMMENT = pattern(r"[ \t]*#")


class Break(NamedTuple):
    """A place where a command ends before its options do, with its bounds in the text.

    ``kind``: "blank" (a backslash with blanks behind it, and perhaps a comment), "comment" (behind options), "line" (a
    line that is a comment), "empty" (an empty line), "bare" (a line that nothing continues; an empty range), "end" (as
    "blank", and nothing follows).
    """

    kind: str
    start: int
    end: int


class Lost(NamedTuple):
    """``breaks`` in order, the first one is what ends the command; ``options``: name and place of each that is lost."""

    breaks: tuple[Break, ...]
    options: tuple[tuple[str, int], ...]


class _Line(NamedTuple):
    """How a line ends: as a Break does, or "continued"; ``at``: where that begins."""

    kind: str
    at: int
    end: int


def lost(text: str, end: int, is_option: Callable[[str], bool]) -> Lost | None:
    """What stands behind a command that ends at ``end`` and was meant for it; None if nothing does.

    ``is_option`` tells the options of the program, so that no other command is taken for a part of this one.
    """
    breaks: list[Break] = []
    options: list[tuple[str, int]] = []
    at = end
    while (line := _line(text, at)) is not None:
        if breaks:
            options.extend((found[0], found.start()) for found in _OPTION.finditer(text, at, line.at))
        found = [] if line.kind == "continued" else [Break(line.kind, line.at, line.end)]
        following = _between(text, line, found)
        if following is None:
            # Nothing is lost behind it, yet it is no end of a line.
            breaks.extend((Break("end", line.at, line.end),) if breaks and line.kind == "blank" else ())
            break
        if found:
            first = _FIRST.match(text, following)
            if first is None or not is_option(first[1]):
                break
        breaks.extend(found)
        at = following
    return Lost(tuple(breaks), tuple(options)) if options else None


def _between(text: str, line: _Line, found: list[Break]) -> int | None:
    """Where the next line that is neither empty nor a comment begins; those between are added to ``found``.

    None where the text ends, or empty lines set apart what follows.
    """
    at = _next(text, line.end)
    empty = 0
    while at < len(text):
        end = _end(text, at)
        comment = _COMMENT.match(text, at, end)
        if comment is not None:
            found.append(Break("line", comment.end() - 1, end))
        elif not text[at:end].strip():
            empty += 1
            if empty > 1 or line.kind in ("bare", "comment"):
                return None
            found.append(Break("empty", at, end))
        else:
            return at
        at = _next(text, end)
    return None


def _line(text: str, at: int) -> _Line | None:
    """How the line ends that goes on at ``at``; None where a command ends on purpose, or it cannot be told."""
    end = _end(text, at)
    last = end
    while at < end:
        char = text[at]
        if char in "'\"":
            at = _closed(text, at, end)
            if at < 0:
                return None
        elif char == "\\":
            rest = text[at + 1 : end].lstrip(" \t")
            if at + 1 >= end:
                return _Line("continued", at, end)
            if text[at + 1] in " \t" and (not rest or rest[0] == "#"):
                return _Line("blank", at, end)
            at += 1
        elif char == "#" and text[at - 1 : at] in ("", " ", "\t", "\n"):
            return _Line("comment", at, end)
        elif char in "|;()`" or text.startswith(("&&", "<<"), at) or (char == "&" and not _redirects(text, at)):
            return None
        if text[at] not in " \t":
            last = at + 1
        at += 1
    return _Line("bare", min(last, end), min(last, end))


def _closed(text: str, at: int, end: int) -> int:
    """Where a quote ends that begins at ``at``; -1 if not on this line."""
    quote = text[at]
    at += 1
    while at < end and text[at] != quote:
        at += 2 if text[at] == "\\" and quote == '"' else 1
    return at if at < end else -1


def _redirects(text: str, at: int) -> bool:
    return text[at - 1 : at] in ("<", ">") or text[at + 1 : at + 2] == ">"


def _end(text: str, at: int) -> int:
    """Where the line ends, its line end left out."""
    found = text.find("\n", at)
    end = len(text) if found < 0 else found
    return end - 1 if end > at and text[end - 1] == "\r" else end


def _next(text: str, end: int) -> int:
    """Where the line after one that ends at ``end`` begins."""
    found = text.find("\n", end)
    return len(text) if found < 0 else found + 1
