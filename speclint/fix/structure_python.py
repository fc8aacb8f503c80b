"""Whether edits left a Python file what it was, by its syntax tree; and where the nodes of the tree stand."""

from __future__ import annotations

from itertools import pairwise

from speclint.byteindex import ByteIndex
from speclint.fix.regions import Edited, comments_kept, differences

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator, Sequence

    from speclint.fix.regions import Range, Region
    from speclint.source import SourceFile


def python_range(file: SourceFile, node: ast.AST) -> Range | None:
    """Where a node stands, in code points; None for nodes without a place."""
    line = getattr(node, "lineno", None)
    last = getattr(node, "end_lineno", None)
    if line is None or last is None:
        return None
    return (
        _point(file, line, getattr(node, "col_offset", 0)),
        _point(file, last, getattr(node, "end_col_offset", 0)),
    )


def _point(file: SourceFile, row: int, column: int) -> int:
    """The offset of a row (from 1) and a column (from 0, UTF-8 bytes)."""
    line = file.line(row)
    if not line.isascii():
        column = ByteIndex(line)(column)
    return file.offset(row, column + 1)


def broken(old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> str | None:
    """What is wrong with the text after edits, for people; None if nothing is. Raises RecursionError."""
    try:
        before = parse_python(old.text)
    except (SyntaxError, ValueError):
        return None
    try:
        after = parse_python(new.text)
    except (SyntaxError, ValueError):
        return "the file would no longer be Python"
    if not _Trees(old, new, regions).same(before, after):
        return "more than the edited values would change"
    comments = [_python_comments(f) for f in (old, new)]
    if not comments_kept(comments[0], comments[1], old.text, new.text, regions):
        return "a comment would change"
    return None


def parse_python(text: str) -> ast.Module:
    """The tree of a module. Raises SyntaxError or ValueError."""
    import warnings

    from speclint.pyast import ast

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the user's code, and not ours to tell
        return ast.parse(text)


class _Trees:
    """Compares two syntax trees node by node; only values and arguments at an edit may differ."""

    def __init__(self, old: SourceFile, new: SourceFile, regions: Sequence[Region]) -> None:
        self.old = old
        self.new = new
        self.replaced = Edited(regions, False)
        self.written = Edited(regions, True)

    def same(self, a: ast.AST, b: ast.AST) -> bool:
        from speclint.pyast import ast

        if type(a) is not type(b) or isinstance(a, (ast.Constant, ast.JoinedStr)):
            return ast.dump(a) == ast.dump(b) or self._allowed(a)
        for name in a._fields:
            x, y = getattr(a, name, None), getattr(b, name, None)
            if isinstance(x, list) and isinstance(y, list):
                if not self._lists(x, y):
                    return False
            elif isinstance(x, ast.AST) and isinstance(y, ast.AST):
                if not self.same(x, y):
                    return False
            elif x != y and not self._allowed(a):
                return False
        return True

    def _lists(self, a: Sequence[object], b: Sequence[object]) -> bool:
        """Elements are nodes, names, or None for what a node leaves out (the key of ``**x`` in a dict)."""
        if len(a) == len(b):
            return all(self._pair(x, y) for x, y in zip(a, b, strict=True))
        # What an edit took out or put in whole, told by its place: what was put in may equal what is there.
        old = [x for x in a if not self._whole(x, True)]
        new = [y for y in b if not self._whole(y, False)]
        if len(old) == len(new) and all(self._pair(x, y) for x, y in zip(old, new, strict=True)):
            return True
        found = differences([self._dump(x) for x in a], [self._dump(y) for y in b])
        return all(
            all(self._allowed(x) for x in a[slice(*old)]) and all(self._allowed(y, False) for y in b[slice(*new)])
            for old, new in found
        )

    def _pair(self, a: object, b: object) -> bool:
        from speclint.pyast import ast

        return self.same(a, b) if isinstance(a, ast.AST) and isinstance(b, ast.AST) else a == b

    def _dump(self, node: object) -> str:
        from speclint.pyast import ast

        return ast.dump(node) if isinstance(node, ast.AST) else repr(node)

    def _whole(self, node: object, before: bool) -> bool:
        """Whether a value, an argument or a simple statement stands within what an edit replaced or wrote."""
        from speclint.pyast import ast

        if not isinstance(node, (ast.expr, ast.keyword, ast.Assign, ast.Expr)):
            return False
        found = python_range(self.old if before else self.new, node)
        return found is not None and (self.replaced if before else self.written).whole(*found)

    def _allowed(self, node: object, before: bool = True) -> bool:
        from speclint.pyast import ast

        if not isinstance(node, (ast.expr, ast.keyword)):
            return False
        found = python_range(self.old if before else self.new, node)
        return found is not None and (self.replaced if before else self.written).near(*found)


def _python_comments(file: SourceFile) -> list[Range]:
    import tokenize

    lines = iter([*(file.text[a:b] for a, b in _rows(file)), ""])
    try:
        return [
            (file.offset(t.start[0], t.start[1] + 1), file.offset(t.end[0], t.end[1] + 1))
            for t in tokenize.generate_tokens(lambda: next(lines, ""))
            if t.type == tokenize.COMMENT
        ]
    except (tokenize.TokenError, SyntaxError):
        return []


def _rows(file: SourceFile) -> Iterator[Range]:
    starts = [*file.line_starts, len(file.text)]
    yield from pairwise(starts)
