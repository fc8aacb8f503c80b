"""Which functions of a module have to be read for what it may start."""

from __future__ import annotations

from bisect import bisect_left

from speclint.hosts.python import indirect
from speclint.hosts.python.counts import Counts
from speclint.hosts.python.triggers import CLASSES
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

# Methods that run before others of their class.
SET_UP = ("__init__", "__post_init__", "setUpClass", "setUp", "setup_class", "setup_method")
# What a call of these gives is no text, and holds none.
OBJECTS = frozenset((*CLASSES, "popen_launch_server", "popen_launch_pd_server", "Popen"))
# Methods that change a list or a dictionary, as is what the environment is.
CHANGES = ("append", "extend", "insert", "remove", "clear", "update", "setdefault", "pop", "popitem")


class Index(Counts):
    """The counts of a module, and its ``relevant`` functions."""

    def __init__(self, tree: ast.Module) -> None:
        super().__init__(tree)
        self.relevant: set[ast.AST | None] = set()
        # Those on which something may start a server, or runs a command.
        self.rows: Sequence[int] = ()

    def relate(self, rows: Sequence[int], runs: Sequence[int], options: Callable[[], Sequence[int]] = tuple) -> None:
        """Find the relevant functions.

        ``rows`` are those on which something is named that may start a server, ``runs`` those that run a command,
        ``options`` gives those on which an option may stand, or a name that options stand under.
        """
        self.rows = sorted({*rows, *runs})
        self.relevant = self._relevant(rows, runs, options)

    def _relevant(
        self, rows: Sequence[int], runs: Sequence[int], options: Callable[[], Sequence[int]]
    ) -> set[ast.AST | None]:
        """The functions that name what may start a server, read it or run a command, those that call them, and what
        sets up their class."""
        todo: list[ast.AST | None] = [f for f in self._functions if holds(f, rows) or holds(f, runs)]
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
        objects: set[str] = set()
        for node, function in self._assigned:
            if holds(node, rows):
                for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                    name = getattr(target, "id", "") or getattr(target, "attr", "")
                    if self._is_object(node.value):
                        objects.add(name)
                    elif function is None or not isinstance(target, ast.Name) or name in self._shared:
                        found.extend(self._readers.pop(name, ()))
                    else:
                        own.setdefault(name, set()).add(function)
        for name, functions in own.items():
            found.extend(self._reading(name, functions, options))
        setting = self._setting.union(*(self.sites.get(f".{name}", ()) for name in CHANGES)) if objects else ()
        for name in objects:
            readers = [reader for reader in self._readers.get(name, ()) if reader is not None]
            found.extend(reader for reader in readers if reader in setting)
            found.extend(_with(options, readers))
        return found

    def _is_object(self, node: ast.expr | None) -> bool:
        """Whether what is set is a server or a process: whoever reads it learns nothing of a command."""
        node = node.value if isinstance(node, ast.Await) else node
        name = indirect.named(node.func).lstrip(".") if isinstance(node, ast.Call) else ""
        made: set[ast.AST] = {*self._functions, *self._classes} if name in OBJECTS else set()
        return name in OBJECTS and all(each.name != name for each in made)  # type: ignore[attr-defined]

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
        return (*found, *_with(options, [reader for reader in readers if reader not in found]))

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


def _with(options: Callable[[], Sequence[int]], functions: Sequence[ast.AST]) -> list[ast.AST]:
    """Those of some functions that may hold options."""
    rows = options() if functions else ()
    return [f for f in functions if any(holds(node, rows) for node in (f, *getattr(f, "decorator_list", ())))]


def holds(node: ast.AST, rows: Sequence[int]) -> bool:
    """Whether one of the rows lies in a node."""
    at = bisect_left(rows, node.lineno)  # type: ignore[attr-defined]
    return at < len(rows) and rows[at] <= (node.end_lineno or 0)  # type: ignore[attr-defined]


def _names(cls: ast.ClassDef, rows: Sequence[int]) -> bool:
    """Whether one of the rows is one on which the bases of a class stand."""
    at = bisect_left(rows, cls.lineno)
    return at < len(rows) and rows[at] <= (cls.bases[-1].end_lineno or 0)
