"""Launches of the other files that a kustomization applies together with the file of a launch.

Source: the reference of Kustomize (``resources`` lists files; patches, replacements and components change what they
say, so that nothing is known of a kustomization that has any).
"""

from __future__ import annotations

from speclint import beside, hosts
from speclint.hosts.nested import commands
from speclint.hosts.yaml.kustomized import NAMES
from speclint.launch import launches
from speclint.lean import pattern
from speclint.source import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.launch import Launch
    from speclint.source import SourceFile

_LISTED = pattern(r"(?m)^\s*-\s+['\"]?(?:\./)?([\w.-]+\.ya?ml)['\"]?\s*(?:#.*)?$")
_CHANGING = pattern(r"(?m)^(?:patches\w*|replacements|components|transformers|helmCharts|vars|bases)\s*:")
# A deployment that people write has fewer parts.
_MOST = 16


def applied_with(launch: Launch) -> Iterator[Launch]:
    """Launches in the other files of the kustomization in the folder of the launch's file."""
    file = launch.file
    if launch.command.host != "kubernetes":
        return
    own = file.path.replace("\\", "/").rpartition("/")[2]
    listed = next((names for name in NAMES if (names := _resources(file, name))), ())
    if own not in listed or len(listed) > _MOST:
        return
    for name in listed:
        other = beside.read(file, name) if name != own else None
        if other is not None:
            yield from _launches(other)


def _resources(file: SourceFile, name: str) -> tuple[str, ...]:
    """The files of this folder that a kustomization lists, where it takes them as they are."""
    found = beside.read(file, name)
    if found is None or _CHANGING.search(found.text):
        return ()
    return tuple(dict.fromkeys(match[1] for match in _LISTED.finditer(found.text)))


def _launches(file: SourceFile) -> Iterator[Launch]:
    try:
        yield from launches(inner for outer in hosts.read(file, "yaml", []) for inner in commands(outer))
    except SourceError:
        return
