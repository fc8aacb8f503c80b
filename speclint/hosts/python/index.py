"""What a module's syntax tells before it is followed: how often names are read, and where functions are called."""

from __future__ import annotations

from bisect import bisect_left

from speclint.hosts.python.indirect import called, named
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    # Nodes, the function and the class that they stand in.
    _Context = tuple[list[Any], ast.AST | None, ast.ClassDef | None]

# Methods that run before others of their class.
SET_UP = ("__init__", "__post_init__", "setUpClass", "setUp", "setup_class", "setup_method")
_DEFS = (ast.FunctionDef, ast.AsyncFunctionDef)
# Nodes that hold nothing to count, what stands for one in lists, and fields that hold only such.
_LEAVES = frozenset(
    (ast.Constant, ast.Pass, ast.Break, ast.Continue, ast.Import, ast.ImportFrom, str, int, bool, type(None))
)
_PLAIN = frozenset(("ctx", "op", "ops", "id", "attr", "arg", "names", "kind", "type_comment", "conversion", "is_async"))
_CONTEXTS = frozenset((*_DEFS, ast.Lambda, ast.ClassDef))
# The fields of each kind of node that hold others.
_FIELDS: dict[type[ast.AST], tuple[str, ...]] = {}


def _children(node: ast.AST, found: list[Any]) -> None:
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


class Index:
    """Counts over one module, by bare name; a name that is used in two ways is counted for both."""

    def __init__(
        self, tree: ast.Module, rows: Sequence[int], runs: Sequence[int], options: Callable[[], Sequence[int]] = tuple
    ) -> None:
        """``rows`` are those on which something is named that may start a server, ``runs`` those that run a command,
        ``options`` gives those on which an option may stand, or a name that options stand under.
        """
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
        # Strings that stand alone as statements: documentation.
        self.strings: list[ast.Constant] = []
        # The functions that lambda expressions are.
        self.lambdas: dict[ast.Lambda, ast.FunctionDef] = {}
        self._walk(tree)
        self.relevant = self._relevant(rows, runs, options)

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
                todo.append(node.value)
            elif kind is ast.Call:
                self._call(node, function)
                todo.append(node.func)
                todo += node.args
                todo += [keyword.value for keyword in node.keywords]
            elif kind in _LEAVES or (kind is ast.Expr and self._is_constant(node)):
                continue
            elif kind in _CONTEXTS:
                contexts.append(self._context(node, function, cls))
            else:
                if kind is ast.Assign or kind is ast.AnnAssign:
                    own = function is not None and self._functions[function] is cls
                    self._assignment(node, function if own else None)
                elif kind is ast.Global or kind is ast.Nonlocal:
                    self._shared.update(node.names)
                _children(node, todo)
        self._count(names, self.loads, function)
        self._count(attributes, self.attribute_loads, function)

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
        _children(node, below)
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

    def _relevant(
        self, rows: Sequence[int], runs: Sequence[int], options: Callable[[], Sequence[int]]
    ) -> set[ast.AST | None]:
        """The functions that name what may start a server, read it or run a command, those that call them, and what
        sets up their class."""
        todo: list[ast.AST | None] = [f for f in self._functions if _holds(f, rows) or _holds(f, runs)]
        todo.extend(self._set(rows, options))
        families = self._families()
        engines = {families[cls.name] for cls in self._classes if cls.bases and _names(cls, rows)}
        for derived in self._classes if engines else ():
            if families[derived.name] in engines:
                todo.extend(self.sites.get(derived.name, ()))
        set_up: dict[str, list[ast.AST]] = {}
        for method, owner in self._functions.items():
            if owner is not None and method.name in SET_UP:  # type: ignore[attr-defined]
                set_up.setdefault(families[owner.name], []).append(method)
        found: set[ast.AST | None] = set()
        while todo:
            function = todo.pop()
            if function is None or function in found:
                continue
            found.add(function)
            name, cls = function.name, self._functions.get(function)  # type: ignore[attr-defined]
            # Where a function of that name is defined that is another one, that is called.
            todo.extend(s for s in self.sites.get(name, ()) if function in self._bound(s, name, function))
            todo.extend(self.sites.get("." + name, ()))
            todo.extend(self.sites.get("super." + name, ()))
            if cls is not None:
                todo.extend(set_up.get(families[cls.name], ()))
        return found

    def _set(self, rows: Sequence[int], options: Callable[[], Sequence[int]]) -> list[ast.AST | None]:
        """The functions that may read what is set on one of the rows."""
        found: list[ast.AST | None] = []
        own: dict[str, set[ast.AST]] = {}
        for node, function in self._assigned:
            if _holds(node, rows):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    name = getattr(target, "id", "") or getattr(target, "attr", "")
                    if function is None or not isinstance(target, ast.Name) or name in self._shared:
                        found.extend(self._readers.pop(name, ()))
                    else:
                        own.setdefault(name, set()).add(function)
        for name, functions in own.items():
            found.extend(self._reading(name, functions, options))
        return found

    def _reading(
        self, name: str, functions: set[ast.AST], options: Callable[[], Sequence[int]]
    ) -> Iterable[ast.AST | None]:
        """The functions that may read a variable of some functions.

        It is read in them, in what is defined in them, and, under the same name most often, in what is called by one
        that reads it. Of others with a variable of that name those are read that may hold options.
        """
        readers = [reader for reader in self._readers.get(name, ()) if reader is not None]
        inner: dict[ast.AST | None, list[ast.AST]] = {}
        named: dict[str, list[ast.AST]] = {}
        for reader in readers:
            inner.setdefault(self._outer.get(reader), []).append(reader)
            named.setdefault(reader.name, []).append(reader)  # type: ignore[attr-defined]
        calls: dict[ast.AST | None, set[str]] = {}
        for each in named:
            for site in (*self.sites.get(each, ()), *self.sites.get("." + each, ())):
                calls.setdefault(site, set()).add(each)
        found, todo = set(functions), list(functions)
        while todo:
            function = todo.pop()
            near = inner.pop(function, [])
            for each in calls.get(function, ()):
                near += named.pop(each, ())
            todo += [reader for reader in near if reader not in found]
            found.update(near)
        left = [reader for reader in readers if reader not in found]
        there = options() if left else ()
        return (*found, *(f for f in left if any(_holds(n, there) for n in (f, *getattr(f, "decorator_list", ())))))

    def _bound(self, site: ast.AST | None, name: str, other: ast.AST) -> Sequence[ast.AST]:
        """What is defined under a name in a function, or in one around it; ``other`` if nothing is."""
        while site is not None:
            found = self._inner.get((site, name))
            if found is not None:
                return found
            site = self._outer.get(site)
        return (other,)

    def _families(self) -> dict[str, str]:
        """The classes that derive from one another here, by the name of one of them."""
        family = {cls.name: cls.name for cls in self._classes}

        def root(name: str) -> str:
            while family[name] != name:
                name = family[name]
            return name

        for cls in self._classes:
            for base in cls.bases:
                name = base.id if isinstance(base, ast.Name) else base.attr if isinstance(base, ast.Attribute) else ""
                if name in family:
                    family[root(cls.name)] = root(name)
        return {name: root(name) for name in family}

    def add(self, other: Index) -> None:
        """Count what another part of the module reads and sets as well."""
        for counts, more in ((self.loads, other.loads), (self.attribute_loads, other.attribute_loads)):
            for name, count in more.items():
                counts[name] = counts.get(name, 0) + count
        self._stored |= other._stored

    def take(self, whole: Index) -> None:
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


def _holds(node: ast.AST, rows: Sequence[int]) -> bool:
    """Whether one of the rows lies in a node."""
    at = bisect_left(rows, node.lineno)  # type: ignore[attr-defined]
    return at < len(rows) and rows[at] <= (node.end_lineno or 0)  # type: ignore[attr-defined]


def _names(cls: ast.ClassDef, rows: Sequence[int]) -> bool:
    """Whether one of the rows is one on which the bases of a class stand."""
    at = bisect_left(rows, cls.lineno)
    return at < len(rows) and rows[at] <= (cls.bases[-1].end_lineno or 0)
