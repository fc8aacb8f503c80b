"""What stands around an offset: in which language it is written, and whether in a string."""

from __future__ import annotations

from speclint.fix.structure_python import parse_python, python_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile


def in_python_string(file: SourceFile, offset: int) -> bool:
    """Whether an offset lies in a string literal; replacement fields of f-strings count as outside."""
    import ast

    try:
        nodes = list(ast.walk(parse_python(file.text)))
    except (SyntaxError, ValueError, RecursionError):
        return True
    for node in nodes:
        if isinstance(node, ast.Constant) and not isinstance(node.value, (str, bytes)):
            found = python_range(file, node)
            if found is not None and found[0] <= offset < found[1]:
                return False
    return True
