"""Where the characters stand that commands are given."""

from __future__ import annotations

from speclint.value import Joined, Known, OneOf

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Command


def spans(value: Value) -> Iterator[Span]:
    """Where the characters of a value stand, those of each alternative."""
    todo = [value]
    while todo:
        item = todo.pop()
        if isinstance(item, Known):
            yield from (piece.span for piece in item.text.pieces if piece.span is not None)
        elif isinstance(item, OneOf):
            todo += item.arms
        elif isinstance(item, Joined):
            todo += item.parts


def within(places: Iterable[int], commands: Iterable[Command]) -> set[int]:
    """Those of some places at which characters stand that one of the commands is given."""
    words = [word for command in commands for word in command.words]
    stretches = sorted((span.start, span.end) for word in words for span in spans(word.value))
    found: set[int] = set()
    at, reach = 0, 0
    for place in sorted(places):
        while at < len(stretches) and stretches[at][0] <= place:
            reach = max(reach, stretches[at][1])
            at += 1
        if place < reach:
            found.add(place)
    return found
