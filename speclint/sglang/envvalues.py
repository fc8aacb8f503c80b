"""What SGLang makes of the text of an environment variable."""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import envs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from speclint.sglang.envs import Variable


class Reading(NamedTuple):
    """What a text comes to as the value of a variable.

    ``kind``: "read"; "other" (it is none of what the variable can be, so ``value`` stands); "raises" (SGLang fails
    where it reads it); "opposite" (a word for yes or no that is read as the other, ``value``). ``wanted``: what the
    variable is ("true or false", "an integer", "a number").
    """

    kind: str
    value: Any = None
    wanted: str = ""


_YES = frozenset(("true", "1", "yes", "y", "on", "t", "enable", "enabled"))
_NO = frozenset(("false", "0", "no", "n", "off", "f", "disable", "disabled", "none"))
_NUMBERS = {"int": (int, "an integer"), "float": (float, "a number")}


def reading(name: str, text: str, version: str) -> Reading:
    """What ``text`` comes to as the value of a variable in a release."""
    found = envs.variable(name, version)
    if found is None or not found.read or not found.kind:
        return Reading("read")
    number = _NUMBERS.get(found.kind.removeprefix("get_").removesuffix("!"))
    if number is not None:
        return _number(found, text, *number)
    if found.kind.startswith("="):
        return _compared(found.kind[1:], text)
    if found.kind.endswith("bool"):
        return _switch(found, text, envs.outcomes(found.kind, version))
    return Reading("read")


def _number(found: Variable, text: str, make: type, wanted: str) -> Reading:
    try:
        make(text)
    except ValueError:
        if found.kind.endswith("!"):
            return Reading("raises", wanted=wanted)
        # Who leaves it empty means the default.
        return Reading("other", found.default, wanted) if text.strip() else Reading("read")
    return Reading("read")


def _compared(kind: str, text: str) -> Reading:
    """``os.getenv(NAME) == "1"`` and the like, where all words compared with say yes, or all no."""
    words = kind.removeprefix("~").split(",")
    word = text.lower() if kind.startswith("~") else text
    if _YES.issuperset(words):
        is_on = word in words
    elif _NO.issuperset(words):
        is_on = word not in words
    else:
        return Reading("read")
    meant = _meant(text)
    return Reading("opposite", is_on) if meant is not None and meant != is_on else Reading("read")


def _switch(found: Variable, text: str, outcomes: list[str]) -> Reading:
    true, false, other = outcomes
    word = text.lower()
    if word in true.split(" ") or word in false.split(" ") or not text.strip():
        return Reading("read")
    value = found.default if other == "default" else False
    meant = _meant(text)
    if other == "raises":
        return Reading("raises", wanted="true or false")
    if meant is None or not isinstance(value, bool):
        return Reading("other", value, "true or false")
    return Reading("opposite", value) if meant != value else Reading("read")


def _meant(text: str) -> bool | None:
    word = text.strip().lower()
    return True if word in _YES else False if word in _NO else None
