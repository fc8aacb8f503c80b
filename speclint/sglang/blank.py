"""A launch that is not known to write anything: what SGLang makes of it holds for all that write none of what counts.

Whatever is asked of it is noted by its name. ``env.X`` and ``env`` are a variable and any, ``pod`` and ``image`` what
the file tells of the surroundings.
"""

from __future__ import annotations

from speclint.sglang.options import Options
from speclint.sglang.resolve import View

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from speclint.sglang.catalog import Release
    from speclint.sglang.resolve import Derived
    from speclint.value import Unknown


class UntoldError(Exception):
    """What a launch that writes nothing cannot tell was asked of it."""


def view(release: Release, read: set[str], absent: Unknown | None = None) -> View:
    """Such a launch in a release; ``read`` gets the names, ``absent`` is why it may write more after all."""
    options: Any = _Blank(release, read, absent)
    return View(options, {}, lambda _: None)


def derived(release: Release, name: str) -> tuple[frozenset[str], Derived] | None:
    """What SGLang derives where nothing is written that counts for it, and the names of what counts."""
    read: set[str] = set()
    try:
        found = view(release, read).derived(name)
    except UntoldError:
        return None
    return frozenset(read), found


class _Blank:
    """Its options; ``read``: what is asked for."""

    by_dest: dict[str, Any] = {}
    closed = False  # so that it is asked
    maybe = by_dest

    def __init__(self, release: Release, read: set[str], absent: Unknown | None) -> None:
        self.read = read
        self.release = release
        self.absent = absent
        self.launch = _BlankLaunch(read)

    def at(self, dest: str, world: object, foreign: bool = False) -> Unknown | None:
        self.read.add(dest)
        return self.absent

    def written(self, dest: str) -> tuple[()]:
        self.read.add(dest)
        return ()

    choices = written
    spelling = Options.spelling

    def __getattr__(self, name: str) -> NoReturn:
        raise UntoldError(name)


class _BlankLaunch:
    """Its launch and, the same object, its command."""

    def __init__(self, read: set[str]) -> None:
        self._read = read
        self.command = self
        self.env = _NoEnv(read)

    @property
    def pod(self) -> None:
        self._read.add("pod")

    @property
    def image(self) -> None:
        self._read.add("image")

    def __getattr__(self, name: str) -> NoReturn:
        raise UntoldError(name)


class _NoEnv(dict[str, "Any"]):
    """An environment in which no variable is set."""

    def __init__(self, read: set[str]) -> None:
        super().__init__()
        self._read = read

    def get(self, name: str, default: Any = None) -> Any:
        self._read.add(f"env.{name}")
        return default

    def __contains__(self, name: object) -> bool:
        self._read.add(f"env.{name}")
        return False

    def __iter__(self) -> Iterator[str]:
        self._read.add("env")
        return iter(())

    def items(self) -> Any:
        self._read.add("env")
        return ()

    keys = values = items
    __len__ = __bool__ = None  # type: ignore[assignment]
