"""``--show-settings``: what holds for a file, and where that was set."""

from __future__ import annotations

from speclint.report.json import dump
from speclint.settings import KEYS, Settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any


def text(found: Iterable[tuple[str, Settings]]) -> str:
    """The keys of each path as TOML has them; what is not the default is marked."""
    return "\n".join(_one(path, settings) for path, settings in found)


def to_json(found: Iterable[tuple[str, Settings]]) -> str:
    """The same as an array."""
    return dump([{"path": path, "configuration": item.path, "settings": values(item)} for path, item in found])


def values(settings: Settings) -> dict[str, Any]:
    """Each key with its value."""
    found = {key: getattr(settings, key.replace("-", "_")) for key in KEYS}
    found["sglang-version"] = settings.sglang_version or settings.fallback_version
    found["jobs"] = settings.jobs or "auto"
    return found


def _one(path: str, settings: Settings) -> str:
    usual = values(Settings(settings.root))
    lines = [f"# {path}: {settings.path or 'no configuration file'}"]
    for key, value in values(settings).items():
        mark = "" if value == usual[key] else "  # set"
        lines.append(f"# {key}: not set" if value is None else f"{key} = {_toml(value)}{mark}")
    return "".join(f"{line}\n" for line in lines)


def _toml(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml(key)} = {_toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (tuple, list)):
        return "[" + ", ".join(map(_toml, value)) + "]"
    if isinstance(value, str):
        from json import dumps

        return dumps(value, ensure_ascii=False)
    return str(value)
