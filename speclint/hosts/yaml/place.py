"""Where in a document a mapping stands, and what its surroundings tell."""

from __future__ import annotations

from typing import TYPE_CHECKING

from speclint.hosts.yaml.document import is_scalar
from speclint.hosts.yaml.expand import Expansion, environment

if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document, Node
    from speclint.value import Value

_IMAGES = (("image",), ("base_image",), ("base_image", "image"), ("container", "image"), ("container",))


class Place:
    """A mapping: ``key`` is the one that it or its list stands under, ``outer`` the mapping around it.

    ``host``: "kubernetes", "compose" or "yaml". ``object``: "Kind/name" of the nearest object, if any.
    """

    __slots__ = ("host", "key", "mapping", "name", "object", "outer")

    def __init__(self, document: Document, mapping: Node, key: str, name: str, outer: Place | None, host: str) -> None:
        self.mapping = mapping
        self.key = key
        self.name = name
        self.outer = outer
        self.host: str = outer.host if outer is not None else host
        self.object: str | None = outer.object if outer is not None else None
        keys = {k for k, _, _ in document.pairs(mapping)} if outer is None or "kind" in _own(mapping) else ()
        if "kind" in keys and "apiVersion" in keys:
            self.host = "kubernetes"
            kind = document.string(document.get(mapping, "kind"))
            title = document.string(document.get(mapping, "metadata", "name"))
            self.object = f"{kind}/{title}" if title else kind
        elif outer is None and "services" in keys and document.is_compose():
            self.host = "compose"

    def around(self) -> Iterator[Place]:
        """This place and those around it, inside out."""
        place: Place | None = self
        while place is not None:
            yield place
            place = place.outer

    def image(self, document: Document) -> Value | None:
        """The image that it runs in: its own, or one that a mapping around it names for all."""
        for place in self.around():
            for path in _IMAGES:
                node = document.get(place.mapping, *path)
                if node is not None and is_scalar(node):
                    return Expansion({}, self.host).value(document, node, document.text(node))
            if self.host == "kubernetes":
                break
        return None

    def environment(self, document: Document) -> dict[str, Value]:
        """The variables that it and the mappings around it set, the inner ones first."""
        found: dict[str, Value] = {}
        for place in self.around():
            for name, value in environment(document, place.mapping, self.host).items():
                found.setdefault(name, value)
        return found


def _own(mapping: Node) -> set[str]:
    return {key.value for key, _ in mapping.value if key.id == "scalar"}
