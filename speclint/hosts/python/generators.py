"""Generators: what a function yields is read as a list."""

from __future__ import annotations

from speclint.hosts.python import containers, expressions, statements
from speclint.hosts.python.values import Item, known, several, unknown
from speclint.lean import pattern
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Func, Obj

YIELD = pattern(r"\byield\b")
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def is_generator(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whether a function yields."""
    todo: list[ast.AST] = [*node.body]
    while todo:
        item = todo.pop()
        if isinstance(item, (ast.Yield, ast.YieldFrom)):
            return True
        if not isinstance(item, _SCOPES):
            todo.extend(ast.iter_child_nodes(item))
    return False


def run(m: Machine, func: Func) -> Obj:
    """What the body of a generator yields; of a context manager, what its ``with`` binds."""
    made = m.frame.yields = m.state.new_seq(())
    statements.function(m, func.node)
    items = m.state.items(made)
    if any("contextmanager" in m.source.snippet(decorator) for decorator in func.node.decorator_list):
        once = len(items) == 1 and not items[0].guard and not items[0].many
        return items[0].obj if once else unknown(f"`{func.node.name}` is worked out when it runs")
    if m.frame.returns:  # some branch ends it before its end
        m.state.set(made, (several(f"`{func.node.name}` yields it in one of several cases", m.source.span(func.node)),))
    return made


def give(m: Machine, node: ast.Yield) -> Obj:
    """``yield value``."""
    name = m.frame.func.node.name if m.frame.func is not None else ""
    span = m.source.span(node.value or node)
    obj = known("None", span, "none") if node.value is None else expressions.named(m, name, node.value)
    m.emit(obj, "returned")
    _add(m, (Item(obj, span),))
    return unknown("it is sent to a generator")


def give_all(m: Machine, node: ast.YieldFrom) -> Obj:
    """``yield from values``."""
    _add(m, containers.splice(m, node.value))
    return unknown("it is sent to a generator")


def _add(m: Machine, items: tuple[Item, ...]) -> None:
    if m.frame.yields is not None:
        m.extend(m.frame.yields, items)
