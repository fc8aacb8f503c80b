"""What is known of the option at a place, as Markdown."""

from __future__ import annotations

from speclint.home import rule_link
from speclint.lean import NamedTuple
from speclint.report import launches
from speclint.report.markdown import code, escape
from speclint.sglang import catalog

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from speclint.analysis import Analysis
    from speclint.rules.rule import Rule
    from speclint.sglang.catalog import Option, Release
    from speclint.sglang.setting import Setting
    from speclint.text import Span

_DEPRECATED = {
    "documented": "deprecated, by its help",
    "warned": "deprecated: SGLang warns of it",
    "ignored": "deprecated: SGLang warns of it and ignores it",
    "refused": "deprecated: SGLang refuses to start with it",
}
# So many choices are listed; the rest is counted.
_MOST = 40


class Hover(NamedTuple):
    """What to show, and for which characters."""

    span: Span
    text: str


def at(analysis: Analysis, offset: int, rules: Iterable[Rule]) -> Hover | None:
    """What is known of the option that stands at an offset, flag or value; None where there is none."""
    for options in analysis.options:
        for setting in (*options.settings, *options.foreign):
            for span in (setting.flag_span, setting.value_span):
                if span is not None and span.file is analysis.file and span.start <= offset <= span.end:
                    return Hover(span, "\n\n".join(_parts(setting, options.release, rules)))
    return None


def describe(option: Option, release: Release) -> str:
    """Type, default and choices, in one paragraph."""
    told = [_type(option)]
    if option.nargs != 0 or option.default not in (None, False):
        told.append(f"default {code(str(option.default))}" if option.default is not None else "no default")
    if option.choices:
        shown = ", ".join(code(choice) for choice in option.choices[:_MOST])
        more = f" and {len(option.choices) - _MOST} more" if len(option.choices) > _MOST else ""
        told.append(f"one of {shown}{more}")
    if option.required:
        told.append("required")
    return "; ".join(told)


def _type(option: Option) -> str:
    if option.nargs == 0:
        return "switch"
    many = {"+": ", one or more", "*": ", any number", "?": ", may be left out"}.get(str(option.nargs), "")
    if isinstance(option.nargs, int) and option.nargs > 1:
        many = f", {option.nargs} of them"
    return f"type {code(option.type or 'str')}{many}"


def server_name(option: Option, release: Release) -> str:
    """The option as SGLang's own server spells it."""
    string = next((s for s in option.strings if s.startswith("--")), option.strings[0] if option.strings else "")
    prefix = release.entrypoint.prefix
    return f"--{string.removeprefix(prefix)}" if prefix != "--" and string.startswith(prefix) else string


def history(name: str, option: Option | None, release: Release) -> Iterator[str]:
    """When the option was there, and what takes its place."""
    known = catalog.history(name)
    if known is not None:
        told = [f"since {known.since}" if known.since != catalog.known()[0] else f"in {known.since} or before"]
        if known.deprecated_since is not None:
            told.append(f"deprecated since {known.deprecated_since}")
        if known.removed is not None:
            told.append(f"**removed in {known.removed}**")
        yield "; ".join(told)
    if option is not None and option.deprecated:
        yield f"**{_DEPRECATED.get(option.deprecated, option.deprecated)}**"
    gone = known is None or known.removed is not None or (option is not None and option.deprecated)
    instead = catalog.replacement(name, release.version) if gone else None
    if instead is not None:
        yield f"write {code(instead.words)} instead" if instead.words else "leave it out"


def about(dest: str, rules: Iterable[Rule], release: str) -> list[Rule]:
    """The rules that ask for an option and hold for a release."""
    return [rule for rule in rules if rule.applies(release) and any(n.split(".")[-1] == dest for n in rule.reads)]


def _parts(setting: Setting, release: Release, rules: Iterable[Rule]) -> Iterator[str]:
    option = setting.option
    version = release.version
    missing = " has no such option" if setting.foreign else ""
    yield f"**{code(setting.flag)}** · SGLang {version}{missing}"
    if option is not None:
        names = [string for string in option.strings if string != setting.flag]
        if names:
            yield f"also {', '.join(map(code, names))}"
        yield describe(option, release)
        name = server_name(option, release)
        yield from history(name, option, release)
    value = launches.value(setting)
    if value is None:
        yield f"value not known: {escape(launches.reason(setting))}"
    elif value is not True:
        yield f"value {code(str(value))}{''.join(f', {escape(step.note)}' for step in setting.steps({}) if step.note)}"
    links = [
        f"- {rule_link(rule.code)} {rule.name}: {escape(rule.summary)}" for rule in about(setting.dest, rules, version)
    ]
    if links:
        yield "\n".join(links)
