"""``ast``, as far as it takes no time to import: 7 ms go into enumerations and what other programs use of it.

The classes of nodes are those of Python's parser itself; what else is asked for comes from ``ast``.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    import ast
    from collections.abc import Iterator
    from typing import Any

__all__ = ("ast",)


def parse(source: str, filename: str = "<unknown>", mode: str = "exec") -> Any:
    """The tree of a text. Raises as ``compile`` does."""
    return compile(source, filename, mode, ast.PyCF_ONLY_AST)


def iter_child_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The nodes right below a node."""
    for name in node._fields:
        field = getattr(node, name, None)
        if isinstance(field, ast.AST):
            yield field
        elif isinstance(field, list):
            for item in field:
                if isinstance(item, ast.AST):
                    yield item


def walk(node: ast.AST) -> Iterator[ast.AST]:
    """A node and all below it, level by level."""
    level = [node]
    while level:
        yield from level
        level = [child for parent in level for child in iter_child_nodes(parent)]


def _rest(name: str) -> Any:
    if name.startswith("__"):  # a question about the module, not for what is in it
        raise AttributeError(name)
    import ast as whole

    return getattr(whole, name)


if not TYPE_CHECKING:
    import _ast
    import sys

    ast = type(sys)("ast")
    vars(ast).update({name: found for name, found in vars(_ast).items() if not name.startswith("__")})
    vars(ast).update(parse=parse, iter_child_nodes=iter_child_nodes, walk=walk, __getattr__=_rest)
