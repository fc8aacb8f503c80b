"""The formats of ``check``: each is imported when it is asked for."""

from __future__ import annotations

from speclint.lean import module
from speclint.settings import FORMATS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from speclint.analysis import Outcome
    from speclint.changed import Changed
    from speclint.report.style import Style
    from speclint.rules.rule import Rule
    from speclint.settings import Settings


class Report:
    """What a report is made of; ``rules`` and ``changed`` are only asked by formats that tell of them.

    ``fixed``: how many findings were fixed. ``changed``: the lines that the change at hand touches, None if not asked.
    """

    def __init__(
        self,
        outcome: Outcome,
        settings: Settings,
        rules: Callable[[], Iterable[Rule]],
        changed: Callable[[], Changed | None],
        fixed: int = 0,
    ) -> None:
        self.outcome = outcome
        self.settings = settings
        self.rules = rules
        self.changed = changed
        self.fixed = fixed

    def render(self, form: str, style: Style, beside: bool = False) -> str:
        """Everything that a format says of the outcome; ``beside``: it is a report beside the first one."""
        if self.settings.statistics and not beside:
            from speclint.report import statistics

            return statistics.to_json(self.outcome) if form == "json" else statistics.text(self.outcome)
        if form in ("text", "concise"):
            return self._for_people(form, style)
        return self._for_programs(form)

    def _for_people(self, form: str, style: Style) -> str:
        from speclint.report import text

        outcome, settings = self.outcome, self.settings
        body = text.text(outcome, style) if form == "text" else text.concise(outcome, style)
        if settings.show_unknown:
            body += text.doubts(outcome, style)
        return body if settings.quiet else body + text.summary(outcome, settings.unsafe_fixes, style, self.fixed)

    def _for_programs(self, form: str) -> str:
        assert form in FORMATS
        extra: dict[str, tuple[object, ...]] = {
            "github": (self.changed,),
            "junit": (self.settings.fail_on,),
            "markdown": (self.settings.unsafe_fixes, self.fixed),
            "sarif": (self.rules,),
        }
        told: str = module(f"speclint.report.{form}").findings(self.outcome, *extra.get(form, ()))
        return told
