"""Paths to models of which only the end is known: ``$ROOT/owner/name``, a folder of the Hugging Face cache."""

from __future__ import annotations

from speclint.value import Joined, Known, OneOf, Unknown
from speclint.worlds import resolve, settled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.setting import Setting
    from speclint.value import Choice

# What stands for text that is not known.
_HOLE = "\0"


class Ending(Unknown):
    """A path that is not known but for its end, which names the model like the whole of it would."""

    __slots__ = ("name",)

    def __init__(self, reason: str, name: str) -> None:
        super().__init__(reason)
        self.name = name


def told(doubt: Unknown, setting: Setting, world: Mapping[Choice, int]) -> Unknown:
    """The doubt about the value of a setting, with the end of it that is known none the less."""
    value = setting.value
    if isinstance(value, OneOf):
        value = settled(value, world)
    name = _end([resolve(part, world) for part in value.parts]) if isinstance(value, Joined) else None
    return doubt if name is None else Ending(doubt.reason, name)


def shown(value: object) -> str:
    """A value for people; ``?`` for what is not known of it."""
    if isinstance(value, Unknown):
        return f"…{value.name}" if isinstance(value, Ending) else "?"
    return str(value)


def _end(parts: list[Known | Unknown]) -> str | None:
    folders = "".join(part.text.text if isinstance(part, Known) else _HOLE for part in parts).rstrip("/").split("/")
    whole = [_HOLE not in folder for folder in folders]
    cached = next((f for f, known in zip(folders, whole, strict=True) if known and f.startswith("models--")), None)
    if cached is not None:
        return f"/{cached}"
    return "/" + "/".join(folders[-2:]) if len(folders) > 2 and all(whole[-2:]) and all(folders[-2:]) else None
