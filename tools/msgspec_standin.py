"""The little of msgspec that SGLang declares its options with, so that reading a wheel needs no package."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


class _NoDefault:
    def __repr__(self) -> str:
        return "NODEFAULT"


NODEFAULT: Any = _NoDefault()


class FieldInfo(NamedTuple):
    """One field of a record."""

    name: str
    default: Any
    default_factory: Any
    type: Any = None


class _Field(NamedTuple):
    default: Any
    default_factory: Any


def _field_info(name: str, value: Any, annotation: Any) -> FieldInfo:
    if isinstance(value, _Field):
        return FieldInfo(name, value.default, value.default_factory, annotation)
    if isinstance(value, (list, dict, set)):
        factory: Callable[[], Any] = lambda: type(value)(value)  # noqa: E731
        return FieldInfo(name, NODEFAULT, factory, annotation)
    return FieldInfo(name, value, NODEFAULT, annotation)


class StructMeta(type):
    """Collects annotated fields, base classes first."""

    _standin_fields: dict[str, FieldInfo]

    def __new__(mcs, name: str, bases: tuple[type, ...], body: dict[str, Any], **_options: Any) -> StructMeta:
        return super().__new__(mcs, name, bases, body)

    def __init__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any], **_options: Any) -> None:
        super().__init__(name, bases, body)
        fields: dict[str, FieldInfo] = {}
        for base in reversed(cls.__mro__[1:]):
            fields.update(getattr(base, "_standin_fields", {}))
        for field, annotation in inspect.get_annotations(cls).items():
            if "ClassVar" not in str(annotation):
                fields[field] = _field_info(field, body.get(field, NODEFAULT), annotation)
        cls._standin_fields = fields


class Struct(metaclass=StructMeta):
    """A record; arguments fill the fields in order."""

    def __init__(self, *values: Any, **named: Any) -> None:
        given = dict(zip(self._standin_fields, values, strict=False), **named)
        for name, field in self._standin_fields.items():
            if name in given:
                value = given[name]
            elif field.default_factory is not NODEFAULT:
                value = field.default_factory()
            else:
                value = field.default
            object.__setattr__(self, name, value)


def field(*, default: Any = NODEFAULT, default_factory: Any = NODEFAULT, name: str | None = None) -> Any:
    """A default that is made anew for every record."""
    return _Field(default, default_factory)


def fields(record: Any) -> tuple[FieldInfo, ...]:
    """The fields of a record class; none for any other class."""
    return tuple(getattr(record, "_standin_fields", {}).values())


def defstruct(
    name: str, members: list[Any], *, bases: tuple[type, ...] = (Struct,), namespace: Any = None, **_options: Any
) -> Any:
    """Makes a record class from ``(name, type[, default])`` members."""
    body: dict[str, Any] = dict(namespace or {})
    body["__annotations__"] = {member[0]: member[1] for member in members}
    for member in members:
        if len(member) > 2:
            body[member[0]] = member[2]
    return StructMeta(name, bases or (Struct,), body)


structs = sys.modules[__name__]
