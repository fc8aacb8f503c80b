"""Whether a module starts nothing for all that it names what could: found in its syntax, before it is followed.

A module of SGLang that is followed for nothing takes as long as twenty that are ruled out here.
"""

from __future__ import annotations

from speclint.hosts.python import prose, triggers
from speclint.pyast import ast

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.hosts.python.source import Source

# More places than these are not looked at one by one, each from the top of the module.
_MANY = 100
# Functions that ask for the type of a value.
_ASKS = frozenset(("isinstance", "issubclass", "cast"))


def is_idle(tree: ast.Module, source: Source, places: Sequence[int]) -> bool:
    """Whether what stands at the places starts nothing, nor are they options that something else is started with."""
    text = source.text.text
    starts = [at for at in places if not triggers.is_option(text, at)]
    if len(starts) > _MANY or not all(prose.is_told(tree, source, at) for at in starts):
        return False
    if len(starts) == len(places):
        return True
    from speclint.hosts.python import flags

    return not _hands_on(tree, source) and not may_be_options(tree, source, flags.own(text))


def _hands_on(tree: ast.Module, source: Source) -> bool:
    """Whether a class of SGLang's may be called under another name: it is used as a value."""
    text = source.text.text
    known = triggers.imported(text, triggers.every(text, "sglang"))
    names = [name for name in triggers.CLASSES if name in known]
    if not names:
        return False
    from speclint.hosts.python.listed import holds

    rows = sorted({source.row(at) for name in names for at in triggers.every(text, name)})
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Name):
            if node.id in names and isinstance(node.ctx, ast.Load):
                return True
        elif holds(rows, node):
            todo += _values(node)
    return False


def _values(node: ast.AST) -> Iterable[ast.AST]:
    """What is below a node, without what is called there, asked for, or only says of what type something is."""
    if isinstance(node, ast.Attribute):
        return () if isinstance(node.value, ast.Name) else (node.value,)
    if isinstance(node, ast.Call):
        given = (*node.args, *node.keywords)
        if not isinstance(node.func, ast.Name):
            return (node.func, *given)
        return () if node.func.id in _ASKS else given
    if isinstance(node, (ast.arg, ast.AnnAssign)):
        return [n for n in (getattr(node, "value", None),) if n is not None]
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return (*node.decorator_list, node.args, *node.body)
    return ast.iter_child_nodes(node)


def may_be_options(tree: ast.Module, source: Source, named: Sequence[int]) -> bool:
    """Whether a module may hold a list or a dictionary of SGLang's options; ``named`` are those that it names."""
    from speclint.hosts.python import listed
    from speclint.hosts.python.fragments import names_options

    if named and listed.may_be(tree, source, named):
        return True
    if not names_options(source.text.text):
        return False
    from speclint.hosts.python import keyed

    return keyed.may_be(tree, source)
