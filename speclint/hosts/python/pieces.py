"""Large modules, parsed piece by piece: the parser needs three times the room of the tree that it makes.

It is told only at the end of a text whether that parses. A piece that does is whole statements, so what follows begins
with one: the trees of all pieces are the tree of the module. Where a piece does not, the module is parsed as a whole,
and what is wrong is told as Python tells it.
"""

from __future__ import annotations

from speclint.lean import pattern
from speclint.pyast import ast

LEAST = 250_000
"""How long a piece is at least, in characters. Before each stand as many empty rows as are above it."""

# No piece is less than this part of the module: else those rows would be most of what is parsed.
_MOST_PIECES = 16
# Where a statement begins that another one does not need to be whole, as ``else:`` does.
_BEGINS = pattern(r"(?<=\n)\n(?=(?:async def|class|def|from|import|[A-Za-z_]\w* =) )")


def parse(text: str) -> ast.Module:
    """The tree of a module. Raises as ``ast.parse`` does."""
    try:
        return _joined(text)
    except (SyntaxError, ValueError, OverflowError):
        return ast.parse(text)


def _joined(text: str) -> ast.Module:
    # A carriage return ends a row too, but not one before a line feed.
    least = max(LEAST, len(text) // _MOST_PIECES) if "\r" not in text else len(text)
    whole = ast.parse("")
    start = rows = 0
    while start < len(text):
        found = _BEGINS.search(text, start + least)
        end = found.end() if found else len(text)
        whole.body += ast.parse("\n" * rows + text[start:end]).body
        rows += text.count("\n", start, end)
        start = end
    return whole
