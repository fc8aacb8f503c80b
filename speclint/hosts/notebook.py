"""The Jupyter host: cells of code and of Markdown, ``!command`` and ``%%bash``.

The cells of code are one program, read in the order in which they stand; a line for the shell is taken out of it.
"""

from __future__ import annotations

from speclint.hosts import blocks
from speclint.hosts.json_text import Json
from speclint.lean import pattern, re
from speclint.source import SourceError
from speclint.text import Mapped, Span
from speclint.value import Unknown
from speclint.words import Command

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.json_text import Node
    from speclint.source import SourceFile

_CELL_MAGIC = pattern(r"\s*%%(?P<name>!|\w+)[ \t]*(?P<rest>[^\r\n]*)(?:\r?\n|\Z)")
_SHELL_CELLS = frozenset(("bash", "sh", "!", "system", "sx"))
_PYTHON_CELLS = frozenset(("capture", "time", "timeit", "prun", "python", "python3"))
_SHELL_LINE = pattern(r"(?P<lead>[ \t]*(?:[\w, \t]+=[ \t]*)?)(?P<mark>!!?|%(?:sx|system|bash)[ \t])")
_MAGIC_LINE = pattern(r"[ \t]*(?:%|\?|[\w.]+\?{1,2}[ \t]*$)")
_FIELD = pattern(r"(?<![\\{])\{(?P<brace>[A-Za-z_][^{}\n]*)\}|(?<![\\$])\$(?P<name>[A-Za-z_]\w*)")
_WRITTEN = {".sh": "shell", ".bash": "shell", ".py": "python", ".yaml": "yaml", ".yml": "yaml", ".md": "markdown"}


def read(file: SourceFile, problems: list[SourceError] | None = None) -> list[Command]:
    """Every command that a notebook runs or shows. Raises SourceError if it is no JSON."""
    base = Command((), Span(file, 0, len(file.text)), "notebook", fixable=file.clean)
    return _Notebook(Json(Mapped.of(file)), base).run()


class Cell:
    """A cell: ``number`` counts all cells from 1, ``text`` is its source, ``span`` its place in the file."""

    __slots__ = ("kind", "number", "span", "text")

    def __init__(self, number: int, kind: str, text: Mapped, span: Span) -> None:
        self.number = number
        self.kind = kind
        self.text = text
        self.span = span


def cells(source: Json) -> Iterator[Cell]:
    """The cells of a notebook that hold text, of the third version of the format too."""
    lists = [source.get(source.root, "cells"), *(source.get(s, "cells") for s in _sheets(source))]
    number = 0
    for node in lists:
        for cell in source.items(node):
            number += 1
            written = source.get(cell, "source") or source.get(cell, "input")
            text = _text(source, written)
            span = source.span(written) if written is not None else None
            if text is not None and text.text and span is not None:
                yield Cell(number, source.plain(source.get(cell, "cell_type")) or "", text, span)


def _sheets(source: Json) -> list[Node]:
    return source.items(source.get(source.root, "worksheets"))


def _text(source: Json, node: Node | None) -> Mapped | None:
    """The source of a cell: one string, or a string for each of its lines."""
    if node is None or node.kind != "array":
        return source.string(node)
    return Mapped.join([part for item in node.items if (part := source.string(item)) is not None])


class _Notebook:
    def __init__(self, source: Json, base: Command) -> None:
        self.source = source
        self.base = base
        self.found: list[Command] = []
        self.program: list[Mapped] = []

    def run(self) -> list[Command]:
        """The commands, each with the cell that it stands in."""
        every = list(cells(self.source))
        shell = self._language() in ("bash", "shell", "sh")
        for cell in every:
            if cell.kind == "markdown":
                self._block(cell.text, "markdown")
            elif cell.kind == "code" and shell:
                self._block(cell.text, "shell")
            elif cell.kind == "code":
                self._code(cell.text)
        self._python()
        return sorted((_in_cell(c, every) for c in self.found), key=lambda command: command.span.start)

    def _language(self) -> str:
        names = (("kernelspec", "language"), ("language_info", "name"))
        found = (self.source.plain(self.source.get(self.source.root, "metadata", *path)) for path in names)
        return next((name.lower() for name in found if name), "python")

    def _block(self, text: Mapped, kind: str) -> None:
        self.found.extend(blocks.read(text, kind, self.base, 0))

    def _code(self, text: Mapped) -> None:
        magic = _CELL_MAGIC.match(text.text)
        if magic is None:
            self._lines(text)
            return
        name, rest, body = magic["name"], magic["rest"].strip(), text[magic.end() :]
        if name == "script":
            name = rest.split()[0].rsplit("/", 1)[-1] if rest else ""
        if name in _SHELL_CELLS:
            self._block(body, "shell")
        elif name in _PYTHON_CELLS:
            self._lines(body)
        elif name in ("writefile", "file"):
            suffix = "." + rest.rsplit(".", 1)[-1]
            if suffix in _WRITTEN:
                self._block(body, _WRITTEN[suffix])

    def _lines(self, text: Mapped) -> None:
        """A cell of Python, with the lines for the shell and for the notebook taken out."""
        kept: list[Mapped] = []
        bounds = list(blocks.lines(text.text))
        index = 0
        quote = ""
        while index < len(bounds):
            start, end = bounds[index]
            line = text.text[start:end]
            index += 1
            shell = _SHELL_LINE.match(line) if not quote else None
            if shell is not None:
                while text.text[start:end].rstrip("\r\n").endswith("\\") and index < len(bounds):
                    end = bounds[index][1]
                    index += 1
                self._shell(text[start + shell.end() : end])
                kept.append(_instead(text, start, end, shell["lead"]))
            elif not quote and _MAGIC_LINE.match(line):
                kept.append(_instead(text, start, end, line[: len(line) - len(line.lstrip())]))
            else:
                kept.append(text[start:end])
                quote = _open_quote(line, quote)
        self._keep(Mapped.join([*kept, Mapped.new("\n")]))

    def _shell(self, text: Mapped) -> None:
        """A line for the shell, into which the notebook puts values of Python."""
        parts: list[Mapped] = []
        at = 0
        for found in _FIELD.finditer(text.text):
            name = found["brace"] or found["name"]
            parts.append(text[at : found.start()])
            place = text.place(found.start(), found.end())
            parts.append(Mapped.hole(Unknown(f"`{name}` is a value of the notebook"), place))
            at = found.end()
        parts.append(text[at:])
        self._block(Mapped.join(parts), "shell")

    def _keep(self, text: Mapped) -> None:
        """Add a cell to the program; what is not Python would hide the cells around it."""
        from speclint.hosts.python import parse

        try:
            parse(text.text)
        except SourceError:
            return
        self.program.append(text)

    def _python(self) -> None:
        from speclint.hosts import python

        program = Mapped.join(self.program) if self.program else Mapped("", ())
        if program.span() is None:
            return
        try:
            self.found.extend(python.read_text(program, self.base))
        except SourceError:
            for cell in self.program:
                self._block(cell, "python")


def _instead(text: Mapped, start: int, end: int, lead: str) -> Mapped:
    """A line that does nothing, in the place of one that is not Python."""
    word = "None" if lead.strip() else "pass"
    return Mapped.join([text[start : start + len(lead)], Mapped.new(word + "\n", text.span(start, end))])


def _open_quote(line: str, quote: str) -> str:
    """The triple quotes that are open behind a line."""
    for found in re.finditer(r"\"\"\"|'''|#.*", line):
        mark = found.group()
        if quote:
            quote = "" if mark == quote else quote
        elif mark[0] == "#":
            break
        else:
            quote = mark
    return quote


def _in_cell(command: Command, every: list[Cell]) -> Command:
    start = command.span.start
    number = next((c.number for c in every if c.span.start <= start < c.span.end), None)
    return blocks.placed(command, object=f"cell {number}") if number is not None else command
