"""Kubernetes Services that stand in the same file as a pod: which of its ports they send traffic to."""

from __future__ import annotations

from speclint.hosts.yaml import siblings
from speclint.hosts.yaml.node import is_scalar
from speclint.pod import Fact, Port

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node


def ports(document: Document, labels: Mapping[str, str], names: Mapping[str, str | None]) -> Iterator[Port]:
    """The ports of a pod with these labels that Services of the file send to; ``names``: its ports by name."""
    for named in siblings.of_kind(document, "Service").values():
        for service in named:
            if _selects(service, labels):
                yield from _ports(service, names)


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
