"""``--output-format junit``: a test suite a file, a test case a launch, which fails where a finding fails the run."""

from __future__ import annotations

from speclint import identity
from speclint.finding import LEVELS
from speclint.report import paths
from speclint.report.style import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from speclint.analysis import Analysis, Outcome
    from speclint.finding import Finding

_ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\ufffe": "\ufffd", "\uffff": "\ufffd"}


class _Case:
    """A test case: its name, the row it stands on, and what was found."""

    def __init__(self, name: str, row: int | None, found: Sequence[Finding]) -> None:
        self.name = name
        self.row = row
        self.found = found

    def failures(self, fail_on: str) -> list[Finding]:
        if fail_on == "never":
            return []
        return [item for item in self.found if LEVELS.index(item.level) >= LEVELS.index(fail_on)]


def findings(outcome: Outcome, fail_on: str) -> str:
    """The report. Findings below ``fail_on`` are told as output of their test case; what cannot be read is an error."""
    suites = [(paths.relative(analysis.file.path), _cases(analysis)) for analysis in outcome.analyses]
    cases = [case for _, found in suites for case in found]
    counts = _counts(cases, fail_on, len(outcome.errors))
    lines = ['<?xml version="1.0" encoding="utf-8"?>', f'<testsuites name="speclint" {counts}>']
    for path, found in suites:
        lines.append(f'  <testsuite name="{_escape(path)}" {_counts(found, fail_on)}>')
        for case in found:
            lines.extend(_lines(case, path, fail_on))
        lines.append("  </testsuite>")
    if outcome.errors:
        lines.append(f'  <testsuite name="not read" {_counts((), fail_on, len(outcome.errors))}>')
        for error in outcome.errors:
            lines.append(f'    <testcase name="{_escape(error)}" classname="speclint">')
            lines.append(f'      <error message="{_escape(error)}"/>')
            lines.append("    </testcase>")
        lines.append("  </testsuite>")
    return "\n".join([*lines, "</testsuites>"]) + "\n"


def _cases(analysis: Analysis) -> list[_Case]:
    cases: list[_Case] = []
    names: dict[str, int] = {}
    for launch in analysis.launches:
        found = [item for item in analysis.findings if item.launch is launch or launch in item.sharers]
        name = " ".join(filter(None, (identity.name(launch), identity.model(launch))))
        number = names[name] = names.get(name, 0) + 1
        row = launch.file.location(launch.span.start)[0]
        cases.append(_Case(f"{name} #{number}" if number > 1 else name, row, found))
    loose = [item for item in analysis.findings if item.launch is None]
    if loose:
        cases.append(_Case("the file as a whole", None, loose))
    return cases


def _counts(cases: Iterable[_Case], fail_on: str, errors: int = 0) -> str:
    cases = list(cases)
    failures = sum(bool(case.failures(fail_on)) for case in cases)
    return f'tests="{len(cases) + errors}" failures="{failures}" errors="{errors}" skipped="0" time="0"'


def _lines(case: _Case, path: str, fail_on: str) -> list[str]:
    row = "" if case.row is None else f' line="{case.row}"'
    head = f'    <testcase name="{_escape(case.name)}" classname="{_escape(path)}" file="{_escape(path)}"{row} time="0"'
    if not case.found:
        return [f"{head}/>"]
    lines = [f"{head}>"]
    failures = case.failures(fail_on)
    if failures:
        more = f" (and {len(failures) - 1} more)" if len(failures) > 1 else ""
        first = failures[0]
        lines.append(f'      <failure type="{first.code}" message="{_escape(first.message)}{more}">')
        lines.extend([*map(_told, failures), "      </failure>"])
    others = [item for item in case.found if item not in failures]
    if others:
        lines.extend(["      <system-out>", *map(_told, others), "      </system-out>"])
    return [*lines, "    </testcase>"]


def _told(item: Finding) -> str:
    row, column = item.span.file.location(item.span.start)
    path = paths.relative(item.span.file.path)
    return _escape(f"{path}:{row}:{column}: {item.code} [{item.level}] {item.message}")


def _escape(text: str) -> str:
    return "".join(_ENTITIES.get(letter, letter) for letter in clean(text))
