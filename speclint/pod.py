"""Where a launch runs: what a pod, a compose service or a ``docker run`` gives it and asks of it.

Facts only, each with its place; what they mean for SGLang is told by rules. What a file does not tell for sure (a
template's part, a variable) is None in a ``Fact``, and ``whole`` is false where others than this file may add to it.
"""

from __future__ import annotations

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from speclint.text import Span


class Fact(NamedTuple):
    """Something that is written: ``text`` is None where it is not known, ``span`` the characters to blame and edit."""

    text: str | None
    span: Span

    @property
    def number(self) -> int | None:
        """The text as a whole number, None where it is none."""
        return int(self.text) if self.text is not None and self.text.isascii() and self.text.isdigit() else None


class Port(NamedTuple):
    """A port that something outside counts on.

    ``kind``: "startup", "liveness" or "readiness" for a probe, "container" for ``containerPort``, "service" for a
    Service's target, "published" for one that a container engine forwards. ``local``: it is asked for from within the
    container.
    """

    kind: str
    number: Fact
    local: bool = False


class Probe(NamedTuple):
    """A probe that ends a container: ``seconds`` that the container has before it does; None where not known.

    ``kind`` as in Port; ``span`` is its key. ``asks``: the path that it asks for by HTTP, at ``port`` and with
    ``headers`` of its own. ``timeout``: the seconds that it waits for an answer, None where not known; ``patience``:
    what would make that longer, as text to be inserted at an empty span.
    """

    kind: str
    span: Span
    seconds: int | None
    asks: Fact | None = None
    port: int | None = None
    headers: bool = False
    timeout: int | None = None
    patience: Fact | None = None


class Pod:
    """The surroundings of one container.

    ``form``: "pod", "compose" or "docker"; ``workload``: the kind of the object ("Deployment"), or empty; ``span``:
    what starts it. ``whole``: nothing but this file makes it, so that what is missing here is missing. ``operated``:
    a program makes it from an object of its own kind, and may complete what it starts.

    ``gpus``: how many GPUs it gets, where ``gpus_by`` says so ("`nvidia.com/gpu`"). ``nodes``: the label by which its
    nodes are chosen and the values of which a node has one, where that tells the GPU. ``shared_memory``: whether
    ``/dev/shm`` is given, None where not known; ``unmounted``: the name of a volume in memory that no container mounts.
    ``host_network``: None where not known. ``mentioned``: text in which numbers of other ports may occur.

    ``size``: pods of one group (LeaderWorkerSet), ``copies``: pods that share these words, within a group where there
    are groups; None where not known. ``replicas``: how many pods a StatefulSet asks for, where it says so, and
    ``ordinals`` the variables that give each of them its number from 0 on. ``role``: "leader" or "worker" of a group,
    or empty. ``mounts``: what would mount memory at ``/dev/shm``, as texts to be inserted at empty spans; empty where
    that is not known. Both ``mentioned`` and ``mounts`` may be given as what tells them, which few findings ask for.
    """

    __slots__ = (
        "_mentioned", "_mounts", "copies", "form", "gpus", "gpus_by", "host_network", "nodes", "operated", "ordinals",
        "ports", "probes", "replicas", "role", "shared_memory", "size", "span", "unmounted", "whole", "workload",
    )  # fmt: skip

    def __init__(self, form: str, span: Span, workload: str = "", whole: bool = True) -> None:
        self.form = form
        self.workload = workload
        self.span = span
        self.whole = whole
        self.operated = False
        self.gpus: Fact | None = None
        self.gpus_by = ""
        self.nodes: tuple[str, tuple[str, ...]] | None = None
        self.shared_memory: bool | None = None
        self.unmounted: Fact | None = None
        self._mounts: Callable[[], Sequence[Fact]] | Sequence[Fact] = ()
        self.host_network: bool | None = None
        self.ports: Sequence[Port] = ()
        self.probes: Sequence[Probe] = ()
        self._mentioned: Callable[[], str] | str = ""
        self.size: Fact | None = None
        self.copies: int | None = None
        self.replicas: Fact | None = None
        self.ordinals: tuple[str, ...] = ()
        self.role = ""

    @property
    def mounts(self) -> Sequence[Fact]:
        """What would mount memory, see above."""
        found = self._mounts
        if callable(found):
            found = self._mounts = found()
        return found

    @mounts.setter
    def mounts(self, told: Callable[[], Sequence[Fact]] | Sequence[Fact]) -> None:
        self._mounts = told

    @property
    def mentioned(self) -> str:
        """Text with other ports, see above."""
        found = self._mentioned
        if callable(found):
            found = self._mentioned = found()
        return found

    @mentioned.setter
    def mentioned(self, told: Callable[[], str] | str) -> None:
        self._mentioned = told
