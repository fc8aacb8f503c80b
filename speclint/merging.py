"""What several ways left of one value: the alternatives, with all that they have in common kept whole."""

from __future__ import annotations

from speclint.value import EMPTY, Joined, Known, OneOf, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.value import Choice, Value


def merge(choice: Choice, arms: Sequence[Value]) -> Value:
    """The value after a branch that left ``arms``; what the arms have in common at their start is kept whole.

    ``X="$X --f"`` in one arm thus adds an alternative to the end of X, and five such branches are five alternatives,
    not thirty-two.
    """
    if all(same(a, arms[0]) for a in arms[1:]):
        return arms[0]
    lists = [list(a.parts) if isinstance(a, Joined) else [a] for a in arms]
    common: list[Value] = []
    while all(lists) and all(same(parts[0], lists[0][0]) for parts in lists):
        common.append(lists[0][0])
        lists = [parts[1:] for parts in lists]
    prefix = _common_known(lists)
    if prefix is not None:
        common.append(prefix)
        size = len(prefix.text)
        for parts in lists:
            first = parts[0]
            assert isinstance(first, Known)
            rest = first.text[size:]
            parts[0] = Known(rest, first.steps) if rest.text else EMPTY
    return join([*common, OneOf(choice, [join(parts) for parts in lists])])


def same(a: Value, b: Value) -> bool:
    """Whether two values are one and the same: the same text from the same place, or decided alike."""
    if a is b:
        return True
    if isinstance(a, Known) and isinstance(b, Known):
        return a.text.text == b.text.text and a.text.span() == b.text.span() and a.text.span() is not None
    if isinstance(a, Unknown) and isinstance(b, Unknown):
        return a.reason == b.reason and a.prefix is b.prefix and a.steps == b.steps
    if isinstance(a, OneOf) and isinstance(b, OneOf):
        return a.choice is b.choice and all(same(x, y) for x, y in zip(a.arms, b.arms, strict=True))
    if isinstance(a, Joined) and isinstance(b, Joined):
        return len(a.parts) == len(b.parts) and all(same(x, y) for x, y in zip(a.parts, b.parts, strict=True))
    return False


def _common_known(lists: Sequence[Sequence[Value]]) -> Known | None:
    """The written text that every list begins with: pieces of it that are the very same in all."""
    firsts = [parts[0] if parts else None for parts in lists]
    known = [f for f in firsts if isinstance(f, Known)]
    if len(known) != len(firsts):
        return None
    short = min(known, key=lambda k: len(k.text))
    size = len(short.text)
    where = short.text.span()
    if not size or where is None:
        return None
    if all(k.text.text[:size] == short.text.text and k.text.span(0, size) == where for k in known):
        return short
    size = 0
    for pieces in zip(*(k.text.pieces for k in known), strict=False):
        first, end = pieces[0], size + pieces[0].length
        text = short.text.text[size:end]
        if first.span is None or any(p.length != first.length or p.span != first.span for p in pieces[1:]):
            break
        if any(k.text.text[size:end] != text for k in known):
            break
        size = end
    return Known(short.text[:size], short.steps) if size else None
