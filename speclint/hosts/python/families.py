"""Classes that derive from one another: what a derived class sets before it hands on to the method of its base."""

from __future__ import annotations

from speclint.hosts.python import expressions
from speclint.hosts.python.values import Func, unknown
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Class, Obj


def own(m: Machine, cls: Class, name: str) -> Obj | None:
    """What an attribute is in the method that is read, where a class has one of its own of that name which sets it and
    hands on to that of its base.

    None where it has none, or sets nothing of that name.
    """
    current = m.frame.func
    method = m.state.obj((cls, current.node.name)) if current is not None else None
    if current is None or not isinstance(method, Func) or method.node is current.node:
        return None
    found = m.stored.get(method.node)
    if found is None:
        found = m.stored[method.node] = _stored(method.node)
    values = found.get(name)
    if values is None:
        return None
    (value, *others) = values
    if others or not isinstance(value, ast.Constant):
        return unknown(f"`{name}` is set by `{cls.name}.{current.node.name}`")
    return expressions.evaluate(m, value)


def _stored(method: ast.AST) -> dict[str, list[ast.expr | None]]:
    """What a method that calls that of its base sets attributes to, by their names."""
    found: dict[str, list[ast.expr | None]] = {}
    nodes = list(ast.walk(method))
    if not any(isinstance(node, ast.Name) and node.id == "super" for node in nodes):
        return found
    for node in nodes:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                for part in ast.walk(target):
                    if isinstance(part, ast.Attribute):
                        found.setdefault(part.attr, []).append(node.value if part is target else None)
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)) and isinstance(node.target, ast.Attribute):
            found.setdefault(node.target.attr, []).append(None)
    return found
