"""Containers that a role patches in a template of the same object, as RoleBasedGroup writes them."""

from __future__ import annotations

from speclint.hosts.yaml.expand import Expansion
from speclint.hosts.yaml.node import is_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.value import Value


def image(document: Document, place: Place) -> Value | None:
    """The image of the container that ``place`` patches (``templateRef: {name, patch}``), None for any other."""
    around = list(place.around())
    if [each.key for each in around[1:4]] != ["spec", "patch", "templateRef"]:
        return None
    name = document.string(document.get(around[3].mapping, "name"))
    template = _named(document, document.get(around[-1].mapping, "spec", "roleTemplates"), name)
    own = document.string(document.get(place.mapping, "name"))
    container = _named(document, document.get(template, "template", "spec", "containers"), own)
    node = document.get(container, "image")
    if node is None or not is_scalar(node):
        return None
    return Expansion({}, place.host).value(document, node, document.text(node))


def _named(document: Document, listed: Node | None, name: str) -> Node | None:
    """The item of a list that has a name."""
    items = listed.value if listed is not None and listed.id == "sequence" and name else ()
    return next((item for item in items if document.string(document.get(item, "name")) == name), None)
