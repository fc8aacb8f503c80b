"""Options that stand behind the end of the command: the shell takes them from the launch that they were meant for."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.text import HOLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.hosts.shell.lost import Lost
    from speclint.launch import Launch
    from speclint.sglang.catalog import Release
    from speclint.text import Mapped

_MAYBE = pattern(r"[^\n]*\n\s*(?:#|--)")
WHY = "it is behind the end of the command"


def of(launch: Launch, release: Release) -> Lost | None:
    """What a launch loses at a line end that continues nothing; None where it loses nothing."""
    within = launch.command.within
    if within is None:
        return None
    text, start, end = within
    if text.text[start : start + 1] == "-":
        return None  # an excerpt of options, as documents show them, is no command that a line end could cut
    # Whether there is anything to be looked at is told by a look at what stands there.
    if not _MAYBE.match(text.text, end):
        return None
    if _is_left_out(text, text.text.rfind("\n", 0, end) + 1, end):
        return None
    from speclint.hosts.shell.lost import lost

    return lost(text.text, end, _options_of(release))


def _is_left_out(text: Mapped, start: int, end: int) -> bool:
    """Whether a line is nothing but dots, for what a document leaves out: what follows belongs to the command."""
    at = text.text.find(HOLE, start, end)
    if at < 0 or text.text[start:end].strip() != HOLE:
        return False
    place = text.place(at, at + 1)
    return place is not None and not place.text.strip("[].…")


def dests(launch: Launch, release: Release) -> frozenset[str]:
    """The destinations of what is lost, by any name that this release or another one has for them."""
    loss = of(launch, release)
    if loss is None:
        return frozenset()
    return frozenset(_dest(name, release) for name, _ in loss.options)


def _dest(name: str, release: Release) -> str:
    option = release.options.get(name)
    if option is None:
        begun = {o.dest for string, o in release.options.items() if string.startswith(name)}
        return begun.pop() if len(begun) == 1 else name.lstrip("-").replace("-", "_")
    return option.dest


def _options_of(release: Release) -> Callable[[str], bool]:
    def is_option(name: str) -> bool:
        from speclint.sglang import catalog

        if name in release.options or catalog.history(name) is not None:
            return True
        return len(name) > 3 and any(option.startswith(name) for option in release.options)

    return is_option
