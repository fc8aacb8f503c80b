"""Objects as plain data, where every part of them is certain."""

from __future__ import annotations

from speclint.hosts.python.facts import plain, python_value
from speclint.hosts.python.values import Alt, Entry, Map, Seq, Text
from speclint.hosts.served import IMAGE_KEYS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.hosts.python.machine import Machine
    from speclint.hosts.python.values import Item, Obj
    from speclint.value import Value

_MAX_DEPTH = 12
# The Python type of each kind of value.
_TYPES = {"str": "str", "int": "int", "float": "float", "bool": "bool", "none": "NoneType"}


def python_data(m: Machine, obj: Obj, depth: int = 0) -> tuple[bool, object]:
    """Whether an object is certain in all of its parts, and what it is."""
    if not isinstance(obj, (Seq, Map)):
        return python_value(obj)
    items = m.state.items(obj)
    if depth > _MAX_DEPTH or any(item.many or item.guard for item in items):
        return False, None
    values = [python_data(m, item.obj, depth + 1) for item in items]
    if not all(sure for sure, _ in values):
        return False, None
    if isinstance(obj, Seq):
        return True, [value for _, value in values]
    keys = [python_value(item.key) for item in items if isinstance(item, Entry) and item.key is not None]
    if not all(sure for sure, _ in keys):
        return False, None
    return True, {key: value for (_, key), (_, value) in zip(keys, values, strict=True)}


def image_in(items: Sequence[Item]) -> Value | None:
    """The image that a mapping names, where it always does."""
    for item in items:
        key = plain(item.key) if isinstance(item, Entry) and item.key is not None and not item.guard else None
        if key in IMAGE_KEYS and _is_text(item.obj):
            return item.value
    return None


def _is_text(obj: Obj) -> bool:
    """Whether an object is text, or has text as its default or in each of its alternatives."""
    if not isinstance(obj, Alt):
        return isinstance(obj, Text) and obj.kind == "str"
    return _is_text(obj.arms[0]) if obj.choice.kind == "default" else all(map(_is_text, obj.arms))


def is_a(obj: Obj, types: frozenset[str]) -> bool | None:
    """Whether an object is of one of some built-in types; None if it cannot be told."""
    if isinstance(obj, Seq):
        found = obj.kind
        if found is None:
            return True if types >= {"list", "tuple"} else None if types & {"list", "tuple", "set"} else False
    elif isinstance(obj, Map):
        found = "dict"
    elif isinstance(obj, Text) and obj.kind in _TYPES:
        found = _TYPES[obj.kind]
    else:
        return None
    return found in types or (found == "bool" and "int" in types)
