"""What can be set, on the command line or in a configuration file: the keys, their values and their defaults."""

from __future__ import annotations

import os

from speclint.globs import Globs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

FORMATS = ("text", "concise", "json", "github", "sarif", "gitlab", "junit", "rdjson", "markdown")
# The formats that tell of launches, not only of findings.
NEED_LAUNCHES = frozenset(("gitlab", "junit", "sarif"))
FAIL_ON = ("error", "warning", "info", "never")
# What ruff leaves out of a walk, and for the same reason: none of it is the user's own text.
EXCLUDE = (
    ".bzr", ".direnv", ".eggs", ".git", ".git-rewrite", ".hg", ".ipynb_checkpoints", ".mypy_cache", ".nox", ".pants.d",
    ".pyenv", ".pytest_cache", ".pytype", ".ruff_cache", ".svn", ".tox", ".venv", ".vscode", "__pycache__",
    "__pypackages__", "_build", "buck-out", "dist", "node_modules", "site-packages", "venv",
)  # fmt: skip
# How much of a wrong value is told.
_TOLD = 100


class ConfigError(Exception):
    """A configuration or a command line that cannot be followed; ``str()`` says where and why."""


class Settings:
    """What holds for one file; see ``KEYS`` for the meaning of each.

    ``root`` is the folder that patterns and paths of the configuration are relative to, ``path`` its file or None.
    ``stated_version`` is the release of the configuration, ``fallback_version`` that of the command line,
    ``upgrade_version`` the one whose new findings are asked for.
    """

    def __init__(self, root: str, path: str | None = None) -> None:
        self.root = root
        self.path = path
        self.baseline: str | None = None
        self.exclude: tuple[str, ...] = EXCLUDE
        self.extend_exclude: tuple[str, ...] = ()
        self.extend_select: tuple[str, ...] = ()
        self.fail_on = "warning"
        self.fallback_version: str | None = None
        self.upgrade_version: str | None = None
        self.fix = False
        self.force_exclude = False
        self.ignore: tuple[str, ...] = ()
        self.jobs = 0
        self.models: dict[str, str] = {}
        self.output_format: str | None = None
        self.per_file_ignores: dict[str, tuple[str, ...]] = {}
        self.quiet = False
        self.respect_gitignore = True
        self.rules: tuple[str, ...] = ()
        self.select: tuple[str, ...] | None = None
        self.show_unknown = False
        self.sglang_version: str | None = None
        self.statistics = False
        self.unsafe_fixes = False

    def ignored_for(self, path: str) -> tuple[str, ...]:
        """The selectors that ``per-file-ignores`` names for a file."""
        if not self.per_file_ignores:
            return ()
        relative = relative_to(self.root, path)
        found: list[str] = []
        for pattern, codes in self.per_file_ignores.items():
            inverted = pattern.startswith("!")
            if Globs([pattern[1:] if inverted else pattern]).covers(relative) is not inverted:
                found.extend(codes)
        return tuple(found)


def relative_to(root: str, path: str) -> str:
    """``path`` relative to the folder ``root``, with ``/``; the whole path where it lies outside."""
    path = os.path.abspath(path)
    relative = os.path.relpath(path, root) if os.path.splitdrive(path)[0] == os.path.splitdrive(root)[0] else path
    return relative.replace(os.sep, "/")


def _codes(value: Any) -> tuple[str, ...]:
    items = value.replace(",", "\n").split("\n") if isinstance(value, str) else value
    if not isinstance(items, (list, tuple)) or not all(isinstance(item, str) for item in items):
        raise ValueError("a list of strings")
    return tuple(item.strip() for item in items if item.strip())


def _truth(value: Any) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false", "yes", "no", "on", "off", "1", "0"):
        return value.strip().lower() in ("true", "yes", "on", "1")
    if not isinstance(value, bool):
        raise ValueError("true or false")
    return value


def _jobs(value: Any) -> int:
    if isinstance(value, str) and value.strip() == "auto":
        return 0
    try:
        number = int(value)
    except (TypeError, ValueError, OverflowError):
        number = 0
    if number < 1 or isinstance(value, (bool, float)):
        raise ValueError("a number from 1, or `auto`")
    return number


def _one_of(words: Sequence[str]) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if value not in words:
            raise ValueError("one of " + ", ".join(f"`{word}`" for word in words))
        return str(value)

    return read


def _version(value: Any) -> str:
    from speclint.sglang.versions import parse

    try:
        if not isinstance(value, str):
            raise ValueError
        parse(value)
    except ValueError:
        raise ValueError("a release of SGLang such as `0.5.9`") from None
    return value.strip().removeprefix("v")


def versions(value: str) -> tuple[str, str | None]:
    """What ``--sglang-version`` says: a release, and for ``V..W`` the one to upgrade to. Raises ConfigError."""
    now, dots, then = value.partition("..")
    where = "--sglang-version"
    if dots and not (now and then):
        raise ConfigError(f"{where} must be a release of SGLang, or V..W for an upgrade from V to W, not {value!r}")
    first = read_value("sglang-version", now, where)
    if not dots:
        return first, None
    from speclint.sglang.versions import parse

    last = read_value("sglang-version", then, where)
    if parse(last) < parse(first):
        raise ConfigError(f"{where} {value}: {then} is older than {now}, so that is no upgrade")
    return first, last


def _path(value: Any) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError("the path of a file")
    return value


def _paths(value: Any) -> tuple[str, ...]:
    paths = _codes(value)
    if any("\0" in path for path in paths):
        raise ValueError("a list of paths")
    return paths


def _table(value: Any) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(item, str) for item in value.values()):
        raise ValueError("a table of strings")
    return dict(value)


def _table_of_codes(value: Any) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError("a table from patterns to lists of codes")
    return {str(pattern): _codes(codes) for pattern, codes in value.items()}


# Key -> how its value is read. The keys mirror the options of the command line.
KEYS: dict[str, Callable[[Any], Any]] = {
    "baseline": _path,
    "exclude": _codes,
    "extend-exclude": _codes,
    "extend-select": _codes,
    "fail-on": _one_of(FAIL_ON),
    "fix": _truth,
    "force-exclude": _truth,
    "ignore": _codes,
    "jobs": _jobs,
    "models": _table,
    "output-format": _one_of(FORMATS),
    "per-file-ignores": _table_of_codes,
    "quiet": _truth,
    "respect-gitignore": _truth,
    "rules": _paths,
    "select": _codes,
    "sglang-version": _version,
    "show-unknown": _truth,
    "statistics": _truth,
    "unsafe-fixes": _truth,
}


def read_value(key: str, value: Any, where: str) -> Any:
    """The value of a key, checked. Raises ConfigError that names ``where`` it was written."""
    try:
        return KEYS[key](value)
    except ValueError as error:
        name = where if where.startswith("--") else f"{where}: `{key}`"
        raise ConfigError(f"{name} must be {error}, not {_shown(value)}") from None


def _shown(value: Any) -> str:
    """A value as it is told: a line of it, however much there is."""
    try:
        return clipped(repr(value))
    except (ValueError, RecursionError):  # a number of thousands of digits, and what holds one
        return "that"


def clipped(text: str) -> str:
    """Text that is told in a message, no longer than a line."""
    return text if len(text) <= _TOLD else f"{text[:_TOLD]}…"


def nearest(word: str, words: Sequence[str] | Mapping[str, Any]) -> str | None:
    """The one of ``words`` that is most like ``word``; None if none is near."""
    from difflib import get_close_matches

    found = get_close_matches(word.replace("_", "-").lower(), list(words), 1, 0.5)
    return found[0] if found else None
