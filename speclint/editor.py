"""What an editor asks of a text: what is wrong in it, how it is mended, what an option means, what may stand here.

Nothing here knows a protocol: places are spans and offsets in code points, see ``lsp`` for how they travel.
"""

from __future__ import annotations

import os

from speclint import discover, needle
from speclint.lean import NamedTuple
from speclint.source import SourceError, SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclint.analysis import Analysis
    from speclint.finding import Finding, Fix
    from speclint.run import Linter

# What editors call the languages, for text that has no name yet.
LANGUAGES = {
    "asciidoc": "asciidoc",
    "dockerfile": "dockerfile",
    "hcl": "terraform",
    "javascript": "javascript",
    "javascriptreact": "javascript",
    "json": "json",
    "jsonc": "json",
    "just": "justfile",
    "makefile": "makefile",
    "markdown": "markdown",
    "nix": "nix",
    "python": "python",
    "restructuredtext": "rst",
    "shellscript": "shell",
    "sh": "shell",
    "bash": "shell",
    "terraform": "terraform",
    "toml": "toml",
    "yaml": "yaml",
}
# How many units of a position a character takes.
_UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogateescape")),
    "utf-16": lambda text: len(text) + sum(letter > "\uffff" for letter in text),
    "utf-32": len,
}


class Action(NamedTuple):
    """A fix that may be made at a place: ``preferred`` is the one that ``--fix`` would take."""

    title: str
    finding: Finding
    fix: Fix
    preferred: bool


def host_of(path: str, text: str, language: str = "") -> str | None:
    """The host that reads a text, by its name, by what the editor calls its language, or by its first line."""
    found = discover.host_of(path) or LANGUAGES.get(language)
    return found or discover.host_by_content(text.encode("utf-8", "surrogateescape"))


def look(linter: Linter, path: str, text: str, host: str | None) -> Analysis | None:
    """What a text says, which need not be what lies on disk; None where there is nothing to read.

    Raises SourceError where it cannot be parsed, as text that is being typed often cannot.
    """
    raw = text.encode("utf-8", "surrogateescape")
    if host is None or not needle.holds_needle(raw):
        return None
    settings = linter.configs.for_file(path)
    if os.path.isabs(path) and discover.excluded(settings, path):
        return None
    return linter.analyse(SourceFile(path, raw), host, settings)


def actions(analysis: Analysis, start: int, end: int) -> Iterator[Action]:
    """The fixes of the findings that touch a range, for each finding the best first."""
    for finding in analysis.findings:
        if finding.span.file is not analysis.file or finding.span.end < start or end < finding.span.start:
            continue
        if finding.launch is not None and not finding.launch.command.fixable:
            continue
        # Here a person chooses, so what `--fix` never makes by itself is offered too, if it is in this text.
        found = [fix for fix in (finding.fix, *finding.others) if fix is not None]
        fixes = [fix for fix in found if fix.applicability != "display" or _inside(fix, analysis.file)]
        for number, fix in enumerate(fixes):
            kind = "" if fix.applicability == "safe" else ", unsafe"
            places = _places(fix, finding)
            yield Action(f"{finding.code}: {fix.message}{places}{kind}", finding, fix, number == 0 and not kind)


def _inside(fix: Fix, file: SourceFile) -> bool:
    return all(edit.span.file is file for edit in fix.edits)


def _places(fix: Fix, finding: Finding) -> str:
    """Where a fix changes something, if that is not where the finding stands."""
    file = finding.span.file
    rows = {file.location(edit.span.start)[0] for edit in fix.edits if edit.span.file is file}
    names = sorted({os.path.basename(e.span.file.path) for e in fix.edits if e.span.file is not file})
    here = file.location(finding.span.start)[0]
    told = [*names, *(f"line {row}" for row in sorted(rows - {here}))]
    return f" ({', '.join(told)})" if told else ""


def fix_all(linter: Linter, analysis: Analysis) -> list[tuple[int, int, str]]:
    """Every safe fix, as replacements of ranges of the text; they need not be in one finding."""
    from speclint.fix.apply import fix_file

    file = analysis.file
    settings = linter.configs.for_file(file.path)

    def analyse(text: str) -> Analysis:
        return linter.analyse(SourceFile(file.path, file.encode(text)), analysis.host, settings)

    return replacements(file.text, fix_file(file, analyse, "safe", analysis).text)


def replacements(old: str, new: str) -> list[tuple[int, int, str]]:
    """The ranges of ``old`` to replace to get ``new``, so that an editor keeps its marks in all other text."""
    from difflib import SequenceMatcher

    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [0]
    for line in before:
        starts.append(starts[-1] + len(line))
    found: list[tuple[int, int, str]] = []
    for tag, i, j, k, n in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            found.append(_trimmed(old, starts[i], starts[j], "".join(after[k:n])))
    return found


def _trimmed(old: str, start: int, end: int, text: str) -> tuple[int, int, str]:
    """A replacement without what it leaves as it is at its ends."""
    part = old[start:end]
    head = _alike(part, text)
    tail = _alike(part[head:][::-1], text[head:][::-1])
    return start + head, end - tail, text[head : len(text) - tail]


def _alike(one: str, other: str) -> int:
    """How many letters two texts begin with in common."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def to_client(file: SourceFile, offset: int, encoding: str) -> tuple[int, int]:
    """Line and character, from 0, of an offset, in the units of an encoding ("utf-8", "utf-16", "utf-32")."""
    row, column = file.location(offset)
    # The offset of a finding may lie in a line end, which is no place for a cursor.
    return row - 1, _UNITS[encoding](file.line(row)[: column - 1])


def from_client(file: SourceFile, line: int, character: int, encoding: str) -> int:
    """The offset of a line and character; past the end of a line it is that end."""
    text = file.line(line + 1)
    units, column = _UNITS[encoding], 0
    for letter in text:
        character -= units(letter)
        if character < 0:
            break
        column += 1
    return file.offset(line + 1) + column


def readable(linter: Linter, path: str, text: str, host: str | None) -> Analysis | None:
    """As ``look``; None, too, where the text cannot be parsed."""
    try:
        return look(linter, path, text, host)
    except SourceError:
        return None
