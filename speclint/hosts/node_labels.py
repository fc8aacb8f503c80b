"""Which nodes a pod asks for by labels that name a GPU.

Sources: the API reference of Kubernetes (``nodeSelector``, required ``nodeAffinity`` with the operator In: a node has
to have one of the values; the terms are alternatives, the expressions of a term are not).
"""

from __future__ import annotations

from speclint.hosts.yaml.node import is_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node

# Set by the device plugins of NVIDIA and AMD, and by GKE.
_LABELS = frozenset(("nvidia.com/gpu.product", "cloud.google.com/gke-accelerator", "amd.com/gpu.product-name"))
_REQUIRED = ("affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
Asked = tuple[str, tuple[str, ...]]


def asked(document: Document, spec: Node) -> Asked | None:
    """The label that tells the GPU and the values of which a node has one; None where the pod may run elsewhere."""
    for name, _, node in _pairs(document, document.get(spec, "nodeSelector")):
        if name in _LABELS:
            return _whole(document, name, [node], spec)
    label, values = "", tuple[str, ...]()
    for term in _items(document, spec, *_REQUIRED):
        found = _of_term(document, term, spec)
        if found is None or (label and found[0] != label):
            return None
        label, values = found[0], values + found[1]
    return (label, values) if label else None


def _of_term(document: Document, term: Node, spec: Node) -> Asked | None:
    for expression in _items(document, term, "matchExpressions"):
        name = document.string(document.get(expression, "key"))
        values = document.get(expression, "values")
        within = document.string(document.get(expression, "operator")) == "In"
        if name in _LABELS and within and values is not None and values.id == "sequence":
            return _whole(document, name, values.value, spec)
    return None


def _whole(document: Document, name: str, nodes: list[Node], spec: Node) -> Asked | None:
    """The values where all are known."""
    from speclint.hosts import pods

    known = [pods.fact(document, node, spec).text for node in nodes if is_scalar(node)]
    values = tuple(text for text in known if text)
    return (name, values) if values and len(values) == len(nodes) else None


def _pairs(document: Document, mapping: Node | None) -> Iterator[tuple[str, Node, Node]]:
    if mapping is not None and mapping.id == "mapping":
        yield from document.pairs(mapping)


def _items(document: Document, mapping: Node, *path: str) -> Iterator[Node]:
    node = document.get(mapping, *path)
    if node is not None and node.id == "sequence":
        yield from (item for item in node.value if item.id == "mapping")
