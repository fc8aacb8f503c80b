"""Statements that need not be followed: loops that only wait, and calls that only show something.

Most modules that start a server wait for it, and tell of it. What such a statement does can matter to nothing if it
sets nothing, names nothing that could start a server, and reads only what is no list, no function of the module and no
text of a launcher.
"""

from __future__ import annotations

from speclint.hosts.python.counts import LEAVES, children
from speclint.hosts.python.forks import flat
from speclint.hosts.python.index import CHANGES, holds
from speclint.hosts.python.values import Alt, Ref, Text
from speclint.lean import pattern
from speclint.pyast import ast
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj

# What binds names or makes a choice that others may make again, what may be options, and code that is read by itself.
_MATTERS = frozenset(
    (
        *(ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef),
        *(ast.Yield, ast.YieldFrom),
        *(ast.Lambda, ast.NamedExpr, ast.List, ast.Dict, ast.Set, ast.ListComp, ast.SetComp, ast.DictComp),
        *(
            ast.GeneratorExp,
            ast.BoolOp,
            ast.IfExp,
            *(getattr(ast, name) for name in ("Match", "TryStar") if hasattr(ast, name)),
        ),
    )
)
# What changes something, ends the program, or calls what stands elsewhere in the module.
_ATTRIBUTES = frozenset((*CHANGES, "environ", "getenv", "argv", "exit", "_exit"))
_NAMES = frozenset(("exit", "quit", "environ", "getenv", "argv", "super"))
# What starts something or ends the program under whatever name it is imported.
_STARTS = pattern(r"[Ss][Gg][Ll]ang|_server|run_module|\b(?:getenv|_?exit|quit|exec\w*)$")
# A larger one is followed: to look at it takes as long as the smaller ones take together.
_MOST = 200
# Stands for a `return` or a `yield` among the names.
_RETURNS = "return"


def is_inert(m: Machine, node: ast.While | ast.Expr) -> bool:
    """Whether nothing comes of following a statement, where it stands."""
    if node in m.inert:
        names = m.inert[node]
    else:
        names = m.inert[node] = None if holds(node, m.index.rows) else names_of(node)
    if names is None or (m.frame.asked and _RETURNS in names):
        return False
    for name in names:
        found = m.find(name)
        if found is not None and not _is_calm(found[1]):
            return False
    return True


def names_of(node: ast.AST) -> frozenset[str] | None:
    """The names that a statement reads; None if it does anything that may matter."""
    names: set[str] = set()
    todo: list[Any] = [node]
    left = _MOST
    while todo:
        item = todo.pop()
        kind = item.__class__
        left -= 1
        if kind is ast.Name:
            if item.ctx.__class__ is not ast.Load or item.id in _NAMES or "sglang" in item.id.lower():
                return None
            names.add(item.id)
        elif kind in _MATTERS or not left:
            return None
        elif kind in LEAVES:
            if kind is ast.Constant and item.value.__class__ is str and _names_launcher(item.value):
                return None
        elif kind is ast.Call:
            todo += [keyword.value for keyword in item.keywords]
            todo += item.args
            todo.append(item.func)  # which tells soonest
        elif kind is ast.Attribute:
            if item.ctx.__class__ is not ast.Load or item.attr in _ATTRIBUTES or "sglang" in item.attr.lower():
                return None
            todo.append(item.value)
        else:
            if kind is ast.Return or kind is ast.Yield or kind is ast.YieldFrom:
                names.add(_RETURNS)
            elif (kind is ast.Subscript and item.ctx.__class__ is not ast.Load) or (
                kind is ast.ExceptHandler and item.name is not None
            ):
                return None
            children(item, todo)
    return frozenset(names)


def _is_calm(obj: Obj) -> bool:
    """Whether what an object is given to, or called for, does nothing that is followed."""
    if isinstance(obj, Alt):
        return all(map(_is_calm, obj.arms))
    if isinstance(obj, Ref):
        return _STARTS.search(obj.name) is None
    if not isinstance(obj, Text):
        return False
    if obj.kind != "str" or isinstance(obj.value, Unknown):
        return True
    return not _names_launcher(flat(obj.value))


def _names_launcher(text: str) -> bool:
    return "sglang" in text or "launch_server" in text
