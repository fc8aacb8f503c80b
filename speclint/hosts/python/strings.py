"""What Python's operators and formatting do to text and numbers."""

from __future__ import annotations

import _operator as operator  # without the Python around it

from speclint.hosts.bounds import bounded
from speclint.hosts.python.facts import plain, python_value
from speclint.hosts.python.values import Alt, Func, Map, Seq, Text, alt, known, unknown, value_of
from speclint.lean import pattern, re
from speclint.pyast import ast
from speclint.text import Mapped
from speclint.value import Joined, Known, Unknown, join, spliced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from speclint.hosts.python.values import Item, Obj
    from speclint.text import Span
    from speclint.value import Value

_LIMIT = 10_000
_MAX_PARTS = 200
_PERCENT = pattern(r"%(?:\((?P<name>[^)]*)\))?(?P<spec>[-#0 +]*\d*(?:\.\d+)?)(?P<kind>.)", re.DOTALL)
_BRACE = pattern(r"\{\{|\}\}|\{(?P<name>[^{}!:]*)(?:!(?P<conversion>[rsa]))?(?::(?P<spec>[^{}]*))?\}")
_WORKED_OUT = "it is worked out when it runs"


def _power(base: float, exponent: float) -> object:
    if abs(exponent) > 64:
        raise ValueError("too large to work out")
    return base**exponent


_OPERATORS: dict[type[ast.operator], Callable[..., object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[..., object]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}


def prints(obj: Obj) -> bool:
    """Whether ``{obj}`` is what the object is as text, or what each of several objects is."""
    return all(map(prints, obj.arms)) if isinstance(obj, Alt) else isinstance(obj, Text)


def converted(obj: Obj, conversion: str | None, spec: Value, span: Span) -> Obj:
    """What ``{obj!conversion:spec}`` gives."""
    if isinstance(obj, Alt):
        return alt(obj.choice, [converted(arm, conversion, spec, span) for arm in obj.printed()])
    if not isinstance(obj, Text):
        return unknown("it prints as something that is not known")
    if isinstance(spec, Known) and not spec.text.text and conversion in (None, "s"):
        return Text(obj.value, "str")
    sure, value = python_value(obj)
    if not sure or not isinstance(spec, Known):
        return obj if isinstance(obj.value, Unknown) else unknown("it is formatted when it runs")
    if conversion in ("r", "a"):
        value = repr(value) if conversion == "r" else ascii(value)
    try:
        return known(format(value, spec.text.text), span)
    except (ValueError, TypeError, MemoryError, OverflowError):
        return unknown("its format is not understood")


def added(left: Obj, right: Obj, span: Span) -> Obj:
    """``left + right`` of text or numbers."""
    kinds = {o.kind if isinstance(o, Text) else "str" if _textual(o) else None for o in (left, right)}
    if "str" in kinds:
        value = join((value_of(left), value_of(right)))
        parts = value.parts if isinstance(value, Joined) else (value,)
        if len(parts) > _MAX_PARTS or any(isinstance(p, Known) and len(p.text.pieces) > _LIMIT // 10 for p in parts):
            return unknown("the text is too long to follow")
        return Text(value, "str")
    return _calculated(ast.Add, left, right, span)


def _textual(obj: Obj) -> bool:
    return (
        any(_textual(arm) for arm in obj.arms) if isinstance(obj, Alt) else isinstance(obj, Text) and obj.kind == "str"
    )


def path(objs: Sequence[Obj]) -> Obj:
    """Parts of a path with slashes between them."""
    parts = [value_of(obj) for obj in objs]
    texts = [p.text.text if isinstance(p, Known) else None for p in parts]
    if not texts or any(t is not None and (t.endswith("/") or "//" in t or "/./" in t or t[:2] == "./") for t in texts):
        return unknown("it is a path that is worked out when it runs")
    if any(t is None or t.startswith("/") for t in texts[1:]):
        return unknown("it is a path that is worked out when it runs")
    slash = Known(Mapped.new("/"))
    value = join(p for index, part in enumerate(parts) for p in ((slash, part) if index else (part,)))
    return Text(bounded(value), "str")


def _calculated(op: type[ast.operator], left: Obj, right: Obj, span: Span) -> Obj:
    function = _OPERATORS.get(op)
    return unknown(_WORKED_OUT) if function is None else of_each(function, left, right, span)


def of_each(function: Callable[..., object], left: Obj, right: Obj, span: Span) -> Obj:
    """What a function gives of two numbers, each one of several or not."""
    if isinstance(left, Alt):
        # Of what is no number nothing is known, whichever of several numbers the other one is.
        if not isinstance(right, Alt) and not isinstance(python_value(right)[1], (int, float)):
            return unknown(_WORKED_OUT)
        return alt(left.choice, [of_each(function, arm, right, span) for arm in left.arms])
    number = python_value(left)[1]
    return _of_one(function, number, right, span) if isinstance(number, (int, float)) else unknown(_WORKED_OUT)


def _of_one(function: Callable[..., object], left: float, right: Obj, span: Span) -> Obj:
    if isinstance(right, Alt):
        return alt(right.choice, [_of_one(function, left, arm, span) for arm in right.arms])
    number = python_value(right)[1]
    if not isinstance(number, (int, float)):
        return unknown(_WORKED_OUT)
    try:
        result = function(left, number)
    except (ArithmeticError, ValueError):
        return unknown(_WORKED_OUT)
    if not isinstance(result, (int, float)) or (isinstance(result, int) and result.bit_length() > 200):
        return unknown("the number is too long")
    return known(repr(result), span, "int" if isinstance(result, int) else "float")


def operated(op: ast.operator, left: Obj, right: Obj, items: Sequence[Item] | None, span: Span) -> Obj:
    """``left op right``, other than ``+``; ``items`` are those of ``right`` if it is a tuple or dictionary."""
    if isinstance(op, ast.Mod) and isinstance(left, Text) and left.kind == "str":
        return percent(left, right, items, span)
    if isinstance(op, ast.Mult):
        for text, times in ((left, right), (right, left)):
            count = python_value(times)[1]
            if plain(text) is not None and isinstance(count, int):
                written = plain(text) or ""
                if not 0 <= count * len(written) <= _LIMIT:
                    return unknown("the text is too long")
                return known(written * count, span)
    if isinstance(op, ast.Div) and (_textual(left) or _textual(right)):
        return path([left, right])
    return _calculated(type(op), left, right, span)


def compared(op: ast.cmpop, left: Obj, right: Obj) -> bool | None:
    """What a comparison gives; None if it cannot be told."""
    sure, value = python_value(left)
    if isinstance(op, (ast.In, ast.NotIn)):
        text = plain(right)
        return (value in text) is isinstance(op, ast.In) if text is not None and isinstance(value, str) else None
    other_sure, other = python_value(right)
    if not (sure and other_sure):
        differs = isinstance(left, (Seq, Map, Func)) or (other is None and _given(left))
        equality = isinstance(op, (ast.Is, ast.IsNot, ast.Eq, ast.NotEq))
        return isinstance(op, (ast.IsNot, ast.NotEq)) if equality and other_sure and differs else None
    try:
        return bool(_COMPARISONS[type(op)](value, other))
    except TypeError:
        return None


def _given(obj: Obj) -> bool:
    """Whether the object is sure to be something else than None."""
    return not isinstance(obj, Text) or obj.kind not in (None, "none")


def percent(left: Text, right: Obj, items: Sequence[Item] | None, span: Span) -> Obj:
    """``left % right``."""
    if not isinstance(left.value, Known):
        return unknown(_WORKED_OUT)
    if items is not None and any(i.guard or i.many for i in items):
        return unknown("the values that are put in are not known")
    values = [i.obj for i in items] if items is not None else [right]
    names = {plain(key): i.obj for i in items or () if (key := getattr(i, "key", None)) is not None}
    queue = iter(values)

    def field(found: re.Match[str]) -> Obj | None:
        if found["kind"] == "%":
            return known("%", span)
        obj = names.get(found["name"]) if found["name"] is not None else next(queue, None)
        if obj is None or found["kind"] not in "sdirf":
            return None
        spec = found["spec"] + ("" if found["kind"] in "sr" else {"i": "d"}.get(found["kind"], found["kind"]))
        if not found["spec"] and found["kind"] in "sdi":
            spec = ""
        return converted(obj, "r" if found["kind"] == "r" else None, Known(Mapped.new(spec)), span)

    return filled(left.value.text, _PERCENT, field)


def formatted(template: Text, args: Sequence[Obj], keywords: Mapping[str, Obj], span: Span) -> Obj:
    """``template.format(*args, **keywords)``."""
    if not isinstance(template.value, Known):
        return unknown(_WORKED_OUT)
    queue = iter(args)

    def field(found: re.Match[str]) -> Obj | None:
        if found["name"] is None:
            return known(found.group()[0], span)
        name = found["name"]
        if name.isdigit():
            obj = args[int(name)] if int(name) < len(args) else None
        else:
            obj = keywords.get(name) if name else next(queue, None)
        if obj is None:
            return unknown(f"`{{{name}}}` is not known") if name else None
        return converted(obj, found["conversion"], Known(Mapped.new(found["spec"] or "")), span)

    return filled(template.value.text, _BRACE, field)


def filled(text: Mapped, pattern: re.Pattern[str], field: Callable[[re.Match[str]], Obj | None]) -> Obj:
    """Text with what ``field`` gives in the place of each match; not known where that is None."""
    parts: list[Value] = []
    at = 0
    for found in pattern.finditer(text.text):
        obj = field(found)
        if obj is None:
            return unknown("the format is not understood")
        parts.append(Known(text[at : found.start()]))
        parts.append(spliced(value_of(obj), text.span(*found.span())))
        at = found.end()
    parts.append(Known(text[at:]))
    return Text(bounded(join(parts)), "str")
