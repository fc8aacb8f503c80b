"""What a run makes: of each file an analysis, of all of them together an outcome."""

from __future__ import annotations

import os

from speclint.finding import LEVELS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.finding import Finding
    from speclint.identity import Identity
    from speclint.launch import Launch
    from speclint.release import Stated
    from speclint.rules.evaluate import Doubt
    from speclint.sglang.options import Options
    from speclint.source import SourceFile

    Problem = tuple[str, "int | None", "int | None"]


class Analysis:
    """What one file says.

    ``launches``, ``options`` and ``stated`` (what named the release) run in step. ``findings`` are those that nothing
    suppresses, by place. ``problems`` are (message, row, column) of what could not be read; ``doubts`` are rules that
    had no answer, if the settings ask for them. ``known`` are findings that a baseline leaves out, ``unasked`` those of
    rules that are not selected: no fix may bring one, whatever is selected.
    """

    __slots__ = ("doubts", "file", "findings", "host", "known", "launches", "options", "problems", "stated", "unasked")

    def __init__(self, file: SourceFile, host: str) -> None:
        self.file = file
        self.host = host
        self.launches: list[Launch] = []
        self.options: list[Options] = []
        self.stated: list[Stated] = []
        self.findings: list[Finding] = []
        self.unasked: list[Finding] = []
        self.problems: list[Problem] = []
        self.doubts: list[Doubt] = []
        self.known: list[Identity] = []

    def rows(self, launch: Launch) -> range:
        """The rows that a launch takes."""
        first, _ = self.file.location(launch.span.start)
        return range(first, self.file.location(max(launch.span.start, launch.span.end - 1))[0] + 1)


class Outcome:
    """What a run found: analyses of the files that hold a launch or a finding, in order, and lines for standard error.

    ``errors`` make the exit status 2, ``notes`` do not.
    """

    def __init__(self) -> None:
        self.analyses: list[Analysis] = []
        self.errors: list[str] = []
        self.notes: list[str] = []
        self.files = 0  # looked at, with and without launches
        self.holding = 0  # files that hold a launch
        self.launches = 0
        self.known: list[Identity] = []

    @property
    def findings(self) -> Iterator[Finding]:
        """Every finding, file by file."""
        for analysis in self.analyses:
            yield from analysis.findings

    def add(self, analysis: Analysis | None) -> None:
        """Count what one file holds, and keep it."""
        if analysis is not None:
            self.analyses.append(analysis)
            self.launches += len(analysis.launches)
            self.holding += bool(analysis.launches)
            self.known.extend(analysis.known)

    def merge(self, other: Outcome) -> None:
        """Take over what another outcome, of files that come behind those of this one, has."""
        self.analyses.extend(other.analyses)
        self.errors.extend(other.errors)
        self.notes.extend(other.notes)
        self.holding += other.holding
        self.launches += other.launches
        self.known.extend(other.known)

    def strip(self) -> None:
        """Let go of all but what is told, so that a run over many files needs no more memory than one over few."""
        for analysis in self.analyses:
            for launch in analysis.launches:
                launch.beside = ()  # else each file would be a circle that waits for the collector
            analysis.launches, analysis.options, analysis.stated, analysis.unasked = [], [], [], []
            for finding in analysis.findings:
                finding.launch, finding.sharers = None, []
        self.analyses = [analysis for analysis in self.analyses if analysis.findings or analysis.doubts]

    def error(self, path: str, message: str, row: int | None = None, column: int | None = None) -> None:
        """Note what could not be read, for standard error."""
        place = ":".join(str(part) for part in (path or os.curdir, row, column) if part is not None)
        self.errors.append(f"{place}: {message}")


def exit_status(outcome: Outcome, fail_on: str) -> int:
    """0: nothing at or above ``fail_on``; 1: findings; 2: something could not be read."""
    if outcome.errors:
        return 2
    if fail_on == "never":
        return 0
    lowest = LEVELS.index(fail_on)
    return int(any(LEVELS.index(finding.level) >= lowest for finding in outcome.findings))
