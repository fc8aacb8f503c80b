"""Containers that a role patches in a template of the same object, as RoleBasedGroup writes them."""

from __future__ import annotations

from speclint.hosts.yaml.expand import Expansion, environment
from speclint.hosts.yaml.node import is_scalar

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.value import Value

_PATCHES = ("patchLeaderTemplate", "patchWorkerTemplate", "leaderTemplatePatch", "workerTemplatePatch")


def bases(document: Document, place: Place) -> list[Node]:
    """What the container that ``place`` patches is in the templates below, the nearest one first.

    ``templateRef: {name, patch}`` patches a template of the object; a patch for the leader or the workers patches what
    the role says of both. No container but one of a patch has any.
    """
    around = list(place.around())
    keys = [each.key for each in around[1:4]]
    if keys == ["spec", "patch", "templateRef"]:
        templates = _referred(document, place, around[3].mapping)
    elif keys[:1] == ["spec"] and keys[1:2] and keys[1] in _PATCHES:
        templates = (found for holder in around[3:5] for found in _templates(document, place, holder.mapping))
    else:
        return []
    own = document.string(document.get(place.mapping, "name"))
    found = (_named(document, document.get(template, "spec", "containers"), own) for template in templates)
    return [container for container in found if container is not None]


def image(document: Document, place: Place, below: list[Node]) -> Value | None:
    """The image that the nearest of some containers names."""
    nodes = (document.get(container, "image") for container in below)
    node = next((node for node in nodes if node is not None and is_scalar(node)), None)
    return None if node is None else Expansion({}, place.host).value(document, node, document.text(node))


def variables(document: Document, place: Place, below: list[Node]) -> dict[str, Value]:
    """The variables that some containers set: of one that several do, what the nearest says."""
    found: dict[str, Value] = {}
    for container in reversed(below):
        found.update(environment(document, container, place.host))
    return found


def _templates(document: Document, place: Place, role: Node) -> Iterator[Node]:
    """The templates of the pods that a role says all of its pods are made of."""
    template = document.get(role, "template")
    if template is not None:
        yield template
    reference = document.get(role, "templateRef")
    patch = document.get(reference, "patch")
    if patch is not None:
        yield patch
    if reference is not None:
        yield from _referred(document, place, reference)


def _referred(document: Document, place: Place, reference: Node) -> Iterator[Node]:
    """The template of the object that a reference names."""
    name = document.string(document.get(reference, "name"))
    root = list(place.around())[-1].mapping
    found = document.get(_named(document, document.get(root, "spec", "roleTemplates"), name), "template")
    if found is not None:
        yield found


def _named(document: Document, listed: Node | None, name: str) -> Node | None:
    """The item of a list that has a name."""
    items = listed.value if listed is not None and listed.id == "sequence" and name else ()
    return next((item for item in items if document.string(document.get(item, "name")) == name), None)
