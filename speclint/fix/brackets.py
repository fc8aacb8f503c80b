"""Items of bracketed lists: what parts them (commas, comments, continued rows), and edits that take out or put in one.

Comments stay where they are and commas stay right: JSON, and so the exec form of a Dockerfile, has none behind the last
item.
"""

from __future__ import annotations

from speclint.lean import NamedTuple, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.finding import Edit
    from speclint.fix.layout import Layout

# Strings and the comment of a row. A Dockerfile in JSON form and TOML have ``#``, JavaScript and JSON with comments
# ``//``.
_STRING = r"\"(?:\\.|[^\"\\\r\n])*\"?|'(?:\\.|[^'\\\r\n])*'?"
_ROWS = {
    "python": pattern(rf"{_STRING}|(?P<comment>#)"),
    **dict.fromkeys(("json", "javascript"), pattern(rf"{_STRING}|(?P<comment>#|//)")),
    "yaml": pattern(rf"{_STRING}|(?P<comment>(?<!\S)#)"),
}
_BLANKS = {
    **dict.fromkeys(("json", "javascript"), pattern(r"[\s\\]*(?:(?:#|//)[^\r\n]*(?:[\r\n][\s\\]*|\Z))*")),
    "python": pattern(r"[\s\\]*(?:#[^\r\n]*(?:[\r\n][\s\\]*|\Z))*"),
    "yaml": pattern(r"\s*(?:(?<=\s)#[^\r\n]*(?:[\r\n]\s*|\Z))*"),
}


class Place(NamedTuple):
    """Where an item is put behind others: after their last word, with ``lead`` before and ``between`` its words.

    Where a comment stands behind them, on a row of its own behind that instead: ``row`` is the beginning of that row,
    ``at`` its place and ``comma`` what ends it ("," or, if the comma has to go behind the words, nothing).
    """

    lead: str
    between: str
    row: str = ""
    at: int = 0
    comma: str | None = None


def behind(text: str, at: int, language: str) -> int:
    """The end of the last thing before an offset that is no blank, no comment and no continuation."""
    end = at
    while end and text[end - 1] in " \t":
        end -= 1
    while end and text[end - 1] in " \t\r\n\\":
        row = text.rfind("\n", 0, max(end - 1, 0)) + 1
        stop = next((m.start() for m in _ROWS[language].finditer(text, row, end) if m["comment"]), end)
        code = text[row:stop].rstrip(" \t\r\n\\")
        if code:
            return row + len(code)
        end = row
        if not row:
            break
    return end


def ahead(text: str, at: int, language: str) -> int:
    """The start of the next thing behind an offset that is no blank, no comment and no continuation."""
    found = _BLANKS[language].match(text, at)
    return found.end() if found is not None else at


def between(layout: Layout) -> str:
    """What parts the words of an option from each other here."""
    gap = layout.file.text[layout.spans[0].end : layout.spans[1].start] if len(layout.spans) > 1 else ""
    return gap if layout.own_rows and "\n" in gap else ", "


def remove(layout: Layout) -> Sequence[Edit]:
    """The edits that take the items out; none where they cannot be taken out."""
    text, language = layout.file.text, layout.language
    left, right = behind(text, layout.start, language), ahead(text, layout.end, language)
    if text[right : right + 1] == ",":
        if text[layout.end : right].strip(" \t\r\n\\"):
            return ()
        return (_remove_with_comma(layout, right + 1, text[left - 1 : left] == ","),)
    if text[left - 1 : left] != ",":
        # The only argument of a call is not there to be left out.
        return (layout.edit(layout.start, layout.end),) if text[left - 1 : left] in ("[", "{") else ()
    blank = _is_blank(layout.after)
    if layout.own_rows and language != "json" and (blank or layout.after.lstrip().startswith(("#", "//"))):
        # A comma may stand behind the last item.
        if blank:
            return (layout.remove_rows(layout.end),)
        return (layout.edit(layout.start, layout.end + len(layout.after) - len(layout.after.lstrip())),)
    if not text[left : layout.start].strip(" \t\r\n\\"):
        return (layout.edit(left - 1, layout.end),)
    comma = layout.edit(left - 1, left)
    if layout.own_rows and blank:
        return (comma, layout.remove_rows(layout.end))
    return (comma, layout.edit(layout.start, layout.end))


def _remove_with_comma(layout: Layout, stop: int, leads: bool) -> Edit:
    """The edit that takes out items and the comma behind them, which ends at ``stop``."""
    rest = layout.rest(stop)
    commented = rest.lstrip().startswith(("#", "//"))
    after = stop + len(rest) - len(rest.lstrip())
    if layout.own_rows and _is_blank(rest):
        return layout.remove_rows(stop)
    if layout.own_rows and commented:
        return layout.edit(layout.start, after)
    if _is_blank(rest) or commented:
        blanks = len(layout.before) - len(layout.before.rstrip())
        return layout.edit(layout.start - blanks if leads else layout.start, stop)
    return layout.edit(layout.start, after)


def place(layout: Layout, newline: str) -> Place:
    """Where and how an item is put behind these."""
    text = layout.file.text
    if not layout.own_rows:
        return Place(", ", ", ")
    left = behind(text, layout.start, layout.language)
    goes_on = "\\" in text[left : layout.start]
    row = (" \\" if goes_on else "") + newline + layout.indent
    comma = "," if text.startswith(",", layout.end) else ""
    rest = layout.rest(layout.end + len(comma))
    gap = between(layout)
    if not rest.lstrip().startswith(("#", "//")):
        return Place("," + row, gap)
    return Place("," + row, gap, row, layout.end + len(comma) + len(rest), comma)


def _is_blank(rest: str) -> bool:
    return not rest.strip(" \t\\")
