"""Text and lists of words: splitting, joining and quoting them."""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.hosts.python.state import merge_items
from speclint.hosts.python.values import Alt, Item, Text, value_of
from speclint.lean import pattern, re
from speclint.splitting import split
from speclint.text import Mapped
from speclint.value import EMPTY, Joined, Known, OneOf, Unknown, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.values import Obj
    from speclint.text import Span
    from speclint.value import Value
    from speclint.words import Guard

# By more elements than this it is not decided whether a separator stands before the next.
_MAX_TOLD = 6
_UNCLEAR = Unknown("it depends on too many alternatives")
_SAFE = pattern(r"[A-Za-z0-9_@%+=:,./-]+\Z")


def joined(separator: Obj, items: Sequence[Item], quoting: bool = False) -> Obj:
    """``separator.join(items)``; ``quoting`` as ``shlex.join`` does."""
    between = value_of(separator)
    # A blank too many, or a line that goes on, is none where words are told apart.
    blank = isinstance(between, Known) and not between.text.text.replace("\\\n", "").strip()
    before: Value = EMPTY
    told = 0  # by how many elements it is decided whether anything stands before the next
    parts: list[Value] = []
    for item in items:
        value = join((before, quoted(item.value) if quoting else item.value))
        parts.append(_where(item.guard, value, EMPTY))
        if before is not between:
            told += 1
            before = between if blank else _where(item.guard, between, before) if told <= _MAX_TOLD else _UNCLEAR
    return Text(bounded(join(parts)), "str")


def _where(guard: Guard, value: Value, other: Value) -> Value:
    """A value where choices go the ways of a guard, and another elsewhere."""
    for choice, arm in reversed(guard):
        value = OneOf(choice, [value if i == arm else other for i in range(len(choice.labels))])
    return value


def quoted(value: Value) -> Value:
    """Text as ``shlex.quote`` writes it."""
    if isinstance(value, OneOf):
        return OneOf(value.choice, [quoted(arm) for arm in value.arms], value.place)
    if isinstance(value, Joined):
        return join((_QUOTE, value, _QUOTE))
    if not isinstance(value, Known) or _SAFE.match(value.text.text):
        return value
    parts: list[Mapped] = [_QUOTE.text]
    at = 0
    for found in re.finditer("'", value.text.text):
        parts.extend((value.text[at : found.start()], Mapped.new("'\"'\"'", value.text.span(*found.span()))))
        at = found.end()
    return Known(Mapped.join([*parts, value.text[at:], _QUOTE.text]), value.steps)


_QUOTE = Known(Mapped.new("'"))


def words(value: Value, span: Span, quotes: bool, comments: bool = False) -> list[Item]:
    """``value.split()``, or ``shlex.split(value, comments)`` with ``quotes``."""
    parts: list[tuple[Value, bool]] = []
    state = ""
    for part in value.parts if isinstance(value, Joined) else (value,):
        if quotes and isinstance(part, Known):
            state = _unquote(part, state, parts, comments)
        else:
            parts.append((part, state in ("", "#")))
    return [Item(Text(w.value, "str"), _written(w.value) or w.span, w.guard, w.many) for w in split(parts, span)]


def unescaped(value: Value) -> Value:
    """The value with blanks in the place of backslashes."""
    if isinstance(value, Known):
        return Known(Mapped(value.text.text.replace("\\", " "), value.text.pieces), value.steps)
    if isinstance(value, Joined):
        return join(unescaped(part) for part in value.parts)
    return OneOf(value.choice, [unescaped(arm) for arm in value.arms]) if isinstance(value, OneOf) else value


def pieces(obj: Obj, span: Span, quotes: bool, comments: bool = False) -> tuple[Item, ...]:
    """The words of an object that is split; None, which cannot be, has none."""
    if isinstance(obj, Text) and obj.kind == "none":
        return ()
    if isinstance(obj, Alt) and any(
        isinstance(arm, Alt) or (isinstance(arm, Text) and arm.kind == "none") for arm in obj.arms
    ):
        return merge_items(obj.choice, [pieces(arm, span, quotes, comments) for arm in obj.arms])
    return tuple(words(value_of(obj), span, quotes, comments))


def _written(value: Value) -> Span | None:
    return value.text.span() if isinstance(value, Known) else None


def _unquote(part: Known, state: str, parts: list[tuple[Value, bool]], comments: bool) -> str:
    """Read text with the rules of ``shlex``; ``state`` is the quote that is open, or "#" in a comment."""
    text = part.text.text
    at = index = 0

    def put(end: int, splits: bool, start: int) -> None:
        if end > start:
            parts.append((Known(part.text[start:end], part.steps), splits))

    while index < len(text):
        char = text[index]
        if state == "#" or (comments and char == "#" and not state):
            put(index, True, at)
            at = index = text.find("\n", index)
            if index < 0:
                return "#"
            state = ""
        elif char == "\\" and state != "'" and (not state or text[index + 1 : index + 2] in ('"', "\\")):
            put(index, not state, at)
            put(index + 2, False, index + 1)
            index += 2
            at = index
        elif (char in "'\"" and not state) or char == state:
            put(index, not state, at)
            state = "" if state else char
            if state:
                parts.append((EMPTY, False))
            index += 1
            at = index
        else:
            index += 1
    put(len(text), not state, at)
    return state
