"""What a compose file gives a service: GPUs, shared memory, network, ports, and how its health is asked.

Source: the Compose specification (services: ``shm_size``, ``ipc``, ``ports``, ``gpus``, ``deploy.resources``); how it
splits a string into words: mattn/go-shellwords, which compose-go calls.
"""

from __future__ import annotations

from speclint.hosts.pods import asked_port, fact, without
from speclint.hosts.yaml.node import is_scalar
from speclint.lean import pattern
from speclint.pod import Fact, Pod, Port
from speclint.text import Mapped

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place

# [[address:]published:]target[/protocol]; ranges are left alone.
PUBLISHED = pattern(r"(?:(?:(?:[\d.]+|\[[\da-f:]+\]):)?(?:\d+|\d+-\d+)?:)?(\d+)(?:/(?:tcp|udp))?")
# What a quote or a backslash takes to be plain, and line breaks.
LINE_BREAK = pattern(r"'[^']*'|\"(?:\\[\s\S]|[^\"\\])*\"|\\[\s\S]|\n")
_QUOTED = pattern(r"'[^']*'|\"(?P<inner>(?:\\[\s\S]|[^\"\\])*)\"|\\[\s\S]")
_ESCAPED = pattern(r"\\(?:[$`\"\\]|(?P<char>[\s\S]))")
_CONTROL = {"n": "\n", "t": "\t"}
_COMMENT = pattern(r"(?<!\S)#")
_MEMORY = ("shm_size", "ipc")


def read(document: Document, place: Place) -> Pod:
    """The surroundings of a service; ``place`` is its mapping."""
    service = place.mapping
    keys = {key for key, _, _ in document.pairs(service)}
    plain = not document.rendered.regions and not document.rendered.marks and "extends" not in keys
    # What stands deeper is a part of some other program's file, and so is what no compose reads.
    whole = plain and "image" in keys and place.key == "services" and place.host == "compose"
    found = Pod("compose", document.span(service), "", whole)
    devices = document.get(service, "deploy", "resources", "reservations", "devices")
    for device in devices.value if devices is not None and devices.id == "sequence" else ():
        _count(document, device, service, found)
    if not keys.isdisjoint(_MEMORY) or any("/dev/shm" in text for text in _mounts(document, service)):
        found.shared_memory = True
    elif found.whole:
        found.shared_memory = False
    network = document.get(service, "network_mode")
    found.host_network = False if network is None else fact(document, network, service).text == "host"
    found.ports = (*_published(document, service), *_health(document, service))
    asked = [node for key, _, node in document.pairs(service) if key in ("ports", "healthcheck")]
    found.mentioned = lambda: without(document, service, asked)
    return found


def one_line(text: Mapped) -> Mapped:
    """A command as it is split: a line break is one blank more, but in quotes or behind a backslash.

    A backslash in double quotes goes from before any character, also a line break, which stays; a shell would keep it.
    What seems to hold comments stays as it is: compose knows none, and whoever wrote them meant a shell.
    """
    if _COMMENT.search(text.text):
        return text
    if "\\" in text.text:
        text = _unescaped(text)
    return Mapped(LINE_BREAK.sub(lambda m: " " if m.group() == "\n" else m.group(), text.text), text.pieces)


def _unescaped(text: Mapped) -> Mapped:
    parts: list[Mapped] = []
    at = 0
    for quoted in _QUOTED.finditer(text.text):
        for found in _ESCAPED.finditer(text.text, *quoted.span("inner")) if quoted["inner"] is not None else ():
            if found["char"] is None:
                continue
            parts.append(text[at : found.start()])
            at = found.end()
            char = _CONTROL.get(found["char"])
            parts.append(text[at - 1 : at] if char is None else Mapped.new(char, text.place(*found.span())))
    return Mapped.join([*parts, text[at:]]) if parts else text


def published(text: Mapped) -> Fact | None:
    """The container's port in a mapping of ports; None where it is none that is understood."""
    found = PUBLISHED.fullmatch(text.text.strip())
    if found is None or text.text != text.text.strip():
        return None
    span = text.exact(*found.span(1)) or text.span(*found.span(1))
    return Fact(found[1], span) if span is not None else None


def _count(document: Document, device: Node, service: Node, found: Pod) -> None:
    ids, count = document.get(device, "device_ids"), document.get(device, "count")
    if ids is not None and ids.id == "sequence":
        listed = all(is_scalar(item) and "$" not in str(item.value) for item in ids.value)
        found.gpus, found.gpus_by = Fact(str(len(ids.value)) if listed else None, document.span(ids)), "`device_ids`"
    elif count is not None:
        found.gpus, found.gpus_by = fact(document, count, service), "`count`"


def _mounts(document: Document, service: Node) -> Iterator[str]:
    for key in ("volumes", "tmpfs"):
        node = document.get(service, key)
        if node is not None:
            yield document.rendered.text.text[document.start(node) : document.end(node)]


def _published(document: Document, service: Node) -> Iterator[Port]:
    listed = document.get(service, "ports")
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        target = document.get(item, "target")
        if target is not None:
            yield Port("published", fact(document, target, service))
        elif is_scalar(item):
            told = published(document.text(item))
            yield Port("published", told or Fact(None, document.span(item)))


def _health(document: Document, service: Node) -> Iterator[Port]:
    test = document.get(service, "healthcheck", "test")
    for node in test.value if test is not None and test.id == "sequence" else (test,):
        told = asked_port(document.text(node)) if node is not None and is_scalar(node) else None
        if told is not None:
            yield Port("health", told, True)
