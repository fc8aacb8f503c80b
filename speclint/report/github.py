"""``--output-format github``: workflow commands, which GitHub shows as annotations.

GitHub takes ten annotations of a kind from a step and drops the others without a word. Those that count most are told
first: errors before warnings, and of each level what stands on a changed line. What is left is counted by one notice,
and stands in the log.
"""

from __future__ import annotations

from speclint.finding import LEVELS
from speclint.report import paths
from speclint.report.style import Style, clean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.analysis import Outcome
    from speclint.changed import Changed
    from speclint.finding import Finding

_COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}
LIMIT = 10


def findings(outcome: Outcome, changed: Callable[[], Changed | None] = lambda: None) -> str:
    """As many commands as GitHub shows; ``changed`` tells the lines of the change at hand."""
    found = list(outcome.findings)
    lines = changed() if found else None

    def rank(item: Finding) -> tuple[int, bool]:
        return -LEVELS.index(item.level), lines is not None and not lines.touches(item.span)

    unread = [f"::error title=speclint::{_data(line)}\n" for line in outcome.errors[:LIMIT]]
    told, rest = _shared_out(sorted(found, key=rank), len(unread))
    return "".join((*unread, *(f"{_command(item)}\n" for item in told), _rest(rest) if rest else ""))


def _shared_out(found: list[Finding], taken: int) -> tuple[list[Finding], list[Finding]]:
    """What is annotated, and what is not: the notice that counts the latter takes a place of its own.

    ``taken``: how many errors are told already.
    """
    kinds: dict[str, list[Finding]] = {level: [] for level in reversed(LEVELS)}
    for item in found:
        kinds[item.level].append(item)
    room = {"error": LIMIT - taken, "warning": LIMIT, "info": LIMIT}
    if any(len(items) > room[level] for level, items in kinds.items()):
        room["info"] -= 1
    told = [item for level, items in kinds.items() for item in items[: room[level]]]
    rest = [item for level, items in kinds.items() for item in items[room[level] :]]
    return told, rest


def _rest(items: list[Finding]) -> str:
    """A notice with their number, and each of them in the log; the runner must not take their text for commands."""
    from secrets import token_hex

    from speclint.report.text import count, header

    token = f"speclint-{token_hex(8)}"
    number = count(len(items), "more finding")
    lines = [
        f"::notice title=speclint::{len(items)} more: see the log or the summary of this step",
        f"::group::{number}",
        f"::stop-commands::{token}",
        *(header(item, Style(False)) for item in items),
        f"::{token}::",
        "::endgroup::",
    ]
    return "".join(f"{line}\n" for line in lines)


def _command(finding: Finding) -> str:
    file = finding.span.file
    row, column = file.location(finding.span.start)
    end_row, end_column = file.location(finding.span.end)
    path = paths.relative(file.path)
    places = {"title": f"speclint ({finding.code})", "file": path, "line": row}
    if row == end_row:  # GitHub takes columns for one line only
        places.update(col=column, endLine=end_row, endColumn=end_column)
    else:
        places.update(endLine=end_row)
    properties = ",".join(f"{key}={_property(str(value))}" for key, value in places.items())
    message = f"{clean(path)}:{row}:{column}: {finding.code} {finding.message}"
    return f"::{_COMMANDS[finding.level]} {properties}::{_data(message)}"


def _data(text: str) -> str:
    """Text as the runner reads it back; what would steer a terminal is no part of it."""
    return clean(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
