"""What ``basename`` and ``dirname`` print of paths that are known."""

from __future__ import annotations

from speclint.text import Mapped
from speclint.value import Known, OneOf
from speclint.worlds import combine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.value import Value
    from speclint.words import Word


def printed(name: str, words: Sequence[Word]) -> Value | None:
    """What one of the two prints, without the end of its line; None where that is not told."""
    words = words[1:] if words and words[0].text == "--" else words
    if not 0 < len(words) <= (2 if name == "basename" else 1):
        return None
    if any(word.many or word.guard or word.prefix.startswith("-") for word in words):
        return None

    def made(known: Sequence[Known]) -> Value:
        texts = [part.text.text for part in known]
        return Known(Mapped.new(_last(*texts) if name == "basename" else _folder(*texts)), known[0].steps)

    value = combine([word.value for word in words], made)
    return value if isinstance(value, Known | OneOf) else None


def _last(path: str, suffix: str = "") -> str:
    name = path.rstrip("/").rpartition("/")[2] or path[:1]
    return name.removesuffix(suffix) if name != suffix else name


def _folder(path: str) -> str:
    if not path.rstrip("/"):
        return path[:1] or "."
    above, slash, _ = path.rstrip("/").rpartition("/")
    return above.rstrip("/") or "/" if slash else "."
