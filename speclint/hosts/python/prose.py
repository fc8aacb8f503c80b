"""Whether a module only tells of what starts a server: in comments, documentation and messages, or to name it.

So do most modules of SGLang that name a launcher at all. What they show in documentation is read; following them would
find nothing.
"""

from __future__ import annotations

from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.python.source import Source

# Nothing of these is read.
_UNREAD = (ast.Raise, ast.Assert)
_IMPORTS = (ast.Import, ast.ImportFrom)
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
_TEXTS = (ast.Constant, ast.JoinedStr)
# Functions that show text or make an expression of it, and parameters that are shown.
_SHOWS = frozenset(
    (
        *("print", "log", "debug", "info", "warning", "warn", "error", "exception", "critical", "skip", "skipTest"),
        *("fail", "compile"),
    )
)
_SHOWN = frozenset(("help", "description", "epilog", "usage", "prog"))
_PARSERS = frozenset(("add_argument", "ArgumentParser", "add_parser"))


def is_told(tree: ast.Module, source: Source, at: int) -> bool:
    """Whether what stands at an offset is only told of."""
    node: ast.AST = tree
    row = source.row(at)
    while True:
        if isinstance(node, _UNREAD) or (isinstance(node, ast.Expr) and isinstance(node.value, _TEXTS)):
            return True
        if isinstance(node, _IMPORTS):  # what is imported under a name of its own is called by it
            return all(alias.asname is None for alias in node.names)
        inner = next((child for child in _placed(node) if _holds(source, child, row, at)), None)
        if inner is None:
            break
        if isinstance(node, ast.Call) and inner is not node.func and _is_shown(source, node, inner):
            return True
        node = inner
    if isinstance(node, (*_TEXTS, ast.Name, ast.Attribute)):
        return False
    line = source.text.text.rfind("\n", 0, at) + 1
    return "#" in source.text.text[line:at] or isinstance(node, _DEFS)


def _placed(node: ast.AST) -> Iterator[ast.AST]:
    """The nearest nodes below one that have a place; those in an f-string have none that holds in every Python."""
    if isinstance(node, ast.JoinedStr):
        return
    for child in ast.iter_child_nodes(node):
        if hasattr(child, "lineno"):
            yield from getattr(child, "decorator_list", ())
            yield child
        else:
            yield from _placed(child)


def _holds(source: Source, node: ast.AST, row: int, at: int) -> bool:
    if not node.lineno <= row <= (node.end_lineno or 0):  # type: ignore[attr-defined]
        return False
    start, end = source.bounds(node)
    return start <= at < end


def _is_shown(source: Source, call: ast.Call, argument: ast.AST) -> bool:
    """Whether an argument is text that a call only shows, of a function that the module does not make itself."""
    func = call.func
    name = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    keyword = argument.arg if isinstance(argument, ast.keyword) else None
    if name not in _SHOWS and not (name in _PARSERS and keyword in _SHOWN):
        return False
    text = source.text.text
    made = (f"def {name}(", f"{name} = ", f" as {name}") if isinstance(func, ast.Name) else (f"def {name}(",)
    if any(each in text for each in made):
        return False
    return not any(isinstance(node, (ast.Call, ast.NamedExpr)) for node in ast.walk(argument))
