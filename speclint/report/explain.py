"""``speclint explain``: one launch in full, each option with its value and where that value comes from."""

from __future__ import annotations

from speclint.report import launches, markdown, text
from speclint.report.json import finding as finding_data
from speclint.report.json import place
from speclint.report.style import Style, clean
from speclint.value import Unknown
from speclint.worlds import default_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from speclint.analysis import Analysis
    from speclint.finding import Finding
    from speclint.launch import Launch
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import View
    from speclint.sglang.setting import Setting
    from speclint.source import SourceFile
    from speclint.text import Span


def to_text(analysis: Analysis, number: int, view: View, style: Style) -> str:
    """The launch, its options, what SGLang derives from them, and the findings on it."""
    launch, options, stated = analysis.launches[number], analysis.options[number], analysis.stated[number]
    parts = [launches.header(launch, options, stated, style)]
    written = list(_written(options))
    derived = list(_derived(view))
    flags = max((len(flag) for flag, *_ in (*written, *derived)), default=0)
    values = max((len(shown) for _, shown, _ in (*written, *derived)), default=0)
    for title, rows in (("Written", written), ("Derived by SGLang", derived)):
        if rows:
            parts.append(style.paint(title, "1") + "\n" + "".join(_row(row, flags, values) for row in rows))
    if options.open is not None:
        parts.append(f"More options may follow: {clean(options.open)}\n")
    if launch.command.env:
        env = ((name, default_text(value)) for name, value in launch.command.env.items())
        lines = (f"  {name}={'?' if value is None else clean(value)}\n" for name, value in env)
        parts.append(style.paint("Environment", "1") + "\n" + "".join(lines))
    found = [text.full(finding, style) for finding in findings(analysis, launch)]
    parts.extend(f"{part}\n" for part in found or ["No findings"])
    return "\n".join(parts)


def to_markdown(analysis: Analysis, number: int, view: View) -> str:
    """The same as a page."""
    launch, options, stated = analysis.launches[number], analysis.options[number], analysis.stated[number]
    parts = [f"# {markdown.escape(launches.header(launch, options, stated, Style(False)).rstrip())}"]
    for title, rows in (("Written", list(_written(options))), ("Derived by SGLang", list(_derived(view)))):
        if rows:
            lines = [f"| {' | '.join((*map(markdown.code, row[:2]), markdown.escape(row[2])))} |" for row in rows]
            parts.append("\n".join((f"## {title}\n", "| Option | Value | From |", "| --- | --- | --- |", *lines)))
    if options.open is not None:
        parts.append(f"More options may follow: {markdown.escape(options.open)}")
    values = {name: default_text(value) for name, value in launch.command.env.items()}
    env = [f"- {markdown.code(name + '=' + ('?' if text is None else text))}" for name, text in values.items()]
    if env:
        parts.append("\n".join(("## Environment\n", *env)))
    found = [
        f"- **{finding.code}** {finding.name} ({finding.level}): {markdown.escape(finding.message)}"
        for finding in findings(analysis, launch)
    ]
    parts.append("\n".join(("## Findings\n", *(found or ["None."]))))
    return "\n\n".join(parts) + "\n"


def to_json(analysis: Analysis, number: int, view: View) -> dict[str, Any]:
    """The same as data."""
    launch, options, stated = analysis.launches[number], analysis.options[number], analysis.stated[number]
    return {
        **launches.data(launch, options, stated),
        "options": [
            {"flag": flag, "value": shown, "from": origin, **(place(span) if span is not None else {})}
            for (flag, shown, origin), span in zip(
                _written(options), (setting.flag_span for setting in launches.effective(options).values()), strict=True
            )
        ],
        "derived": [{"option": name, "value": shown, "from": origin} for name, shown, origin in _derived(view)],
        "findings": [finding_data(finding) for finding in findings(analysis, launch)],
    }


def findings(analysis: Analysis, launch: Launch) -> list[Finding]:
    """The findings on one launch."""
    return [finding for finding in analysis.findings if finding.launch is launch or launch in finding.sharers]


def _row(row: tuple[str, str, str], flags: int, values: int) -> str:
    flag, shown, origin = row
    return f"  {clean(flag):<{flags}}  {clean(shown):<{values}}  {clean(origin)}".rstrip() + "\n"


def _written(options: Options) -> Iterator[tuple[str, str, str]]:
    """Each option that is written: flag, value, and where the value was set."""
    for setting in launches.effective(options).values():
        shown = launches.value(setting)
        text = "" if shown is True else "?" if shown is None else str(shown)
        yield setting.flag, text, _origin(setting, options.launch.file)


def _origin(setting: Setting, file: SourceFile) -> str:
    """Where an option was written, where its value comes from, and what that hangs on."""
    place = setting.value_span or setting.flag_span
    row = _row_of(place, file) if place is not None else ""
    if launches.value(setting) is None:
        return f"{row}: {launches.reason(setting)}"
    world = {**dict.fromkeys(setting.choices(), 0), **dict(setting.guard)}
    told = [f"when {choice.labels[arm]}" for choice, arm in world.items() if choice.labels and choice.kind != "default"]
    for step in setting.steps(world):
        there = _row_of(step.span, file) if step.span is not None else row
        if step.note:
            told.append(step.note if there == row else f"{step.note} ({there})")
    return ", ".join(dict.fromkeys((row, *told)))


def _row_of(span: Span, file: SourceFile) -> str:
    other = "" if span.file is file else f"{span.file.path} "
    return f"{other}row {span.file.location(span.start)[0]}"


def _derived(view: View) -> Iterator[tuple[str, str, str]]:
    """What SGLang makes of the options, where that is not just what is written."""
    from speclint.sglang.resolve import derivations

    for name in sorted(derivations()):
        try:
            derived = view.derived(name)
        except KeyError:
            continue
        as_written = derived.origins == (name,)
        if as_written or derived.value is None or isinstance(derived.value, Unknown) or not derived.note:
            continue
        yield name, str(derived.value), derived.note
