"""What may stand at a place in a launch: options of its release, or the choices of the option before it.

The text is read once more with a mark where the cursor is. So every language and every layer of quoting says by itself
what word the cursor is in.
"""

from __future__ import annotations

from speclint import editor, hover
from speclint.lean import NamedTuple, pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.launch import Launch
    from speclint.run import Linter
    from speclint.sglang.catalog import Option, Release
    from speclint.sglang.options import Options

_MARK = "speclintcursor"
_WORD = pattern(r"(?<![\w.-])[\w.-]*\Z")
_REST = pattern(r"[\w.-]*")


class Item(NamedTuple):
    """One way to go on: ``text`` takes the place of the characters ``start`` to ``end``."""

    text: str
    start: int
    end: int
    kind: str
    """ "option" or "value"."""
    detail: str = ""
    deprecated: bool = False


def at(linter: Linter, path: str, text: str, host: str | None, offset: int) -> list[Item]:
    """What may stand at an offset of a text; nothing where it is in no launch."""
    before = _WORD.search(text, 0, offset)
    after = _REST.match(text, offset)
    assert before is not None
    assert after is not None
    start, end = before.start(), after.end()
    for mark in (_MARK, f"{_MARK}=0") if host == "python" else (_MARK,):
        analysis = editor.readable(linter, path, text[:start] + mark + text[end:], host)
        for launch, options in zip(analysis.launches, analysis.options, strict=True) if analysis else ():
            found = _in(launch, options, text[start:offset])
            if found is not None:
                return [Item(word, start, end, kind, detail, old) for word, kind, detail, old in found]
    return []


def _in(launch: Launch, options: Options, typed: str) -> list[tuple[str, str, str, bool]] | None:
    """What may stand where the mark is in a launch; None where it is not in it."""
    release = options.release
    for keyword in launch.command.keywords or ():
        if keyword.name == _MARK:
            return list(_keywords(release))
        if _MARK in str(getattr(getattr(keyword.value, "text", None), "text", "")):
            return list(_choices(release.by_dest(keyword.name or "")))
    words = [word.text or word.prefix for word in launch.words]
    for index, word in enumerate(words):
        if _MARK not in word:
            continue
        flag, inline, _ = word.partition("=")
        if inline:
            return list(_choices(release.options.get(flag)))
        taker = None if typed.startswith("-") else _taker(words[:index], release)
        return list(_choices(taker)) if taker is not None else list(_flags(release))
    return None


def _taker(words: list[str], release: Release) -> Option | None:
    """The option that the next word would be a value of."""
    for count, word in enumerate(reversed(words)):
        if word.startswith("--"):
            option = release.options.get(word)
            if option is None or "=" in word or option.nargs == 0:
                return None
            most = option.nargs if isinstance(option.nargs, int) else 1 if option.nargs in (None, "?") else None
            return option if most is None or count < most else None
    return None


def _choices(option: Option | None) -> Iterator[tuple[str, str, str, bool]]:
    for choice in (option.choices or ()) if option is not None else ():
        yield choice, "value", "default" if option is not None and str(option.default) == choice else "", False


def _flags(release: Release) -> Iterator[tuple[str, str, str, bool]]:
    for option in release.unique():
        for string in option.strings:
            if string.startswith("--"):
                yield string, "option", _plain(option, release), option.deprecated is not None


def _keywords(release: Release) -> Iterator[tuple[str, str, str, bool]]:
    for option in release.unique():
        if release.has_field(option.dest):
            yield option.dest, "option", _plain(option, release), option.deprecated is not None


def _plain(option: Option, release: Release) -> str:
    return hover.describe(option, release).replace("`", "")
