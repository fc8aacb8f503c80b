"""Files of variables that compose hands to a container: ``env_file: [sglang.env]``."""

from __future__ import annotations

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


def _read(source: SourceFile, place: Span) -> Iterator[tuple[str, Value]]:
    text = Mapped.of(source)
    for found in _LINE.finditer(source.text):
        name, rest = found["name"], found["rest"].strip()
        if rest and not rest.startswith("#"):
            continue
        kind = next(kind for kind in ("single", "double", "plain") if found[kind] is not None)
        start, end = found.span(kind)
        if kind == "plain":
            comment = _COMMENT.search(source.text, start - 1, end)
            end = comment.start() if comment is not None else end
            end = max(start, start + len(source.text[start:end].rstrip()))
        written = text[start:end]
        value: Value = Known(written.through(place))
        if kind != "single" and not {"$", "\\"}.isdisjoint(written.text):
            value = Unknown(f"`{name}` is not followed")
        span = Span(source, start, end)
        definition = Definition(name, span, 2, shared=True, name_span=text.span(*found.span("name")))
        yield name, with_step(value, Step("env", f"`{name}` is set here", span, definition))
