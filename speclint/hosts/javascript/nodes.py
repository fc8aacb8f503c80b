"""Expressions of JavaScript that Python has none for, and what the machine that follows Python makes of them."""

from __future__ import annotations

from speclint.hosts.python import containers, expressions
from speclint.hosts.python.machine import Machine
from speclint.hosts.python.values import Alt, Map, Seq, Text, alt, known, unknown
from speclint.pyast import ast
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.python.values import Obj


class Opaque(ast.expr):
    """What only the run tells; its ``parts`` are followed all the same."""

    _fields = ("parts",)
    parts: list[ast.expr]


class Shown(ast.expr):
    """An expression as it is put into text."""

    _fields = ("value",)
    value: ast.expr


class Follower(Machine):
    """The machine, with what JavaScript takes for true: every list and object, with anything in it or not."""

    objects = True

    def truth(self, obj: Obj) -> bool | None:
        """Whether an object is true; None if it cannot be told."""
        return True if isinstance(obj, (Seq, Map)) else super().truth(obj)

    def held(self, base: Obj, name: str) -> Obj | None:
        """What an attribute of an object holds: nothing, where an object that is written out has no such key."""
        found = super().held(base, name)
        return known("None", base.span, "none") if found is None and isinstance(base, Map) else found


def _shown(m: Machine, node: Shown) -> Obj:
    return _text(m, expressions.evaluate(m, node.value), node)


def _text(m: Machine, obj: Obj, node: Shown) -> Obj:
    if isinstance(obj, Alt):
        return alt(obj.choice, [_text(m, arm, node) for arm in obj.arms])
    written = _digits(obj) if isinstance(obj, Text) and obj.kind == "float" else ""
    # JavaScript writes numbers as Python does, but for whole ones and those of many digits.
    if not isinstance(obj, Text) or obj.kind in ("none", "given") or written.endswith(".0") or "e" in written:
        return unknown(f"`{m.source.snippet(node)}` is put into text when it runs")
    if obj.kind == "bool":
        return known("true" if m.truth(obj) else "false", m.source.span(node))
    return obj


def _digits(obj: Text) -> str:
    return obj.value.text.text if isinstance(obj.value, Known) else ""


containers.HANDLERS[Shown] = _shown
