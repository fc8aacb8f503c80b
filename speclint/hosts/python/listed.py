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

_SEQUENCES = (ast.List, ast.Tuple, ast.Set)
# What an element may be made of.
_PARTS = (ast.BinOp, ast.JoinedStr, ast.IfExp, ast.BoolOp, ast.Starred, ast.NamedExpr)
_ADDS = frozenset(("append", "extend", "insert"))


def may_be(tree: ast.Module, rows: Sequence[int]) -> bool:
    """Whether some option on one of the rows may be an element of a list, or become one."""
    return _Looked(rows).at(tree, "", None)


class _Looked:
    def __init__(self, rows: Sequence[int]) -> None:
        self.rows = rows
        # What is returned stands under the name of its function.
        self.function = ""

    def at(self, node: ast.AST, name: str, parent: ast.AST | None) -> bool:
        """Whether an option below a node may be; ``name`` is the nearest that it stands under, ``parent`` what it is
        an element of, or set to.
        """
        if parent is None and not self._holds(node):
            return False
        if isinstance(node, ast.Constant):
            return _option(node, name, parent)
        if isinstance(node, ast.Call):
            return self._call(node, name)
        if isinstance(node, ast.Dict):
            keys = [k.value if isinstance(k, ast.Constant) and isinstance(k.value, str) else "" for k in node.keys]
            return any(self.at(value, key or name, None) for key, value in zip(keys, node.values, strict=True))
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            return self.at(node.value, _name(target), node)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            outer, self.function = self.function, node.name
            found = any(self.at(child, "", None) for child in ast.iter_child_nodes(node))
            self.function = outer
            return found
        if isinstance(node, ast.Return):
            name = self.function
        inner: ast.AST | None = node if isinstance(node, (*_SEQUENCES, ast.Return, ast.AugAssign)) else None
        inner = parent if inner is None and isinstance(node, _PARTS) else inner
        return any(self.at(child, name, inner) for child in ast.iter_child_nodes(node))

    def _holds(self, node: ast.AST) -> bool:
        first = getattr(node, "lineno", None)
        if first is None:
            return True
        first = min((decorator.lineno for decorator in getattr(node, "decorator_list", ())), default=first)
        at = bisect_left(self.rows, first)
        return at < len(self.rows) and self.rows[at] <= (node.end_lineno or 0)  # type: ignore[attr-defined]

    def _call(self, node: ast.Call, name: str) -> bool:
        func = node.func
        called = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
        if self.at(func, name, None) or any(self.at(k.value, k.arg or name, None) for k in node.keywords):
            return True
        return not takes(called) and any(self.at(a, name, node if called in _ADDS else None) for a in node.args)


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
