"""Python source with its origins: the places of syntax nodes."""

from __future__ import annotations

from bisect import bisect_right

from speclint.byteindex import ByteIndex
from speclint.hosts.python import literal as decoder
from speclint.source import row_starts
from speclint.text import Mapped, Span

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    import re
    from collections.abc import Sequence
    from typing import Any

_CONSTANTS = ("None", "True", "False")


class Source:
    """Text of a module and the offsets of its nodes."""

    def __init__(self, text: Mapped) -> None:
        """Raises ValueError for text that was written nowhere."""
        whole = text.span()
        if whole is None:
            raise ValueError("text without an origin")
        self.text = text
        self.whole = whole
        self._first = whole.start
        whole_file = text.text is whole.file.text
        self._starts = whole.file.line_starts if whole_file else row_starts(text.text)
        self._ascii = text.text.isascii()
        self._columns: dict[int, ByteIndex | None] = {}
        self._spans: dict[ast.AST, Span] = {}
        self._snippets: dict[ast.AST, str] = {}
        # Loops and functions are followed more than once: what a node is read as is kept.
        self._formatted: dict[ast.JoinedStr, Sequence[decoder.Part] | None] = {}
        self._expressions: dict[tuple[int, int], ast.expr | None] = {}
        self._searched: dict[re.Pattern[str], bool] = {}
        pieces = text.pieces
        self._direct = len(pieces) == 1 and pieces[0].exact
        # Whether it is a template, with parts that are not known.
        self.holes = text.holes()

    def offset(self, row: int, column: int) -> int:
        """The offset in code points of a row (from 1) and a column (from 0, in UTF-8 bytes)."""
        start = self._starts[row - 1]
        if self._ascii:
            return start + column
        if row not in self._columns:
            end = self._starts[row] if row < len(self._starts) else len(self.text)
            written = self.text.text[start:end]
            self._columns[row] = None if written.isascii() else ByteIndex(written)
        index = self._columns[row]
        return start + (column if index is None else index(column))

    def has(self, wanted: re.Pattern[str]) -> bool:
        """Whether an expression matches anywhere in the text."""
        found = self._searched.get(wanted)
        if found is None:
            found = self._searched[wanted] = wanted.search(self.text.text) is not None
        return found

    def row(self, offset: int) -> int:
        """The row (from 1) of an offset."""
        return bisect_right(self._starts, offset)

    def column(self, offset: int) -> tuple[int, int]:
        """The row and the column in UTF-8 bytes (from 0) of an offset."""
        row = self.row(offset)
        return row, len(self.text.text[self._starts[row - 1] : offset].encode("utf-8", "surrogatepass"))

    def bounds(self, node: Any) -> tuple[int, int]:
        """The offsets at which a node begins and ends."""
        if self._ascii:
            starts = self._starts
            return starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset
        return self.offset(node.lineno, node.col_offset), self.offset(node.end_lineno, node.end_col_offset)

    def span(self, node: ast.AST) -> Span:
        """Where a node is written."""
        found = self._spans.get(node)
        if found is None:
            start, end = self.bounds(node)
            if self._direct:
                first = self._first
                found = Span(self.whole.file, first + start, first + end)
            else:
                found = self.between(start, end)
            self._spans[node] = found
        return found

    def between(self, start: int, end: int) -> Span:
        """Where the characters between two offsets are written."""
        if self._direct:
            return Span(self.whole.file, self._first + start, self._first + end)
        return self.text.span(start, end) or self.whole

    def snippet(self, node: ast.AST, limit: int = 48) -> str:
        """The source of a node on one line, for people."""
        found = self._snippets.get(node)
        if found is None:
            start, end = self.bounds(node)
            found = " ".join(self.text.text[start : min(end, start + 4 * limit)].split())
            found = found if len(found) <= limit else found[: limit - 1] + "…"
            self._snippets[node] = found
        return found

    def literal(self, node: ast.Constant) -> Mapped:
        """The value of a string or bytes literal; it has no exact origin where the decoder and ``ast`` differ."""
        value = node.value if isinstance(node.value, str) else node.value.decode("latin-1")  # type: ignore[union-attr]
        start, end = self.bounds(node)
        written = self.text.text[start:end]
        if written[1:-1] == value and written[0] in "'\"" and "\\" not in value:
            return self.text.part(start + 1, end - 1)
        try:
            parts = decoder.read(self.text, start, end)
        except (decoder.LiteralError, IndexError):
            parts = []
        if len(parts) == 1 and isinstance(parts[0], Mapped) and parts[0].text == value:
            return parts[0]
        return Mapped.new(value, self.between(start, end))

    def formatted(self, node: ast.JoinedStr) -> Sequence[decoder.Part] | None:
        """The parts of an f-string; None where the decoder and ``ast`` differ."""
        if node not in self._formatted:
            self._formatted[node] = self._parts(node)
        return self._formatted[node]

    def _parts(self, node: ast.JoinedStr) -> Sequence[decoder.Part] | None:
        try:
            parts = decoder.read(self.text, *self.bounds(node))
        except (decoder.LiteralError, IndexError):
            return None
        texts: list[str] = []
        fields = 0
        for part in parts:
            if isinstance(part, Mapped):
                texts.append(part.text)
            else:
                fields += 1
                texts.append(part.debug.text if part.debug is not None else "")
        values = [v.value for v in node.values if hasattr(v, "value") and isinstance(v.value, str)]
        return parts if "".join(texts) == "".join(values) and fields == len(node.values) - len(values) else None

    def expression(self, start: int, end: int) -> ast.expr | None:
        """The expression of an f-string field, with places in the whole text; None if it cannot be parsed.

        Before 3.12 the places that ``ast`` gives inside an f-string are wrong, so the text is parsed again.
        """
        if (start, end) not in self._expressions:
            self._expressions[start, end] = self._expression(start, end)
        return self._expressions[start, end]

    def _expression(self, start: int, end: int) -> ast.expr | None:
        from speclint.pyast import ast

        text = self.text.text[start:end]
        row, column = self.column(start)
        if text.isidentifier() and text not in _CONSTANTS:  # most of them
            read = ast.Name(text, ast.Load())
            read.lineno = read.end_lineno = row
            read.col_offset, read.end_col_offset = column, column + len(text.encode())
            return read
        try:
            tree = ast.parse(f"({text}\n)", mode="eval").body
        except (SyntaxError, ValueError):
            return None
        for node in ast.walk(tree):
            if hasattr(node, "lineno"):
                for name in ("", "end_"):
                    if getattr(node, name + "lineno") == 1:
                        setattr(node, name + "col_offset", getattr(node, name + "col_offset") + column - 1)
                    setattr(node, name + "lineno", getattr(node, name + "lineno") + row - 1)
        return tree
