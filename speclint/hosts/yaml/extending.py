"""Services of compose that extend another: by what they say themselves, over what that one says."""

from __future__ import annotations

from speclint.hosts.yaml.node import entries, is_scalar
from speclint.text import Mapped
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.value import Value

    Pair = tuple[str, Node, Node]

# A longer chain is none that anybody wrote.
_MAX_CHAIN = 16
# What is put together from both.
_TOGETHER = frozenset(("environment",))


def bases(root: Node) -> dict[int, Node]:
    """The service that each one extends which stands in the same file, by the identity of its mapping."""
    services = entries(entries(root).get("services"))
    found: dict[int, Node] = {}
    for service in services.values():
        file, name = _reference(entries(service).get("extends"))
        base = services.get(name) if not file else None
        if base is not None and base.id == "mapping":
            found[id(service)] = base
    return found


def chain(mapping: Node, known: Mapping[int, Node]) -> Iterator[Node]:
    """What a service extends, what that extends in turn, and so on."""
    met = {id(mapping)}
    base = known.get(id(mapping))
    while base is not None and id(base) not in met and len(met) < _MAX_CHAIN:
        yield base
        met.add(id(base))
        base = known.get(id(base))


def over(own: Iterable[Pair], base: Iterable[Pair]) -> list[Pair]:
    """The entries of a service with those that it does not have itself."""
    found, base = list(own), list(base)
    keys = {key for key, _, _ in found}
    first = [pair for pair in base if pair[0] in _TOGETHER and pair[0] in keys]
    return [*first, *found, *(pair for pair in base if pair[0] not in keys)]


def image(document: Document, service: Node) -> Value | None:
    """The image of a service in another file which this one extends, told to be written where that is named."""
    node = document.get(service, "extends")
    file, name = _reference(node)
    if node is None or not file:
        return None
    from speclint import beside
    from speclint.hosts.yaml import compose
    from speclint.source import SourceError

    place = document.span(node)
    source = beside.read(place.file, file)
    if source is None:
        return None
    text = Mapped.of(source)
    try:
        roots = list(compose(text, 0, len(text)))
    except SourceError:
        return None
    services = entries(entries(roots[0] if roots else None).get("services"))
    base = services.get(name)
    known = bases(roots[0]) if base is not None else {}
    for one in (base, *chain(base, known)) if base is not None else ():
        found = entries(one).get("image")
        if found is not None and is_scalar(found) and "$" not in str(found.value):
            return Known(Mapped.new(str(found.value), place))
    return None


def _reference(node: Node | None) -> tuple[str, str]:
    """The file and the name that ``extends`` gives; each empty where there is none."""
    if node is not None and is_scalar(node):
        return "", str(node.value)
    parts = [entries(node).get(key) for key in ("file", "service")]
    file, name = (str(part.value) if part is not None and is_scalar(part) else "" for part in parts)
    return file, name
