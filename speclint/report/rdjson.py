"""``--output-format rdjson``: for reviewdog, which posts fixes as suggestions. Columns count UTF-8 bytes."""

from __future__ import annotations

from speclint.home import HOME, rule_url
from speclint.report import paths
from speclint.report.json import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from speclint.analysis import Outcome
    from speclint.finding import Finding, Fix
    from speclint.source import SourceFile
    from speclint.text import Span

_SEVERITIES = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def findings(outcome: Outcome) -> str:
    """One diagnostic result."""
    source = {"name": "speclint", "url": HOME}
    return dump({"source": source, "diagnostics": [_diagnostic(item) for item in outcome.findings]})


def _diagnostic(item: Finding) -> dict[str, Any]:
    data: dict[str, Any] = {
        "message": item.message,
        "location": {"path": paths.relative(item.span.file.path), "range": _range(item.span)},
        "severity": _SEVERITIES[item.level],
        "code": {"value": item.code},
    }
    url = rule_url(item.code)
    if url is not None:
        data["code"]["url"] = url
    suggestions = [text for fix in (item.fix, *item.others) if fix is not None for text in _suggestion(fix, item)]
    if suggestions:
        data["suggestions"] = suggestions
    return data


def _suggestion(fix: Fix, item: Finding) -> list[dict[str, Any]]:
    """A fix as one replacement, since each suggestion is taken by itself; none for what lies in another file."""
    file = item.span.file
    if fix.applicability == "display" or not fix.edits or any(edit.span.file is not file for edit in fix.edits):
        return []
    text, at = "", fix.edits[0].span.start
    for edit in fix.edits:
        text += file.text[at : edit.span.start] + edit.content
        at = edit.span.end
    whole = fix.edits[0].span.to(fix.edits[-1].span)
    return [{"range": _range(whole), "text": text}]


def _range(span: Span) -> dict[str, Any]:
    return {"start": _position(span.file, span.start), "end": _position(span.file, span.end)}


def _position(file: SourceFile, offset: int) -> dict[str, int]:
    row, column = file.location(offset)
    before = file.text[offset - column + 1 : offset].encode("utf-8", "surrogateescape")
    # A byte order mark is no character of the text, but these are bytes of the line.
    return {"line": row, "column": len(before) + 1 + (len(file.bom) if row == 1 else 0)}
