"""Writes what ``speclint.prepared`` reads: at the end of a run what that had to make itself, and in a build all."""

from __future__ import annotations

import os
import sys
from marshal import dumps

from speclint import lean, process
from speclint.prepared import MARK, PACKAGE, PREFIX, interpreter, stamp

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from types import CodeType
    from typing import Any

    from speclint.prepared import Entry, Part, Prepared

    Expression = tuple[str | bytes, int]
    Module = tuple[bool, int, int | None, Part]
    """A module as it is kept, but for its place in the file."""

_INIT = "__init__.py"


def add(prepared: Prepared) -> None:
    """Add the modules that were missed, and expressions. Where that cannot be, the next run makes them again."""
    if prepared.path.startswith(PACKAGE) and (sys.dont_write_bytecode or not os.access(PACKAGE, os.W_OK)):
        return
    found = {name: kept for name in prepared.missed if (kept := _loaded(name)) is not None}
    made: dict[str, set[Expression]] = {}
    for text, flags, name in process.compiled:
        if name in found or name in prepared.entries:
            made.setdefault(name, set()).add((text, flags))
    made = {name: some for name, all_made in made.items() if (some := all_made.intersection(_expressions(name)))}
    if not (found or made):
        return
    try:
        modules: dict[str, Module] = {
            name: (*entry[:3], prepared.part(name)) for name, entry in prepared.entries.items()
        }
    except (OSError, EOFError, ValueError, TypeError):  # it is damaged, and is made anew
        modules = {}
    modules.update(found)
    for name in made.keys() & modules.keys():
        _put(modules[name], made[name])
    _write(prepared.path, modules)


def write_all(package: str) -> None:
    """Write the code of every module of a package that is being built, and their expressions."""
    modules: dict[str, Module] = {}
    for folder, _, files in os.walk(package):
        for file in sorted(files):
            inside = os.path.relpath(os.path.join(folder, file), package).replace(os.sep, "/")
            if file.endswith(".py") and inside != _INIT:
                with open(os.path.join(folder, file), "rb") as stream:
                    raw = stream.read()
                name = PREFIX + inside.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
                code: CodeType = compile(raw, f"speclint/{inside}", "exec", 0, True)
                modules[name] = file == _INIT, len(raw), None, (code, {})
    for name in modules:
        _put(modules[name], _expressions(name))
    _write(os.path.join(package, "prepared.bin"), modules)


def _put(module: Module, expressions: Iterable[Expression]) -> None:
    kept = module[3][1]
    kept.update(((text, flags), dumps(_handed(text, flags))) for text, flags in expressions)


def _expressions(name: str) -> list[Expression]:
    """The expressions that stand in a module, not those that it makes as it runs.

    None of a module that needs what is not installed here.
    """
    try:
        todo: list[object] = list(vars(lean.module(name)).values())
    except ImportError:
        return []
    found: list[Expression] = []
    seen: set[int] = set()
    for one in todo:
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, lean.Pattern):
            if one.owner == name:
                found.append((one.text, one.flags_given))
        elif isinstance(one, (dict, list, tuple)):
            todo.extend(one.values() if isinstance(one, dict) else one)
    return found


def _loaded(name: str) -> Module | None:
    """A module as Python's own import has loaded it; None for one that is no plain file of the package."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    path: Any = getattr(spec, "origin", None)
    loader: Any = getattr(spec, "loader", None)
    before = None if path is None else stamp(path)
    if before is None or not path.startswith(PACKAGE) or type(loader).__name__ != "SourceFileLoader":
        return None
    code = loader.get_code(name)
    # What changes meanwhile is left for the next run.
    return (os.path.basename(path) == _INIT, *before, (code, {})) if before == stamp(path) else None


def _write(path: str, modules: dict[str, Module]) -> None:
    entries: dict[str, Entry] = {}
    parts: list[bytes] = []
    start = 0
    for name, (is_package, size, time, part) in modules.items():
        kept: Any = part
        parts.append(dumps(kept))
        entries[name] = is_package, size, time, start, len(parts[-1])
        start += len(parts[-1])
    content: Any = (interpreter(), entries)
    index = dumps(content)
    mine = f"{path}.{os.getpid()}"
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(mine, "wb") as stream:
            stream.writelines([MARK, b"%8d" % len(index), index, *parts])
        os.replace(mine, path)
    except OSError:
        pass


def _handed(text: str | bytes, flags: int) -> tuple[Any, ...]:
    """What ``re`` hands over for an expression to the engine behind it, which makes of that what is matched with."""
    import re  # noqa: F401

    compiler: Any = sys.modules.get("re._compiler") or sys.modules["sre_compile"]
    engine = compiler._sre
    handed: list[tuple[Any, ...]] = []

    class _Noting:
        def __getattr__(self, name: str) -> Any:
            return getattr(engine, name)

        def compile(self, *arguments: Any) -> None:
            handed.append(arguments)

    compiler._sre = _Noting()
    try:
        compiler.compile(text, flags)
    finally:
        compiler._sre = engine
    pattern, all_flags, code, *rest = handed[0]
    # Numbers with names, which ``re`` uses, are no plain numbers.
    return pattern, int(all_flags), [int(unit) for unit in code], *rest
