"""The Markdown host: code blocks of Markdown and MDX, and commands in prose that stand in backticks."""

from __future__ import annotations

from itertools import pairwise

from speclint.hosts import blocks, recipes
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.source import SourceError, SourceFile

_QUOTE = pattern(r"[ \t]*>[ \t]?")
_OPEN = pattern(
    r"(?P<indent>[ \t]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*)"
    r"(?:(?P<ticks>`{3,})(?P<info>[^`\r\n]*)|(?P<waves>~{3,})(?P<more>[^\r\n]*))[\r\n]*\Z"
)
_ITEM = pattern(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]")
_INDENTED = pattern(r"(?: {4}|\t)[ \t]*\S")
_INLINE = pattern(r"(?<![`\\])(?P<ticks>`{1,2})(?!`)(?P<code>[^`\r\n]+?)(?<!`)(?P=ticks)(?!`)")
_COMMAND = pattern(r"[ \t]*(?:\$[ \t]+)?(?:[A-Z_][A-Z\d_]*=\S+[ \t]+)*(?:python[\d.]*|sglang)[ \t]")
_INDENTS = ("\t", "    ")
_MAX_QUOTES = 20
_TITLE = pattern(r"title=[\"']?(\w+)")
_TAG_END = pattern("[,:]")
_NO_BRACES = str.maketrans("{}", "  ")
_MODEL = pattern(r"--model(?:-path)?(?:=|[ \t]+)[^\s-]")
# Outside of a fence a line without any of these shows nothing, hides nothing and opens nothing.
_TELLING = ("```", "~~~", "<!--", "{/*", "sglang", "launch_server")
_DIRECTIVES = frozenset(("code-block", "code", "sourcecode", "code-cell", "prompt", "highlight", "literalinclude"))


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a document shows. Text is never unreadable."""
    base = Command((), Span(file, 0, len(file.text)), "markdown", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that Markdown shows."""
    return _Reader(text, base, depth).run()


class _Fence:
    """A fence that is open: its marker, the quotes and the indentation in front of each of its lines.

    ``lines``: the bounds of each line, or of many at once that have nothing in front.
    """

    __slots__ = ("indent", "kind", "lines", "marker", "quotes", "start")

    def __init__(self, quotes: int, indent: str, marker: str, kind: str | None) -> None:
        self.quotes = quotes
        self.indent = len(indent.expandtabs(4))
        self.marker = marker
        self.kind = kind
        self.lines: list[tuple[int, int]] = []

    def closes(self, line: str) -> bool:
        line = line.strip()
        return len(line) >= len(self.marker) and not line.strip(self.marker[0])


class _Reader:
    """Goes through a document line by line."""

    def __init__(self, text: Mapped, base: Command, depth: int) -> None:
        self.text = text
        self.base = base
        self.depth = depth
        self.found: list[Command] = []
        self.imports: list[Mapped] = []
        self.kinds: dict[str, str | None] = {}
        self.fence: _Fence | None = None
        self.indented: list[tuple[int, int]] = []
        self.comment = ""  # what ends the comment that is open
        self.blank = True  # the line before is blank
        self.whole = len(text.pieces) == 1 and text.pieces[0].exact
        self.read_to = -1  # no line is skipped before this one
        self.next = dict.fromkeys(_TELLING, -1)  # where each stands next

    def run(self) -> list[Command]:
        text = self.text.text
        at, size = self._front(), len(text)
        while at < size:
            if self.fence is not None and not self.fence.quotes:
                at = self._fenced(at)
                continue
            if at > self.read_to and self.fence is None and not self.indented and not self.comment:
                at = self._skipped(at)
                if at >= size:
                    break
            end = blocks.line_end(text, at)
            self._line(at, end)
            at = end
        self._end_fence()
        self._end_indented()
        return self.found

    def _front(self) -> int:
        """Where the metadata ends that the document begins with."""
        text = self.text.text
        bounds = blocks.lines(text) if text.startswith("---") else iter(())
        if text[slice(*next(bounds, (0, 0)))].rstrip() != "---":
            return 0
        return next((end for start, end in bounds if text[start:end].rstrip() in ("---", "...")), 0)

    def _skipped(self, at: int) -> int:
        """From where on lines have to be read, outside of all that goes on over several lines."""
        text = self.text.text
        for word in _TELLING:
            if self.next[word] < at:
                found = text.find(word, at)
                self.next[word] = found if found >= 0 else len(text)
        first = min(self.next.values())
        if first >= len(text):
            return first
        line = self.read_to = blocks.line_start(text, first, at)
        # What is indented or blank before it may be the beginning of what it is a part of.
        while line > at:
            before = blocks.line_start(text, line - 1, at)
            start, _ = self._unquoted(before, line, _MAX_QUOTES)
            if text[start:line].strip() and not text.startswith(_INDENTS, start, line):
                self.blank = False
                break
            line = before
        return line

    def _fenced(self, at: int) -> int:
        """Where the line ends that closes the fence that is open from here on; the end of the text without one."""
        fence, text = self.fence, self.text.text
        assert fence is not None
        found = text.find(fence.marker, at)
        while found >= 0:
            line = blocks.line_start(text, found, at)
            end = blocks.line_end(text, found)
            if fence.closes(text[line:end]):
                break
            found = text.find(fence.marker, end)
        else:
            line = end = len(text)
        if line > at and (fence.kind is not None or blocks.TRIGGER.search(text, at, line)):
            if (fence.indent or not self.whole) and blocks.triggers(text, at, line):
                fence.lines = [(s + self._cut(text[s:e], fence.indent), e) for s, e in blocks.lines(text, at, line)]
            else:
                fence.lines = [(at, line)]
        self._end_fence()
        self.blank = True
        return end

    def _line(self, start: int, end: int) -> None:
        at, quotes = self._unquoted(start, end, self.fence.quotes if self.fence is not None else _MAX_QUOTES)
        line = self.text.text[at:end]
        if self.fence is not None:
            if quotes < self.fence.quotes:
                self._end_fence()
            elif self.fence.closes(line):
                self._end_fence()
                self.blank = True
                return
            else:
                self.fence.lines.append((at + self._cut(line, self.fence.indent), end))
                return
        if not self._is_comment(line):
            self._outside(at, end, line, quotes)
        self.blank = not line.strip()

    def _unquoted(self, start: int, end: int, limit: int) -> tuple[int, int]:
        """Where a line begins behind the marks of block quotes, and how many there are."""
        quotes = 0
        while quotes < limit:
            found = _QUOTE.match(self.text.text, start, end)
            if found is None:
                break
            start = found.end()
            quotes += 1
        return start, quotes

    @staticmethod
    def _cut(line: str, width: int) -> int:
        """How many characters of a line are the indentation of its fence."""
        if not width:
            return 0
        at = column = 0
        while at < len(line) and line[at] in " \t" and column < width:
            column += 4 - column % 4 if line[at] == "\t" else 1
            at += 1
        return at

    def _is_comment(self, line: str) -> bool:
        """Whether a line is hidden: in an HTML comment, or one of MDX."""
        if self.comment:
            if self.comment in line:
                self.comment = ""
            return True
        for begin, stop in (("<!--", "-->"), ("{/*", "*/}")):
            at = line.find(begin)
            if at >= 0:
                if line.find(stop, at) < 0:
                    self.comment = stop
                return not line[:at].strip()
        return False

    def _outside(self, at: int, end: int, line: str, quotes: int) -> None:
        found = _OPEN.match(line) if "```" in line or "~~~" in line else None
        if found is not None:
            self._end_indented()
            marker = found["ticks"] or found["waves"]
            info = found["info"] or found["more"] or ""
            if info not in self.kinds:
                self.kinds[info] = _kind(info)
            self.fence = _Fence(quotes, found["indent"], marker, self.kinds[info])
            return
        if self._goes_on(line):
            self.indented.append((at, end))
        else:
            self._end_indented()
            if "`" in line and blocks.TRIGGER.search(line):
                self._inline(at, end)

    def _goes_on(self, line: str) -> bool:
        """Whether a line belongs to a block that is told by its indentation."""
        if self.indented and not line.strip():
            return True
        if not line.startswith(_INDENTS) or not _INDENTED.match(line):
            return False
        return bool(self.indented) or (self.blank and not _ITEM.match(line))

    def _end_fence(self) -> None:
        fence, self.fence = self.fence, None
        if fence is None or not fence.lines or (fence.kind is None and not self._commands(fence)):
            return
        if not blocks.triggers(self.text.text, fence.lines[0][0], fence.lines[-1][1]):
            return
        text = self._of_lines(fence.lines)
        # What is put on a line of its own would lack the mark of the quote.
        base = blocks.unfixable(self.base) if fence.quotes else self.base
        self.found.extend(blocks.read(text, fence.kind or "plain", base, self.depth, self.imports))
        if fence.kind == "python":
            self.imports.extend(blocks.import_lines(text))

    def _commands(self, fence: _Fence) -> bool:
        """Whether a fence that is marked as of another language (``cpp``) begins with a command all the same."""
        text = self.text.text
        bounds = (bound for part in fence.lines for bound in blocks.lines(text, *part))
        first = next((text[start:end] for start, end in bounds if text[start:end].strip()), "")
        return _COMMAND.match(first) is not None and blocks.TRIGGER.search(first) is not None

    def _of_lines(self, bounds: Sequence[tuple[int, int]]) -> Mapped:
        """The text of some lines."""
        text = self.text
        if self.whole and all(before[1] == after[0] for before, after in pairwise(bounds)):  # nothing was cut away
            return text.part(bounds[0][0], bounds[-1][1])
        return Mapped.join(text.part(start, end) for start, end in bounds)

    def _end_indented(self) -> None:
        block, self.indented = self.indented, []
        if block:
            text = blocks.dedent(self._of_lines(block))
            if blocks.TRIGGER.search(text.text):
                for chunk in recipes.chunks(text):
                    self.found.extend(recipes.shell(chunk, self.base))

    def _inline(self, start: int, end: int) -> None:
        for found in _INLINE.finditer(self.text.text, start, end):
            code = self.text[found.start("code") : found.end("code")]
            self.found.extend(inline(code, self.base))


def inline(code: Mapped, base: Command) -> list[Command]:
    """The command that text in backticks is, if it is one with an option."""
    if not _COMMAND.match(code.text) or " --" not in code.text or not recipes.LAUNCHES.search(code.text):
        return []
    found = recipes.shell(code, blocks.unfixable(base), "console")
    if _MODEL.search(code.text):
        return found
    # Prose tells what matters at that place: what is not mentioned may well be there.
    return [recipes.open_ended(command, "it is a piece of a command") for command in found]


def _kind(info: str) -> str | None:
    """What the info string of a fence says of its language: ``bash title="x"``, ``{code-block} bash``, ``{.bash}``."""
    words = info.replace("{.", "{").translate(_NO_BRACES).split()
    if words and words[0].strip(":") in _DIRECTIVES:
        words = words[1:]
    elif info.strip().startswith("{") and words and blocks.language(words[0]) is None:
        return "markdown"  # another directive: its content is a part of the document
    tag = words[0] if words else ""
    title = _TITLE.search(info)
    rest = title[1] if title is not None else " ".join(words[1:])
    return blocks.language(_TAG_END.split(tag, 1)[0], rest)
