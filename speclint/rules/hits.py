"""From the worlds in which a rule holds to what is told of a launch."""

from __future__ import annotations

from speclint.finding import LEVELS, Finding
from speclint.lean import NamedTuple
from speclint.rules import expr
from speclint.sglang import endings
from speclint.sglang.setting import Setting

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.finding import Fix
    from speclint.launch import Launch
    from speclint.rules.found import Found
    from speclint.rules.rule import Case, Rule, Template
    from speclint.sglang.resolve import View
    from speclint.text import Span

# So many different values are told of one place in a message.
_MOST = 4


class Hit(NamedTuple):
    """A world in which a rule holds: what is said, where, and of which setting; ``found`` by a rule with ``find``."""

    view: View
    case: Case
    setting: Setting | None
    span: Span
    found: Found | None = None


def hit(rule: Rule, launch: Launch, view: View) -> Hit:
    """What a rule that holds in a world says there."""
    case = case_of(rule, view)
    for name in case.blame:
        place = _place(name, view)
        if place is not None:
            return Hit(view, case, None, place)
        for dest in _dests(name, view):
            setting = view.setting(dest, foreign=True)
            if isinstance(setting, Setting):
                span = setting.flag_span if name.startswith("flag.") else setting.value_span or setting.flag_span
                return Hit(view, case, setting, span or launch.head)
    return Hit(view, case, None, launch.head)


def case_of(rule: Rule, view: View) -> Case:
    """The first case of a rule that holds; the last one where none does."""
    for case in rule.cases:
        if expr.truth(case.when(view)) is True:
            return case
    return rule.cases[-1]


def _place(name: str, view: View) -> Span | None:
    """Where a fact of the surroundings is written; None for other names."""
    if not name.startswith("pod."):
        return None
    from speclint.sglang import surroundings

    return surroundings.place(view, name[len("pod.") :])


def _dests(name: str, view: View) -> tuple[str, ...]:
    """The options that a name in ``blame`` or ``related`` stands for, in a world."""
    space, dot, rest = name.partition(".")
    if not dot:
        return (name,)
    return view.derived(rest).origins if space == "resolved" else ("model_path",) if space == "model" else (rest,)


def findings(rule: Rule, launch: Launch, hits: Sequence[Hit], others: Sequence[View]) -> list[Finding]:
    """One finding for each place that is to blame."""
    groups: dict[Span, list[Hit]] = {}
    for hit in hits:
        groups.setdefault(hit.span, []).append(hit)
    found: list[Finding] = []
    for span, group in groups.items():
        first = group[0]
        message = render(first.case.message, *(hit.view for hit in group))
        level = first.case.level
        if others:
            from speclint.rules import when

            conditions = when.conditions(group, others)
            if conditions is None or all(when.is_handed_on(rule, hit) for hit in group):
                continue
            level = LEVELS[min(LEVELS.index(level), LEVELS.index("warning"))]
            if conditions:
                message = f"when {' and '.join(conditions)}, {message}"
        fixes = _fixes(group, others)
        related = _related(rule, first)
        if span.file is not launch.file:
            # A script or a table of another file: it is the launch in this one that is wrong.
            related = [(text, place) for text, place in [("value set here", span), *related] if place != launch.head]
            span, fixes = launch.head, ()
        found.append(
            Finding(
                rule.code,
                rule.name,
                level,
                message,
                span,
                flag=_spelled(first),
                version=first.view.release,
                related=related,
                launch=launch,
                fix=fixes[0] if fixes else None,
                others=fixes[1:],
            )
        )
    return found


def _spelled(hit: Hit) -> str | None:
    """The option or the variable of the environment that is blamed, as the file writes it."""
    if hit.setting is not None:
        return hit.setting.flag or None
    variable = hit.found.facts.get("variable") if hit.found is not None else None
    return variable if isinstance(variable, str) else None


def render(parts: Template, *views: View) -> str:
    """A message with its places filled in: what differs between the views is told as "2 or 4", the unknown as ``?``."""
    if len(views) == 1:
        return "".join([part if isinstance(part, str) else _shown(part(views[0])) for part in parts])
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        told = list(dict.fromkeys(_shown(part(view)) for view in views))
        if len(told) > 1:
            told = [text for text in told if text]  # what is said in some of them only
        texts.append(" or ".join([*told[:_MOST], "…"] if len(told) > _MOST else told))
    return "".join(texts)


def _shown(value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, tuple):
        return ", ".join(_shown(part) for part in value)
    return endings.shown(value)


def _related(rule: Rule, hit: Hit) -> list[tuple[str, Span]]:
    """Where the blamed value was set, then the other options that decided the answer."""
    found: dict[Span, str] = {}
    if hit.found is not None:
        found.update((span, text) for text, span in hit.found.related)
    if hit.setting is not None and (hit.found is None or hit.setting.value_span == hit.span):
        origin = hit.setting.origin(hit.view.world)
        if origin is not None and not _within(origin, hit.span):
            found[origin] = "value set here"
    for name in hit.case.related if hit.case.related is not None else rule.reads:
        stated = _place(name, hit.view) if hit.case.related is not None else None
        if stated is not None and not _within(stated, hit.span):
            found.setdefault(stated, "it is told here")
        for dest in _dests(name, hit.view):
            setting = hit.view.setting(dest, foreign=True)
            if not isinstance(setting, Setting) or setting is hit.setting:
                continue
            place = setting.flag_span if setting.value_span is None else setting.value_span
            if place is not None and not _within(place, hit.span):
                found.setdefault(place, f"`{setting.shown(hit.view.world)}` is written here")
    return [(text, span) for span, text in found.items()]


def _within(inner: Span, outer: Span) -> bool:
    return inner.file is outer.file and outer.start <= inner.start and inner.end <= outer.end


def _fixes(group: Sequence[Hit], others: Sequence[View]) -> Sequence[Fix]:
    if not group[0].case.fixes:
        return ()
    from speclint.rules import mend

    return mend.fixes(group, others)
