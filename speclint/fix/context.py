"""What stands around an offset of Python: whether it is in a string."""

from __future__ import annotations

from bisect import bisect_right

from speclint.fix.structure_python import parse_python, python_range

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile

# Of the file that was last asked about: one with a thousand findings is parsed once.
_last: tuple[SourceFile, list[tuple[int, int]] | None] | None = None


def in_python_string(file: SourceFile, offset: int) -> bool:
    """Whether an offset lies in a string literal; replacement fields of f-strings count as outside."""
    global _last
    if _last is None or _last[0] is not file:
        _last = (file, _constants(file))
    constants = _last[1]
    if constants is None:
        return True
    at = bisect_right(constants, (offset, len(file.text))) - 1
    return not (at >= 0 and constants[at][0] <= offset < constants[at][1])


def _constants(file: SourceFile) -> list[tuple[int, int]] | None:
    """Where the constants of a file stand that are no strings, in order; None where it cannot be parsed."""
    from speclint.pyast import ast

    try:
        nodes = list(ast.walk(parse_python(file.text)))
    except (SyntaxError, ValueError, RecursionError):
        return None
    plain = (n for n in nodes if isinstance(n, ast.Constant) and not isinstance(n.value, (str, bytes)))
    return sorted(found for node in plain if (found := python_range(file, node)) is not None)
