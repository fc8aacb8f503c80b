"""``--add-ignore``: a comment for each launch that has findings, which keeps them quiet from then on.

Where a comment may stand depends on the language and on what is around the launch. So places are tried in turn, and
one is taken when the file reads as before, with the same launches, and just these findings are gone.
"""

from __future__ import annotations

from speclint.source import SourceError, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.analysis import Analysis, Outcome
    from speclint.finding import Finding
    from speclint.launch import Launch
    from speclint.run import Linter


def run(linter: Linter, outcome: Outcome, reason: str) -> int:
    """Write the comments for an outcome; how many findings they ignore. What is left stays in the outcome."""
    added = 0
    for number, analysis in enumerate(outcome.analyses):
        after, text, count = _file(linter, analysis, reason)
        if count and _written(analysis, text, outcome):
            added += count
            outcome.analyses[number] = after
        outcome.notes.extend(_left(outcome.analyses[number]))
    return added


def _file(linter: Linter, analysis: Analysis, reason: str) -> tuple[Analysis, str, int]:
    """A file with its comments, and how many findings they ignore."""
    file, settings = analysis.file, linter.configs.for_file(analysis.file.path)
    if not file.clean:
        return analysis, file.text, 0
    groups: dict[Launch, list[Finding]] = {}
    for finding in analysis.findings:
        if finding.launch is not None:
            groups.setdefault(finding.launch, []).append(finding)
    text, state, count = file.text, analysis, 0
    # From the end of the file on, so that places before stay what they are.
    for launch in sorted(groups, key=lambda launch: launch.span.start, reverse=True):
        found = groups[launch]
        codes = ",".join(sorted({finding.code for finding in found}))
        mark = "//" if analysis.host == "javascript" else "#"
        comment = f"{mark} speclint: ignore[{codes}] {reason}".rstrip()
        for at, content in _places(file, launch, found, comment):
            new = text[:at] + content + text[at:]
            try:
                after = linter.analyse(SourceFile(file.path, file.encode(new)), analysis.host, settings)
            except SourceError:
                continue
            if _words(after) == _words(state) and _told(after) == _told(state, found) and _same(after, state):
                text, state, count = new, after, count + len(found)
                break
    return state, text, count


def _places(file: SourceFile, launch: Launch, found: Sequence[Finding], comment: str) -> Iterator[tuple[int, str]]:
    """Where a comment may stand: above the launch, above the statement that it is in, at the end of a line."""
    first = file.location(launch.span.start)[0]
    above = first
    while above > 1 and file.line(above - 1).endswith("\\"):
        above -= 1
    head = file.location(launch.head.start)[0] if launch.head.file is file else first
    for row in dict.fromkeys((first, above, head)):
        line = file.line(row)
        indent = line[: len(line) - len(line.lstrip(" \t"))]
        yield file.offset(row), f"{indent}{comment}{file.newline()}"
    last = file.location(max(launch.span.start, launch.span.end - 1))[0]
    for row in dict.fromkeys((last, *(file.location(finding.span.start)[0] for finding in found))):
        yield file.offset(row) + len(file.line(row)), f"  {comment}"


def _words(analysis: Analysis) -> list[tuple[object, ...]]:
    """The launches of a file, as far as a comment must not change them."""
    return [(launch.entrypoint, *(word.text for word in launch.words)) for launch in analysis.launches]


def _told(analysis: Analysis, without: Sequence[Finding] = ()) -> list[tuple[str, str, str]]:
    keys = sorted(map(_key, analysis.findings))
    for finding in without:
        if _key(finding) in keys:
            keys.remove(_key(finding))
    return keys


def _key(finding: Finding) -> tuple[str, str, str]:
    return finding.code, finding.flag or "", finding.span.text


def _same(after: Analysis, before: Analysis) -> bool:
    return len(after.problems) == len(before.problems)


def _written(analysis: Analysis, text: str, outcome: Outcome) -> bool:
    from speclint.fix.write import WriteError, write

    try:
        write(analysis.file, text)
    except WriteError as error:
        outcome.errors.append(str(error))
        return False
    return True


def _left(analysis: Analysis) -> Iterator[str]:
    for finding in analysis.findings:
        row, column = finding.span.file.location(finding.span.start)
        where = "no comment can stand here" if finding.launch is not None else "it is no finding on a launch"
        yield f"{finding.span.file.path}:{row}:{column}: {finding.code} is not ignored: {where}"
