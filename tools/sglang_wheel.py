"""Evaluates single names out of an unpacked SGLang wheel, without importing SGLang or what it depends on.

A module of the wheel becomes a namespace in which a name comes to life when it is first read: the statements that
bind it run then, and nothing else does. So ``ServerArgs.add_cli_args`` runs for real, release by release, while
torch, kernels and model code are never touched. Packages from outside the standard library are stand-ins;
a stand-in that would reach the catalogue is refused there.
"""

from __future__ import annotations

import ast
import builtins
import functools
import importlib
import json
import os
import sys
import types
from typing import TYPE_CHECKING, Any

import msgspec_standin

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

PACKAGE = "sglang"


class _StandInMeta(type):
    """Classes, so that SGLang may inherit from them, subscript them and write them in annotations."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return stand_in(f"{cls.__qualname__}.{name}")

    def __or__(cls, _other: Any) -> Any:
        return cls

    def __iter__(cls) -> Iterator[Any]:
        return iter(())

    def __bool__(cls) -> bool:
        return False

    __ror__ = __or__


def stand_in(name: str) -> Any:
    """A class that stands for ``name`` of a package that is not there; false, empty, and callable as a decorator."""
    if name in _KNOWN:
        return _KNOWN[name]

    def new(cls: type, *args: Any, **kwargs: Any) -> Any:
        if cls is made and len(args) == 1 and not kwargs and isinstance(args[0], (types.FunctionType, type)):
            return args[0]
        return object.__new__(cls)

    def get(self: Any, attribute: str) -> Any:
        if attribute.startswith("__") and attribute.endswith("__"):
            raise AttributeError(attribute)
        return stand_in(f"{name}.{attribute}")

    made = _StandInMeta(
        name.rpartition(".")[2],
        (),
        {
            "__qualname__": name,
            "__new__": new,
            "__init__": lambda self, *args, **kwargs: None,
            "__init_subclass__": classmethod(lambda cls, **kwargs: None),
            "__getattr__": get,
            "__call__": lambda self, *args, **kwargs: args[0] if args else self,
            "__class_getitem__": classmethod(lambda cls, item: cls),
            "__iter__": lambda self: iter(()),
            "__bool__": lambda self: False,
        },
    )
    return made


# What SGLang's own helpers ask before they name a platform: nothing is here, so the plain lists are taken. Unlike json,
# orjson refuses NaN, as int() does.
_KNOWN: dict[str, Any] = {
    "torch.version.hip": None,
    "torch.version.cuda": "12.8",
    "torch.__version__": "2.8.0",
    "orjson.loads": functools.partial(json.loads, parse_constant=int),
    "packaging.version.parse": lambda text: tuple(int(part) for part in text.split(".") if part.isdigit()),
}


def is_stand_in(value: Any) -> bool:
    """Whether a value is, or was made by, a stand-in for a missing package."""
    return isinstance(value, _StandInMeta) or isinstance(type(value), _StandInMeta)


class _StandInModule:
    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name != "__version__":
            raise AttributeError(name)
        return stand_in(f"{self.__name__}.{name}")


class Module:
    """A module of the wheel: attributes are evaluated on first use."""

    __slots__ = ("namespace",)

    def __init__(self, namespace: Namespace) -> None:
        self.namespace = namespace

    @property
    def __dict__(self) -> dict[str, Any]:  # type: ignore[override]
        return self.namespace

    def __getattr__(self, name: str) -> Any:
        try:
            return self.namespace[name]
        except KeyError:
            raise AttributeError(f"{self.namespace['__name__']}.{name}") from None


class Namespace(dict[str, Any]):
    """The globals of one module of the wheel, filled as names are asked for."""

    def __init__(self, wheel: Wheel, name: str, path: str) -> None:
        is_package = path.endswith("__init__.py")
        super().__init__(
            __name__=name,
            __file__=path,
            __package__=name if is_package else name.rpartition(".")[0],
            __builtins__={**vars(builtins), "__import__": wheel.import_},
        )
        self.wheel = wheel
        self.bindings: dict[str, list[tuple[ast.stmt, str | None]]] = {}
        self.stars: list[ast.ImportFrom] = []
        self.done: set[int] = set()
        self.running: list[int] = []
        with open(path, encoding="utf-8") as file:
            self._index(ast.parse(file.read(), path).body)

    def __missing__(self, name: str) -> Any:
        if name in self.bindings:
            first, *later = self.bindings[name]
            self._run(*first)
            for node, alias in later:
                # What changes a name further down does so after the statement that is running now.
                if not self.running or node.lineno <= self.running[-1]:
                    self._run(node, alias)
            if name in self:
                return self[name]
        if name in ("__path__", "__all__", "__getattr__") or hasattr(builtins, name):
            raise KeyError(name)
        for node in self.stars:
            module = self.wheel.import_(node.module or "", self, None, ("*",), node.level)
            if isinstance(module, Module) and name in module.namespace.names():
                return getattr(module, name)
        submodule = self.wheel.module(f"{self['__name__']}.{name}")
        if submodule is None:
            raise KeyError(name)
        return submodule

    def names(self) -> set[str]:
        """Every name that the module binds at its top level."""
        return {*self.bindings, *self}

    def get_quietly(self, name: str) -> None:
        """Evaluates a name; where that fails, the statement that reads it will say so."""
        try:
            self[name]
        except KeyError:
            return

    def _run(self, node: ast.stmt, alias: str | None) -> None:
        if alias is None:
            if id(node) in self.done:
                return
            self.done.add(id(node))
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            # One name of an import at a time: the others may lead to what cannot be evaluated.
            kept = [one for one in node.names if (one.asname or one.name.split(".")[0]) == alias]
            node = _with_names(node, kept)
        for name in _class_level_names(node):
            # A class body looks names up past ``__missing__``.
            if name in self.bindings and name not in self:
                self.get_quietly(name)
        code = compile(ast.Module([node], []), self["__file__"], "exec", dont_inherit=True, flags=_ANNOTATIONS)
        self.running.append(node.lineno)
        try:
            exec(code, self)
        except BaseException:
            # What failed may be asked for again, and should then fail in the same words.
            self.done.discard(id(node))
            raise
        finally:
            self.running.pop()

    def _index(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if isinstance(node, ast.ImportFrom) and any(one.name == "*" for one in node.names):
                self.stars.append(node)
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                for one in node.names:
                    self._bind(one.asname or one.name.split(".")[0], node, True)
            elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
                # Names for annotations: evaluated only where an annotation is.
                self._index(node.body)
            else:
                for name in _bound(node):
                    self._bind(name, node, False)

    def _bind(self, name: str, node: ast.stmt, single: bool) -> None:
        self.bindings.setdefault(name, []).append((node, name if single else None))


class Wheel:
    """An unpacked wheel: ``root`` is the folder that holds ``sglang/``."""

    def __init__(self, root: str) -> None:
        self.root = root
        self.modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """The module ``sglang.x.y``, unevaluated; None where the wheel has none."""
        if name not in self.modules:
            base = os.path.join(self.root, *name.split("."))
            found = [path for path in (f"{base}/__init__.py", f"{base}.py") if os.path.exists(path)]
            if not found and not os.path.isdir(base):
                self.modules[name] = None
            else:
                self.modules[name] = Module(Namespace(self, name, found[0] if found else os.devnull))
                sys.modules[name] = self.modules[name]  # type: ignore[assignment]
        return self.modules[name]

    def import_(
        self,
        name: str,
        globals_: Mapping[str, Any] | None = None,
        _locals: Any = None,
        fromlist: Any = (),
        level: int = 0,
    ) -> Any:
        """Stands in for ``__import__`` inside the wheel's modules."""
        if level:
            assert globals_ is not None
            base = globals_["__package__"].split(".")
            name = ".".join([*base[: len(base) - level + 1], *([name] if name else [])])
        top = name.split(".")[0]
        if top == PACKAGE:
            module = self.module(name)
            if module is None:
                raise ModuleNotFoundError(name)
            return module if fromlist else self.module(top)
        if top in sys.stdlib_module_names:
            module_ = importlib.import_module(name)
            return module_ if fromlist else sys.modules[top]
        if top == "msgspec":
            return msgspec_standin
        return _StandInModule(name if fromlist else top)


_ANNOTATIONS = __import__("__future__").annotations.compiler_flag


def _class_level_names(node: ast.AST) -> Iterator[str]:
    """Names that the bodies of classes in a statement read when the classes are made."""
    if isinstance(node, ast.ClassDef):
        for part in node.body:
            yield from _names_read(part)
    else:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.expr):
                yield from _class_level_names(child)


def _names_read(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for part in (*node.decorator_list, *node.args.defaults, *node.args.kw_defaults):
            if part is not None:
                yield from _names_read(part)
    elif isinstance(node, ast.AnnAssign):
        if node.value is not None:
            yield from _names_read(node.value)
    else:
        for child in ast.iter_child_nodes(node):
            yield from _names_read(child)


def _with_names(node: ast.Import | ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    if isinstance(node, ast.Import):
        return ast.copy_location(ast.Import(names), node)
    return ast.copy_location(ast.ImportFrom(node.module, names, node.level), node)


def _bound(node: ast.stmt) -> Iterator[str]:
    """The names that a top-level statement binds or changes."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, ast.Expr):
        if isinstance(node.value, ast.Call) and isinstance(node.value.func, ast.Attribute):
            yield from _roots(node.value.func)
        return
    for child in ast.walk(node):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            yield child.name
        elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            yield child.id
        elif isinstance(child, (ast.Attribute, ast.Subscript)) and isinstance(child.ctx, ast.Store):
            yield from _roots(child)
        elif isinstance(child, (ast.Import, ast.ImportFrom)):
            for one in child.names:
                yield one.asname or one.name.split(".")[0]


def _roots(node: ast.expr) -> Iterator[str]:
    while isinstance(node, (ast.Attribute, ast.Subscript)):
        node = node.value
    if isinstance(node, ast.Name):
        yield node.id
