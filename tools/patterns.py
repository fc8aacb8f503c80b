"""Every regular expression that speclint's code applies to what it reads, found in its source."""

from __future__ import annotations

import ast
import re
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_CALLS = frozenset(("compile", "match", "fullmatch", "search", "sub", "subn", "split", "findall", "finditer"))


# What is not told by a name, in a table say, is taken to be used in these ways.
_DEFAULT = frozenset(("match", "search"))
_TABLES = {"fix/layout.py": frozenset(("match",)), "hosts/recipes.py": frozenset(("match",))}


class Pattern(NamedTuple):
    """A regular expression, where it stands, and the methods that are used of it."""

    place: str
    source: str
    flags: int
    methods: frozenset[str]


def patterns(package: Path) -> Iterator[Pattern]:
    """Every pattern that is written out in ``re.compile(…)`` and the like; one that is put together is not seen."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(package.rglob("*.py"))}
    used: dict[tuple[object, str], set[str]] = {}
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr in _CALLS:
                name = _last_name(node.value)
                used.setdefault((_owner(path, name), name), set()).add(node.attr)
    for path, tree in trees.items():
        names, owners = _strings(tree), _owners(tree)
        at_once = {id(n.value): n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute)}
        for node in ast.walk(tree):
            if not isinstance(node, ast.Call) or not _is_re(node.func) or not node.args:
                continue
            source = _text(node.args[0], names)
            if source is None:
                continue
            flags = sum(_flags(arg) for arg in [*node.args[1:], *(k.value for k in node.keywords)])
            method = node.func.attr if isinstance(node.func, ast.Attribute) else "compile"
            # A pattern without a name, in a table say, may be used in any way.
            name = owners.get(id(node), "")
            method = at_once.get(id(node), method)
            known = (
                used.get((_owner(path, name), name), _TABLES.get(str(path.relative_to(package)), _DEFAULT))
                if method == "compile"
                else {method}
            )
            yield Pattern(f"{path.relative_to(package)}:{node.lineno}", source, flags, frozenset(known))


def _owner(path: Path, name: str) -> Path | None:
    """The module that a name belongs to; None for one that any may use."""
    return path if name.startswith("_") else None


def _owners(tree: ast.Module) -> dict[int, str]:
    """The name that each compiled pattern is given."""
    found: dict[int, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            found[id(node.value)] = node.targets[0].id
    return found


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _is_re(function: ast.expr) -> bool:
    # ``pattern`` is speclint's own way to compile one when it is first needed.
    return (isinstance(function, ast.Name) and function.id == "pattern") or (
        isinstance(function, ast.Attribute)
        and function.attr in _CALLS
        and isinstance(function.value, ast.Name)
        and function.value.id == "re"
    )


def _strings(tree: ast.Module) -> dict[str, str]:
    """Names of the module that stand for written text."""
    found: dict[str, str] = {}
    for node in tree.body:
        if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
            text = _text(node.value, found)
            if text is not None:
                found[node.targets[0].id] = text
    return found


def _text(node: ast.expr, names: dict[str, str]) -> str | None:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return node.value
    if isinstance(node, ast.Name):
        return names.get(node.id)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        parts = [_text(node.left, names), _text(node.right, names)]
    elif isinstance(node, ast.JoinedStr):
        parts = [_text(v.value if isinstance(v, ast.FormattedValue) else v, names) for v in node.values]
    else:
        return None
    return None if None in parts else "".join(part for part in parts if part is not None)


def _flags(node: ast.expr) -> int:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        return _flags(node.left) | _flags(node.right)
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "re":
        return int(getattr(re, node.attr, 0))
    return 0
