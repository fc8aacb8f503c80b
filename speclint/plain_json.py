"""JSON as ``json.loads`` reads it, without the module for it, whose import takes 8 ms with the expressions in it.

What is wrong with a text is told by ``json`` itself: the scanner behind it has no exception of its own.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_BLANKS = " \t\n\r"
_CONSTANTS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


class _Reader:
    """What the scanner behind ``json`` asks a decoder for."""

    strict = True
    object_hook = object_pairs_hook = None
    parse_float, parse_int = float, int

    def __init__(self, constant: Callable[[str], object]) -> None:
        self.parse_constant = constant
        self.memo: dict[str, str] = {}


def loads(text: str, constant: Callable[[str], object] = _CONSTANTS.__getitem__) -> Any:
    """The value of a text, in which ``constant`` gives those of ``NaN``, ``Infinity`` and ``-Infinity``.

    Raises ValueError for what is no JSON, and RecursionError where it is nested too deeply.
    """
    try:
        import _json

        make_scanner: Any = _json.make_scanner
        start = len(text) - len(text.lstrip(_BLANKS))
        value, end = make_scanner(_Reader(constant))(text, start)
        if not text[end:].strip(_BLANKS):
            return value
    except (ImportError, StopIteration, SystemError):  # Python has none, there is no value, or it is no JSON
        pass
    import json

    return json.loads(text, parse_constant=constant)
