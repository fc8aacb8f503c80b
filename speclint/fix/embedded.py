"""In which language the text at a place of a document is written."""

from __future__ import annotations

from speclint.fix.layout import language
from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.source import SourceFile

_FENCE = pattern(r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*(?P<mark>`{3,}|~{3,})(?P<info>[^`\r\n]*)\r?$", re.MULTILINE)
_DIRECTIVE = pattern(r"[ \t]*\.\.[ \t]+(?:code-block|code|sourcecode|prompt)::[ \t]*(?P<info>\S*)")
_DOCUMENTS = frozenset(("markdown", "rst", "asciidoc", "text"))


def language_at(file: SourceFile, host: str, offset: int) -> str:
    """The language at an offset of a file of a host: in a document that of the block of code around it."""
    if host not in _DOCUMENTS:
        return language(host)
    info = _directive(file, offset) if host == "rst" else _fence(file.text, offset)
    if not info:
        return _looks(file, offset)
    from speclint.hosts.blocks import language as kind

    words = re.findall(r"[\w+-]+", info)
    tag = next((word for word in words if kind(word) is not None), "")
    found = kind(tag) or "shell"
    return found if found == "yaml" else language(found) if found != "console" else "shell"


def of_file(host: str) -> str:
    """The language by which a whole file of a host is read: "document" where that holds text of several."""
    return "document" if host in _DOCUMENTS else language(host)


def _fence(text: str, offset: int) -> str:
    """The info string of the fence that is open at an offset."""
    mark, info = "", ""
    for found in _FENCE.finditer(text, 0, offset):
        if not mark:
            mark, info = found["mark"], found["info"]
        elif found["mark"].startswith(mark) and not found["info"].strip():
            mark, info = "", ""
    return info if mark else ""


def _directive(file: SourceFile, offset: int) -> str:
    """The argument of the directive whose content an offset is in."""
    row, _ = file.location(offset)
    depth = _indent(file.line(row))
    for at in range(row - 1, 0, -1):
        line = file.line(at)
        if line.strip() and _indent(line) < depth:
            found = _DIRECTIVE.match(line)
            if found is not None:
                return found["info"]
            depth = _indent(line)
    return ""


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _looks(file: SourceFile, offset: int) -> str:
    """The language of a block that does not tell it: an item of a list, or shell."""
    row, column = file.location(offset)
    before = file.line(row)[: column - 1]
    return "yaml" if re.fullmatch(r"[ \t]*-[ \t]+[\"']?", before) else "shell"
