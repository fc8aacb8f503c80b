"""Files of variables: ``env_file: [sglang.env]``, handed to a container, and ``.env``, from which compose puts in."""

from __future__ import annotations

from functools import lru_cache

from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern, re
from speclint.text import Mapped, Span
from speclint.value import Definition, Known, Step, Unknown, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.source import SourceFile
    from speclint.value import Value

_LINE = pattern(
    r"^[ \t]*(?:export[ \t]+)?(?P<name>[A-Za-z_]\w*)[ \t]*=[ \t]*"
    r"(?:'(?P<single>[^'\r\n]*)'|\"(?P<double>[^\"\r\n]*)\"|(?P<plain>[^'\"\r\n][^\r\n]*|(?=[\r\n]|\Z)))(?P<rest>[^\r\n]*)",
    re.MULTILINE,
)
_COMMENT = pattern(r"[ \t]#")
_FILLING = ".env"


def variables(document: Document, service: Node) -> Iterator[tuple[str, Value]]:
    """The variables that the files of a service set, the last one of a name being the one that holds."""
    from speclint import beside

    node = document.get(service, "env_file")
    for item in node.value if node is not None and node.id == "sequence" else (node,):
        path = item if item is None or item.id == "scalar" else document.get(item, "path")
        if path is None or not is_scalar(path):
            continue
        place = document.span(path)
        source = beside.read(place.file, document.string(path))
        if source is not None:
            yield from _read(source, place)


def filling(name: str, place: Span) -> Value | None:
    """What ``.env`` beside a compose file has for ``${NAME}``; None where it has nothing.

    Whoever calls compose may have set another value, which goes before.
    """
    if not place.file.path.endswith((".yml", ".yaml")):
        return None
    from speclint import beside

    source = beside.read(place.file, _FILLING)
    found = _lines(source).get(name) if source is not None else None
    return None if source is None or found is None else _value(source, place, name, *found)


def _read(source: SourceFile, place: Span) -> Iterator[tuple[str, Value]]:
    for name, found in _lines(source).items():
        yield name, _value(source, place, name, *found)


@lru_cache(maxsize=8)
def _lines(source: SourceFile) -> dict[str, tuple[int, int, int, bool]]:
    """Where each name stands, where its value begins and ends, and whether that is written out."""
    lines: dict[str, tuple[int, int, int, bool]] = {}
    for found in _LINE.finditer(source.text):
        rest = found["rest"].strip()
        if rest and not rest.startswith("#"):
            continue
        kind = next(kind for kind in ("single", "double", "plain") if found[kind] is not None)
        start, end = found.span(kind)
        if kind == "plain":
            comment = _COMMENT.search(source.text, start - 1, end)
            end = comment.start() if comment is not None else end
            end = max(start, start + len(source.text[start:end].rstrip()))
        plain = kind == "single" or {"$", "\\"}.isdisjoint(source.text[start:end])
        lines[found["name"]] = (found.start("name"), start, end, plain)
    return lines


def _value(source: SourceFile, place: Span, name: str, at: int, start: int, end: int, plain: bool) -> Value:
    value: Value = Known(Mapped.of(source)[start:end].through(place)) if plain else Unknown(f"`{name}` is not followed")
    span = Span(source, start, end)
    definition = Definition(name, span, 2, shared=True, name_span=Span(source, at, at + len(name)))
    return with_step(value, Step("env", f"`{name}` is set here", span, definition))
