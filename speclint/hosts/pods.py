"""What a Kubernetes object gives a container and asks of it: GPUs, memory, ports, probes, its place in a group.

Sources: the API reference of Kubernetes (Probe: first after 0 seconds, then every 10, three failures end it; a tmpfs of
64 MiB at ``/dev/shm`` where nothing is mounted) and of LeaderWorkerSet (the leader has index 0, workers count from 1).
"""

from __future__ import annotations

from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern
from speclint.pod import Fact, Pod, Port, Probe
from speclint.text import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.text import Mapped

# Objects whose pods are what is written: nothing is added on the way but by admission webhooks.
_PLAIN = frozenset(("Pod", "Deployment", "StatefulSet", "ReplicaSet", "DaemonSet", "Job", "CronJob", "LeaderWorkerSet"))
_REPLICATED = frozenset(("Deployment", "StatefulSet", "ReplicaSet"))
# Resources of which one is one GPU; "gpu" is what Dynamo calls them all.
_GPUS = (
    "nvidia.com/gpu", "amd.com/gpu", "huawei.com/Ascend910", "gpu.intel.com/xe", "gpu.intel.com/i915", "gpu",
)  # fmt: skip
_IN_MEMORY = ("emptyDir:", "  medium: Memory")
_PROBES = {"startupProbe": "startup", "livenessProbe": "liveness", "readinessProbe": "readiness"}
_GROUPS = frozenset(("leaderWorkerTemplate", "leaderWorkerPattern", "leaderWorkerSet"))
# Keys under which the pods of a group are told apart: LeaderWorkerSet, OME, kthena.
_ROLES = {
    "leaderTemplate": "leader", "workerTemplate": "worker", "leader": "leader", "worker": "worker", "workers": "worker",
    "entryTemplate": "leader",
}  # fmt: skip
_LOCAL = pattern(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0|\[::1?\]):(\d+)")
_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_NAMED_SET = "leaderworkerset.sigs.k8s.io/name"
# Each container is held against the others of its pod; no pod that people write has so many.
_MOST_CONTAINERS = 64


def read(document: Document, place: Place) -> Pod:
    """The surroundings of a container; ``place`` is its mapping."""
    return _Reader(document, place).read()


def fact(document: Document, node: Node, inside: Node) -> Fact:
    """A scalar as a fact: not known where a template has its part in it or decides whether it is there."""
    text = str(node.value) if is_scalar(node) else None
    if text is not None and (HOLE in text or "$" in text or document.guard(node, inside, inside) != ()):
        text = None
    return Fact(text, document.span(node))


def asked_port(text: Mapped) -> Fact | None:
    """The port that a command asks of its own container (``curl http://localhost:30000/health``)."""
    asked = _LOCAL.search(text.text)
    span = text.exact(*asked.span(1)) if asked is not None else None
    return Fact(asked[1], span) if asked is not None and span is not None else None


def without(document: Document, whole: Node, cut: Iterable[Node]) -> str:
    """The text of a node but for some of those in it."""
    text, parts, at = document.rendered.text.text, [], document.start(whole)
    for node in sorted(cut, key=document.start):
        if document.start(node) >= at:
            parts.append(text[at : document.start(node)])
            at = document.end(node)
    return "".join((*parts, text[at : document.limit(whole)]))


class _Reader:
    def __init__(self, document: Document, place: Place) -> None:
        self.document = document
        self.place = place
        self.container = place.mapping
        self.around = list(place.around())
        self.spec = self.around[1] if place.key == "containers" and len(self.around) > 1 else None
        self.kind = (place.object or "").partition("/")[0]

    def read(self) -> Pod:
        document = self.document
        found = Pod("pod", document.span(self.container), self.kind, self._is_whole())
        found.operated = self.kind not in _PLAIN
        if self._is_crowd():
            found.whole = False
            return found
        self._gpus(found)
        self._nodes(found)
        self._memory(found)
        self._group(found)
        self._copies(found)
        found.host_network = self._flag("hostNetwork")
        found.ports = (*self._container_ports(), *self._probe_ports(), *self._service_ports())
        found.probes = tuple(self._probes())
        found.mentioned = self._mentioned
        return found

    def _is_whole(self) -> bool:
        """Whether the object says all of its pod: no template, no patch, no operator that completes it."""
        document = self.document
        if self.kind not in _PLAIN or self.spec is None or document.get(self.container, "image") is None:
            return False
        rendered, root = document.rendered, self.around[-1].mapping
        marked = rendered.marked(document.start(root), document.limit(root))
        return not marked and not rendered.regions and "templateRef" not in {place.key for place in self.around}

    def _is_crowd(self) -> bool:
        containers = self.document.get(self.spec.mapping, "containers") if self.spec is not None else None
        return containers is not None and len(containers.value) > _MOST_CONTAINERS

    def _gpus(self, found: Pod) -> None:
        document = self.document
        for place in self.around[: 1 if self.spec is not None else 3]:
            for part in ("limits", "requests"):
                resources = document.get(place.mapping, "resources", part)
                for name, _, node in self._pairs(resources):
                    if name in _GPUS:
                        found.gpus, found.gpus_by = fact(document, node, self.container), f"`{name}`"
                        return

    def _nodes(self, found: Pod) -> None:
        from speclint.hosts import node_labels

        for place in self.around[1:3]:
            found.nodes = found.nodes or node_labels.asked(self.document, place.mapping)

    def _memory(self, found: Pod) -> None:
        document = self.document
        mounts = list(self._items(self.container, "volumeMounts"))
        paths = [document.string(document.get(mount, "mountPath")) for mount in mounts]
        if any(path.rstrip("/") in ("/dev/shm", "/dev") for path in paths):
            found.shared_memory = True
        elif found.whole and self.spec is not None and self._flag("hostIPC") is False:
            found.shared_memory = any("…" in path for path in paths) or None
            if found.shared_memory is None:
                found.shared_memory = False
                self._unmounted(found)

    def _unmounted(self, found: Pod) -> None:
        """A volume in memory that is there for nobody."""
        document = self.document
        assert self.spec is not None
        used = {
            document.string(document.get(mount, "name"))
            for key in ("containers", "initContainers")
            for container in self._items(self.spec.mapping, key)
            for mount in self._items(container, "volumeMounts")
        }
        for volume in self._items(self.spec.mapping, "volumes"):
            name = document.get(volume, "name")
            medium = document.string(document.get(volume, "emptyDir", "medium"))
            if name is not None and medium == "Memory" and document.string(name) not in used:
                found.unmounted = Fact(document.string(name), document.span(name))
                found.mounts = self._mounting(document.string(name), True)
                return
        if "dshm" not in [document.string(document.get(v, "name")) for v in self._items(self.spec.mapping, "volumes")]:
            found.mounts = self._mounting("dshm", False)

    def _mounting(self, name: str, declared: bool) -> Callable[[], tuple[Fact, ...]]:
        return lambda: self._mounts(name, declared)

    def _mounts(self, name: str, declared: bool) -> tuple[Fact, ...]:
        """What mounts a volume, and declares it where that is to be done too; empty where that takes more."""
        assert self.spec is not None
        given = self._added(self.container, "volumeMounts", [f"name: {name}", "mountPath: /dev/shm"])
        volume = None if declared else self._added(self.spec.mapping, "volumes", [f"name: {name}", *_IN_MEMORY])
        if given is None or (volume is None and not declared):
            return ()
        return (given,) if volume is None else (given, volume)

    def _added(self, mapping: Node, name: str, lines: list[str]) -> Fact | None:
        """One more item of a list, which may not be there yet."""
        from speclint.hosts.yaml import add

        listed = self.document.get(mapping, name)
        if listed is not None:
            return add.item(self.document, listed, lines)
        return add.key(self.document, mapping, [f"{name}:", f"- {lines[0]}", *(f"  {line}" for line in lines[1:])])

    def _group(self, found: Pod) -> None:
        """Its place among the pods that serve together."""
        found.role = next((role for place in self.around if (role := _ROLES.get(place.key))), "")
        for inner, outer in zip(self.around, self.around[1:], strict=False):
            if outer.key in _GROUPS:
                size = self.document.get(outer.mapping, "size")
                found.size = fact(self.document, size, outer.mapping) if size is not None else None
                number = found.size.number if found.size is not None else None
                if outer.key == "leaderWorkerTemplate" and inner.key in ("leaderTemplate", "workerTemplate"):
                    found.role = found.role if self.document.get(outer.mapping, "leaderTemplate") is not None else ""
                if number is not None:
                    found.copies = {"leader": 1, "worker": number - 1}.get(found.role, number)
                return

    def _copies(self, found: Pod) -> None:
        root = self.around[-1].mapping
        if self.kind not in _REPLICATED or found.size is not None or self.document.get(root, "kind") is None:
            return
        node = self.document.get(root, "spec", "replicas")
        found.copies = 1 if node is None else fact(self.document, node, root).number
        if self.kind == "StatefulSet" and node is not None:
            from speclint.hosts import ordinals

            found.replicas = fact(self.document, node, root)
            found.ordinals = ordinals.variables(self.document, root, self.container)

    def _container_ports(self) -> Iterator[Port]:
        for item in self._items(self.container, "ports"):
            node = self.document.get(item, "containerPort")
            if node is not None:
                yield Port("container", fact(self.document, node, self.container))

    def _probe_ports(self) -> Iterator[Port]:
        document = self.document
        for key, kind in _PROBES.items():
            probe = document.get(self.container, key)
            for action in ("httpGet", "tcpSocket"):
                node = document.get(probe, action, "port")
                host = document.string(document.get(probe, action, "host"))
                if is_scalar(node) and node is not None and host in ("", *_LOOPBACK):
                    yield Port(kind, self._named(node), host in _LOOPBACK)
            command = document.get(probe, "exec", "command")
            for item in command.value if command is not None and command.id == "sequence" else ():
                asked = asked_port(document.text(item)) if is_scalar(item) else None
                if asked is not None:
                    yield Port(kind, asked, True)

    def _named(self, node: Node) -> Fact:
        """A port by number or by the name that the container gives it."""
        told = fact(self.document, node, self.container)
        if told.text is None or told.number is not None:
            return told
        number = next((p for p in self._port_names(self.container) if p[0] == told.text), None)
        return Fact(number[1] if number is not None else None, told.span)

    def _port_names(self, container: Node) -> Iterator[tuple[str, str | None]]:
        for item in self._items(container, "ports"):
            name, node = self.document.get(item, "name"), self.document.get(item, "containerPort")
            if name is not None and node is not None:
                yield self.document.string(name), fact(self.document, node, container).text

    def _probes(self) -> Iterator[Probe]:
        from speclint.hosts.yaml import add

        document = self.document
        for key, name, node in document.pairs(self.container):
            if key in _PROBES and node.id == "mapping":
                delay, period, failures = (self._number(node, *one) for one in _TIMES)
                known = delay is not None and period is not None and failures is not None
                seconds = (delay or 0) + (period or 0) * (failures or 0) if known else None
                path, port = (document.get(node, "httpGet", part) for part in ("path", "port"))
                asks = fact(document, path, node) if path is not None else None
                number = self._named(port).number if port is not None else None
                headers = document.get(node, "httpGet", "httpHeaders") is not None
                timeout = self._number(node, "timeoutSeconds", 1)
                given = document.get(node, "timeoutSeconds") is not None
                patience = None if given else add.key(document, node, ["timeoutSeconds: 10"])
                yield Probe(_PROBES[key], document.span(name), seconds, asks, number, headers, timeout, patience)

    def _number(self, probe: Node, key: str, default: int) -> int | None:
        node = self.document.get(probe, key)
        return default if node is None else fact(self.document, node, probe).number

    def _service_ports(self) -> Iterator[Port]:
        if self.spec is None:
            return
        from speclint.hosts import services

        template = self.around[2].mapping if len(self.around) > 2 else None
        labels = self.document.get(template, "metadata", "labels")
        found = {key: self.document.string(value) for key, _, value in self._pairs(labels)}
        if self.kind == "LeaderWorkerSet":
            found[_NAMED_SET] = (self.place.object or "").partition("/")[2]
        names = [pair for c in self._items(self.spec.mapping, "containers") for pair in self._port_names(c)]
        yield from services.ports(self.document, found, dict(names))

    def _flag(self, name: str) -> bool | None:
        if self.spec is None:
            return None
        node = self.document.get(self.spec.mapping, name)
        if node is None:
            return False
        text = fact(self.document, node, self.spec.mapping).text
        return None if text is None else text.lower() in ("true", "yes", "on")

    def _pairs(self, mapping: Node | None) -> Iterator[tuple[str, Node, Node]]:
        if mapping is not None and mapping.id == "mapping":
            yield from self.document.pairs(mapping)

    def _items(self, mapping: Node, key: str) -> Iterator[Node]:
        node = self.document.get(mapping, key)
        if node is not None and node.id == "sequence":
            yield from (item for item in node.value if item.id == "mapping")

    def _mentioned(self) -> str:
        """The text of the pod but for the ports and probes of this container."""
        whole = self.spec.mapping if self.spec is not None else self.container
        pairs = self.document.pairs(self.container)
        return without(self.document, whole, [node for key, _, node in pairs if key in _PROBES or key == "ports"])


_TIMES = (("initialDelaySeconds", 0), ("periodSeconds", 10), ("failureThreshold", 3))
