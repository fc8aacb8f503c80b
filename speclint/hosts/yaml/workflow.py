"""Workflows of GitHub: ``${{ env.X }}``, which is put in before the shell reads a script."""

from __future__ import annotations

from speclint.hosts.variables import put
from speclint.lean import pattern
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.text import Piece
    from speclint.value import Value

_ENV = pattern(r"\$\{\{\s*env\.(?P<name>[A-Za-z_]\w*)\s*\}\}")


def put_in(text: Mapped, env: Mapping[str, Value]) -> Mapped:
    """A script with the variables that are put into it, of those that are known."""
    if not env or not text.holes():
        return text
    parts: list[Mapped] = []
    at = 0
    for piece in text.pieces:
        name = _name(piece)
        known = name in env and piece.span is not None
        parts.append(put(env[name], piece.span) if known else text[at : at + piece.length])
        at += piece.length
    return Mapped.join(parts)


def _name(piece: Piece) -> str:
    found = _ENV.fullmatch(piece.span.text) if piece.hole is not None and piece.span is not None else None
    return found["name"] if found is not None else ""
