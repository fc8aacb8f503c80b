"""What is certain of an object: its text, its number, whether it is true; and how it came to be."""

from __future__ import annotations

from speclint.hosts.bounds import bounded
from speclint.hosts.python.values import Alt, Args, Class, Func, Instance, Parser, Partial, Text, alt
from speclint.value import Joined, Known, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.values import Obj
    from speclint.value import Step


def plain(obj: Obj) -> str | None:
    """The text of a str that is certain; None otherwise."""
    if isinstance(obj, Text) and obj.kind == "str" and isinstance(obj.value, Known):
        return obj.value.text.text
    return None


def number(obj: Obj) -> int | None:
    """The value of an int (or bool) that is certain; None otherwise."""
    if not isinstance(obj, Text) or not isinstance(obj.value, Known):
        return None
    text = obj.value.text.text
    if obj.kind == "bool":
        return int(text == "True")
    return int(text) if obj.kind == "int" and len(text) < 19 else None


def python_value(obj: Obj) -> tuple[bool, str | int | float | bool | None]:
    """Whether the object is certain, and its Python value."""
    value = obj.value if isinstance(obj, Text) else None
    if not isinstance(value, Known):
        return False, None
    text, kind = value.text.text, obj.kind  # type: ignore[union-attr]
    if kind == "str":
        return True, text
    if kind == "none":
        return True, None
    if kind == "bool":
        return True, text == "True"
    if kind == "float":
        return True, float(text)
    whole = number(obj)
    return whole is not None, whole


def truth(obj: Obj) -> bool | None:
    """Whether an object is true; None if it cannot be told. Contents of lists are not looked at."""
    sure, value = python_value(obj)
    if sure:
        return bool(value)
    if isinstance(obj, Text) and isinstance(obj.value, Joined) and obj.kind == "str":
        return any(isinstance(p, Known) and p.text.text for p in obj.value.parts) or None
    if isinstance(obj, Text):
        return True if obj.kind == "given" else None
    return True if isinstance(obj, (Func, Partial, Class, Instance, Args, Parser)) else None


def stepped(obj: Obj, step: Step) -> Obj:
    """The object with one more step of how it came to be, where it is text."""
    if isinstance(obj, Text):
        return Text(bounded(with_step(obj.value, step)), obj.kind, obj.first or obj)
    if isinstance(obj, Alt):
        return alt(obj.choice, [stepped(arm, step) for arm in obj.arms])
    return obj
