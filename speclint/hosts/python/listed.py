"""Whether the options that a module names may be those of a list that is worth following the module for.

Most modules that name options ask for them, declare them or tell of them, or name too few for a list of theirs to be
SGLang's. What surrounds an option in the syntax tells so, at a hundredth of the cost.
"""

from __future__ import annotations

from bisect import bisect_left

from speclint import marked
from speclint.hosts.python.fragments import imports_sglang, is_list_name, takes
from speclint.lean import pattern, re
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from speclint.hosts.python.source import Source

    # A node, the names that it stands under, what it is an element of or set to, and its function.
    _Place = tuple[ast.AST, tuple[str, ...], ast.AST | None, str]

_SEQUENCES = (ast.List, ast.Tuple, ast.Set)
# What an element may be made of, and what its text may go on in.
_PARTS = (ast.BinOp, ast.JoinedStr, ast.IfExp, ast.BoolOp, ast.Starred, ast.NamedExpr)
_GOES_ON = (ast.BinOp, ast.JoinedStr)
_ADDS = frozenset(("append", "extend", "insert"))
# A name that only the run tells.
ANY = "?"
# The name of an option, and what stands behind it.
_WRITTEN = pattern(r"--([\w-]*)(?s:(.)|\Z)")


def may_be(tree: ast.Module, source: Source, flags: Sequence[int]) -> bool:
    """Whether the options at some offsets, all of the module that SGLang alone has, may be elements of a list that is
    marked as SGLang's, or become such."""
    found = _Search(sorted({source.row(flag) for flag in flags}))
    found.read(tree)
    text = source.text.text
    imports = imports_sglang(text)
    if imports is None:
        return False
    if found.open or _is_element(tree, source, found.bound):
        return True
    own = [*{name for each in (*found.lists.values(), found.loose) for name in each if marked.is_own(name)}]
    for (node, name), options in found.lists.items():
        if _is_command(node):
            continue
        least = 3 if not imports else 1 if name in ("", ANY) or is_list_name(name) else 2
        # More may be added to it later.
        if marked.are_ours([*options, *own], least):
            return True
    return False


def has_elements(tree: ast.Module, source: Source, flags: Sequence[int]) -> bool:
    """Whether some option at the offsets is an element of a list, or may become one."""
    found = _Search(sorted({source.row(flag) for flag in flags}))
    found.read(tree)
    return bool(found.open or found.lists or found.loose)


class _Search:
    """What is found of a module: its lists, options that may be added to one, and names that hold an option."""

    def __init__(self, rows: Sequence[int], wanted: Container[str] = ()) -> None:
        """Only nodes on the rows are looked at. ``wanted``: names that stand for an option."""
        self.rows = rows
        self.wanted = wanted
        # By the list and the nearest name that it stands under.
        self.lists: dict[tuple[ast.AST, str], list[str]] = {}
        self.loose: list[str] = []
        self.bound: set[str] = set()
        # Whether some option is not written out, or stands under a name of SGLang's.
        self.open = False

    def read(self, tree: ast.Module) -> None:
        # No recursion: a sum of a thousand parts is a thousand deep.
        todo: list[_Place] = [(tree, (), None, "")]
        while todo:
            node, names, parent, function = todo.pop()
            if parent is None and not holds(self.rows, node):
                continue
            if isinstance(node, ast.Constant):
                if parent is not None and isinstance(node.value, str) and node.value.startswith("--"):
                    self._option(node.value, names, parent)
                continue
            below = _below(node, names, parent, function)
            if parent is not None and isinstance(node, (ast.Name, ast.Attribute)):
                self.open = self.open or (not isinstance(parent, ast.Set) and target_name(node) in self.wanted)
            elif parent is not None and isinstance(node, _GOES_ON):
                self.open = self.open or any(_goes_on(child) for child, *_ in below)
            todo.extend(below)

    def _option(self, text: str, names: tuple[str, ...], parent: ast.AST) -> None:
        name = names[-1] if names else ""
        if isinstance(parent, ast.Set) or (
            isinstance(parent, ast.Tuple) and name not in ("", ANY) and not is_list_name(name)
        ):
            return
        written = _WRITTEN.match(text)
        if written is None or not written[1] or written[2] in ("{", "%") or any(map(marked.is_ours, names)):
            self.open = True
            return
        option = written[1].replace("-", "_")
        if isinstance(parent, (ast.List, ast.Tuple)):
            self.lists.setdefault((parent, name), []).append(option)
        else:
            self.loose.append(option)
            if isinstance(parent, ast.Assign) and len(parent.targets) > 1:
                self.open = True
            elif not isinstance(parent, ast.Call):
                self.open = self.open or not name
                self.bound.add(name)


def _is_element(tree: ast.Module, source: Source, names: set[str]) -> bool:
    """Whether something that holds an option, or returns one, may be an element of a list."""
    if not names:
        return False
    expression = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    found = _Search(sorted({source.row(match.start()) for match in expression.finditer(source.text.text)}), names)
    found.read(tree)
    return found.open


def _is_command(node: ast.AST) -> bool:
    """Whether a list begins with the name of a program."""
    first = node.elts[0]  # type: ignore[attr-defined]
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value[:1] not in ("", "-")


def _goes_on(node: ast.AST) -> bool:
    """Whether the name of an option may go on behind a part of its text."""
    if not isinstance(node, ast.Constant) or not isinstance(node.value, str):
        return False
    written = _WRITTEN.fullmatch(node.value)
    return written is not None and not written[2]


def _below(node: ast.AST, names: tuple[str, ...], parent: ast.AST | None, function: str) -> list[_Place]:
    if isinstance(node, ast.Call):
        return _of_call(node, names, parent, function)
    if isinstance(node, ast.Dict):
        return [
            (value, (*names, *key_name(key)), None, function) for key, value in zip(node.keys, node.values, strict=True)
        ]
    if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
        target = node.targets[0] if isinstance(node, ast.Assign) else node.target
        return [(node.value, (*names, target_name(target)), node, function)]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return [(child, (), None, node.name) for child in ast.iter_child_nodes(node)]
    if isinstance(node, ast.Return):
        names = (*names, function)
    elif isinstance(node, ast.AugAssign):
        names = (*names, target_name(node.target))
    inner: ast.AST | None = node if isinstance(node, (*_SEQUENCES, ast.Return, ast.AugAssign)) else None
    inner = parent if inner is None and isinstance(node, _PARTS) else inner
    return [(child, names, inner, function) for child in ast.iter_child_nodes(node)]


def _of_call(node: ast.Call, names: tuple[str, ...], parent: ast.AST | None, function: str) -> list[_Place]:
    func = node.func
    called = func.id if isinstance(func, ast.Name) else func.attr if isinstance(func, ast.Attribute) else ""
    found: list[_Place] = [(func, names, parent, function)]
    found += [(k.value, (*names, k.arg) if k.arg else names, None, function) for k in node.keywords]
    if not takes(called):
        found += [(a, names, node if called in _ADDS else None, function) for a in node.args]
    return found


def key_name(node: ast.expr | None) -> tuple[str, ...]:
    """The name that an entry of a dictionary stands under; ANY where the key is worked out."""
    if node is None:
        return ()
    return (node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ANY,)


def holds(rows: Sequence[int], node: ast.AST) -> bool:
    """Whether one of the rows lies in a node, or in what stands above it."""
    first = getattr(node, "lineno", None)
    if first is None:
        return True
    decorators = getattr(node, "decorator_list", None)
    if decorators:
        first = decorators[0].lineno
    at = bisect_left(rows, first)
    return at < len(rows) and rows[at] <= (node.end_lineno or 0)  # type: ignore[attr-defined]


def target_name(target: ast.expr) -> str:
    """The name that a target gives what is put there, or the last one of what is called."""
    if isinstance(target, ast.Subscript):
        key = target.slice
        return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else target_name(target.value)
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
