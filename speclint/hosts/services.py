"""Kubernetes Services that stand in the same file as a pod: which of its ports they send traffic to."""

from __future__ import annotations

from itertools import pairwise

from speclint.hosts.yaml.document import Document
from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern, re
from speclint.pod import Fact, Port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.template import Rendered

# In a list of objects, or in JSON, it begins no line.
_SERVICE = pattern(r"kind[\"']?:[ \t]*[\"']?Service\b")
_DOCUMENT = pattern(r"^---(?=\s|$)", re.MULTILINE)


# The Services of the text that was asked about last: every launch of a file asks.
_last: tuple[Rendered, list[Document]] | None = None


def ports(document: Document, labels: Mapping[str, str], names: Mapping[str, str | None]) -> Iterator[Port]:
    """The ports of a pod with these labels that Services of the file send to; ``names``: its ports by name."""
    global _last
    if _last is None or _last[0] is not document.rendered:
        _last = (document.rendered, list(_services(document)))
    for service in _last[1]:
        if _selects(service, labels):
            yield from _ports(service, names)


def _services(document: Document) -> Iterator[Document]:
    text = document.rendered.text.text
    if _SERVICE.search(text) is None:
        return
    starts = [0, *(found.start() for found in _DOCUMENT.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if _SERVICE.search(text, start, end) is not None:
            yield from _of_chunk(document, start, end)


def _of_chunk(document: Document, start: int, end: int) -> Iterator[Document]:
    from speclint.hosts.yaml import compose
    from speclint.source import SourceError

    if start <= document.start(document.root) and document.limit(document.root) <= end:
        whole = [document]
    else:
        rendered = document.rendered
        try:
            roots = list(compose(rendered.text, start, end))
        except SourceError:
            return
        whole = [Document(rendered, start, end, root, document.clean) for root in roots]
    for one in whole:
        listed = one.get(one.root, "items")
        for node in listed.value if listed is not None and listed.id == "sequence" else (one.root,):
            if one.string(one.get(node, "kind")) == "Service":
                yield Document(one.rendered, one.base, end, node, one.clean)


def _selects(service: Document, labels: Mapping[str, str]) -> bool:
    selector = service.get(service.root, "spec", "selector")
    if selector is None or selector.id != "mapping" or not selector.value:
        return False
    return all(labels.get(key) == service.string(value) for key, _, value in service.pairs(selector))


def _ports(service: Document, names: Mapping[str, str | None]) -> Iterator[Port]:
    from speclint.hosts.pods import fact

    listed = service.get(service.root, "spec", "ports")
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        node: Node | None = service.get(item, "targetPort") or service.get(item, "port")
        if node is None or not is_scalar(node):
            continue
        told = fact(service, node, service.root)
        if told.text is not None and told.number is None:
            told = Fact(names.get(told.text), told.span)
        yield Port("service", told)
