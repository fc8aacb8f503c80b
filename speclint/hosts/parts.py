"""The parts of a container, its ``command`` and ``args``, and which mappings are containers."""

from __future__ import annotations

from itertools import islice, product

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.value import Choice
    from speclint.words import Guard

    # Key, node of the key, value.
    Part = tuple[str, Node, Node]

PARTS = ("entrypoint", "command", "run_command", "args")
# How CloudFormation and others write them.
_SPELLED = {
    "EntryPoint": "entrypoint", "entryPoint": "entrypoint", "ContainerEntrypoint": "entrypoint", "Command": "command",
    "ContainerArguments": "args", **{part: part for part in PARTS},
}  # fmt: skip
_PARTS = frozenset(_SPELLED)
_MAX_VARIANTS = 8
_EVIDENCE = frozenset(
    (
        *("image", "name", "env", "environment", "envFrom", "resources", "volumeMounts", "ports"),
        *("Image", "Name", "ImageUri"),
    )
)
_SOURCES = frozenset(("image", "build", "extends"))
_HOLDERS = frozenset(
    ("containers", "initContainers", "ephemeralContainers", "container", "runner", "mainContainer", "engineContainer")
)


def is_container(place: Place) -> bool:
    """Whether a mapping has the looks of a container."""
    keys = place.keys
    if _PARTS.isdisjoint(keys):
        return False
    parts = [key for key in keys if key in _PARTS]
    if place.key in ("exec", "preStop", "postStart"):
        return False
    return len(parts) > 1 or place.key in _HOLDERS or not _EVIDENCE.isdisjoint(keys) or is_added(place)


def is_added(place: Place) -> bool:
    """Whether it is a service of which another compose file tells the rest, the image too."""
    return place.key == "services" and place.host == "compose" and _SOURCES.isdisjoint(place.keys)


class Parts:
    """What a container is written with: its launcher and arguments; ``run``: when those in ``parts`` stand."""

    def __init__(self, document: Document, place: Place) -> None:
        self.document = document
        self.place = place
        self.is_pod = place.host == "kubernetes"
        self.written: dict[str, list[Part]] = {}
        for key, name, value in document.pairs(place.mapping):
            part = _SPELLED.get(key)
            if part is not None:
                self.written.setdefault(part, []).append((part, name, value))
        # A kind of runtime: its controller runs the command, with the arguments of a configuration and its own.
        self.is_runtime = self.is_pod and place.key == "spec" and "args" not in self.written
        if self.is_runtime:
            self._add_configuration()
        self.parts: list[Part] = []
        self.run = ""

    def _add_configuration(self) -> None:
        """The arguments that llmaz's BackendRuntime recommends, where they are only one list."""
        document = self.document
        configs = document.get(self.place.mapping, "recommendedConfigs")
        items = configs.value if configs is not None and configs.id == "sequence" else []
        if len(items) == 1 and items[0].id == "mapping":
            found = [(key, name, value) for key, name, value in document.pairs(items[0]) if key == "args"]
            self.written.update({"args": found} if found else {})

    def variants(self) -> Iterator[tuple[list[Part], str]]:
        """The parts, and when they stand: a part that a template writes in two branches is taken from each in turn.

        Of a key that is simply written twice the last holds, as YAML libraries have it.
        """
        choices = []
        for key in PARTS:
            found = self.written.get(key, [])
            if any(self._guard(name) for _, name, _ in found):
                choices.append(found)
            elif found:
                choices.append(found[-1:])
        alone = all(len(found) < 2 for found in choices)
        for parts in islice(product(*choices), _MAX_VARIANTS):
            ways: dict[Choice, int] = {}
            guards = [self._guard(name) or () for _, name, _ in parts]
            if all(ways.setdefault(choice, arm) == arm for guard in guards for choice, arm in guard):
                labels = [choice.labels[arm] for choice, arm in ways.items()]
                yield list(parts), "" if alone else " and ".join(labels)

    def _guard(self, name: Node) -> Guard | None:
        return self.document.guard(name, self.place.mapping, self.place.mapping)

    def is_own(self) -> bool:
        """Whether a part is written here and not only merged in."""
        own = {id(value) for _, value in self.place.mapping.value}
        return any(id(node) in own for node in self.nodes())

    def nodes(self) -> Iterator[Node]:
        """The nodes that its words are written in."""
        for parts in self.written.values():
            for _, _, value in parts:
                yield value
