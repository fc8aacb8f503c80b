"""``--fix`` and ``--diff``: the fixes of every file, written or shown."""

from __future__ import annotations

import sys

from speclint.discover import STDIN
from speclint.finding import Fix
from speclint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.analysis import Analysis, Outcome
    from speclint.arguments import Arguments
    from speclint.fix.apply import Result
    from speclint.run import Linter
    from speclint.settings import Settings


def run(linter: Linter, arguments: Arguments, settings: Settings) -> tuple[Outcome, int, str]:
    """Look, fix and, without ``--diff``, write; the outcome is what remains. Also: how many were fixed, and the diff.

    Of standard input the fixed text is written to standard output.
    """
    stdin = arguments.stdin_filename is not None or arguments.words == [STDIN]
    raw = b""
    if stdin:
        outcome, raw = linter.stdin(arguments.stdin_filename)
    else:
        outcome = linter.run(arguments.words)
    fixed, diffs = 0, []
    for number, analysis in linter.over(list(enumerate(outcome.analyses))):
        result = _fixed(linter, analysis, settings, outcome)
        if result is None or result.text == analysis.file.text:
            continue
        if arguments.diff:
            from speclint.fix.diff import unified

            diffs.append(unified(analysis.file, result.text))
        elif stdin:
            raw = analysis.file.encode(result.text)
        elif not _written(analysis.file, result.text, outcome):
            continue
        fixed += len(result.applied)
        outcome.analyses[number] = result.remaining
    if stdin and not arguments.diff:
        sys.stdout.buffer.write(raw)
        sys.stdout.buffer.flush()
    return outcome, fixed, "".join(diffs)


def show_diff(diff: str, fixed: int, outcome: Outcome) -> int:
    """Print a diff byte for byte; the exit status: 1 where there is one."""
    sys.stdout.buffer.write(diff.encode("utf-8", "surrogateescape"))
    sys.stdout.buffer.flush()
    if diff:
        from speclint.report.text import count

        print(f"Would fix {count(fixed, 'problem')}.", file=sys.stderr)
    return 2 if outcome.errors else int(bool(diff))


def _fixed(linter: Linter, analysis: Analysis, settings: Settings, outcome: Outcome) -> Result | None:
    """The fixes of one file, made in memory."""
    from speclint.fix.apply import fix_file

    file = analysis.file
    chosen = linter.configs.for_file(file.path)

    def analyse(text: str) -> Analysis:
        return linter.analyse(SourceFile(file.path, file.encode(text)), analysis.host, chosen)

    if not any(finding.fix is not None for finding in analysis.findings):
        return None
    try:
        result = fix_file(file, analyse, "unsafe" if chosen.unsafe_fixes else "safe", analysis)
    except Exception as error:  # a fault of speclint must not keep other files from being fixed
        from speclint.run import describe

        outcome.error(file.path, f"internal error while fixing: {describe(error)}")
        return None
    if result.error is not None:
        outcome.errors.append(result.error)
    for finding, promise in result.dropped:
        # It remains, and is not to be counted among those that can be fixed.
        finding.fix = Fix("display", finding.fix.message, finding.fix.edits) if finding.fix is not None else None
        row, column = finding.span.file.location(finding.span.start)
        outcome.notes.append(f"{file.path}:{row}:{column}: the fix for {finding.code} was not made: {promise}")
    return result


def _written(file: SourceFile, text: str, outcome: Outcome) -> bool:
    from speclint.fix.write import WriteError, write

    try:
        write(file, text)
    except WriteError as error:
        outcome.errors.append(str(error))
        return False
    return True
