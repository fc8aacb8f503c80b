"""What a module's syntax tells before it is followed: how often names are read, and where functions are called."""

from __future__ import annotations

from speclint.hosts.python.indirect import called, named
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    # Nodes, the function and the class that they stand in.
    _Context = tuple[list[Any], ast.AST | None, ast.ClassDef | None]

_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Nodes that hold nothing to count, what stands for one in lists, and fields that hold only such.
LEAVES = frozenset(
    (ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom, str, int, bool, type(None))
)
_PLAIN = frozenset(("ctx", "op", "ops", "id", "attr", "arg", "names", "kind", "type_comment", "conversion", "is_async"))
_SETTING = frozenset((ast.Assign, ast.AnnAssign, ast.Global, ast.Nonlocal))
_CONTEXTS = frozenset((*_DEFS, ast.Lambda, ast.ClassDef))
# The fields of each kind of node that hold others.
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def children(node: ast.AST, found: list[Any]) -> None:
    """Add what a node holds."""
    kind = node.__class__
    fields = _FIELDS.get(kind)
    if fields is None:
        fields = _FIELDS[kind] = tuple([name for name in kind._fields if name not in _PLAIN])
    for name in fields:  # not __dict__: pyflakes hangs links to other trees on nodes that all trees share
        value = getattr(node, name, None)
        if value.__class__ is list:
            found += value
        elif value is not None:
            found.append(value)


class Counts:
    """Counts over one module, by bare name; a name that is used in two ways is counted for both."""

    def __init__(self, tree: ast.Module) -> None:
        self.loads: dict[str, int] = {}
        self.attribute_loads: dict[str, int] = {}
        # The functions that calls stand in, by what is called: "f" for f(), ".f" for x.f(), "super.f" for super().f().
        self.sites: dict[str, list[ast.AST | None]] = {}
        self._stored: set[str] = set()
        self.exported: frozenset[str] = frozenset()
        self._functions: dict[ast.AST, ast.ClassDef | None] = {}
        # The functions that are defined in a function, by their names, and the one that a function is defined in.
        self._inner: dict[tuple[ast.AST, str], list[ast.AST]] = {}
        self._outer: dict[ast.AST, ast.AST] = {}
        self._classes: list[ast.ClassDef] = []
        self._readers: dict[str, set[ast.AST | None]] = {}
        # Assignments, each with the function whose own variable it sets; and names that functions set for others.
        self._assigned: list[tuple[ast.Assign | ast.AnnAssign, ast.AST | None]] = []
        self._shared: set[str] = set()
        # The functions that set something else than variables of their own, and those around them.
        self._setting: set[ast.AST | None] = set()
        # Strings that stand alone as statements: documentation.
        self.strings: list[ast.Constant] = []
        # The functions that lambda expressions are.
        self.lambdas: dict[ast.Lambda, ast.FunctionDef] = {}
        self._walk(tree)

    def _walk(self, tree: ast.Module) -> None:
        """Count every node, function by function: a list for each is half of what a note on each node takes."""
        contexts: list[_Context] = [([tree], None, None)]
        while contexts:
            self._read(*contexts.pop(), contexts)
        # From the end of the module to its start.
        self.strings.sort(key=lambda node: (node.lineno, node.col_offset), reverse=True)

    def _read(
        self, todo: list[Any], function: ast.AST | None, cls: ast.ClassDef | None, contexts: list[_Context]
    ) -> None:
        names: list[str] = []
        attributes: list[str] = []
        while todo:
            node = todo.pop()
            kind = node.__class__
            if kind is ast.Name:
                if node.ctx.__class__ is ast.Load:
                    names.append(node.id)
            elif kind is ast.Attribute:
                if node.ctx.__class__ is ast.Load:
                    attributes.append(node.attr)
                else:
                    self._stored.add(node.attr)
                    self._sets(function)
                todo.append(node.value)
            elif kind is ast.Subscript:
                if node.ctx.__class__ is not ast.Load:
                    self._sets(function)
                todo += (node.value, node.slice)
            elif kind is ast.Call:
                self._call(node, function)
                todo.append(node.func)
                todo += node.args
                todo += [keyword.value for keyword in node.keywords]
            elif kind in LEAVES or (kind is ast.Expr and self._is_constant(node)):
                continue
            elif kind in _CONTEXTS:
                contexts.append(self._context(node, function, cls))
            else:
                if kind in _SETTING:
                    self._set_names(node, function, cls)
                children(node, todo)
        self._count(names, self.loads, function)
        self._count(attributes, self.attribute_loads, function)

    def _set_names(self, node: Any, function: ast.AST | None, cls: ast.ClassDef | None) -> None:
        if node.__class__ is ast.Assign or node.__class__ is ast.AnnAssign:
            own = function is not None and self._functions[function] is cls
            self._assignment(node, function if own else None)
        else:
            self._shared.update(node.names)
            self._sets(function)

    def _sets(self, function: ast.AST | None) -> None:
        while function is not None and function not in self._setting:
            self._setting.add(function)
            function = self._outer.get(function)

    def _count(self, names: list[str], counts: dict[str, int], function: ast.AST | None) -> None:
        for name in names:
            counts[name] = counts.get(name, 0) + 1
        for name in set(names):
            self._readers.setdefault(name, set()).add(function)

    def _context(self, node: Any, function: ast.AST | None, cls: ast.ClassDef | None) -> _Context:
        """What stands in a function or a class, all of which is read in its context."""
        if node.__class__ is ast.Lambda:
            node = self._lambda(node)
        if node.__class__ is ast.ClassDef:
            cls = node
            self._classes.append(node)
        else:
            if function is not None:
                self._outer[node] = function
                if self._functions[function] is cls:  # else it is a method
                    self._inner.setdefault((function, node.name), []).append(node)
            function = node
            self._functions[node] = cls
        below: list[Any] = []
        children(node, below)
        return below, function, cls

    def _is_constant(self, node: ast.Expr) -> bool:
        if not isinstance(node.value, ast.Constant):
            return False
        if isinstance(node.value.value, str):
            self.strings.append(node.value)
        return True

    def _call(self, node: ast.Call, function: ast.AST | None) -> None:
        for name in called(node):
            self.sites.setdefault(name, []).append(function)

    def _assignment(self, node: ast.Assign | ast.AnnAssign, function: ast.AST | None) -> None:
        self._assigned.append((node, function))
        if isinstance(node.value, ast.Lambda):
            target = node.targets[0] if isinstance(node, ast.Assign) else node.target
            self._lambda(node.value, named(target).lstrip("."))
        if isinstance(node, ast.Assign):
            self._exports(node)

    def _lambda(self, node: ast.Lambda, name: str = "") -> ast.FunctionDef:
        found = self.lambdas.get(node)
        if found is None:
            body = ast.copy_location(ast.Return(node.body), node.body)
            found = ast.copy_location(ast.FunctionDef(name or "<lambda>", node.args, [body], []), node)
            self.lambdas[node] = found
        return found

    def _exports(self, node: ast.Assign) -> None:
        if any(isinstance(t, ast.Name) and t.id == "__all__" for t in node.targets):
            names = [c.value for c in ast.walk(node.value) if isinstance(c, ast.Constant) and isinstance(c.value, str)]
            self.exported = frozenset(names)

    def add(self, other: Counts) -> None:
        """Count what another part of the module reads and sets as well."""
        for counts, more in ((self.loads, other.loads), (self.attribute_loads, other.attribute_loads)):
            for name, count in more.items():
                counts[name] = counts.get(name, 0) + count
        self._stored |= other._stored

    def take(self, whole: Counts) -> None:
        """Count as in the whole of which the module is a part."""
        self.loads, self.attribute_loads, self._stored = whole.loads, whole.attribute_loads, whole._stored

    def stores_attribute(self, name: str) -> bool:
        """Whether an attribute of that name is assigned to anywhere."""
        return name in self._stored

    def is_final(self, cls: ast.ClassDef) -> bool:
        """Whether a class is used as it is: it is instantiated here, or holds tests."""
        if cls.name in self.sites or cls.name.startswith("Test") or cls.name.endswith(("Test", "Tests", "TestCase")):
            return True
        return any(isinstance(s, _DEFS) and s.name.startswith("test") for s in cls.body)

    def called(self, function: ast.AST | None) -> bool:
        """Whether the module calls a function."""
        name = getattr(function, "name", "")
        return name in self.sites or "." + name in self.sites or "super." + name in self.sites

    def owner(self, function: ast.AST | None) -> ast.ClassDef | None:
        """The class that a function is a method of."""
        return self._functions.get(function) if function is not None else None
