"""Large modules: see ``speclint.hosts.large``."""

from __future__ import annotations

from bisect import bisect_left

from speclint.hosts import large
from speclint.hosts.python import triggers
from speclint.hosts.python.counts import Counts
from speclint.hosts.python.fragments import names_options
from speclint.hosts.python.starts import PORT
from speclint.lean import pattern
from speclint.pyast import ast
from speclint.source import row_starts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.text import Mapped

# The end of a row before one that begins a statement that another one does not need to be whole, as ``else:`` does.
_BEGINS = pattern(r"\n(?=(?:async def|class|def|from|import|@\w|[A-Za-z_]\w* =))")
# Statements that do nothing by themselves.
_IDLE = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom, ast.Assign, ast.AnnAssign)
# What may use or set any name, tells of the module as a whole, or holds an option or a launch in what no place is in.
_MATTERS = pattern(
    r"\b(?:globals?|locals|setattr|exec|eval|vars|__all__|__dict__|configparser|ConfigParser)\b"
    rf"|:=|import[ \t]+\*|[\"']--[a-z]|(?i:sglang)|{PORT}|launch_server"
)


def narrowed(text: Mapped, places: Sequence[int]) -> tuple[Mapped, list[int], Counts] | None:
    """What may matter of a module in which something at ``places`` does; where these are in it; and the whole's counts.

    None where that cannot be told: it does not parse.
    """
    whole = text.text
    counts = Counts(ast.parse(""))

    def look(start: int, end: int) -> list[large.Statement] | None:
        part = whole[start:end]
        try:
            tree = ast.parse(part)
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return None
        return list(_statements(part, tree, start, places, counts))

    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        bounds = large.kept(whole, _BEGINS, look)
    if bounds is None:
        return None
    return large.joined(text, bounds), large.moved(places, bounds), counts


def _statements(
    part: str, tree: ast.Module, start: int, places: Sequence[int], counts: Counts
) -> Iterable[large.Statement]:
    """The statements of a stretch that begin rows of their own; what they read and set is added to ``counts``."""
    rows = row_starts(part)
    firsts: list[int] = []
    groups: list[list[ast.stmt]] = []
    last = 0
    for node in tree.body:
        row = min([node.lineno, *(one.lineno for one in getattr(node, "decorator_list", ()))])
        if row == last:
            groups[-1].append(node)
        else:
            firsts.append(rows[row - 1])
            groups.append([node])
        last = node.end_lineno or row
    counts.add(Counts(tree))
    options = names_options(part)
    runs = triggers.runs(part)
    for at, group in enumerate(groups):
        end = firsts[at + 1] if at + 1 < len(groups) else len(part)
        first = firsts[at] if at else 0
        matters = (
            _is_between(places, start + first, start + end)
            or not all(isinstance(node, _IDLE) or _is_text(node) for node in group)
            or _MATTERS.search(part, first, end) is not None
            or (options and names_options(part[first:end]))
        )
        spreads = _is_between(runs, first, end)
        yield large.Statement(start + first, matters, spreads, [name for node in group for name in _defined(node)])


def _is_text(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def _is_between(places: Sequence[int], start: int, end: int) -> bool:
    return bisect_left(places, start) < bisect_left(places, end)


def _defined(node: ast.stmt) -> Iterable[str]:
    """The names that a statement defines, sets or changes something in, and those of methods."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield from (node.name,) if node.name[:2] != "__" else ()
    elif isinstance(node, ast.ClassDef):
        yield node.name
        for inner in node.body:
            if isinstance(inner, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _defined(inner)
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((one.asname or one.name).partition(".")[0] for one in node.names)
    else:
        roots: Sequence[ast.AST] = [node]
        if isinstance(node, (ast.Assign, ast.AnnAssign)):  # with ":=" in it, it matters anyway
            roots = node.targets if isinstance(node, ast.Assign) else [node.target]
        for one in (inner for root in roots for inner in ast.walk(root)):
            if isinstance(one, (ast.Name, ast.Attribute, ast.Subscript)) and isinstance(one.ctx, ast.Store):
                yield from _base(one)
            elif isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                yield from _defined(one)


def _base(node: ast.expr) -> Iterable[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
