"""How the words of a launch lie in the file, and edits that take words out or put words in in the same manner.

Three layouts: shell text (in whatever it stands), items of a YAML block sequence, and items of a bracketed list (YAML
flow sequence, Python list or call, JSON). Keyword arguments and entries of a dict lie like items of a list.
"""

from __future__ import annotations

import re
from itertools import islice, pairwise

from speclint.finding import Edit
from speclint.fix.quote import python_string, safe, yaml_scalar
from speclint.lean import pattern
from speclint.text import Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.source import SourceFile
    from speclint.words import Keyword

# Hosts whose text is not YAML; every other host is a YAML schema.
_LANGUAGES = {
    "python": "python",
    **dict.fromkeys(("shell", "markdown", "rst", "text", "makefile", "justfile", "units", "template"), "shell"),
    **dict.fromkeys(("json", "toml", "dockerfile", "notebook"), "json"),
}
_LINE = pattern(r"[^\r\n]*")
_DASH = pattern(r"([ \t]*)-[ \t]+\Z")
# Between the words of one option.
_GAPS = {
    "text": pattern(r"(?:[ \t]|\\*\r?\n)+\Z|=?\Z"),
    "block": pattern(r"[ \t]*(?:\r?\n[ \t]*)+-[ \t]+\Z|=?\Z"),
    "list": pattern(r"\s*,\s*\Z|=?\Z"),
}
# What compose and templates expand; ``$(NAME)`` is Kubernetes' own and meant so.
_EXPANDED = pattern(r"\$(?!\([A-Za-z_])|\{\{")
# So many ways to write a word that needs quotes are tried.
_MOST_FORMS = 30
_ROW_END = pattern(r"[ \t]*\\*|[ \t]+")
_BREAK = pattern(r"[ \t]*\\*\r?\n\Z")


def language(host: str) -> str:
    """The language of a host: "shell", "python", "json" or "yaml"."""
    return _LANGUAGES.get(host, "yaml")


class Layout:
    """The layout around the words ``spans``, which follow each other in one file.

    ``kind`` is "text", "block" or "list"; ``start`` and ``end`` are the bounds of the words. ``joined``: nothing but
    separators stands between the words, so that they can be treated as one range. ``keyword`` is the quote of the key
    for an entry of a dict, empty for a keyword argument, None for words.
    """

    def __init__(self, spans: Sequence[Span], language: str, keyword: str | None = None) -> None:
        self.file: SourceFile = spans[0].file
        self.language = language
        self.keyword = keyword
        text = self.file.text
        self.count = len(spans)
        self.start, self.end = spans[0].start, spans[-1].end
        self.row = text.rfind("\n", 0, self.start) + 1
        self.before = text[self.row : self.start]
        self.after = self._rest(self.end)
        self.kind = "list" if keyword is not None else self._kind(spans[0])
        gap = _GAPS[self.kind]
        self.joined = all(
            b.file is self.file and a.end <= b.start and gap.match(text[a.end : b.start]) for a, b in pairwise(spans)
        )
        self.like = text[spans[0].start : spans[0].end]

    def _rest(self, at: int) -> str:
        """What stands behind an offset on its row."""
        found = _LINE.match(self.file.text, at)
        return found.group() if found else ""

    def _kind(self, first: Span) -> str:
        if self.language == "yaml" and _DASH.match(self.before):
            return "block"
        if self.language == "shell":
            return "text"
        text = self.file.text
        left = text[: first.start].rstrip()[-1:]
        right = text[first.end :].lstrip()[:1]
        if self.language == "json" and text[first.start : first.start + 1] != '"':
            return "text"
        opening = "[,(" if self.language == "python" else "[,"
        closing = "],)" if self.language == "python" else "],"
        return "list" if left and left in opening and right and right in closing else "text"

    @property
    def own_rows(self) -> bool:
        """Whether nothing stands before the words on their first row."""
        return not self.before.strip() if self.kind != "block" else True

    def _edit(self, start: int, end: int, content: str = "") -> Edit:
        return Edit(Span(self.file, start, end), content)

    def _next_row(self, at: int) -> int:
        """The offset at which the row after that of ``at`` begins; the end of the text behind the last row."""
        return self.file.text.find("\n", at) + 1 or len(self.file.text)

    # -- taking out

    def remove(self) -> Edit | None:
        """The edit that takes the words out and leaves no trace of them but a comment behind them."""
        if not self.joined:
            return None
        action: dict[str, Callable[[], Edit | None]] = {
            "text": self._remove_text,
            "block": self._remove_block,
            "list": self._remove_item,
        }
        return action[self.kind]()

    def _remove_rows(self) -> Edit:
        end = self._next_row(self.end)
        if end < len(self.file.text) or self.file.text.endswith("\n") or not self.row:
            return self._edit(self.row, end)
        # The last row has no newline of its own and takes the one before it.
        text = self.file.text
        start = self.row - 2 if text.startswith("\r\n", self.row - 2) else self.row - 1
        return self._edit(start, end)

    def _remove_block(self) -> Edit | None:
        rest = self.after.strip()
        if not rest:
            return self._remove_rows()
        if rest.startswith("#") and self.after[:1] in " \t":
            dash = self.row + len(self.before) - len(self.before.lstrip())
            return self._edit(dash, self.end + len(self.after) - len(self.after.lstrip()))
        return None

    def _remove_text(self) -> Edit:
        text = self.file.text
        after = self.after.rstrip(" \t")
        # A backslash with blanks behind it ends no row: it is a word.
        if self.own_rows and _ROW_END.fullmatch(self.after):
            previous = _row_end(text, self.row)
            if not after and previous < self.row and text[previous - 1 : previous] == "\\":
                # The last row of a continued command: the one before it must not go on.
                return self._edit(len(text[:previous].rstrip("\\").rstrip(" \t")), self.end + len(self.after))
            return self._remove_rows()
        blanks = len(self.before) - len(self.before.rstrip(" \t"))
        if blanks and not self.own_rows:
            return self._edit(self.start - blanks, self.end)
        return self._edit(self.start, self.end + len(self.after) - len(self.after.lstrip(" \t")))

    def _remove_item(self) -> Edit | None:
        text = self.file.text
        comma = re.compile(r"\s*,").match(text, self.end)
        before = text[: self.start].rstrip()
        leads = before.endswith(",")
        if comma is None and not leads:
            # The only argument of a call is not there to be left out.
            return self._edit(self.start, self.end) if before.endswith(("[", "{")) else None
        end = comma.end() if comma else self.end
        rest = self._rest(end)
        if self.own_rows and (comma or self.language != "json"):
            if not rest.strip():
                return self._edit(self.row, self._next_row(end))
            if rest.lstrip().startswith("#"):
                return self._edit(self.start, end + len(rest) - len(rest.lstrip()))
        if comma is None:
            return self._edit(len(before) - 1, self.end)
        if not rest.strip() or rest.lstrip().startswith("#"):
            blanks = len(self.before) - len(self.before.rstrip())
            return self._edit(self.start - blanks if leads else self.start, end)
        return self._edit(self.start, end + len(rest) - len(rest.lstrip()))

    # -- putting in

    def insert(self, words: Sequence[str]) -> Edit | None:
        """The edit that puts words behind these; None where they cannot be written there."""
        newline = self.file.newline(self.start)
        indent = self.before[: len(self.before) - len(self.before.lstrip(" \t"))]
        if self.kind == "block":
            if self.after.strip() and not re.match(r"[ \t]+#", self.after):
                return None
            at = self.end + len(self.after)
            return self._written(at, at, f"{newline}{self.before}", f"{newline}{self.before}", words, 0)
        if self.kind == "list":
            lead = f",{newline}{indent}" if self.own_rows else ", "
            return self._written(self.end, self.end, lead, ", ", words, 0)
        return self._written(self.end, self.end, self._break(newline, indent), " ", words, 0)

    def _break(self, newline: str, indent: str) -> str:
        """What parts an option from the next one here: a blank, or the end of a row as its neighbours have it."""
        if not self.own_rows:
            return " "
        text = self.file.text
        if _ROW_END.fullmatch(self.after):
            stop = self._next_row(self.end)
            own = _BREAK.match(text[self.end : stop])
            if own and "\\" in own.group():
                return own.group() + indent
            previous = _row_end(text, self.row)
            if text[previous - 1 : previous] == "\\" and previous < self.row:
                start = len(text[:previous].rstrip("\\").rstrip(" \t"))
                return text[start : self.row] + indent
            return newline + indent
        return " "

    # -- writing other words

    def replace(self, words: Sequence[str]) -> Edit | None:
        """The edit that puts words in the place of these."""
        between = " "
        if self.kind == "list":
            between = ", "
        elif self.kind == "block":
            between = self.file.newline(self.start) + self.before
        written = self.file.text[self.start : self.end]
        several = self.kind == "text" and self.count == 1 and written[:1] not in "\"'" and len(written.split()) > 1
        return self._written(self.start, self.end, "", between, words, None if several else self.count)

    def _written(
        self, start: int, end: int, lead: str, between: str, words: Sequence[str], count: int | None
    ) -> Edit | None:
        """The edit that writes words in the place of ``count`` others, None for as many as there are."""
        if not self.joined or not words:
            return None
        if self.language == "yaml" and self.keyword is None and any(_EXPANDED.search(word) for word in words):
            return None
        forms = ([self._write(word, number) for word in words] for number in range(_MOST_FORMS))
        contents = (lead + between.join(w for w in form if w is not None) for form in forms if None not in form)
        if self.keyword is not None or all(map(safe, words)):
            content = next(contents, None)
        else:
            from speclint.fix.proof import words_read_back

            content = words_read_back(self.file, start, end, contents, words, count)
        if content is None:
            return None
        return self._edit(start, end, content + (apart(self.file.text, end, words[-1]) if self.kind == "text" else ""))

    def pair(self, name: str, value: str) -> str:
        """A keyword argument or an entry of a dict, as its neighbours are; ``value`` is a Python expression."""
        return f"{self.keyword}{name}{self.keyword}: {value}" if self.keyword else f"{name}={value}"

    def _write(self, word: str, number: int) -> str | None:
        """The characters for a word, in the way ``number`` of those that there are; None where there are no more."""
        if self.keyword is None and self.kind == "text" and not safe(word):
            from speclint.fix.proof import forms

            return next(islice(forms(word, self.language), number, None), None)
        if self.keyword is not None or self.kind == "text":
            return word
        # Ways to quote are the parser's of the list and not in doubt.
        if self.language == "python":
            return python_string(word, self.like)
        quote = self.like[:1]
        return yaml_scalar(word, '"' if self.language == "json" else quote if quote in "'\"" else "")


def apart(text: str, end: int, word: str) -> str:
    """The blank that must follow a word which is put before ``end``: digits before ``>`` are no word, but a handle."""
    return " " if word.isdigit() and text[end : end + 1] in ("<", ">") else ""


def of_keyword(keyword: Keyword) -> Layout | None:
    """The layout around a keyword argument or the entry of a dict that becomes one; None where it is set otherwise."""
    name, file = keyword.name_span, keyword.span.file
    if name.file is not file or name.end > keyword.span.start:
        return None
    between = file.text[name.end : keyword.span.start]
    if re.fullmatch(r"\s*=\s*", between):
        return Layout([name.to(keyword.span)], "python", "")
    found = re.fullmatch(r"([\"'])\s*:\s*", between)
    if found is None or file.text[name.start - 1 : name.start] != found[1]:
        return None
    return Layout([Span(file, name.start - 1, keyword.span.end)], "python", found[1])


def _row_end(text: str, row: int) -> int:
    """The end of the row before the one that begins at ``row``, its newline left out; ``row`` if there is none."""
    if not row:
        return row
    return row - 2 if text.startswith("\r\n", row - 2) and row >= 2 else row - 1
