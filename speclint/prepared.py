"""What a start needs, made before: the code of modules, and expressions that are compiled.

A run on one file imports a hundred small modules and compiles a dozen expressions, for which Python looks at hundreds
of files and loads a compiler: half of all that such a run does. A build puts the code of all modules and what comes of
their expressions into one file, for the Python that it runs under; under another one, and in a checkout, a run leaves
there what it has used (``speclint.preparing``). A module counts only while its file is what it was made of. What is not
here, Python makes as ever.
"""

from __future__ import annotations

import os
import sys
from marshal import loads

from speclint import process

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType
    from typing import Any

    Stamp = tuple[int, int]
    Entry = tuple[bool, int, int | None, int, int]
    """A module: whether it is a package, the size of its file, the time of that or None for that of the whole, and
    where its part begins behind the index, and how long that is."""
    Part = tuple[CodeType, dict[tuple[str | bytes, int], bytes]]
    """Its code, and its expressions as the engine behind ``re`` takes them."""

PACKAGE = os.path.dirname(__file__)
PREFIX = "speclint."
# What the file begins with; behind it the length of the index in 8 digits, the index, and the parts.
MARK = b"speclint prepared 1\n"
HEAD = len(MARK) + 8
# The files of a package are put down within this time, in nanoseconds; what has another one was changed later.
_AT_ONCE = 60 * 10**9


class Prepared:
    """What one file holds; finds modules for Python's import."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.entries: dict[str, Entry] = {}
        self.missed: list[str] = []
        self._file = -1
        self._parts = 0
        self._written = 0
        self._loader = _loader(self)
        self._spec: Any = type(__spec__)

    def read(self) -> None:
        """Take what is kept, if it was made by a Python like this one."""
        try:
            self._file = os.open(self.path, os.O_RDONLY)
            self._written = os.stat(self._file).st_mtime_ns
            head = os.read(self._file, 1 << 15)
            if head.startswith(MARK):
                self._parts = HEAD + int(head[len(MARK) : HEAD])
                if len(head) < self._parts:
                    head += os.read(self._file, self._parts - len(head))
                made_by, entries = loads(memoryview(head)[HEAD : self._parts])
                if made_by == interpreter():
                    self.entries = entries
        except (OSError, EOFError, ValueError, TypeError):
            pass

    def part(self, name: str) -> Part:
        """A module that it has. Raises as ``marshal.loads`` does."""
        start, size = self.entries[name][3:]
        # Processes that were forked share the place of a file, so it is not moved.
        part: Part = loads(os.pread(self._file, size, self._parts + start))
        return part

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        """A module whose file is what its code was made of."""
        if not name.startswith(PREFIX):
            return None
        entry = self.entries.get(name)
        if entry is None:
            self.missed.append(name)
            return None
        folder = os.sep.join([PACKAGE, *name.split(".")[1:]])
        place = f"{folder}{os.sep}__init__.py" if entry[0] else f"{folder}.py"
        if not self._is_current(entry, place):
            self.missed.append(name)
            return None
        spec: ModuleSpec = self._spec(name, self._loader(name, place), origin=place, is_package=entry[0])
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(folder)
        return spec

    def _is_current(self, entry: Entry, place: str) -> bool:
        found = stamp(place)
        if found is None or found[0] != entry[1]:
            return False
        return found[1] == entry[2] if entry[2] is not None else abs(found[1] - self._written) < _AT_ONCE

    def keep(self) -> None:
        """Add what this run had to make itself."""
        if self.missed or process.compiled:
            from speclint import preparing

            preparing.add(self)


def start() -> Prepared | None:
    """Let what was made before serve this process; None where nothing can be."""
    loader = type(getattr(__spec__, "loader", None))
    if loader.__name__ != "SourceFileLoader" or sys.implementation.name != "cpython" or not hasattr(os, "pread"):
        return None
    prepared = Prepared(place())
    prepared.read()
    sys.meta_path.insert(0, prepared)
    return prepared


def _loader(prepared: Prepared) -> Any:
    base: Any = type(__spec__.loader)

    class _Loader(base):  # type: ignore[misc]
        """Python's loader of source files, for those whose code is at hand."""

        def create_module(self, spec: ModuleSpec) -> None:
            return None

        def exec_module(self, module: ModuleType) -> None:
            module.__file__ = self.path
            code, expressions = prepared.part(self.name)
            process.expressions.update(expressions)
            exec(code, module.__dict__)

    return _Loader


def place() -> str:
    """Where it is kept: in an installed package, or in the folder of a checkout that is for what is made of it."""
    if stamp(os.path.join(PACKAGE, "_rules")) is not None:
        return os.path.join(PACKAGE, "prepared.bin")
    return os.path.join(os.path.dirname(PACKAGE), "build", f"prepared.{sys.implementation.cache_tag}.bin")


def interpreter() -> tuple[object, ...]:
    """What code and expressions depend on."""
    import _sre

    # Part of importlib, which is always there; the module of that name need not be.
    code = sys.modules["_frozen_importlib_external"].MAGIC_NUMBER
    return sys.implementation.cache_tag, bytes(code), _sre.MAGIC, sys.flags.optimize


def stamp(path: str) -> Stamp | None:
    """The size of a file, and when it was written; None where there is none."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
