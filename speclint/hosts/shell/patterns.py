"""Patterns of ``case`` and ``[[ … ]]``: which texts fit, where the pattern itself tells that."""

from __future__ import annotations

from speclint.lean import pattern, re

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
    """Which texts a pattern fits; ``expression`` None: that one which is ``text``."""

    def __init__(self, text: str, expression: re.Pattern[str] | None = None) -> None:
        self._text = text
        self._expression = expression

    def fits(self, text: str) -> bool:
        """Whether all of a text fits."""
        return text == self._text if self._expression is None else self._expression.match(text) is not None


def matcher(written: str) -> Matcher | None:
    """What fits a pattern; None where that is not told."""
    if _TEXT.fullmatch(written) is not None:
        return Matcher(written)
    parts: list[str] = []
    at = 0
    for found in _PIECE.finditer(written):
        if found.start() != at:
            break
        at = found.end()
        double, single, sign, text = found.groups()
        plain = next((part for part in (double, single, text) if part is not None), None)
        parts.append(sign if plain is None else _SIGN.sub(lambda found: f"[{found[0]}]", plain))
    if at != len(written):
        return None
    from fnmatch import translate

    return Matcher(written, re.compile(translate("".join(parts))))


def holds(text: str, written: str) -> bool | None:
    """Whether ``=~`` finds a regular expression in a text; None where that is not told."""
    if _PLAIN.fullmatch(written) is None or written.count("*") > _MOST or len(text) > _MAX:
        return None
    try:
        return re.search(written, text) is not None
    except re.error:
        return None
