"""``--statistics``: how often each rule speaks, the most frequent first."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.analysis import Outcome
    from speclint.finding import Finding


def text(outcome: Outcome) -> str:
    """A table: count, code, ``[*]`` where all can be fixed and ``[-]`` where some can, name."""
    rows = _rules(outcome)
    width = max((len(str(len(findings))) for findings in rows), default=0)
    lines: list[str] = []
    for found in rows:
        fixable = _fixable(found)
        mark = "[*]" if fixable == len(found) else "[-]" if fixable else "[ ]"
        lines.append(f"{len(found):>{width}}\t{found[0].code}\t{mark}\t{found[0].name}\n")
    return "".join(lines)


def to_json(outcome: Outcome) -> str:
    """The same as an array."""
    from speclint.report.json import dump

    return dump(
        [
            {"code": found[0].code, "name": found[0].name, "count": len(found), "fixable_count": _fixable(found)}
            for found in _rules(outcome)
        ]
    )


def _rules(outcome: Outcome) -> list[list[Finding]]:
    groups: dict[str, list[Finding]] = {}
    for finding in outcome.findings:
        groups.setdefault(finding.code, []).append(finding)
    return sorted(groups.values(), key=lambda found: (-len(found), found[0].code))


def _fixable(findings: list[Finding]) -> int:
    return sum(finding.fix is not None and finding.fix.applicability == "safe" for finding in findings)
