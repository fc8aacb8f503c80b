"""The reStructuredText host: ``code-block`` and its like, literal blocks, and commands in double backticks."""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.lean import pattern
from speclint.text import Mapped, Span
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceError, SourceFile

_DIRECTIVE = pattern(
    r"(?P<indent>[ \t]*(?:[-*+#]\.?[ \t]+)*)\.\.[ \t]+(?P<name>code-block|code|sourcecode|prompt|parsed-literal)"
    r"::[ \t]*(?P<tag>[\w+-]*)[^\r\n]*\s*\Z"
)
_COMMENT = pattern(r"[ \t]*\.\.(?:[ \t]+(?![\w:.+-]+::|_|\[|\|)|[ \t]*$)")
_HIGHLIGHT = pattern(r"\.\.[ \t]+highlight::[ \t]*(?P<tag>[\w+-]+)")
_FIELD = pattern(r"[ \t]+:[\w-]+:")
_INLINE = pattern(r"``(?P<code>[^`\r\n]+)``")


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a document shows. Text is never unreadable."""
    base = Command((), Span(file, 0, len(file.text)), "rst", fixable=file.clean)
    return read_text(Mapped.of(file), base)


def read_text(text: Mapped, base: Command, depth: int = 0) -> list[Command]:
    """Every command that reStructuredText shows."""
    return _Reader(text, base, depth).run()


class _Reader:
    def __init__(self, text: Mapped, base: Command, depth: int) -> None:
        self.text = text
        self.base = base
        self.depth = depth
        self.bounds = list(blocks.lines(text.text))
        self.imports: list[Mapped] = []
        self.found: list[Command] = []
        self.default = "shell"

    def run(self) -> list[Command]:
        index = 0
        while index < len(self.bounds):
            index = self._line(index)
        return self.found

    def _line(self, index: int) -> int:
        """Read what begins on a line; the line to go on with."""
        line = self._at(index)
        highlight = _HIGHLIGHT.match(line)
        if highlight is not None:
            self.default = highlight["tag"]
        directive = _DIRECTIVE.match(line)
        if directive is not None:
            return self._block(index + 1, len(directive["indent"]), directive["tag"] or self.default, True)
        if _COMMENT.match(line):
            return self._skip(index + 1, _indent(line))
        if line.rstrip().endswith("::") and not line.lstrip().startswith(".."):
            return self._block(index + 1, _indent(line), self.default if self.default != "shell" else "", False)
        if "``" in line and blocks.TRIGGER.search(line):
            self._inline(*self.bounds[index])
        return index + 1

    def _at(self, index: int) -> str:
        return self.text.text[slice(*self.bounds[index])]

    def _skip(self, index: int, indent: int) -> int:
        """The first line from ``index`` that is not indented more than ``indent``."""
        while index < len(self.bounds) and (not self._at(index).strip() or _indent(self._at(index)) > indent):
            index += 1
        return index

    def _block(self, index: int, indent: int, tag: str, options: bool) -> int:
        while options and index < len(self.bounds) and _FIELD.match(self._at(index)):
            index += 1
        end = self._skip(index, indent)
        kind = blocks.language(tag)
        if end > index and kind is not None:
            text = blocks.dedent(self.text[self.bounds[index][0] : self.bounds[end - 1][1]])
            self.found.extend(blocks.read(text, kind, self.base, self.depth, self.imports))
            if kind == "python":
                self.imports.extend(blocks.import_lines(text))
        return end

    def _inline(self, start: int, end: int) -> None:
        from speclint.hosts.markdown import inline

        for found in _INLINE.finditer(self.text.text, start, end):
            self.found.extend(inline(self.text[found.start("code") : found.end("code")], self.base))


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))
