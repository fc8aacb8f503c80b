"""Whether a module only tells of what starts a server: in comments, and in strings that stand alone.

So do most modules of SGLang that name a launcher at all. What they show in documentation is read; following them would
find nothing.
"""

from __future__ import annotations

from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.hosts.python.source import Source


def is_all(tree: ast.Module, source: Source, places: Iterable[int]) -> bool:
    """Whether all of the places are in comments or in documentation."""
    return all(_is_told(tree, source, at) for at in places)


def _is_told(tree: ast.Module, source: Source, at: int) -> bool:
    row = source.row(at)
    todo: list[ast.AST] = [tree]
    while todo:
        for node in ast.iter_child_nodes(todo.pop()):
            first = getattr(node, "lineno", None)
            if first is not None and not first <= row <= node.end_lineno:  # type: ignore[attr-defined]
                if not getattr(node, "decorator_list", None) or row > first:
                    continue
            elif isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str)):
                return False
            elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                start, end = source.bounds(node)
                if start <= at < end:
                    return True
                continue
            todo.append(node)
    text = source.text.text
    return "#" in text[text.rfind("\n", 0, at) + 1 : at]
