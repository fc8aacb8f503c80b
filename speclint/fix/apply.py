"""Applying fixes in rounds: choose those that do not meddle, apply them, check what they promised, look again.

A round never depends on the order of the findings, and a fix that breaks a promise costs nothing but itself.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from itertools import pairwise

from speclint.finding import APPLICABILITIES
from speclint.fix.verify import apply, broken_promise, edit_key, edits_of
from speclint.source import SourceError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from speclint.analysis import Analysis
    from speclint.finding import Finding, Fix
    from speclint.fix.verify import EditKey
    from speclint.source import SourceFile

    Analyse = Callable[[str], Analysis]

# Rounds beyond one for each fix that the first look offers; fixes that make work for each other end here.
SPARE_ROUNDS = 10


class Result:
    """What became of a file.

    ``text``: the fixed text, that of the file where nothing was to be done. ``applied``: the findings whose fixes were
    made (of several rounds, so their spans are in several states of the file). ``dropped``: findings whose fix would
    have broken a promise, with the promise. ``remaining``: the analysis of ``text``. ``error``: an internal error, for
    people; the text is that of the file then.
    """

    __slots__ = ("applied", "dropped", "error", "remaining", "text")

    def __init__(
        self,
        text: str,
        remaining: Analysis,
        applied: Sequence[Finding] = (),
        dropped: Sequence[tuple[Finding, str]] = (),
        error: str | None = None,
    ) -> None:
        self.text = text
        self.remaining = remaining
        self.applied = list(applied)
        self.dropped = list(dropped)
        self.error = error


def fix_file(file: SourceFile, analyse: Analyse, allow: str, first: Analysis | None = None) -> Result:
    """Apply the fixes of a file that are ``allow`` ("safe" or "unsafe") or better, until there are none.

    ``analyse`` looks at a text in place of the file's; ``first`` is what it found in the file as it is, where that is
    known. Raises what ``analyse`` raises for the file as it is.
    """
    first = analyse(file.text) if first is None else first
    if not file.clean:
        return Result(file.text, first)
    analysis = first
    applied: list[Finding] = []
    # Every state of the text, and the rules that led on from it.
    seen: dict[str, list[str]] = {}
    limit = SPARE_ROUNDS + sum(1 for f in first.findings if _allowed(f, allow, first.file))
    while True:
        text = analysis.file.text
        if text in seen or len(seen) > limit:
            since = list(seen).index(text) if text in seen else len(seen) - SPARE_ROUNDS
            names = ", ".join(sorted({code for codes in list(seen.values())[since:] for code in codes}))
            return Result(
                file.text, first, error=f"{file.path}: the fixes of {names} undo each other; nothing was changed"
            )
        step = _Round(analysis, analyse, allow).run()
        seen[text] = [f.code for f in step.applied]
        if not step.applied:
            return Result(text, analysis, applied, list(step.dropped.values()))
        applied += step.applied
        analysis = step.analysis


def _allowed(finding: Finding, allow: str, file: SourceFile) -> bool:
    """Whether the fix of a finding may be applied to the file that it was found in."""
    fix = finding.fix
    return (
        fix is not None
        and fix.applicability != "display"
        and (finding.launch is None or finding.launch.command.fixable)
        and APPLICABILITIES.index(fix.applicability) >= APPLICABILITIES.index(allow)
        and bool(fix.edits)
        and all(edit.span.file is file for edit in fix.edits)
        and all(a.span.end <= b.span.start for a, b in pairwise(fix.edits))
        and any(edit.span.text != edit.content for edit in fix.edits)
    )


class _Round:
    """One round from the state ``analysis``; afterwards that is the state it led to."""

    def __init__(self, analysis: Analysis, analyse: Analyse, allow: str) -> None:
        self.start = analysis
        self.analysis = analysis
        self.analyse = analyse
        self.allow = allow
        self.applied: list[Finding] = []
        self.dropped: dict[int, tuple[Finding, str]] = {}

    def run(self) -> _Round:
        while not self.applied:
            batch = self._choose()
            if not batch:
                break
            reason = self._try(batch)
            if reason is None:
                self.applied = batch
                break
            self._by_rule(_groups(batch), reason)
        return self

    def _choose(self) -> list[Finding]:
        """The fixes of this round, the first in the text first, none of which touches another."""
        candidates = [f for f in self.start.findings if id(f) not in self.dropped]
        candidates = sorted((f for f in candidates if _allowed(f, self.allow, self.start.file)), key=_order)
        chosen: list[Finding] = []
        taken: list[EditKey] = []
        reshaped: dict[int, _Reshaping] = {}
        for finding in candidates:
            fix = finding.fix
            assert fix is not None
            new = [key for key in map(edit_key, fix.edits) if not _among(key, taken)]
            if any(_meddles(key, taken) for key in new):
                continue
            launch = finding.launch if new and _reshapes(fix) else None
            if launch is not None and not reshaped.setdefault(id(launch), _Reshaping()).add(finding, fix):
                continue
            for key in new:
                insort(taken, key)
            chosen.append(finding)
        return chosen

    def _try(self, findings: Sequence[Finding]) -> str | None:
        """Apply the fixes to the text; the promise that breaks, or None and the new state is taken."""
        text, regions = apply(self.start.file.text, edits_of(findings))
        try:
            after = self.analyse(text)
        except SourceError as error:
            return f"the file would no longer be read: {error}"
        reason = broken_promise(self.start, after, findings, regions)
        if reason is None:
            self.analysis = after
        return reason

    def _by_rule(self, groups: Sequence[list[Finding]], reason: str) -> None:
        """Find the fixes that break a promise, those of a rule at a time: what it finds twice is often one thing."""
        rules: dict[str, list[list[Finding]]] = {}
        for group in groups:
            rules.setdefault(min(finding.code for finding in group), []).append(group)
        if len(rules) == 1:
            self._separate(groups, reason)
            return
        for _, some in sorted(rules.items()):
            self._add(some)

    def _separate(self, groups: Sequence[list[Finding]], reason: str) -> None:
        """Find the fixes that break a promise, half by half, and apply the others."""
        if len(groups) == 1:
            self.dropped.update((id(f), (f, reason)) for f in groups[0])
            return
        middle = len(groups) // 2
        for half in (groups[:middle], groups[middle:]):
            self._add(half)

    def _add(self, groups: Sequence[list[Finding]]) -> None:
        """Apply fixes beside those that are applied already; where a promise breaks, those of them that keep it."""
        together = [finding for group in groups for finding in group]
        broken = self._try([*self.applied, *together])
        if broken is None:
            self.applied += together
        else:
            self._separate(groups, broken)


class _Reshaping:
    """The fixes of a round that change which options one launch has.

    "Take A out, B is there" and "take B out, A is there" are both right, one at a time. Several are made at once only
    if they are of one rule, take something out, and touch nothing that another names as its ground.
    """

    __slots__ = ("_code", "_grounds", "_taken")

    def __init__(self) -> None:
        self._code: str | None = None
        self._taken: list[tuple[int, int]] = []
        self._grounds: list[tuple[int, int]] = []

    def add(self, finding: Finding, fix: Fix) -> bool:
        """Whether a fix can be made beside the others; if so, it is one of them from now on."""
        file = finding.span.file
        grounds = [(span.start, span.end) for _, span in finding.related if span.file is file]
        places = [(edit.span.start, edit.span.end) for edit in fix.edits]
        code = finding.code if grounds and not any(edit.content for edit in fix.edits) else None
        if self._taken and (
            code is None
            or code != self._code
            or any(_covers(self._taken, place) for place in grounds)
            or any(_covers(self._grounds, place) for place in places)
        ):
            return False
        self._code = code
        for place in places:
            _cover(self._taken, place)
        for place in grounds:
            _cover(self._grounds, place)
        return True


def _covers(places: Sequence[tuple[int, int]], place: tuple[int, int]) -> bool:
    """Whether one of the places, which are in order and apart, shares a character with another place."""
    at = bisect_left(places, (place[1], -1))
    return at > 0 and places[at - 1][1] > place[0]


def _cover(places: list[tuple[int, int]], place: tuple[int, int]) -> None:
    """Add a place to those that are in order and apart; what overlaps becomes one."""
    start, end = place
    at = bisect_left(places, (end, -1))
    first = at
    while first and places[first - 1][1] > start:
        first -= 1
    if first < at:
        start, end = min(start, places[first][0]), max(end, places[at - 1][1])
    places[first:at] = [(start, end)]


def _order(finding: Finding) -> tuple[object, ...]:
    """A total order: nothing may depend on the order in which rules were run."""
    fix = finding.fix
    assert fix is not None
    keys = [edit_key(edit) for edit in fix.edits]
    return (keys[0][:2], finding.code, keys, finding.key(), finding.message, fix.message)


def _among(key: EditKey, taken: Sequence[EditKey]) -> bool:
    at = bisect_left(taken, key)
    return at < len(taken) and taken[at] == key


def _meddles(key: EditKey, taken: Sequence[EditKey]) -> bool:
    """Whether an edit overlaps or adjoins one of those that are taken, which are in order and apart."""
    start, end, _ = key
    at = bisect_left(taken, key)
    return (at > 0 and taken[at - 1][1] >= start) or (at < len(taken) and taken[at][0] <= end)


def _reshapes(fix: Fix) -> bool:
    """Whether a fix changes which options there are."""
    return any(not edit.content or edit.span.start == edit.span.end for edit in fix.edits)


def _groups(findings: Iterable[Finding]) -> list[list[Finding]]:
    """Findings whose fixes share an edit stand or fall together: each of them speaks for one of the launches."""
    groups: dict[int, tuple[list[EditKey], list[Finding]]] = {}
    of: dict[EditKey, int] = {}  # the group that an edit belongs to
    for number, finding in enumerate(findings):
        keys, members = edits_of([finding]), [finding]
        for other in sorted({of[key] for key in keys if key in of}, reverse=True):
            more, found = groups.pop(other)
            keys, members = more + keys, found + members
        groups[number] = (keys, members)
        of.update(dict.fromkeys(keys, number))
    return [members for _, members in sorted(groups.values(), key=lambda group: min(group[0]))]
