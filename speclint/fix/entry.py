"""How a keyword argument or the entry of a mapping is written, and how others are in the same manner."""

from __future__ import annotations

from speclint.fix.quote import python_value, yaml_scalar
from speclint.lean import NamedTuple, pattern
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

    from speclint.words import Keyword

_FLAT = pattern(r"[ \t]*=[ \t]*")
_ENTRY = pattern(r"([\"'])[ \t]*:\s*")
_YAML = pattern(r"([\"']?)[ \t]*:[ \t]+")
_TOML = pattern(r"([\"']?)[ \t]*=[ \t]*")
_STATEMENT = pattern(r"[ \t]*([A-Za-z_][\w.]*\[)([\"'])\Z")
_ASSIGNED = pattern(r"([\"'])\][ \t]*=[ \t]*")
_DEFAULT = pattern(r"[ \t]*([A-Za-z_][\w.]*\.setdefault\([ \t]*)([\"'])\Z")
_GIVEN = pattern(r"([\"'])[ \t]*,[ \t]*")
_CLOSE = pattern(r"[ \t]*\)")
_FAR = 400
_PLAIN = pattern(r"(?:-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false)\Z")


class Entry(NamedTuple):
    """``start`` and ``end`` are the bounds of the whole, ``name`` of the name without quotes.

    ``lead``, ``middle`` and ``tail`` stand before the name, between it and the value, and behind the value. ``rows``:
    it has rows of its own, and no commas part it from others.
    """

    language: str
    start: int
    end: int
    name: Span
    lead: str
    middle: str
    tail: str = ""
    rows: bool = False

    def pair(self, name: str, value: str) -> str:
        """Another one in the same manner; ``value`` is as ``value_of`` gives it."""
        dashed = "-" in self.name.text
        return f"{self.lead}{name.replace('_', '-') if dashed else name}{self.middle}{value}{self.tail}"


def value_of(text: str | None, language: str) -> str:
    """The value of an option in a language, None for a switch that is on."""
    if language == "python":
        return "True" if text is None else python_value(text)
    if text is None:
        return "true"
    text = text.lower() if text in ("True", "False") else text
    return text if _PLAIN.match(text) else yaml_scalar(text, '"' if language == "json" else "")


def of(name: Span, value: Span, keyword: Keyword, language: str) -> Entry | None:
    """How a keyword is written whose name and value stand at ``name`` and ``value``; None where it is set otherwise."""
    text = name.file.text
    if name.file is not value.file or name.end > value.start:
        return None
    quote = name.text[:1]
    if quote and quote in "\"'" and name.text[-1:] == quote:
        name = Span(name.file, name.start + 1, name.end - 1)
    if keyword.name is None or name.text.lstrip("-").replace("-", "_") != keyword.name.lstrip("-").replace("-", "_"):
        return None
    middle = text[name.end : value.start]
    row = text.rfind("\n", 0, name.start) + 1
    if language == "python":
        # Nobody writes a statement behind so much; of a row of many entries no more than the quote is needed.
        return _python(name, value, middle, text[row if name.start - row < _FAR else name.start - 1 : name.start])
    form, rows = (_ENTRY, False) if language == "json" else (_YAML, True)
    found = form.fullmatch(middle) or (_TOML.fullmatch(middle) if language == "json" else None)
    if found is None:
        return None
    lead = text[name.start - len(found[1]) : name.start]
    if lead != found[1]:
        return None
    start = name.start - len(lead)
    in_rows = start - row < _FAR and not text[row:start].strip(" \t-") and (rows or "=" in middle)
    if not in_rows and not _in_braces(text, start):
        return None
    return Entry(language, start, value.end, name, lead, middle, "", in_rows)


def _in_braces(text: str, start: int) -> bool:
    while start and text[start - 1].isspace():
        start -= 1
    return text[max(start - 1, 0) : start] in ("{", ",")


def _python(name: Span, value: Span, middle: str, before: str) -> Entry | None:
    text = name.file.text
    if _FLAT.fullmatch(middle):
        return Entry("python", name.start, value.end, name, "", middle)
    found = _ENTRY.fullmatch(middle)
    if found is not None and before[-1:] == found[1]:
        return Entry("python", name.start - 1, value.end, name, found[1], middle)
    for opening, between in ((_STATEMENT, _ASSIGNED), (_DEFAULT, _GIVEN)):
        head: re.Match[str] | None = opening.match(before)
        tail = between.fullmatch(middle)
        if head is None or tail is None or head[2] != tail[1]:
            continue
        lead, close = head[1] + head[2], ""
        if opening is _DEFAULT:
            closing = _CLOSE.match(text, value.end)
            if closing is None:
                return None
            close = closing.group()
        return Entry("python", name.start - len(lead), value.end + len(close), name, lead, middle, close, True)
    return None
