"""``speclint launches``: what was found, with the options that are written."""

from __future__ import annotations

from speclint.report.json import dump, place
from speclint.report.style import clean
from speclint.value import Known, Unknown
from speclint.worlds import default_text, usual

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from speclint.analysis import Analysis, Outcome
    from speclint.launch import Launch
    from speclint.release import Stated
    from speclint.report.style import Style
    from speclint.sglang.options import Options
    from speclint.sglang.setting import Setting
    from speclint.words import Guard, Word

# What named the release, to be read after its number.
SOURCES = {
    "image": "by its image",
    "install": "by the version that this file installs",
    "lock": "by the version that the project pins",
    "checkout": "by the checkout of SGLang around it",
    "comment": "by a comment in the file",
    "configuration": "by the configuration",
    "option": "by --sglang-version",
    "newest": "the newest that speclint knows",
}


# Of words that stand in so many ways the last ones are compared with the next.
_LOOKED_BACK = 16


def to_json(outcome: Outcome) -> str:
    """One array of launches."""
    return dump([data(*item) for analysis in outcome.analyses for item in _each(analysis)])


def text(outcome: Outcome, style: Style) -> str:
    """A paragraph for each launch."""
    parts = [header(*item, style) + _options(item[1]) for analysis in outcome.analyses for item in _each(analysis)]
    return "\n".join(parts)


def header(launch: Launch, options: Options, stated: Stated, style: Style) -> str:
    """Where a launch is, what it starts and by which release it is judged."""
    row, column = launch.file.location(launch.span.start)
    name = f"{launch.entrypoint} ({launch.command.object})" if launch.command.object else launch.entrypoint
    path = style.paint(clean(launch.file.path), "1")
    return f"{path}:{row}:{column}: {clean(name)}, SGLang {release(options, stated)}\n"


def release(options: Options, stated: Stated) -> str:
    """The release with what named it; where that one is not known, the known one that stands in for it.

    Of a build between two releases both: only what holds for both is told.
    """
    version = options.release.version
    source = SOURCES[stated.source]
    if version != stated.version:
        version = f"{version} for {stated.version}"
    return f"{version}{f' to {stated.until}' if stated.until else ''}, {source}"


def effective(options: Options) -> dict[str, Setting]:
    """The settings that count, in the order of the launch: of several for one option the last."""
    launch = options.launch
    order = {id(item): number for number, item in enumerate((*launch.words, *(launch.command.keywords or ())))}

    def place(setting: Setting) -> int:
        item = setting.words[0] if setting.words else setting.keyword
        return order.get(id(item), len(order))

    found = sorted((*options.foreign, *options.settings), key=place)
    return {setting.dest: setting for setting in found if not setting.empty}


def value(setting: Setting) -> str | bool | None:
    """The value as text, true for a flag without one, None where it cannot be known."""
    if not setting.values:
        return True
    texts = [default_text(part) for part in setting.values]
    if setting.keyword is not None and setting.keyword.literal is None and texts == ["None"]:
        return None  # Python's None: the option is left out unless the caller gives it
    known = [part for part in texts if part is not None]
    return " ".join(known) if len(known) == len(texts) else None


def told(options: Options, setting: Setting) -> str | bool | None:
    """The value of a setting that counts, None too where branches set the option to different ones."""
    found: list[str | bool | None] = []
    for one in reversed(options.written(setting.dest)):
        if one.empty or not usual(one.guard):
            continue
        found.append(value(one))
        if all(choice.kind == "default" for choice, _ in one.guard):
            break
    if not found:
        return value(setting)
    return found[0] if all(other == found[0] for other in found) else None


def reason(setting: Setting) -> str:
    """Why a value cannot be known."""
    for part in setting.values:
        if isinstance(part, Unknown):
            return part.reason
        if not isinstance(part, Known):
            break
    return "it takes one of several values"


def _each(analysis: Analysis) -> Iterator[tuple[Launch, Options, Stated]]:
    yield from zip(analysis.launches, analysis.options, analysis.stated, strict=True)


def _options(options: Options) -> str:
    lines: list[str] = []
    for setting in effective(options).values():
        shown = told(options, setting)
        if shown is None:
            lines.append(f"  {clean(setting.flag)} ? ({clean(reason(setting))})")
        else:
            lines.append(f"  {clean(setting.flag)}{'' if shown is True else ' ' + clean(str(shown))}")
    if options.open is not None:
        lines.append(f"  ... ({clean(options.open)})")
    return "".join(f"{line}\n" for line in lines)


def _once(words: Sequence[Word]) -> list[Word]:
    """The words without those that are the very same as others, written there for another way of the same branch."""
    groups: list[list[Word]] = []
    for word in words:
        if groups and groups[-1][0].guard == word.guard:
            groups[-1].append(word)
        else:
            groups.append([word])
    met: dict[tuple[object, ...], list[Guard]] = {}
    kept: list[Word] = []
    for group in groups:
        guard = group[0].guard
        same = tuple((word.span, id(word.value) if word.text is None else word.text) for word in group)
        guards = met.setdefault(same, []) if guard else []
        if not any(_excludes(guard, other) for other in guards[-_LOOKED_BACK:]):
            kept += group
        guards.append(guard)
    return kept


def _excludes(guard: Guard, other: Guard) -> bool:
    """Whether a choice goes one way in one of them and another in the other."""
    taken = dict(guard)
    return any(taken.get(choice, arm) != arm for choice, arm in other)


def data(launch: Launch, options: Options, stated: Stated) -> dict[str, Any]:
    """One launch as JSON has it."""
    loose = options.loose()
    return {
        **place(launch.span),
        "host": launch.command.host,
        "entrypoint": launch.entrypoint,
        "object": launch.command.object,
        "sglang_version": options.release.version,
        "version_source": stated.source,
        **({"sglang_version_until": stated.until} if stated.until else {}),
        "argv": [default_text(word.value) for word in _once(launch.words) if word not in loose],
        "args": {dest: told(options, setting) for dest, setting in effective(options).items()},
        "open": options.open is not None,
        "env": {name: default_text(part) for name, part in launch.command.env.items()},
    }
