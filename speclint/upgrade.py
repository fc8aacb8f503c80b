"""Findings by more than one release: what an upgrade breaks, and what holds for a build between two releases."""

from __future__ import annotations

from speclint.lean import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.finding import Finding
    from speclint.release import Stated


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


# What is told of an option's name: unknown, removed, renamed, ambiguous, too new, another engine's.
_OF_NAMES = frozenset(("SGL101", "SGL102", "SGL103", "SGL105", "SGL106", "SGL115", "SGL116"))
_OF_CHOICES = frozenset(("SGL109",))


def common(stated: Stated, ask: Callable[[str], list[Finding]]) -> list[Finding]:
    """The findings that a build between two releases is sure to have: those of both, but for options that it takes."""
    found = ask(stated.version)
    if found and stated.until is not None:
        after = {_key(finding) for finding in ask(stated.until)}
        found = [finding for finding in found if _key(finding) in after]
    return [finding for finding in found if not stated.accepts or _name(finding) not in stated.accepts]


def _name(finding: Finding) -> str | None:
    """The option, or the choice of one, that a finding says there is not."""
    if finding.code in _OF_CHOICES:
        refused = re.search(r" takes no `([^`]+)`", finding.message)
        return refused[1] if refused is not None else None
    if finding.code not in _OF_NAMES:
        return None
    flag = finding.flag or ""
    return flag if flag.startswith("-") else "--" + flag.replace("_", "-")


def _key(finding: Finding) -> tuple[str, int, int]:
    return finding.code, finding.span.start, finding.span.end
