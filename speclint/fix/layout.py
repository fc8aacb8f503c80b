"""How the words of a launch lie in the file, and edits that take words out or put words in in the same manner.

Four layouts: shell text (in whatever it stands), items of a YAML block sequence, items of a bracketed list (YAML flow
sequence, Python list or call, JSON), and statements or entries that have rows of their own (``cmd.append("--x")``,
``options["x"] = 1``, ``x: 1``). Text with escapes (cells of a notebook, strings of JSON) is edited as what it reads as.
"""

from __future__ import annotations

from bisect import bisect_right
from itertools import islice, pairwise

from speclint.finding import Edit
from speclint.fix import brackets, rows
from speclint.fix.quote import python_string, safe, yaml_scalar
from speclint.lean import pattern
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.fix.entry import Entry
    from speclint.fix.frame import Frame
    from speclint.source import SourceFile

# Hosts whose text is not YAML; every other host is a YAML schema.
_LANGUAGES = {
    "python": "python",
    "javascript": "javascript",
    **dict.fromkeys(("shell", "markdown", "rst", "asciidoc", "text", "makefile", "justfile", "units"), "shell"),
    "template": "shell",
    **dict.fromkeys(("json", "toml", "dockerfile", "notebook"), "json"),
}
# Those in which words may be arguments of a call, and strings are quoted alike.
_CALLS = frozenset(("python", "javascript"))
# The rest of a row; of one that goes on with words no more than is looked at.
_REST = pattern(r"[ \t]*(?:[#/\\][^\r\n]*|[^\r\n]{0,8})")
_LEAD = pattern(r"[ \t]*(?:-[ \t]+)*")
_DASH = pattern(r"([ \t]*)-[ \t]+\Z")
# Between the words of one option.
_GAPS = {
    "text": pattern(r"(?:[ \t]|\\*\r?\n)+\Z|=?\Z"),
    "block": pattern(r"[ \t]*(?:\r?\n[ \t]*)+-[ \t]+\Z|=?\Z"),
    "list": pattern(r"[\s\\]*,[\s\\]*\Z|=?\Z"),
}
# What compose and templates expand; ``$(NAME)`` is Kubernetes' own and meant so.
_EXPANDED = pattern(r"\$(?!\([A-Za-z_])|\{\{")
# So many ways to write a word that needs quotes are tried.
_MOST_FORMS = 30
_ROW_END = pattern(r"[ \t]*\\*|[ \t]+")
_BREAK = pattern(r"[ \t]*\\+\r?\n")
_COMMENT = pattern(r"[ \t]+#")


def language(host: str) -> str:
    """The language of a host: "shell", "python", "javascript", "json" or "yaml"."""
    return _LANGUAGES.get(host, "yaml")


class Layout:
    """The layout around the words ``spans``, which follow each other in one file.

    ``kind`` is "text", "block", "list" or "rows"; ``start`` and ``end`` are the bounds of the words. ``joined``:
    nothing but separators stands between the words, so that they can be treated as one range. ``entry`` tells how a
    keyword argument or the entry of a mapping is written; None for words. The words stand in what ``frame`` reads as,
    if any.
    """

    def __init__(
        self, spans: Sequence[Span], language: str, entry: Entry | None = None, frame: Frame | None = None
    ) -> None:
        self.file: SourceFile = spans[0].file
        self.language = language
        self.entry = entry
        self.frame = frame
        text = self.file.text
        self.spans = spans
        self.start, self.end = spans[0].start, spans[-1].end
        self.row = self._row(self.start)
        lead = _LEAD.match(text, self.row, self.start)
        # Whether nothing stands before the words on their first row.
        self.own_rows = lead is not None and lead.end() == self.start
        # Rows can be long; no more of one is looked at than a person would.
        self.before = text[self.row if self.own_rows else max(self.row, self.start - 80) : self.start]
        self.indent = lead.group()[: len(lead.group()) - len(lead.group().lstrip(" \t"))] if lead else ""
        self.after = self.rest(self.end)
        self.statement = rows.Call(self) if language == "python" and entry is None else None
        self.kind = self._kind(spans[0])
        if self.kind != "block" and self.before.strip():
            self.own_rows = False
        self.joined = self._joined()

    def _row(self, at: int) -> int:
        """Where the row of an offset begins; only a line feed ends one."""
        starts, text = self.file.line_starts, self.file.text
        index = bisect_right(starts, at) - 1
        while index and text[starts[index] - 1] != "\n":
            index -= 1
        return starts[index]

    def rest(self, at: int) -> str:
        """What stands behind an offset on its row: all of it if that is a comment or nothing, else its beginning."""
        found = _REST.match(self.file.text, at)
        return found.group() if found else ""

    def _kind(self, first: Span) -> str:
        if self.entry is not None:
            return "rows" if self.entry.rows else "list"
        if self.statement is not None and self.statement.fits:
            return "rows"
        if self.language == "yaml" and _DASH.match(self.before):
            return "block"
        if self.language == "shell":
            return "text"
        text = self.file.text
        if self.language in ("json", "javascript") and text[first.start : first.start + 1] not in ('"', "'", "`"):
            return "text"
        at, to = brackets.behind(text, first.start, self.language), brackets.ahead(text, first.end, self.language)
        left, right = text[max(at - 1, 0) : at], text[to : to + 1]
        opening = "[,(" if self.language in _CALLS else "[,"
        closing = "],)" if self.language in _CALLS else "],"
        return "list" if left and left in opening and right and right in closing else "text"

    def _joined(self) -> bool:
        if self.kind == "rows":
            return self.statement is None or self.statement.joined
        gap = _GAPS[self.kind]
        return all(
            b.file is self.file and a.end <= b.start and gap.match(self.file.text[a.end : b.start]) is not None
            for a, b in pairwise(self.spans)
        )

    def edit(self, start: int, end: int, content: str = "") -> Edit:
        """An edit of the text that the words stand in."""
        return Edit(Span(self.file, start, end), content)

    def next_row(self, at: int) -> int:
        """The offset at which the row after that of ``at`` begins; the end of the text behind the last row."""
        return self.file.text.find("\n", at) + 1 or len(self.file.text)

    def _placed(self, edits: Sequence[Edit]) -> tuple[Edit, ...]:
        """The edits in the file itself; none where one of them cannot be made there."""
        if self.frame is None:
            return tuple(edits)
        found = [self.frame.out(edit) for edit in edits]
        return tuple(edit for edit in found if edit is not None) if None not in found else ()

    # -- taking out

    def remove(self) -> tuple[Edit, ...]:
        """The edits that take the words out and leave no trace of them but comments; none where that cannot be."""
        if not self.joined:
            return ()
        action: dict[str, Callable[[], Sequence[Edit]]] = {
            "text": self._remove_text,
            "block": self._remove_block,
            "list": lambda: brackets.remove(self),
            "rows": lambda: rows.remove(self),
        }
        return self._placed(action[self.kind]())

    def remove_rows(self, last: int) -> Edit:
        """The edit that takes out the rows of the words, to that of ``last``."""
        text = self.file.text
        end = self.next_row(last)
        if end < len(text) or text.endswith("\n") or not self.row:
            return self.edit(self.row, end)
        # The last row has no newline of its own and takes the one before it.
        start = self.row - 2 if text.startswith("\r\n", self.row - 2) else self.row - 1
        return self.edit(start, end)

    def _remove_block(self) -> Sequence[Edit]:
        rest = self.after.strip()
        if not rest:
            return (self.remove_rows(self.end),)
        if rest.startswith("#") and self.after[:1] in " \t":
            dash = self.row + len(self.before) - len(self.before.lstrip())
            return (self.edit(dash, self.end + len(self.after) - len(self.after.lstrip())),)
        return ()

    def _remove_text(self) -> Sequence[Edit]:
        text = self.file.text
        after = self.after.rstrip(" \t")
        # A backslash with blanks behind it ends no row: it is a word.
        if self.own_rows and _ROW_END.fullmatch(self.after):
            previous = _row_end(text, self.row)
            if not after and previous < self.row and text[previous - 1 : previous] == "\\":
                # The last row of a continued command: the one before it must not go on.
                start = _stripped(text, _stripped(text, previous, "\\"), " \t")
                return (self.edit(start, self.end + len(self.after)),)
            return (self.remove_rows(self.end),)
        blanks = len(self.before) - len(self.before.rstrip(" \t"))
        if blanks and not self.own_rows:
            return (self.edit(self.start - blanks, self.end),)
        return (self.edit(self.start, self.end + len(self.after) - len(self.after.lstrip(" \t"))),)

    # -- putting in

    def insert(self, words: Sequence[str]) -> tuple[Edit, ...]:
        """The edits that put words behind these; none where they cannot be written there."""
        newline = self.file.newline(self.start)
        if self.kind == "rows":
            return self._placed(rows.insert(self, words) if self.joined else ())
        if self.kind == "block":
            if self.after.strip() and not _COMMENT.match(self.after):
                return ()
            at = self.end + len(self.after)
            return self._written(at, at, f"{newline}{self.before}", f"{newline}{self.before}", words, 0)
        if self.kind == "list":
            place = brackets.place(self, newline)
            if place.comma is None or not all(map(safe, words)):
                return self._written(self.end, self.end, place.lead, place.between, words, 0)
            made = self._written(place.at, place.at, place.row, place.between, words, 0, place.comma)
            comma = self._placed([] if place.comma else [self.edit(self.end, self.end, ",")])
            return (*comma, *made) if made and len(comma) == (not place.comma) else ()
        return self._written(self.end, self.end, self._break(newline), " ", words, 0)

    def _break(self, newline: str) -> str:
        """What parts an option from the next one here: a blank, or the end of a row as its neighbours have it."""
        if not self.own_rows:
            return " "
        text = self.file.text
        if _ROW_END.fullmatch(self.after):
            own = _BREAK.match(text, self.end)
            if own:
                return own.group() + self.indent
            previous = _row_end(text, self.row)
            if text[previous - 1 : previous] == "\\" and previous < self.row:
                return text[_stripped(text, _stripped(text, previous, "\\"), " \t") : self.row] + self.indent
            return newline + self.indent
        return " "

    # -- writing other words

    def replace(self, words: Sequence[str]) -> tuple[Edit, ...]:
        """The edits that put words in the place of these; none where they cannot be written there."""
        between = " "
        if self.kind == "rows":
            return self._placed(rows.replace(self, words) if self.joined else ())
        if self.kind == "list":
            between = brackets.between(self)
        elif self.kind == "block":
            between = self.file.newline(self.start) + self.before
        written = self.file.text[self.start : self.end]
        several = self.kind == "text" and len(self.spans) == 1 and written[:1] not in "\"'" and len(written.split()) > 1
        return self._written(self.start, self.end, "", between, words, None if several else len(self.spans))

    def _written(
        self, start: int, end: int, lead: str, between: str, words: Sequence[str], count: int | None, tail: str = ""
    ) -> tuple[Edit, ...]:
        """The edit that writes words in the place of ``count`` others, None for as many as there are."""
        if not self.joined or not words:
            return ()
        if self.language == "yaml" and self.entry is None and any(_EXPANDED.search(word) for word in words):
            return ()
        close = apart(self.file.text, end, words[-1]) if self.kind == "text" else tail
        forms = ([self._write(word, number) for word in words] for number in range(_MOST_FORMS))
        contents = (lead + between.join(w for w in form if w is not None) for form in forms if None not in form)
        every = (self._placed([self.edit(start, end, content + close)]) for content in contents)
        edits = (one[0] for one in every if one)
        if self.entry is not None or all(map(safe, words)):
            found = next(edits, None)
        else:
            from speclint.fix.proof import words_read_back

            found = words_read_back(edits, words, count)
        return () if found is None else (found,)

    def _write(self, word: str, number: int) -> str | None:
        """The characters for a word, in the way ``number`` of those that there are; None where there are no more."""
        if self.entry is not None:
            return word
        if self.kind == "text":
            if safe(word):
                return word
            from speclint.fix.proof import forms

            return next(islice(forms(word, self.language), number, None), None)
        # Ways to quote are the parser's of the list and not in doubt.
        like = self.file.text[self.start : self.start + 3]
        if self.language in _CALLS:
            return python_string(word, like)
        return yaml_scalar(word, '"' if self.language == "json" else like[:1] if like[:1] in "'\"" else "")


def apart(text: str, end: int, word: str) -> str:
    """The blank that must follow a word which is put before ``end``: digits before ``>`` are no word, but a handle."""
    return " " if word.isdigit() and text[end : end + 1] in ("<", ">") else ""


def _stripped(text: str, end: int, chars: str) -> int:
    """The end of the text before ``end`` without the ``chars`` that it ends with."""
    while end and text[end - 1] in chars:
        end -= 1
    return end


def _row_end(text: str, row: int) -> int:
    """The end of the row before the one that begins at ``row``, its newline left out; ``row`` if there is none."""
    if not row:
        return row
    return row - 2 if text.startswith("\r\n", row - 2) and row >= 2 else row - 1
