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


def mattering(tree: ast.Module, source: Source, places: Sequence[int]) -> Sequence[int]:
    """Those of the places for which a module is worth following: none if what stands there starts nothing, and is no
    option that something else is started with; no options if they are none of a command.
    """
    from speclint.hosts.python import flags

    text = source.text.text
    starts = [at for at in places if not triggers.is_option(text, at)]
    told = len(starts) <= _MANY and all(prose.is_told(tree, source, at) for at in starts)
    if len(starts) == len(places):
        return () if told else places
    if not told:
        return places if _may_be_added(tree, source, flags.own(text)) else starts
    idle = not _hands_on(tree, source) and not _may_be_marked(tree, source, flags.own(text))
    return () if idle else places


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


def _may_be_added(tree: ast.Module, source: Source, named: Sequence[int]) -> bool:
    """Whether a module may make a list or a dictionary of options; ``named`` are those of SGLang's that it names."""
    from speclint.hosts.python import listed

    return listed.has_elements(tree, source, named) or _may_be_keys(tree, source)


def _may_be_marked(tree: ast.Module, source: Source, named: Sequence[int]) -> bool:
    """Whether a module may hold a list or a dictionary that is marked as one of SGLang's options."""
    from speclint.hosts.python import listed

    return listed.may_be(tree, source, named) or _may_be_keys(tree, source)


def _may_be_keys(tree: ast.Module, source: Source) -> bool:
    from speclint.hosts.python.fragments import names_options

    if not names_options(source.text.text):
        return False
    from speclint.hosts.python import keyed

    return keyed.may_be(tree, source)
