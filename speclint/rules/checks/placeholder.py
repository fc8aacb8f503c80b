"""Text that stands for something that is to be filled in: ``<model>``, ``{{ x }}``, ``MODEL_PATH``."""

from __future__ import annotations

from speclint.lean import re
from speclint.rules.checks import json_text

_FORMS = r"<.*>|\[.*\]|\{\w*\}|.*(?:\$[({]|\{\{|%[(s]|%[A-Z]\w*%|@\w+@|\.\.\.|…).*|__\w+__|x+|_+"
_CAPITALS = r"[A-Z][A-Z0-9_]*"
# What names a thing instead of being one, among words of which each is in capitals.
_NAMES = r"(?:\w*_)?(?:ALGO\w*|SPEC\w*|METHOD|MODE|NAME|TYPE|VALUE|CHOICE|MATCH\w*|TODO|X+)|(?:YOUR|MY)\w*"


def is_placeholder(value: str) -> bool:
    """Whether a text stands for something that is to be filled in."""
    return _has_form(value) or re.fullmatch(_CAPITALS, value) is not None


def is_no_name(value: str) -> bool:
    """The same for a text that may be a name in capitals, as those of algorithms are."""
    return _has_form(value) or re.fullmatch(_NAMES, value) is not None


def _has_form(value: str) -> bool:
    return re.fullmatch(_FORMS, value, re.DOTALL) is not None and not json_text.is_json(value)
