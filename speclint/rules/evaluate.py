"""Asks rules of a launch.

A rule is asked in the world that leaves every choice (a branch, a default) open; where the answer hangs on one, in a
world for each way that it can go, and so on. Where the rule holds in all of them it speaks at its own level, where only
in some at most as a warning that names the condition. What is not known is not told: it is kept for those who ask
(``--show-unknown``).
"""

from __future__ import annotations

from speclint.finding import LEVELS, Finding
from speclint.lean import NamedTuple
from speclint.rules import checks, expr, gate
from speclint.sglang.resolve import View
from speclint.sglang.setting import Setting, Unsettled
from speclint.value import Choice, Unknown
from speclint.worlds import MAX_WORLDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from speclint.finding import Fix
    from speclint.launch import Launch
    from speclint.rules.found import Found
    from speclint.rules.rule import Case, Rule, Template
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import ModelLookup
    from speclint.text import Span


# Rules on what SGLang makes of the options before it starts.
_OF_RESOLUTION = ("SGL2", "SGL3", "SGL4", "SGL5", "SGL6")
# So many different values are told of one place in a message.
_MOST = 4


class Doubt(NamedTuple):
    """A rule that has no answer for a launch, and why."""

    code: str
    name: str
    span: Span
    reason: str


class Hit(NamedTuple):
    """A world in which a rule holds: what is said, where, and of which setting; ``found`` by a rule with ``find``."""

    view: View
    case: Case
    setting: Setting | None
    span: Span
    found: Found | None = None


def check(
    launch: Launch,
    options: Options,
    rules: Iterable[Rule],
    find_model: ModelLookup | None = None,
    doubts: list[Doubt] | None = None,
) -> list[Finding]:
    """The findings of the rules on a launch, by place.

    ``find_model`` tells what is known of a model by the text that names it. Rules without an answer are added to
    ``doubts``.
    """
    asked = _Asked(launch, options, find_model or _public_or_beside(launch))
    found: list[Finding] = []
    release, written, unresolved = options.release.version, gate.names(options), _is_unresolved(options)
    for rule in rules:
        if rule.may_speak(release, written) and not (unresolved and rule.code.startswith(_OF_RESOLUTION)):
            found.extend(asked.ask(rule, doubts))
    return sorted(found, key=Finding.key)


def _is_unresolved(options: Options) -> bool:
    """Whether SGLang takes the options as they are: it does so for models of these names, which its own tests use.

    (0.5.23 srt/arg_groups/pipeline.py:105, before in ``ServerArgs.__post_init__``.)
    """
    model = options.at("model_path", {})
    value = model.typed({}) if isinstance(model, Setting) else None
    return isinstance(value, str) and value.lower() in ("none", "dummy")


def _answer(rule: Rule, view: View) -> object:
    if rule.check is None:
        return expr.evaluate(rule.when, view)
    answer = checks.function(rule.check)(view)
    # What a check makes of a choice that is open yet is not to be trusted, whatever it answers.
    return Unsettled(view.pending[0]) if view.pending else answer


def _public_or_beside(launch: Launch) -> ModelLookup:
    """Models that are known of themselves, and those that lie beside the file of the launch."""
    import os.path
    from functools import partial

    from speclint.sglang.models import lookup

    return partial(lookup, base=os.path.dirname(launch.file.path))


class _Asked:
    """One launch, with a view for each world that some rule needed."""

    def __init__(self, launch: Launch, options: Options, find_model: ModelLookup) -> None:
        self.launch = launch
        self.options = options
        self.find_model = find_model
        self.views: dict[frozenset[tuple[Choice, int]], View] = {}

    def ask(self, rule: Rule, doubts: list[Doubt] | None) -> list[Finding]:
        if rule.find is not None:
            places: dict[Span, list[Found]] = {}
            for found in checks.function(rule.find)(self._view({})):
                places.setdefault(found.span or self.launch.head, []).append(found)
            return [one for span, group in places.items() for one in self._place(rule, span, group)]
        hits: list[Hit] = []
        others: list[View] = []
        unsure: Unknown | None = None
        worlds: list[Mapping[Choice, int]] = [{}]
        while worlds:
            view = self._view(worlds.pop())
            told = self._told(rule, view)
            if isinstance(told, Choice):
                if len(hits) + len(others) + len(worlds) >= MAX_WORLDS:
                    self._doubt(rule, f"it depends on more than {MAX_WORLDS} combinations of alternatives", doubts)
                    return []
                worlds.extend({**view.world, told: arm} for arm in reversed(range(len(told.labels))))
            elif isinstance(told, Hit):
                hits.append(told)
            else:
                others.append(view)
                unsure = unsure or told
        if unsure is not None and not hits:
            self._doubt(rule, unsure.reason, doubts)
        return _findings(rule, self.launch, hits, others)

    def _place(self, rule: Rule, span: Span, group: Sequence[Found]) -> list[Finding]:
        """What a rule says of a place that it found, which may differ between worlds."""
        hits: list[Hit] = []
        for found in group:
            for world in found.worlds or ({},):
                view = View(self.options, world, self.find_model, found.facts)
                hits.append(Hit(view, _case(rule, view), found.setting, span, found))
        wrong = [hit.view.world for hit in hits]
        others = [] if {} in wrong else [world for world in group[0].others if world not in wrong]
        return _findings(rule, self.launch, hits, [self._view(world) for world in others])

    def _told(self, rule: Rule, view: View) -> Hit | Choice | Unknown | None:
        """What a rule says in a world: a hit, nothing, that it is not known, or the choice to be settled first."""
        view.pending.clear()
        answer = expr.truth(_answer(rule, view))
        if isinstance(answer, Unsettled):
            return answer.choice
        if answer is not True:
            return answer or None
        view.pending.clear()
        hit = self._hit(rule, view)
        render(hit.case.message, view)
        for fix in hit.case.fixes:
            expr.evaluate(fix.when, view)
            for dest in fix.set:
                view.value(dest, foreign=True)
        return view.pending[0] if view.pending else hit

    def _doubt(self, rule: Rule, reason: str, doubts: list[Doubt] | None) -> None:
        if doubts is not None:
            doubts.append(Doubt(rule.code, rule.name, self.launch.head, reason))

    def _view(self, world: Mapping[Choice, int]) -> View:
        key = frozenset(world.items())
        if key not in self.views:
            self.views[key] = View(self.options, world, self.find_model)
        return self.views[key]

    def _hit(self, rule: Rule, view: View) -> Hit:
        case = _case(rule, view)
        for name in case.blame:
            place = _place(name, view)
            if place is not None:
                return Hit(view, case, None, place)
            for dest in _dests(name, view):
                setting = view.setting(dest, foreign=True)
                if isinstance(setting, Setting):
                    span = setting.flag_span if name.startswith("flag.") else setting.value_span or setting.flag_span
                    return Hit(view, case, setting, span or self.launch.head)
        return Hit(view, case, None, self.launch.head)


def _case(rule: Rule, view: View) -> Case:
    """The first case of a rule that holds; the last one where none does."""
    return next((c for c in rule.cases if expr.truth(expr.evaluate(c.when, view)) is True), rule.cases[-1])


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


def _findings(rule: Rule, launch: Launch, hits: Sequence[Hit], others: Sequence[View]) -> list[Finding]:
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
            conditions = _conditions(group, others)
            if len(set(conditions)) < len(conditions):
                # One condition of a loop, asked of one option and then of another: options are handed on as they are
                # given, and nothing says that those which clash are.
                continue
            level = LEVELS[min(LEVELS.index(level), LEVELS.index("warning"))]
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


def _conditions(group: Sequence[Hit], others: Sequence[View]) -> list[str]:
    """When the worlds of the hits come about, in the words of the choices that tell them from the others."""
    views = [hit.view for hit in group]
    parts: list[str] = []
    for point in dict.fromkeys(point for view in (*views, *others) for point in view.world):
        arms = dict.fromkeys(view.world.get(point) for view in views)
        if None not in arms and len(arms) < len(point.labels):
            parts.append(" or ".join(point.labels[arm] for arm in arms if arm is not None))
    if not parts:
        parts = [point.labels[arm] for point, arm in views[0].world.items()]
    return parts


def render(parts: Template, *views: View) -> str:
    """A message with its places filled in: what differs between the views is told as "2 or 4", the unknown as ``?``."""
    texts: list[str] = []
    for part in parts:
        if isinstance(part, str):
            texts.append(part)
            continue
        told = list(dict.fromkeys(_shown(expr.evaluate(tuple(part), view)) for view in views))
        texts.append(" or ".join([*told[:_MOST], "…"] if len(told) > _MOST else told))
    return "".join(texts)


def _shown(value: object) -> str:
    if isinstance(value, Unknown):
        return "?"
    if isinstance(value, tuple):
        return ", ".join(_shown(part) for part in value)
    return str(value)


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
