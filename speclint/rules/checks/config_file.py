"""Entries of a configuration file (``--config FILE``) that SGLang refuses, or reads as something else."""

from __future__ import annotations

from speclint.rules.found import Found
from speclint.sglang import configured

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.catalog import Option
    from speclint.sglang.resolve import View


def entries(view: View) -> Iterator[Found]:
    """Options that no file can set, and nulls, of which SGLang makes the text ``None``."""
    options = view.options
    if not options.written("config"):
        return
    for entry in configured.entries(options):
        meant = configured.meant(entry.key, options.release)
        flag = f"--{entry.key}"
        if configured.refuses(entry.key, options.release):
            kind = _kind(meant, entry.key)
            # That is a fault of releases, which the builds that a wrapper brings may have without it.
            if kind == "shared" and options.release.entrypoint.foreign:
                continue
            yield Found(entry.span, None, {"kind": kind, "key": entry.key, "flag": flag})
        elif entry.null and any(map(_takes_text, meant)) and any(word.span == entry.span for word in options.merged):
            span = entry.value_span if entry.value_span.text else entry.span
            yield Found(span, None, {"kind": "null", "key": entry.key, "flag": flag})


def _kind(meant: list[Option], key: str) -> str:
    """Why a key is refused: it is a deprecated option, it shares its destination with one, or SGLang cannot say it."""
    named = [option for option in meant if f"--{key.replace('_', '-')}" in option.strings]
    if any(option.deprecated for option in named):
        return "deprecated"
    return "shared" if any(option.deprecated for option in meant) else "refused"


def _takes_text(option: Option) -> bool:
    """Whether an option takes any text. Of a text that it does not take, other rules tell."""
    return option.nargs != 0 and option.type in (None, "str") and option.choices is None
