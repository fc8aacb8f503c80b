"""Other objects of a file of manifests: Services that send to a pod, ConfigMaps that it takes variables from."""

from __future__ import annotations

from itertools import pairwise

from speclint.hosts.yaml.document import Document
from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from speclint.hosts.yaml.template import Rendered

# In a list of objects, or in JSON, it begins no line.
_KINDS = {kind: pattern(rf"kind[\"']?:[ \t]*[\"']?{kind}\b") for kind in ("Service", "ConfigMap")}
_DOCUMENT = pattern(r"^---(?=\s|$)", re.MULTILINE)
# Those of the text that was asked about last, by kind and name: every launch of a file asks.
_last: tuple[Rendered, dict[str, dict[str, list[Document]]]] | None = None


def of_kind(document: Document, kind: str) -> Mapping[str, Sequence[Document]]:
    """The objects of a kind in the text that a document is a part of, each as a document of its own, by their names."""
    global _last
    if _last is None or _last[0] is not document.rendered:
        _last = (document.rendered, {})
    found = _last[1].get(kind)
    if found is None:
        found = _last[1][kind] = {}
        for one in _read(document, kind):
            found.setdefault(one.string(one.get(one.root, "metadata", "name")), []).append(one)
    return found


def _read(document: Document, kind: str) -> Iterator[Document]:
    text = document.rendered.text.text
    named = _KINDS[kind]
    if named.search(text) is None:
        return
    starts = [0, *(found.start() for found in _DOCUMENT.finditer(text)), len(text)]
    for start, end in pairwise(starts):
        if named.search(text, start, end) is not None:
            yield from _of_chunk(document, kind, start, end)


def _of_chunk(document: Document, kind: str, start: int, end: int) -> Iterator[Document]:
    from speclint.hosts.yaml import compose
    from speclint.source import SourceError

    if start <= document.start(document.root) and document.limit(document.root) <= end:
        whole = [document]
    else:
        rendered = document.rendered
        try:
            roots = list(compose(rendered.text, start, end))
        except SourceError:
            return
        whole = [Document(rendered, start, end, root, document.clean) for root in roots]
    for one in whole:
        listed = one.get(one.root, "items")
        for node in listed.value if listed is not None and listed.id == "sequence" else (one.root,):
            if one.string(one.get(node, "kind")) == kind:
                yield Document(one.rendered, one.base, end, node, one.clean)
