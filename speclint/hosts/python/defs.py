"""Definitions and imports."""

from __future__ import annotations

from speclint.hosts.python import expressions, starts, statements
from speclint.hosts.python.values import Alt, Class, Entry, Func, Map, Ref, Scope, known
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Obj

# Bases and decorators whose annotated attributes are parameters of the constructor.
_RECORDS = ("dataclass", "BaseModel", "BaseSettings", "Struct", "define", "NamedTuple")
# How bases of other files are called that are such themselves.
_SETTINGS = ("Config", "Settings", "Args", "Arguments", "Options", "Params")


def _function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    for decorator in node.decorator_list:
        expressions.evaluate(m, decorator)
    m.bind(node.name, function(m, node))


def function(m: Machine, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Func:
    """The function that a definition makes; its body is read later."""
    func = Func(node, m.scope, m.scope.cls)
    if m.record or m.frame.func is None:
        m.funcs.append(func)
    return func


def _class(m: Machine, node: ast.ClassDef) -> None:
    found = [expressions.evaluate(m, base) for base in node.bases]
    names = [_last(b) for b in node.bases] + [_last(d) for d in node.decorator_list]
    own = [b for b in found if isinstance(b, Class)]
    engine = next((e for b in found if (e := _engine(b))), "") if found else ""
    cls = Class(node, m.scope, own, any(n in _RECORDS for n in names) or _is_configured(node, found), engine)
    m.bind(node.name, cls)
    m.classes.append(cls)
    outer, m.scope = m.scope, Scope(node, m.scope, cls)
    try:
        statements.block(m, node.body)
    finally:
        m.scope = outer


def _is_configured(node: ast.ClassDef, bases: Sequence[Obj]) -> bool:
    """Whether a class derives from one of another file that holds settings, by its name, and is not made otherwise."""
    if not any(isinstance(base, Ref) and base.name.endswith(_SETTINGS) for base in bases):
        return False
    return not any(isinstance(each, ast.FunctionDef) and each.name == "__init__" for each in node.body)


def _engine(base: Obj) -> str:
    """The engine of SGLang that a base is, or derives from; its arguments alone are no engine."""
    if isinstance(base, Alt):
        return next((e for arm in base.arms if (e := _engine(arm))), "")
    name = base.engine if isinstance(base, Class) else starts.class_of(base.name) if isinstance(base, Ref) else ""
    return name if name != "sglang.ServerArgs" else ""


def _last(node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        return _last(node.func)
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _import(m: Machine, node: ast.Import) -> None:
    for alias in node.names:
        if alias.asname is not None:
            m.bind(alias.asname, Ref(alias.name))
        else:
            first = alias.name.split(".")[0]
            m.bind(first, Ref(first))


def _import_from(m: Machine, node: ast.ImportFrom) -> None:
    module = "." * node.level + (node.module or "")
    for alias in node.names:
        name = f"{module}.{alias.name}"
        obj: Obj = Ref(name)
        if name == "os.environ":
            obj = m.environ
        elif name == "sys.executable":
            obj = known("python", m.source.span(node))
        m.bind(alias.asname or alias.name, obj)


def _global(m: Machine, node: ast.Global) -> None:
    for name in node.names:
        m.scope.elsewhere[name] = m.module


def _nonlocal(m: Machine, node: ast.Nonlocal) -> None:
    for name in node.names:
        found = m.find(name, m.scope.outer)
        if found is not None:
            m.scope.elsewhere[name] = found[0]


def environment(m: Machine, node: ast.expr) -> None:
    """Set the variables that a ``with`` sets: ``patch.dict(os.environ, {…})``, ``envs.NAME.override(value)``."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return
    func = node.func
    target = expressions.evaluate(m, func)
    name = target.name if isinstance(target, Ref) else ""
    if func.attr == "override" and ".envs." in name and node.args:
        variable = known(name.split(".envs.")[1].split(".")[0], m.source.span(func.value))
        entry = Entry(
            variable, m.source.span(func.value), expressions.evaluate(m, node.args[0]), m.source.span(node.args[0])
        )
        m.state.set(m.environ, (*m.state.items(m.environ), entry))
    elif name.endswith("patch.dict") and len(node.args) > 1:
        more = expressions.evaluate(m, node.args[1])
        if isinstance(more, Map) and m.source.snippet(node.args[0]).strip("\"'") == "os.environ":
            m.state.set(m.environ, (*m.state.items(m.environ), *m.state.items(more)))


HANDLERS: dict[type[ast.stmt], Callable[..., None]] = {
    ast.FunctionDef: _function,
    ast.AsyncFunctionDef: _function,
    ast.ClassDef: _class,
    ast.Import: _import,
    ast.ImportFrom: _import_from,
    ast.Global: _global,
    ast.Nonlocal: _nonlocal,
}
