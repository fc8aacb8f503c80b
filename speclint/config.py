"""Settings: those of the command line over those of the nearest configuration file.

A file is ``speclint.toml``, ``[tool.speclint]`` in ``pyproject.toml`` or ``[speclint]`` in ``setup.cfg``, in that order
within a folder. It is looked up for every linted file, from its folder upwards, and files do not add up. Paths and
patterns in it are relative to its folder. Nothing in it can make speclint run code.
"""

from __future__ import annotations

import os

from speclint.settings import KEYS, ConfigError, Settings, clipped, nearest, read_value, versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

FILES = ("speclint.toml", "pyproject.toml", "setup.cfg")
_TABLES = ("models", "per-file-ignores")


class Configs:
    """Settings for files: each folder's configuration is read once.

    ``given`` are the values of the command line by key; ``isolated`` leaves every configuration file alone;
    ``config`` names the one file that holds instead of those that would be found, or is ``KEY=VALUE`` in TOML.
    """

    def __init__(
        self, given: Mapping[str, Any] | None = None, isolated: bool = False, config: Sequence[str] = ()
    ) -> None:
        self._given = dict(given or {})
        self._folders: dict[str, Settings] = {}
        self._shown: dict[str, Settings] = {}  # by the folder as it is told
        self._fixed: Settings | None = None
        files = [item for item in config if os.path.exists(item) or "=" not in item]
        self._inline = [item for item in config if item not in files]
        if len(files) > 1:
            raise ConfigError("only one configuration file can be given with --config")
        if files and isolated:
            raise ConfigError("--config FILE and --isolated exclude each other")
        if files:
            path = os.path.abspath(files[0])
            self._fixed = self._settings(os.getcwd(), path, _load(path, files[0], whole=True) or {})
        elif isolated:
            self._fixed = self._settings(os.getcwd(), None, {})

    def for_file(self, path: str) -> Settings:
        """The settings of a file, whether it exists or not."""
        if self._fixed is not None:
            return self._fixed
        folder = os.path.dirname(path)
        found = self._shown.get(folder)
        if found is None:
            found = self._shown[folder] = self.for_folder(os.path.abspath(folder))
        return found

    def for_folder(self, folder: str) -> Settings:
        """The settings of the files in a folder, given as an absolute path."""
        if self._fixed is not None:
            return self._fixed
        found = self._folders.get(folder)
        if found is None:
            found = self._read(folder)
            if found is None:
                parent = os.path.dirname(folder)
                found = self._settings(os.getcwd(), None, {}) if parent == folder else self.for_folder(parent)
            self._folders[folder] = found
        return found

    def _read(self, folder: str) -> Settings | None:
        for name in FILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                values = _load(path, path, whole=name == "speclint.toml")
                if values is not None:
                    return self._settings(folder, path, values)
        return None

    def _settings(self, root: str, path: str | None, values: Mapping[str, Any]) -> Settings:
        settings = Settings(root, path)
        for key, value in values.items():
            where = _shown(path) if path else "configuration"
            setattr(settings, _attribute(key, where), read_value(key, value, where))
        settings.rules = tuple(os.path.join(root, folder) for folder in settings.rules)
        if settings.baseline is not None:
            settings.baseline = os.path.join(root, settings.baseline)
        for item in self._inline:
            for key, value in _inline(item).items():
                setattr(settings, _attribute(key, "--config"), read_value(key, value, f"--config {key}"))
        given = self._given
        if "select" in given and "ignore" not in given:
            # The command line's choice of rules replaces the whole choice of the file, as in ruff.
            settings.ignore = ()
            settings.extend_select = ()
        for key, value in given.items():
            if key == "sglang-version":
                settings.fallback_version, settings.upgrade_version = versions(value)
            elif key in ("extend-select", "extend-exclude"):
                name = key.replace("-", "_")
                setattr(settings, name, getattr(settings, name) + value)
            else:
                setattr(settings, key.replace("-", "_"), value)
        return settings


def _attribute(key: str, where: str) -> str:
    if key in KEYS:
        return key.replace("-", "_")
    near = nearest(key, KEYS)
    raise ConfigError(f"{where}: unknown key `{clipped(key)}`" + (f"; did you mean `{near}`?" if near else ""))


def _shown(path: str) -> str:
    """A path as short as it can be said."""
    relative = os.path.relpath(path)
    return path if relative.startswith("..") else relative


def _load(path: str, name: str, whole: bool) -> dict[str, Any] | None:
    """The table of a configuration file; None where it holds none. ``whole``: a file that is nothing else."""
    try:
        with open(path, "rb") as stream:
            raw = stream.read()
    except OSError as error:
        raise ConfigError(f"{_shown(name)}: cannot be read: {error.strerror}") from None
    if b"speclint" not in raw and not (whole and path.endswith("speclint.toml")):
        # Most pyproject.toml have nothing to say here, and reading TOML costs more than looking.
        if not whole:
            return None
        if os.path.basename(path) in FILES:
            raise ConfigError(f"{_shown(name)}: no section for speclint")
    if path.endswith(".cfg"):
        return _load_cfg(raw, name)
    return _load_toml(raw, name, os.path.basename(path) == "pyproject.toml")


def _load_toml(raw: bytes, name: str, project: bool) -> dict[str, Any] | None:
    try:
        data = _toml(raw.decode("utf-8-sig"))
    except ValueError as error:
        raise ConfigError(f"{_shown(name)}: {error}") from None
    if not project:
        return data
    tool = data.get("tool")
    table = tool.get("speclint") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise ConfigError(f"{_shown(name)}: `tool.speclint` must be a table")
    return table


def _load_cfg(raw: bytes, name: str) -> dict[str, Any] | None:
    import configparser

    parser = configparser.ConfigParser(interpolation=None)
    try:
        parser.read_string(raw.decode("utf-8-sig"))
    except (configparser.Error, ValueError) as error:
        raise ConfigError(f"{_shown(name)}: {' '.join(str(error).split())}") from None
    if not parser.has_section("speclint"):
        return None
    return {
        key: _rows(value, f"{_shown(name)}: `{key}`") if key in _TABLES else value
        for key, value in parser.items("speclint")
    }


def _rows(value: str, where: str) -> dict[str, str]:
    """Rows ``NAME: VALUE`` (or ``NAME = VALUE``), as setup.cfg writes tables."""
    table: dict[str, str] = {}
    for row in value.splitlines():
        if not row.strip():
            continue
        name, mark, rest = row.partition("=") if "=" in row else row.rpartition(":")
        if not mark or not name.strip():
            raise ConfigError(f"{where}: a row must read `NAME: VALUE`, not {row.strip()!r}")
        table[name.strip()] = rest.strip()
    return table


def _inline(item: str) -> dict[str, Any]:
    try:
        return _toml(item)
    except ValueError as error:
        told = clipped(repr(item))
        raise ConfigError(f"--config: neither a file nor `KEY=VALUE` in TOML: {told} ({error})") from None


def _toml(text: str) -> dict[str, Any]:
    import sys

    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        table: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return table
