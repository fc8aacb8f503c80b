"""Nodes of a composed document."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Protocol

    class Node(Protocol):
        """PyYAML's scalar, sequence and mapping nodes."""

        id: str
        tag: str
        value: Any
        style: str | None
        flow_style: bool
        start_mark: Any
        end_mark: Any


NULL = "tag:yaml.org,2002:null"


def is_scalar(node: Node | None) -> bool:
    """Whether a node is a scalar with a value."""
    return node is not None and node.id == "scalar" and node.tag != NULL


def entries(node: Node | None) -> dict[str, Node]:
    """The values of a mapping by their keys; nothing for another node."""
    if node is None or node.id != "mapping":
        return {}
    return {str(key.value): value for key, value in node.value if key.id == "scalar"}


def children(node: Node) -> list[Node]:
    """The nodes in a node, keys too, in order."""
    if node.id == "sequence":
        return list(node.value)
    return [n for pair in node.value for n in pair] if node.id == "mapping" else []


def backwards(node: Node) -> Iterator[Node]:
    """The nodes in a node, keys too, from the last one on."""
    for inner in reversed(node.value):
        if node.id == "sequence":
            yield inner
        else:
            yield from reversed(inner)
