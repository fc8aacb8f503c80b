"""Options that a program hands on only where it has found that the SGLang it runs with has them."""

from __future__ import annotations

from speclint.lean import pattern, re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.sglang.setting import Setting

_VERSION = pattern(r"\bsgl[\w.]*version|version\W{1,3}sglang", re.IGNORECASE)
# What a condition looks into that asks for a name: the fields of ServerArgs, what --help prints.
_LISTS = pattern(r"\bhasattr\b|fields|\bServerArgs\b|signature|parameters|support|\bknown|avail|accept|\bhelp\b")
_WORD = pattern(r"(?<![\w.])[A-Za-z]\w*…?")
# Fewer letters of a name than this begin many.
_LEAST = 5


def asked(setting: Setting) -> bool:
    """Whether an option stands in a branch that asks for SGLang's release, or for the option itself.

    ``if "cuda_graph_bs" in fields: …``: that a release does not have it is what the branch is there for.
    """
    name = setting.flag.lstrip("-").replace("-", "_")
    for choice, arm in setting.guard:
        label = f"{choice.labels[arm]} {choice.asks}"
        # What stands where another option was not found is for the releases that do not have that one.
        if _VERSION.search(label) or (_LISTS.search(label) and ((arm and choice.asks) or _names(label, name))):
            return True
    return False


def _names(label: str, name: str) -> bool:
    """Whether a condition, of which a label may show no more than the start, holds a name by itself."""
    for word in _WORD.findall(label.replace("--", " ").replace("-", "_")):
        if word == name or (word.endswith("…") and len(word) > _LEAST and name.startswith(word[:-1])):
            return True
    return False
