"""How far a value is followed: what doubles with each line, or grows with all of them, is not known in the end.

No argument of a program is that long (Linux takes 128 KiB for one), so that no launch is lost by it.
"""

from __future__ import annotations

from speclint.value import Joined, Known, OneOf, Unknown
from speclint.words import many

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.value import Value
    from speclint.words import Word

_MAX_TEXT = 1 << 17
_MAX_PIECES = 1024
_MAX_STEPS = 128
MAX_WORDS = 4096
TOO_MUCH = "it is too long to be followed"


def bounded(value: Value) -> Value:
    """The value, unknown where it has become too much."""
    return value if size(value) <= _MAX_PIECES else Unknown(TOO_MUCH)


def bounded_words(words: Sequence[Word]) -> tuple[Word, ...]:
    """The elements of an array, unknown where there are too many."""
    return tuple(words) if len(words) <= MAX_WORDS else (many(TOO_MUCH, None),)


def size_of(words: Sequence[Word]) -> int:
    """How many pieces the values of some words are made of."""
    found = 0
    for word in words:
        value = word.value
        if value.__class__ is Known and not value.steps and len(value.text.pieces) < 2:  # as most are
            found += 1
        else:
            found += size(value)
    return found


def size(value: Value) -> int:
    """How many pieces a value is made of; counted no further than matters."""
    if isinstance(value, Known | Unknown):
        return _size(value)
    found = 0
    todo: list[Value] = [value]
    seen: set[int] = set()
    while todo and found <= _MAX_PIECES:
        item = todo.pop()
        if id(item) in seen:
            continue
        seen.add(id(item))
        if isinstance(item, OneOf | Joined):
            within = item.arms if isinstance(item, OneOf) else item.parts
            todo.extend(within)
            found += len(within)
        else:
            found += _size(item)
    return found


def _size(value: Known | Unknown) -> int:
    if len(value.steps) > _MAX_STEPS:
        return _MAX_PIECES + 1
    if isinstance(value, Unknown):
        return 1
    # Text that stands in the file as it is costs nothing.
    pieces = len(value.text.pieces)
    return pieces if pieces <= 1 or len(value.text) <= _MAX_TEXT else _MAX_PIECES + 1
