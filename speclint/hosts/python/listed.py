"""Whether the options that a module names may be those of a list that is worth following the module for.

Most modules that name options ask for them, declare them or tell of them. What surrounds an option in the syntax tells
so, at a hundredth of the cost.
"""

from __future__ import annotations

from bisect import bisect_left

from speclint.hosts.python.fragments import is_list_name, takes
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    _Place = tuple[ast.AST, str, ast.AST | None, str]

_SEQUENCES = (ast.List, ast.Tuple, ast.Set)
# What an element may be made of.
_PARTS = (ast.BinOp, ast.JoinedStr, ast.IfExp, ast.BoolOp, ast.Starred, ast.NamedExpr)
_ADDS = frozenset(("append", "extend", "insert"))


def may_be(tree: ast.Module, rows: Sequence[int]) -> bool:
    """Whether some option on one of the rows may be an element of a list, or become one."""
    # A node, the nearest name that it stands under, what it is an element of or set to, and its function, under whose
    # name stands what is returned. No recursion: a sum of a thousand parts is a thousand deep.
    todo: list[_Place] = [(tree, "", None, "")]
    while todo:
        node, name, parent, function = todo.pop()
        if parent is None and not _holds(rows, node):
            continue
        if isinstance(node, ast.Constant):
            if _option(node, name, parent):
                return True
        else:
            todo.extend(_below(node, name, parent, function))
    return False


def _below(node: ast.AST, name: str, parent: ast.AST | None, function: str) -> list[_Place]:
    if isinstance(node, ast.Call):
        return _of_call(node, name, function)
    if isinstance(node, ast.Dict):
        keys = [k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in node.keys]
        return [(value, key or name, None, function) for key, value in zip(keys, node.values, strict=True)]
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return [(node.value, _name(target), node, function)]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [(child, "", None, node.name) for child in ast.iter_child_nodes(node)]
    if isinstance(node, ast.Return):
        name = function
    inner: ast.AST | None = node if isinstance(node, (*_SEQUENCES, ast.Return, ast.AugAssign)) else None
    inner = parent if inner is None and isinstance(node, _PARTS) else inner
    return [(child, name, inner, function) for child in ast.iter_child_nodes(node)]


def _of_call(node: ast.Call, name: str, function: str) -> list[_Place]:
    func = node.func
    called = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    found: list[_Place] = [(func, name, None, function)]
    found += [(k.value, k.arg or name, None, function) for k in node.keywords]
    if not takes(called):
        found += [(a, name, node if called in _ADDS else None, function) for a in node.args]
    return found


def _holds(rows: Sequence[int], node: ast.AST) -> bool:
    first = getattr(node, "lineno", None)
    if first is None:
        return True
    first = min((decorator.lineno for decorator in getattr(node, "decorator_list", ())), default=first)
    at = bisect_left(rows, first)
    return at < len(rows) and rows[at] <= (node.end_lineno or 0)  # type: ignore[attr-defined]


def _option(node: ast.Constant, name: str, parent: ast.AST | None) -> bool:
    if parent is None or not isinstance(node.value, str) or not node.value.startswith("--"):
        return False
    if isinstance(parent, ast.Tuple):
        return not name or is_list_name(name)
    return not isinstance(parent, ast.Set)


def _name(target: ast.expr) -> str:
    if isinstance(target, ast.Subscript):
        key = target.slice
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else _name(target.value)
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
