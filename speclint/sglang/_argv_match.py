"""How ``argparse`` reads one word by itself: as an option, as something like one, or as a bare word."""

from __future__ import annotations

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.sglang._store import Option
    from speclint.sglang.catalog import Release

# Launches share nearly all of their words: what each is read as is kept, for so many of no more than this length.
_MAX_KEPT = 4096
_MAX_LENGTH = 100


class Match(NamedTuple):
    """A word that begins an option: the option where there is one, and the value written into the word."""

    spelling: str
    option: Option | None
    explicit: str | None = None
    inline: bool = False
    candidates: tuple[str, ...] = ()


def match(text: str, release: Release) -> Match | None:
    """What a release makes of a word that begins with a dash; None for a bare one."""
    kept: dict[str, Match | None] = release.matches
    if text in kept:
        return kept[text]
    found = _match(text, release)
    if len(text) <= _MAX_LENGTH:
        if len(kept) >= _MAX_KEPT:
            kept.clear()
        kept[text] = found
    return found


def _match(text: str, release: Release) -> Match | None:
    options, prefix = release.options, release.entrypoint.prefix
    if text == "-":
        return None
    if text in options:
        return Match(text, options[text])
    spelling, equals, explicit = text.partition("=")
    if equals and spelling in options:
        return Match(spelling, options[spelling], explicit, True)
    if text.startswith("--"):
        if not spelling.startswith(prefix) and prefix != "--":
            return Match(spelling, None)
        # ``sglang serve`` takes --model-type out before argparse sees it, in full only.
        candidates = [name for name in options if name.startswith(spelling) and name != "--model-type"]
        if len(candidates) == 1:
            option = options[candidates[0]]
            return Match(spelling, option, explicit if equals else None, bool(equals))
        if candidates:
            return Match(spelling, None, candidates=tuple(candidates))
    elif "-h" in options and text.startswith("-h"):
        return Match("-h", options["-h"], text[2:], True)
    if _is_negative_number(text) or " " in text:
        return None
    return Match(spelling, None)


def _is_negative_number(text: str) -> bool:
    whole, dot, part = text[1:].partition(".")
    return part.isdecimal() and (not whole or whole.isdecimal()) if dot else whole.isdecimal()
