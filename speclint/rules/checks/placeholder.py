"""Text that stands for something that is to be filled in or chosen: ``<model>``, ``{{ x }}``, ``TP_SIZE``, ``0/1``."""

from __future__ import annotations

from speclint.lean import pattern, re
from speclint.rules.checks import json_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_FORMS = pattern(r"<.*>|\[.*\]|\{\w*\}|.*(?:\$[({]|\{\{|%[(s]|%[A-Z]\w*%|@\w+@|\.\.\.|…).*|__\w+__|x+|_+", re.DOTALL)
_CAPITALS = pattern(r"[A-Z][A-Z0-9_]*")
# Words of a language that no option is written in, and its brackets: ``端口``, ``8（H100）``, ``4～8``.
_FOREIGN = pattern(r"[^\W\d_a-zA-Z]|[【《＜（～]")
# What stands between several values of which the reader takes one, and between the ends of a range.
_BETWEEN = pattern(r"[/|~]|(?<=\d)-(?=\.?\d)")
_NUMBER = pattern(r"\.?\d[\d.]*[kKmMgGi]*|N")
_DOCUMENTS = ("markdown", "rst", "asciidoc", "notebook", "text")
# What names a thing instead of being one, among words of which each is in capitals.
_NAMES = pattern(r"(?:\w*_)?(?:ALGO\w*|SPEC\w*|METHOD|MODE|NAME|TYPE|VALUE|CHOICE|MATCH\w*|TODO|X+)|(?:YOUR|MY)\w*")


def is_placeholder(value: str) -> bool:
    """Whether a text stands for something that is to be filled in."""
    return _has_form(value) or _CAPITALS.fullmatch(value) is not None


def is_no_name(value: str) -> bool:
    """The same for a text that may be a name in capitals, as those of algorithms are."""
    return _has_form(value) or _NAMES.fullmatch(value) is not None


def _has_form(value: str) -> bool:
    return _FORMS.fullmatch(value) is not None and not json_text.is_json(value)


def is_offered(value: str, choices: Sequence[str], host: str) -> bool:
    """Whether a text offers several values, or says in words what to fill in, as documents do.

    ``choices``: what the option takes; none: a number.
    """
    if _FOREIGN.search(value) is not None:
        return True
    if host not in _DOCUMENTS:
        return False
    parts = _BETWEEN.split(value)
    if len(parts) > 1:
        return all(part in choices if choices else _NUMBER.fullmatch(part) is not None for part in parts)
    return not choices and len(value) == 1 and "a" <= value <= "z"
