"""Findings by more than one release: what an upgrade breaks, and what holds for a build between two releases."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.finding import Finding


def breaks(now: str, then: str, ask: Callable[[str], list[Finding]]) -> list[Finding]:
    """The findings at release ``then`` that are not there at ``now``, each with the release that brings it.

    ``ask`` gives the findings of the launch at a release. Nothing where ``then`` is not newer than ``now``.
    """
    from speclint.sglang.catalog import known
    from speclint.sglang.versions import parse

    if parse(then) <= parse(now):
        return []
    before = {_key(finding) for finding in ask(now)}
    found = [finding for finding in ask(then) if _key(finding) not in before]
    if not found:
        return []
    brought = {_key(finding): then for finding in found}
    standing = set(brought)
    for release in reversed([r for r in known() if parse(now) < parse(r) < parse(then)]):
        # From the newest back: a finding is brought by the oldest release of the unbroken run that has it.
        standing &= {_key(finding) for finding in ask(release)}
        if not standing:
            break
        for key in standing:
            brought[key] = release
    for finding in found:
        finding.version = brought[_key(finding)]
        verb = "breaks with" if finding.level == "error" else "comes with"
        finding.message = f"{finding.message} ({verb} SGLang {finding.version})"
    return found


def common(version: str, until: str, ask: Callable[[str], list[Finding]]) -> list[Finding]:
    """The findings at release ``version`` that ``until`` has too: what a build between them has is not known else."""
    found = ask(version)
    after = {_key(finding) for finding in ask(until)} if found else set()
    return [finding for finding in found if _key(finding) in after]


def _key(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.span.start, finding.span.end
