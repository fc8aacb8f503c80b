"""Where in a document a mapping stands, and what its surroundings tell."""

from __future__ import annotations

from speclint.hosts.served import IMAGE_KEYS
from speclint.hosts.yaml.expand import ENVIRONMENTS, Expansion, environment
from speclint.hosts.yaml.node import is_scalar
from speclint.text import HOLE, Mapped
from speclint.value import Known, Unknown, as_value, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.value import Value

_HOLDERS = frozenset(IMAGE_KEYS)
# Where it is told: by the key itself, in what that holds, or, in a recipe of srt-slurm, beside the path of the model.
_IMAGES = tuple((key, *inner) for key in IMAGE_KEYS for inner in ((), ("image",)))
# What gives variables, or names what does.
_GIVES = ENVIRONMENTS | {"envFrom", "env_file"}
_OF_MODEL = ("model", "container")
# What holds the tag of an image that is named without one.
_TAGS = ("image_tag", "imageTag", "tag")


class Place:
    """A mapping: ``key`` is the one that it or its list stands under, ``outer`` the mapping around it.

    ``host``: "kubernetes", "compose" or "yaml". ``object``: "Kind/name" of the nearest object, if any. ``keys``: what
    the mapping has, by key.
    """

    __slots__ = ("_environment", "_image", "host", "key", "keys", "mapping", "name", "object", "outer")

    def __init__(self, document: Document, mapping: Node, key: str, name: str, outer: Place | None, host: str) -> None:
        self._environment: dict[str, Value] | None = None
        self._image: tuple[Value | None] | None = None
        self.mapping = mapping
        self.key = key
        self.name = name.replace(HOLE, "…")
        self.outer = outer
        self.host: str = outer.host if outer is not None else host
        self.object: str | None = outer.object if outer is not None else None
        self.keys = keys = document.values(mapping)
        if outer is not None and ("kind" not in keys or "kind" not in _own(mapping)):
            return
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
        todo: list[Place] = []
        place: Place | None = self
        while place is not None and place._image is None:
            todo.append(place)
            place = place.outer
        found = place._image[0] if place is not None and place._image is not None else None
        for place in reversed(todo):
            own = place._own_image(document)
            found = found if own is None and place.host != "kubernetes" else own
            place._image = (found,)
        return found

    def _own_image(self, document: Document) -> Value | None:
        if _HOLDERS.isdisjoint(self.keys):
            return self._other_image(document)
        for path in (path for path in _IMAGES if path[0] in self.keys):
            node = document.get(self.mapping, *path)
            if node is None or not is_scalar(node):
                continue
            value = Expansion({}, self.host).value(document, node, document.text(node))
            tag = next((self.keys[key] for key in _TAGS if key in self.keys), None)
            if tag is None and self.host == "kubernetes":
                tag = self.keys.get("version")  # as resources of operators have it
            return value if tag is None or _names_tag(value) else _tagged(document, value, tag)
        parts = [document.get(self.mapping, "image", key) for key in ("registry", "repository", "tag")]
        if parts[1] is None:  # as jobs of GitLab have it
            parts[1] = document.get(self.mapping, "image", "name")
        if parts[1] is None or not is_scalar(parts[1]):
            return None
        value = document.value(parts[1])
        if parts[0] is not None and is_scalar(parts[0]) and parts[0].value:
            value = join([document.value(parts[0]), Known(Mapped.new("/")), value])
        return value if parts[2] is None else _tagged(document, value, parts[2])

    def _other_image(self, document: Document) -> Value | None:
        """The image that is told in some other way."""
        if self.host == "compose":
            from speclint.hosts.yaml import extending

            return extending.image(document, self.mapping) if "extends" in self.keys else None
        model = document.get(self.mapping, *_OF_MODEL) if self.host == "yaml" and "model" in self.keys else None
        if model is not None and is_scalar(model):
            return Expansion({}, self.host).value(document, model, document.text(model))
        return self._of_task(document) if self.outer is None and "run" in self.keys else None

    def _of_task(self, document: Document) -> Value | None:
        """``docker:image``, in which SkyPilot runs a task."""
        node = document.get(self.mapping, "resources", "image_id")
        if node is None or not is_scalar(node) or not str(node.value).startswith("docker:"):
            return None
        return as_value(document.text(node)[len("docker:") :])

    def environment(self, document: Document) -> dict[str, Value]:
        """The variables that it and the mappings around it set, the inner ones first."""
        todo: list[Place] = []
        place: Place | None = self
        while place is not None and place._environment is None:
            todo.append(place)
            place = place.outer
        found = place._environment if place is not None and place._environment is not None else {}
        for place in reversed(todo):
            if not _GIVES.isdisjoint(place.keys):
                found = {**found, **environment(document, place.mapping, place.host)}
            if "parallel" in place.keys:
                found = {**found, **_matrix(document, place.mapping)}
            place._environment = found
        return found


def _matrix(document: Document, mapping: Node) -> dict[str, Value]:
    """The variables that differ between the jobs that GitLab makes of one (``parallel:matrix``)."""
    rows = document.get(mapping, "parallel", "matrix")
    each = [row for row in rows.value if row.id == "mapping"] if rows is not None and rows.id == "sequence" else []
    return {key.value: Unknown("jobs differ in it") for row in each for key, _ in row.value if key.id == "scalar"}


def _tagged(document: Document, image: Value, tag: Node) -> Value:
    if not is_scalar(tag) or not tag.value:
        return image
    return join([image, Known(Mapped.new(":")), document.value(tag)])


def _names_tag(image: Value) -> bool:
    text = image.text.text.rpartition("/")[2] if isinstance(image, Known) else ""
    return ":" in text or "@" in text


def _own(mapping: Node) -> set[str]:
    return {key.value for key, _ in mapping.value if key.id == "scalar"}
