"""What ``typing`` and ``re`` give, without what they cost when a process starts.

A start has a few dozen milliseconds in all. Importing typing takes 4 of them, a ``typing.NamedTuple`` 0.4 (it compiles
the annotation of every field), an expression that is compiled where it is defined 0.2 to 1, used or not.
"""

from __future__ import annotations

import sys

from speclint import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, AnyStr, NamedTuple

__all__ = ("NamedTuple", "module", "pattern", "re")

_OF_PATTERN = (
    "findall", "finditer", "flags", "fullmatch", "groupindex", "groups", "match", "pattern", "search", "split", "sub",
    "subn",
)  # fmt: skip


class Pattern:
    """An expression that is compiled when it is first asked for anything; from then on as quick as one of ``re``."""

    # What has no value yet is asked of __getattr__.
    __slots__ = ("flags_given", "owner", "text", *_OF_PATTERN)

    def __init__(self, text: str | bytes, flags: int, owner: str) -> None:
        self.text = text
        self.flags_given = flags
        self.owner = owner

    def __getattr__(self, name: str) -> object:
        if name not in self.__slots__:
            raise AttributeError(name)
        made = _compiled(self.text, self.flags_given, self.owner)
        for slot in _OF_PATTERN:
            setattr(self, slot, getattr(made, slot))
        return getattr(made, name)

    def __repr__(self) -> str:
        return f"pattern({self.text!r})"


def _compiled(text: str | bytes, flags: int, owner: str) -> re.Pattern[Any]:
    """Without ``re``, whose import alone takes 6 ms, where what it would make of the expression is at hand."""
    parts = process.expressions.get((text, flags))
    if parts is not None:
        import _sre
        from marshal import loads

        try:
            made: re.Pattern[Any] = _sre.compile(*loads(parts))
            return made
        except (TypeError, ValueError, EOFError, RuntimeError, OverflowError):  # it looks at what it is given
            pass
    import re

    process.compiled.append((text, flags, owner))
    return re.compile(text, flags)


def pattern(text: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """An expression as ``re.compile`` gives it, but for functions of ``re`` that take one: it is compiled when used."""
    return Pattern(text, int(flags), sys._getframe(1).f_globals["__name__"])  # type: ignore[return-value]


def module(name: str) -> Any:
    """A module by its name, as ``importlib.import_module`` gives it. Raises ImportError."""
    __import__(name)
    return sys.modules[name]


if not TYPE_CHECKING:
    from _operator import itemgetter  # operator is another 200 lines of Python around it

    class _Re:
        """The module of that name, which is imported when more than its flags is asked for."""

        IGNORECASE, MULTILINE, DOTALL, VERBOSE = 2, 8, 16, 64

        def __getattr__(self, name):
            if name.startswith("__"):  # a question about the module, not for what is in it
                raise AttributeError(name)
            import re

            found = getattr(re, name)
            setattr(self, name, found)
            return found

    re = _Re()

    try:
        from _collections import _tuplegetter as _getter
    except ImportError:  # not every Python has it

        def _getter(index, told):
            return property(itemgetter(index))

    _new = tuple.__new__

    # What makes a record of so many fields, by their names in place of these: compiled here, once for all.
    _MAKERS = {
        2: lambda _, a, b: _new(_, (a, b)),
        3: lambda _, a, b, c: _new(_, (a, b, c)),
        4: lambda _, a, b, c, d: _new(_, (a, b, c, d)),
        5: lambda _, a, b, c, d, e: _new(_, (a, b, c, d, e)),
        6: lambda _, a, b, c, d, e, f: _new(_, (a, b, c, d, e, f)),
        7: lambda _, a, b, c, d, e, f, g: _new(_, (a, b, c, d, e, f, g)),
        8: lambda _, a, b, c, d, e, f, g, h: _new(_, (a, b, c, d, e, f, g, h)),
        9: lambda _, a, b, c, d, e, f, g, h, i: _new(_, (a, b, c, d, e, f, g, h, i)),
        10: lambda _, a, b, c, d, e, f, g, h, i, j: _new(_, (a, b, c, d, e, f, g, h, i, j)),
    }
    _function = type(_MAKERS[2])

    def _maker(name, fields, defaults):
        """The constructor of a record, as quick as one that is written for it; None where there is none ready."""
        made = _MAKERS.get(len(fields))
        if made is None or "_" in fields or tuple(defaults) != fields[len(fields) - len(defaults) :]:
            return None
        code = made.__code__.replace(co_varnames=("_", *fields))
        made = _function(code, globals(), "__new__", tuple(defaults.values()))
        made.__qualname__ = f"{name}.__new__"
        return made

    class _Record(type):
        """Makes of annotated names the fields of a tuple."""

        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ())) if bases else ()
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            for index, field in enumerate(fields):
                namespace[field] = _getter(index, None)
            namespace.update(__slots__=(), __match_args__=fields, _fields=fields, _field_defaults=defaults)
            maker = _maker(name, fields, defaults)
            if maker is not None:
                namespace["__new__"] = maker
            return super().__new__(cls, name, bases or (tuple,), namespace)

    class NamedTuple(metaclass=_Record):
        """A tuple whose items have names, as typing's."""

        def __new__(cls, *values, **named):  # noqa: D102
            if named or len(values) != len(cls._fields):
                values = cls._filled(values, named)
            return tuple.__new__(cls, values)

        @classmethod
        def _filled(cls, values, named):
            rest = cls._fields[len(values) :]
            given = {**cls._field_defaults, **named}
            missing = [field for field in rest if field not in given]
            if missing or len(values) > len(cls._fields) or not set(named).issubset(rest):
                raise TypeError(f"{cls.__name__}{cls._fields} cannot be made of {values} and {named}")
            return (*values, *(given[field] for field in rest))

        # Of all values, in order, which are not counted here: for what is made by the thousand.
        _make = classmethod(tuple.__new__)

        def _replace(self, **named):
            made = tuple.__new__(type(self), map(named.pop, self._fields, self))
            if named:
                raise TypeError(f"{type(self).__name__}{self._fields} has no {', '.join(named)}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __getnewargs__(self):
            return tuple(self)

        def __repr__(self):
            told = ", ".join(f"{field}={value!r}" for field, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({told})"
