"""``--output-format markdown``: a table, for the summary of a CI run or a comment on a change."""

from __future__ import annotations

from speclint.finding import LEVELS
from speclint.home import rule_link
from speclint.lean import pattern, re
from speclint.report import paths
from speclint.report.style import Style, clean
from speclint.report.text import count, summary

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.analysis import Outcome
    from speclint.finding import Finding

# GitHub takes a summary of 1 MiB.
_LARGEST = 900_000
_SIGNS = {"error": ":x: error", "warning": ":warning: warning", "info": ":information_source: info"}
_SPECIAL = pattern(r"([\\*_\[\]<>#|~])")


def findings(outcome: Outcome, unsafe: bool = False, fixed: int = 0) -> str:
    """The findings, errors first, and the summary; what is too much for GitHub is only counted."""
    found = sorted(outcome.findings, key=lambda item: -LEVELS.index(item.level))
    told = "\n\n".join(escape(line) for line in summary(outcome, unsafe, Style(False), fixed).splitlines())
    parts = ["## speclint", "", *([told, ""] if told else [])]
    if found:
        parts.extend(["| Level | Place | Rule | Finding |", "| --- | --- | --- | --- |"])
    size = 0
    for number, item in enumerate(found):
        row = _row(item)
        size += len(row.encode("utf-8", "replace")) + 1
        if size > _LARGEST:
            parts.extend(["", f"{count(len(found) - number, 'more finding')} not shown."])
            break
        parts.append(row)
    if outcome.errors:
        parts.extend(["", "Not read:", "", *(f"- {escape(line)}" for line in outcome.errors)])
    return "\n".join(parts).rstrip("\n") + "\n"


def _row(item: Finding) -> str:
    row, column = item.span.file.location(item.span.start)
    place = f"{code(paths.relative(item.span.file.path))}:{row}:{column}"
    rule = f"{rule_link(item.code)} {item.name}"
    text = escape(item.message)
    if item.fix is not None:
        kind = "" if item.fix.applicability == "safe" else f" ({item.fix.applicability})"
        text += f"<br>**fix{kind}:** {escape(item.fix.message)}"
    return f"| {_SIGNS[item.level]} | {place} | {rule} | {text} |"


def escape(text: str) -> str:
    """Text of one line as Markdown shows it, in a table too; `` `x` `` stays code."""
    parts = re.split(r"(`[^`]*`)", clean(text))
    return "".join(code(part[1:-1]) if index % 2 else _plain(part) for index, part in enumerate(parts))


def _plain(text: str) -> str:
    return _SPECIAL.sub(r"\\\1", text).replace("&", "&amp;").replace("`", "\\`").replace("@", "&#64;")


def code(text: str) -> str:
    """Text as code; a bar would end the cell of a table."""
    text = clean(text).replace("|", "\\|")
    return f"`` {text} ``" if "`" in text else f"`{text}`" if text else ""
