"""One unified diff of everything that fixes would change, in the form that ``git apply`` and ``patch -p1`` take."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.source import SourceFile

_NO_NEWLINE = "\\ No newline at end of file\n"
_ESCAPES = {7: "\\a", 8: "\\b", 9: "\\t", 10: "\\n", 11: "\\v", 12: "\\f", 13: "\\r", 34: '\\"', 92: "\\\\"}


def unified(file: SourceFile, text: str) -> str:
    """The diff from a file to ``text``; empty where nothing changes.

    Carriage returns and a byte order mark stand in it as they do in the file, so it must be printed as UTF-8 bytes
    without translation of newlines.
    """
    old = file.encode(file.text).decode("utf-8", "surrogateescape")
    new = file.encode(text).decode("utf-8", "surrogateescape")
    if old == new:
        return ""
    from difflib import unified_diff

    name = _name(file.path)
    parts = [f"--- {_header('a/' + name)}\n", f"+++ {_header('b/' + name)}\n"]
    hunks = unified_diff(_lines(old), _lines(new), n=3)
    next(hunks)  # difflib's own header knows nothing of quoting
    next(hunks)
    for line in hunks:
        parts.append(line)
        if not line.endswith("\n"):
            parts.append("\n" + _NO_NEWLINE)
    return "".join(parts)


def _lines(text: str) -> list[str]:
    """Lines as git sees them: only a line feed ends one (``splitlines`` also breaks at a lone carriage return)."""
    return list(_split(text))


def _split(text: str) -> Iterator[str]:
    start = 0
    while start < len(text):
        end = text.find("\n", start) + 1 or len(text)
        yield text[start:end]
        start = end


def _name(path: str) -> str:
    """The path from the current folder, with slashes; from the root where it lies outside."""
    try:
        name = os.path.relpath(path)
    except ValueError:  # another drive
        name = os.path.abspath(path)
    if name == os.pardir or name.startswith(os.pardir + os.sep):
        name = os.path.abspath(path)
    return name.replace(os.sep, "/").lstrip("/")


def _header(name: str) -> str:
    """The name as git writes it: quoted with octal bytes where it is not plain, a tab after one with blanks."""
    raw = name.encode("utf-8", "surrogateescape")
    if any(byte < 32 or byte > 126 or byte in b'"\\' for byte in raw):
        quoted = "".join(_ESCAPES.get(b) or (chr(b) if 32 <= b <= 126 else f"\\{b:03o}") for b in raw)
        return f'"{quoted}"'
    return name + "\t" if " " in name else name
