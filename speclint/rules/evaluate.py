"""Asks rules of a launch.

A rule is asked in the world that leaves every choice (a branch, a default) open; where the answer hangs on one, in a
world for each way that it can go, and so on. Where the rule holds in all of them it speaks at its own level, where only
in some at most as a warning that names the condition. What is not known is not told: it is kept for those who ask
(``--show-unknown``).
"""

from __future__ import annotations

from speclint.finding import Finding
from speclint.lean import NamedTuple
from speclint.rules import expr, gate, pick
from speclint.sglang.resolve import View
from speclint.sglang.setting import Setting, Unsettled
from speclint.value import Choice, Known, Unknown
from speclint.worlds import MAX_WORLDS, possible

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from speclint.launch import Launch
    from speclint.rules.found import Found
    from speclint.rules.hits import Hit
    from speclint.rules.rule import Rule
    from speclint.sglang.options import Options
    from speclint.sglang.resolve import ModelLookup
    from speclint.text import Span

    Condition = Callable[[View], object]
    Told = Hit | Choice | Unknown | None

# Rules on what SGLang makes of the options before it starts.
_OF_RESOLUTION = ("SGL2", "SGL3", "SGL4", "SGL5", "SGL6")


class Doubt(NamedTuple):
    """A rule that has no answer for a launch, and why."""

    code: str
    name: str
    span: Span
    reason: str


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
    written = gate.names(options, doubts is not None)
    asked.first.written = written if options.open is None else None
    unresolved = _is_unresolved(options)
    foreign = options.parsed is not None and options.parsed.foreign
    for rule, arms in pick.picker(rules, options.release.version, doubts is None).asked(written, asked.first):
        # What another parser reads has options of the same names, but none of what rules say of SGLang's.
        if not (unresolved and rule.code.startswith(_OF_RESOLUTION)) and not (foreign and rule.find is None):
            found.extend(asked.ask(rule, arms, doubts))
    return sorted(found, key=Finding.key)


def _is_unresolved(options: Options) -> bool:
    """Whether SGLang takes the options as they are: it does so for models of these names, which its own tests use.

    (0.5.23 srt/arg_groups/pipeline.py:105, before in ``ServerArgs.__post_init__``.)
    """
    model = options.at("model_path", {})
    value = model.typed({}) if isinstance(model, Setting) else None
    return isinstance(value, str) and value.lower() in ("none", "dummy")


def _public_or_beside(launch: Launch) -> ModelLookup:
    """Models that are known of themselves, and those that lie beside the file of the launch."""
    import os.path
    from functools import partial

    from speclint.sglang.models import lookup

    return partial(lookup, base=os.path.dirname(launch.file.path))


def _is_settled(options: Options) -> bool:
    """Whether nothing that a launch says of itself hangs on a choice."""
    command = options.launch.command
    values = [*command.env.values(), *(() if command.image is None else (command.image,))]
    return options.settled and all(isinstance(value, Known) for value in values)


class _Asked:
    """One launch, with a view for each world that some rule needed."""

    def __init__(self, launch: Launch, options: Options, find_model: ModelLookup) -> None:
        self.launch = launch
        self.options = options
        self.find_model = find_model
        self.first = View(options, {}, find_model)
        self.settled = _is_settled(options)
        self.views = {frozenset[tuple[Choice, int]](): self.first}

    def ask(self, rule: Rule, arms: Sequence[int] | None, doubts: list[Doubt] | None) -> Sequence[Finding]:
        """What a rule says, by those arms of its condition that may hold.

        Why it has no answer goes to ``doubts``, if these are asked for.
        """
        finder = rule.finder
        if finder is not None:
            return self._found(rule, finder(self.first))
        condition = rule.condition(arms)
        told = self._told(rule, condition, self.first)
        # Most rules have nothing to say of most launches.
        if told is None or (doubts is None and isinstance(told, Unknown)):
            return ()
        return self._asked(rule, condition, told, doubts)

    def _found(self, rule: Rule, found: Iterable[Found]) -> Sequence[Finding]:
        places: dict[Span, list[Found]] = {}
        for one in found:
            places.setdefault(one.span or self.launch.head, []).append(one)
        return [one for span, group in places.items() for one in self._place(rule, span, group)]

    def _asked(self, rule: Rule, condition: Condition, told: Told, doubts: list[Doubt] | None) -> Sequence[Finding]:
        """What a rule says that tells something where all choices are open."""
        if self.settled and told is not None and not isinstance(told, (Unknown, Choice)):
            return self._findings(rule, (told,), ())
        hits: list[Hit] = []
        others: list[View] = []
        unsure: Unknown | None = None
        worlds: list[Mapping[Choice, int]] = []
        view = self.first
        while True:
            if isinstance(told, Choice):
                if len(hits) + len(others) + len(worlds) >= MAX_WORLDS:
                    self._doubt(rule, f"it depends on more than {MAX_WORLDS} combinations of alternatives", doubts)
                    return ()
                arms = [arm for arm in range(len(told.labels)) if possible(view.world, told, arm)]
                worlds.extend({**view.world, told: arm} for arm in reversed(arms))
            elif told is None or isinstance(told, Unknown):
                others.append(view)
                unsure = unsure or told
            else:
                hits.append(told)
            if not worlds:
                break
            view = self._view(worlds.pop())
            told = self._told(rule, condition, view)
        if unsure is not None and not hits:
            self._doubt(rule, unsure.reason, doubts)
        return self._findings(rule, hits, others) if hits else ()

    def _place(self, rule: Rule, span: Span, group: Sequence[Found]) -> list[Finding]:
        """What a rule says of a place that it found, which may differ between worlds."""
        from speclint.rules.hits import Hit, case_of

        hits: list[Hit] = []
        for found in group:
            for world in found.worlds or ({},):
                view = self._view(world).about(found.facts)
                hits.append(Hit(view, case_of(rule, view), found.setting, span, found))
        wrong = [hit.view.world for hit in hits]
        others = [] if {} in wrong else [world for world in group[0].others if world not in wrong]
        return self._findings(rule, hits, [self._view(world) for world in others])

    def _findings(self, rule: Rule, hits: Sequence[Hit], others: Sequence[View]) -> list[Finding]:
        from speclint.rules.hits import findings

        return findings(rule, self.launch, hits, others)

    def _told(self, rule: Rule, condition: Condition, view: View) -> Told:
        """What a rule says in a world: a hit, nothing, that it is not known, or the choice to be settled first."""
        view.pending.clear()
        answer = expr.truth(condition(view))
        if isinstance(answer, Unsettled):
            return answer.choice
        if answer is not True:
            return answer or None
        from speclint.rules.hits import hit, render

        if self.settled:
            return hit(rule, self.launch, view)
        view.pending.clear()
        found = hit(rule, self.launch, view)
        render(found.case.message, view)
        for fix in found.case.fixes:
            fix.when(view)
            for dest in fix.set:
                view.value(dest, foreign=True)
        return view.pending[0] if view.pending else found

    def _doubt(self, rule: Rule, reason: str, doubts: list[Doubt] | None) -> None:
        if doubts is not None:
            doubts.append(Doubt(rule.code, rule.name, self.launch.head, reason))

    def _view(self, world: Mapping[Choice, int]) -> View:
        key = frozenset(world.items())
        if key not in self.views:
            self.views[key] = view = View(self.options, world, self.find_model)
            view.written = self.first.written
        return self.views[key]
