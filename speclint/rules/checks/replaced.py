"""What is to be done with an option that others take the place of."""

from __future__ import annotations

from speclint.rules.checks.values import TRUE
from speclint.sglang import catalog
from speclint.sglang.argv import fault
from speclint.value import Known

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.sglang.catalog import Option, Release
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting


def fix(view: View, how: str, words: str | None, setting: Setting) -> tuple[str | None, bool]:
    """What is to be done with an option for which other words are to stand, and whether that is sure."""
    if how in ("drop", "default"):
        return "remove", how == "drop"
    if words is None or how not in ("safe", "same", "like", "review") or "<" in words:
        return None, False
    parts = words.split(" ")
    sure = how == "safe"
    option = _option(view.options.release, parts[0], setting)
    if option is None or (setting.keyword is not None and len(parts) > 2) or _is_told_apart(view, parts[1:]):
        return None, False
    if option.nargs == 0 and setting.inline:
        given = (setting.words[0].text or "").partition("=")[2]
        return ("replace", sure) if given.lower() in TRUE else (None, False)
    there = [other for other in view.options.written(option.dest) if not _same(other, setting)]
    if there:
        same = len(parts) == 2 and all(_text(other) == parts[1] for other in there)
        return ("remove", sure and same) if how == "safe" else (None, False)
    if len(parts) > 1 or (option.nargs == 0 and setting.values):
        return "replace", sure and len(parts) > 1
    if option.nargs != 0 and not setting.values and setting.option is not None:
        return None, False
    return "rename", sure and _takes(option, setting)


def _is_told_apart(view: View, brought: list[str]) -> bool:
    """Whether the launch says by an option of its own, new or old, what the words bring besides the first."""
    names = [part for part in brought if part.startswith("--")]
    options = view.options.release.options
    if any(name in options and view.options.written(options[name].dest) for name in names):
        return True
    given = {(word.text or "").split("=")[0] for word in view.options.launch.words} if names else set()
    return any(catalog.becomes(word, name) for word in given if word.startswith("--") for name in names)


def _option(release: Release, name: str, setting: Setting) -> Option | None:
    if setting.keyword is not None:
        return release.by_dest(name.lstrip("-").replace("-", "_"))
    return release.options.get(name)


def _same(one: Setting, other: Setting) -> bool:
    return one is other or (one.flag_span is not None and one.flag_span == other.flag_span)


def _text(setting: Setting) -> str | None:
    value = setting.value
    return value.text.text if isinstance(value, Known) else None


def _takes(option: Option, setting: Setting) -> bool:
    """Whether an option takes the values of another one, as far as they are known."""
    return not any(fault(option, value.text.text) for value in setting.values if isinstance(value, Known))
