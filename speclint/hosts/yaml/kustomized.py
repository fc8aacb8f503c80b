"""Images that a kustomization puts in for those of the manifests beside it: ``images: [{name, newName, newTag}]``.

What it builds on comes first, then its components, then what it says itself. Another one that builds on it may say
otherwise, as whoever installs a chart may.
"""

from __future__ import annotations

import os
from itertools import islice

from speclint.hosts.served import is_server_image
from speclint.hosts.yaml.node import entries, is_scalar
from speclint.lean import NamedTuple
from speclint.source import SourceError
from speclint.text import Mapped
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.hosts.yaml.document import Document
    from speclint.hosts.yaml.node import Node
    from speclint.hosts.yaml.place import Place
    from speclint.source import SourceFile
    from speclint.value import Value

NAMES = ("kustomization.yaml", "kustomization.yml", "Kustomization")
# How they are spelled that a kustomization builds on, what it patches them with, and what it adds to them.
_BELOW = ("bases", "resources")
_PATCHES = ("patches", "patchesStrategicMerge")
_ADDED = ("components",)
_FILES = (".yaml", ".yml", ".json")
# Nobody stacks more of them.
_MAX_READ = 40
# The file that was asked about last, with the kustomization beside it: every container of a file asks.
_asked: tuple[SourceFile, _Kustomization | None] | None = None
# The kustomization that was read last: the files of a folder share it.
_last: _Kustomization | None = None


class _Entry(NamedTuple):
    """One of ``images``: the name that it is for, and what it puts in; empty where it says nothing of that."""

    name: str
    new: str
    tag: str
    digest: str


class _Kustomization:
    """What one puts in for images that stand below it, in what it lists itself, and in its patches.

    Its components change what it lists before it is patched, and what it builds on was changed on its own.
    """

    def __init__(self, source: SourceFile) -> None:
        root = _root(source)
        self.source = source
        self.listed = frozenset(map(os.path.normpath, _paths(root, *_BELOW)))
        self.patches = frozenset(map(os.path.normpath, _paths(root, *_PATCHES)))
        self.all = list(_entries(source, root, {source.path}, (*_BELOW, *_ADDED)))
        self.of_listed = list(_entries(source, root, {source.path}, _ADDED))
        self.of_patches = list(_own(root))

    def entries(self, file: SourceFile, is_given: bool) -> list[_Entry]:
        """What it puts in where a file names an image, or leaves it to what it patches."""
        name = os.path.basename(file.path)
        if file is self.source or name in self.patches:
            return self.of_patches if is_given else self.all
        return self.of_listed if name in self.listed and is_given else []


def image(document: Document, place: Place, given: Value | None) -> Value | None:
    """The image that the kustomization of a container's file puts in; None where there is none, or it is not known.

    A patch may name no image: it is that of a server, where a single one is put in.
    """
    global _asked
    if given is not None and not isinstance(given, Known):
        return None
    where = document.span(place.mapping)
    if _asked is None or _asked[0] is not where.file:
        _asked = (where.file, _of(where.file))
    told = _asked[1].entries(where.file, given is not None) if _asked[1] is not None else []
    found = _applied(told, given.text.text if given is not None else "") if told else ""
    return Known(Mapped.new(found, where)) if found else None


def _of(file: SourceFile) -> _Kustomization | None:
    """The kustomization in the folder of a file, or the file as one."""
    global _last
    source = file if os.path.basename(file.path) in NAMES else _beside(file, "")
    if source is not None and (_last is None or _last.source is not source):
        _last = _Kustomization(source)
    return _last if source is not None else None


def _entries(source: SourceFile, root: Node | None, met: set[str], keys: Sequence[str]) -> Iterator[_Entry]:
    """What a kustomization puts in, in the order in which it does, after those that it lists under some keys.

    ``met``: those that were read.
    """
    folders = (path for path in _paths(root, *keys) if "://" not in path and not path.endswith(_FILES))
    for path in islice(folders, _MAX_READ):
        below = _beside(source, path) if len(met) < _MAX_READ else None
        inner = _root(below)
        if below is not None and inner is not None and below.path not in met:
            met.add(below.path)
            yield from _entries(below, inner, met, keys)
    yield from _own(root)


def _own(root: Node | None) -> Iterator[_Entry]:
    listed = entries(root).get("images")
    for item in listed.value if listed is not None and listed.id == "sequence" else ():
        told = {key: str(node.value) for key, node in entries(item).items() if is_scalar(node)}
        yield _Entry(told.get("name", ""), told.get("newName", ""), told.get("newTag", ""), told.get("digest", ""))


def _paths(root: Node | None, *keys: str) -> Iterator[str]:
    """The files and folders that a kustomization lists under some keys."""
    for key in keys:
        listed = entries(root).get(key)
        for item in listed.value if listed is not None and listed.id == "sequence" else ():
            path = entries(item).get("path") if item.id == "mapping" else item
            if path is not None and is_scalar(path):
                yield str(path.value)


def _beside(file: SourceFile, folder: str) -> SourceFile | None:
    """The kustomization of a folder, seen from that of a file."""
    from speclint import beside

    return beside.read(file, *(os.path.join(folder, name) for name in NAMES))


def _root(source: SourceFile | None) -> Node | None:
    if source is None:
        return None
    from speclint.hosts.yaml import compose

    text = Mapped.of(source)
    try:
        return next(compose(text, 0, len(text)), None)
    except SourceError:
        return None


def _applied(told: list[_Entry], given: str) -> str:
    """What becomes of an image, or of that which a patch does not name; empty where nothing does, or it is not told."""
    reference, _, digest = given.partition("@")
    name, tag = reference, ""
    if ":" in reference.rpartition("/")[2]:
        name, _, tag = reference.rpartition(":")
    changed = False
    for one in told:
        if name and one.name == name:
            name = one.new or name
        elif not given and one.new and is_server_image(one.new):
            if name:
                return ""  # one of two
            name = one.new
        else:
            continue
        changed = True
        if one.tag or one.digest:
            tag, digest = one.tag, one.digest
    if not changed:
        return ""
    return name + (f":{tag}" if tag else "") + (f"@{digest}" if digest else "")
