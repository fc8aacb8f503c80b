"""Findings for people: ``text`` with the lines they are about, ``concise`` one line each."""

from __future__ import annotations

from speclint.report import snippet
from speclint.report.style import clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.analysis import Outcome
    from speclint.finding import Finding, Fix
    from speclint.report.style import Style
    from speclint.rules.evaluate import Doubt

_BOLD = "1"
_CYAN = "36"
FIX_HINTS = {"safe": "", "unsafe": " (unsafe: apply with --unsafe-fixes)", "display": " (by hand)"}


def text(outcome: Outcome, style: Style) -> str:
    """Every finding with its lines, the places that decided it and its fix."""
    return "".join(f"{full(finding, style)}\n\n" for finding in outcome.findings)


def concise(outcome: Outcome, style: Style) -> str:
    """Every finding on one line; ``[*]`` marks those that ``--fix`` mends."""
    lines: list[str] = []
    for finding in outcome.findings:
        mark = " [*]" if finding.fix is not None and finding.fix.applicability == "safe" else ""
        lines.append(header(finding, style) + style.paint(mark, _CYAN) + "\n")
    return "".join(lines)


def doubts(outcome: Outcome, style: Style) -> str:
    """What could not be judged, and why (``--show-unknown``)."""
    lines = [_doubt(doubt, style) for analysis in outcome.analyses for doubt in analysis.doubts]
    return "".join(f"{line}\n" for line in dict.fromkeys(lines))


def summary(outcome: Outcome, unsafe: bool, style: Style, fixed: int = 0) -> str:
    """The last lines: what was fixed, how many findings of which level remain, and how they can be fixed."""
    told = f"Fixed {count(fixed, 'problem')}.\n" if fixed else ""
    return told + _remaining(outcome, unsafe, style)


def _remaining(outcome: Outcome, unsafe: bool, style: Style) -> str:
    findings = list(outcome.findings)
    launches = count(outcome.launches, "launch", "launches")
    files = count(outcome.holding, "file")
    if not findings:
        if outcome.errors:
            return ""  # what was read says nothing, and standard error says what was not read
        if not outcome.launches:
            return f"No SGLang launch found in {count(outcome.files, 'file')}.\n"
        return f"{style.paint('No findings', '1;32')} in {launches} in {files}.\n"
    levels = [(level, sum(finding.level == level for finding in findings)) for level in ("error", "warning", "info")]
    parts = ", ".join(count(number, level, level if level == "info" else None) for level, number in levels if number)
    lines = [f"Found {count(len(findings), 'problem')} ({parts}) in {launches} in {files}."]
    lines.extend(_fixable([finding.fix for finding in findings if finding.fix is not None], unsafe))
    return "".join(f"{line}\n" for line in lines)


def count(number: int, word: str, plural: str | None = None) -> str:
    """A number with its noun."""
    return f"{number} {word if number == 1 else plural or word + 's'}"


def _fixable(fixes: Iterable[Fix], unsafe: bool) -> list[str]:
    kinds = [fix.applicability for fix in fixes]
    safe, more = kinds.count("safe"), kinds.count("unsafe")
    if unsafe:
        return [f"{safe + more} fixable with --fix --unsafe-fixes."] if safe + more else []
    if safe:
        rest = f" ({more} more with --unsafe-fixes)" if more else ""
        return [f"{safe} fixable with --fix{rest}."]
    return [f"None fixable with --fix ({more} with --fix --unsafe-fixes)."] if more else []


def header(finding: Finding, style: Style) -> str:
    """One finding on one line, without its fix."""
    row, column = finding.span.file.location(finding.span.start)
    place = f"{style.paint(clean(finding.span.file.path), _BOLD)}:{row}:{column}:"
    return f"{place} {style.paint(finding.code, _BOLD)} {style.level(finding.level)} {clean(finding.message)}"


def full(finding: Finding, style: Style) -> str:
    """One finding with its lines and its fix."""
    points = snippet.marks(finding)
    lines = [header(finding, style), *snippet.render(points, finding.level, style)]
    if finding.fix is not None:
        lines.append(snippet.edge(points, style))
        hint = FIX_HINTS[finding.fix.applicability]
        lines.append(f"{style.paint('fix:', '1;32')} {clean(finding.fix.message)}{hint}")
        lines.extend("  " + line for line in snippet.changes(finding.fix.edits, style))
    return "\n".join(lines)


def _doubt(doubt: Doubt, style: Style) -> str:
    row, column = doubt.span.file.location(doubt.span.start)
    place = f"{style.paint(clean(doubt.span.file.path), _BOLD)}:{row}:{column}:"
    level = style.paint("[unknown]", "2")
    return f"{place} {doubt.code} {level} {doubt.name} cannot be told because {clean(doubt.reason)}"
