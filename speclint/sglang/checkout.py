"""SGLang's own repository: what is launched in it runs the code that lies there, which is no release.

The releases between which it lies are told by its options: those that its parser names, held against the catalogue.
"""

from __future__ import annotations

import os

from speclint.beside import PARSER
from speclint.lean import re
from speclint.sglang import catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

_GROUPS = os.path.join("python", "sglang", "srt", "arg_groups")
_STRING = r"[\"'](--[a-z0-9][a-z0-9-]*|[\w.-]+)[\"']"
# A field that is an option by its name.
_FIELD = r"^    ([a-z]\w*): A\["
_MAX_FILE = 4 * 1024 * 1024


def is_root(folder: str, names: set[str]) -> bool:
    """Whether a folder, which holds ``names``, is the root of SGLang's repository."""
    return "python" in names and os.path.isfile(os.path.join(folder, PARSER))


def options(root: str) -> frozenset[str]:
    """Every option string that the checkout's parser may take, and every word that may be a choice of one.

    Some more, where the text does not tell.
    """
    found: set[str] = set()
    for path in _sources(root):
        try:
            with open(path, "rb") as stream:
                text = stream.read(_MAX_FILE).decode("utf-8", "replace")
        except OSError:
            continue
        found.update(re.findall(_STRING, text))
        found.update("--" + name.replace("_", "-") for name in re.findall(_FIELD, text, re.MULTILINE))
    return frozenset(found)


def between(taken: frozenset[str]) -> tuple[str, str | None]:
    """The release whose options are the nearest to those of a checkout, and the one behind it."""
    releases = catalog.known()
    every = [frozenset(catalog.release(version).options) for version in releases]
    known = taken & frozenset().union(*every)

    def likeness(at: int) -> tuple[float, int]:
        return len(known & every[at]) / max(1, len(known | every[at])), at

    best = max(range(len(releases)), key=likeness)
    return releases[best], releases[best + 1] if best + 1 < len(releases) else None


def _sources(root: str) -> Iterator[str]:
    yield os.path.join(root, PARSER)
    for folder, _, names in os.walk(os.path.join(root, _GROUPS)):
        yield from (os.path.join(folder, name) for name in sorted(names) if name.endswith(".py"))
