"""The options that a module names as elements of lists: what its text tells of a module that names nothing else."""

from __future__ import annotations

from speclint.hosts.python import triggers
from speclint.lean import pattern, re

# An option in quotes, as far as it is written out.
_QUOTED = pattern(r"[\"']--([\w-]*)([^\w-]|\Z)")


def of_lists(text: str) -> list[int] | None:
    """Where options stand that only SGLang has, in a module that names options alone, one of which then has to be an
    element of a list; None if it may hold a dictionary of options, or call a class of SGLang's by another name.
    """
    from speclint.hosts.python.fragments import names_options

    return None if names_options(text) or hands_on(text) else own(text)


def own(text: str) -> list[int]:
    """Where options stand in quotes that only SGLang has."""
    return [at for quote in ('"--', "'--") for at in triggers.every(text, quote) if _is_ours(text, at)]


def hands_on(text: str) -> bool:
    """Whether a class of SGLang's may be called under another name."""
    named = triggers.imported(text, triggers.every(text, "sglang"))
    return any(n in named and re.search(rf"[=(,\[]\s*{n}\s*[,)\]\n]", text) for n in triggers.CLASSES)


def _is_ours(text: str, at: int) -> bool:
    """Whether an option in quotes may be one that only SGLang has."""
    from speclint.marked import is_own

    found = _QUOTED.match(text, at)
    if found is None or not found[1] or found[2] in ("{", "%"):
        return True
    return found[2] in ("=", "'", '"') and is_own(found[1])
