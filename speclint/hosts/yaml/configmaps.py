"""Variables that a container takes from a ConfigMap which stands in the same file."""

from __future__ import annotations

from speclint.hosts.yaml import siblings
from speclint.hosts.yaml.node import is_scalar
from speclint.value import Definition, Step, as_value, with_step

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.value import Value


def variables(document: Document, container: Node) -> Iterator[tuple[str, Value]]:
    """What ``envFrom`` gives, the last one of a name being the one that holds."""
    listed = document.get(container, "envFrom")
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        source = _of(document, document.get(item, "configMapRef"))
        prefix = document.string(document.get(item, "prefix"))
        data = source.get(source.root, "data") if source is not None else None
        if source is None or data is None or data.id != "mapping":
            continue
        for key, written, node in source.pairs(data):
            if is_scalar(node) and key.isidentifier():
                yield prefix + key, _told(source, prefix + key, written, node)


def entry(document: Document, item: Node, name: str) -> Value | None:
    """What ``valueFrom`` gives the variable of this name; None if that is not a key of a ConfigMap of the file."""
    reference = document.get(item, "valueFrom", "configMapKeyRef")
    source = _of(document, reference)
    if source is None:
        return None
    wanted = document.string(document.get(reference, "key"))
    data = source.get(source.root, "data")
    for key, written, node in source.pairs(data) if data is not None and data.id == "mapping" else ():
        if key == wanted and is_scalar(node):
            return _told(source, name, written, node)
    return None


def _of(document: Document, reference: Node | None) -> Document | None:
    """The one ConfigMap that is referred to, if a template has no part in whether it is there."""
    name = document.string(document.get(reference, "name"))
    if not name or document.rendered.regions or document.rendered.marks:
        return None
    place = _namespace(document)
    named = siblings.of_kind(document, "ConfigMap").get(name, ())
    found = [one for one in named if not (place and _namespace(one)) or _namespace(one) == place]
    return found[0] if len(found) == 1 else None


def _namespace(document: Document) -> str:
    return document.string(document.get(document.root, "metadata", "namespace"))


def _told(source: Document, name: str, written: Node, node: Node) -> Value:
    span = source.span(node)
    definition = Definition(name, span, 2, shared=True, name_span=source.span(written))
    return with_step(as_value(source.text(node)), Step("env", f"`{name}` is set here", span, definition))
