"""Variables that give a pod its number within a StatefulSet.

Source: the documentation of Kubernetes on StatefulSets: pods are numbered from 0, or from ``spec.ordinals.start``, and
carry their number as the label ``apps.kubernetes.io/pod-index`` and at the end of their host name.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node

_INDEX = "apps.kubernetes.io/pod-index"
# What a shell makes of the host name.
_HOST = "HOSTNAME##*-"


def variables(document: Document, root: Node, container: Node) -> tuple[str, ...]:
    """Names, as a shell writes them in braces, that stand for the number; empty where pods are not numbered from 0."""
    if document.get(root, "spec", "ordinals") is not None:
        return ()
    listed = document.get(container, "env")
    found = [_HOST]
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        if item.id == "mapping":
            path = document.string(document.get(item, "valueFrom", "fieldRef", "fieldPath"))
            if _INDEX in path:
                found.append(document.string(document.get(item, "name")))
    return tuple(found)
