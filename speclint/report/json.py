"""``--output-format json``: rows and columns count from 1, in code points."""

from __future__ import annotations

import json
from json.encoder import encode_basestring_ascii as _quoted

from speclint.home import rule_url

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from speclint.analysis import Outcome
    from speclint.finding import Finding, Fix
    from speclint.text import Span


def findings(outcome: Outcome) -> str:
    """One array of findings."""
    return dump([finding(item) for item in outcome.findings])


def dump(data: object) -> str:
    """JSON for people and programs; a byte that is no UTF-8 is shown as the escape of a lone surrogate."""
    return _written(data, "\n") + "\n"


def _written(data: object, newline: str) -> str:
    """As ``json.dumps`` with an indent of 2, which takes three times as long; ``newline`` begins the lines around."""
    if isinstance(data, str):
        return _quoted(data)
    inner = f"{newline}  "
    if isinstance(data, dict) and data:
        rows = [f"{_quoted(key)}: {_written(value, inner)}" for key, value in data.items()]
        return f"{{{inner}{f',{inner}'.join(rows)}{newline}}}"
    if isinstance(data, (list, tuple)) and data:
        return f"[{inner}{f',{inner}'.join([_written(item, inner) for item in data])}{newline}]"
    return "null" if data is None else str(data) if type(data) is int else json.dumps(data)


def finding(item: Finding) -> dict[str, Any]:
    """One finding."""
    return {
        "code": item.code,
        "name": item.name,
        "level": item.level,
        "message": item.message,
        "url": rule_url(item.code),
        **place(item.span),
        "flag": item.flag,
        "sglang_version": item.version,
        "related": [{"message": message, **place(span)} for message, span in item.related],
        "fix": None if item.fix is None else _fix(item.fix),
    }


def place(span: Span) -> dict[str, Any]:
    """The file and the range of a span."""
    return {"filename": span.file.path, **_range(span)}


def _range(span: Span) -> dict[str, Any]:
    return {"location": _location(span, span.start), "end_location": _location(span, span.end)}


def _location(span: Span, offset: int) -> dict[str, int]:
    row, column = span.file.location(offset)
    return {"row": row, "column": column}


def _fix(fix: Fix) -> dict[str, Any]:
    edits = [{"content": edit.content, **_range(edit.span)} for edit in fix.edits]
    return {"applicability": fix.applicability, "message": fix.message, "edits": edits}
