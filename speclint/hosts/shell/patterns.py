"""Patterns of ``case`` and ``[[ … ]]``: which texts fit, where the pattern itself tells that."""

from __future__ import annotations

from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

# Text that is no pattern, and signs that may be in one.
_TEXT = pattern(r"[\w./:=@%+,-]*")
# A piece of a pattern: in quotes, a set of letters and digits, a sign, or text.
_PIECE = pattern(r"\"([^\"\\$`]*)\"|'([^']*)'|(\[!?[A-Za-z0-9]+\]|[*?])|([^\"'\[\]*?\\$`()|~\s]+)")
_SIGN = pattern(r"[\[*?]")
# What the shell reads in a regular expression as Python does.
_PLAIN = pattern(r"\^?(?:[\w/: .-]|\.\*|[|](?![|)])|\((?![|)])|\))+\$?")
# More of what takes any text are tried in too many ways.
_MOST = 2
_MAX = 1000


class Matcher:
    """Which texts a pattern fits: pieces of text with anything between them, or what an expression matches."""

    def __init__(self, pieces: Sequence[str], expression: re.Pattern[str] | None = None) -> None:
        self._pieces = pieces
        self._expression = expression

    def fits(self, text: str) -> bool:
        """Whether all of a text fits."""
        if self._expression is not None:
            return self._expression.match(text) is not None
        first, *between = self._pieces
        if not between:
            return text == first
        last = between.pop()
        at, end = len(first), len(text) - len(last)
        if at > end or not text.startswith(first) or not text.endswith(last):
            return False
        for piece in between:
            at = text.find(piece, at, end)
            if at < 0:
                return False
            at += len(piece)
        return True


def matcher(written: str) -> Matcher | None:
    """What fits a pattern; None where that is not told."""
    if _TEXT.fullmatch(written) is not None:
        return Matcher((written,))
    parts: list[tuple[str, str]] = []
    at = 0
    for found in _PIECE.finditer(written):
        if found.start() != at:
            break
        at = found.end()
        double, single, sign, text = found.groups()
        parts.append((sign or "", double or single or text or ""))
    if at != len(written):
        return None
    if all(sign in ("", "*") for sign, _ in parts):
        pieces = [""]
        for sign, text in parts:
            if sign:
                pieces.append("")
            pieces[-1] += text
        return Matcher(pieces)
    from fnmatch import translate

    return Matcher((), re.compile(translate("".join(sign or _SIGN.sub(r"[\g<0>]", text) for sign, text in parts))))


def holds(text: str, written: str) -> bool | None:
    """Whether ``=~`` finds a regular expression in a text; None where that is not told."""
    if _PLAIN.fullmatch(written) is None or written.count("*") > _MOST or len(text) > _MAX:
        return None
    try:
        return re.search(written, text) is not None
    except re.error:
        return None
