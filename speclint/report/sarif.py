"""``--output-format sarif``: SARIF 2.1.0, for code scanning. Columns count code points."""

from __future__ import annotations

from speclint import __version__, identity
from speclint.home import HOME, rule_url
from speclint.report import paths
from speclint.report.json import dump

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import Any

    from speclint.analysis import Outcome
    from speclint.finding import Edit, Finding, Fix
    from speclint.rules.rule import Rule
    from speclint.text import Span

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_ROOT = "%SRCROOT%"
_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
# The key of our own fingerprint: GitHub computes `primaryLocationLineHash` itself and complains of another value.
_FINGERPRINT = "speclint/v1"


def findings(outcome: Outcome, rules: Callable[[], Iterable[Rule]]) -> str:
    """One run. ``rules`` gives what is known of the rules; those that spoke are described."""
    found = list(outcome.findings)
    codes = {item.code: item for item in found}
    known = {rule.code: rule for rule in rules()} if codes else {}
    order = {code: index for index, code in enumerate(sorted(codes))}
    marks = identity.fingerprints((item, paths.relative(item.span.file.path)) for item in found)
    run = {
        "tool": {
            "driver": {
                "name": "speclint",
                "version": __version__,
                "semanticVersion": __version__,
                "informationUri": HOME,
                "rules": [_rule(codes[code], known.get(code)) for code in order],
            }
        },
        "invocations": [
            {
                "executionSuccessful": not outcome.errors,
                "toolExecutionNotifications": [
                    {"level": "error", "message": {"text": _text(line)}} for line in outcome.errors
                ],
            }
        ],
        "columnKind": "unicodeCodePoints",
        "newlineSequences": ["\r\n", "\n", "\r"],
        "originalUriBaseIds": {_ROOT: {"description": {"text": "The root of the checkout."}}},
        "results": [_result(item, order[item.code], mark) for item, mark in zip(found, marks, strict=True)],
    }
    return dump({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]})


def _rule(example: Finding, rule: Rule | None) -> dict[str, Any]:
    data: dict[str, Any] = {"id": example.code, "name": example.name}
    url = rule_url(example.code)
    if url is not None:
        data["helpUri"] = url
    if rule is not None:
        from speclint.report import rules as report
        from speclint.report.style import Style

        data.update(
            shortDescription={"text": rule.summary},
            fullDescription={"text": rule.summary},
            help={"text": report.full(rule, Style(False)), "markdown": report.markdown(rule)},
            defaultConfiguration={"level": _LEVELS[rule.level]},
        )
    return data


def _result(item: Finding, index: int, mark: str) -> dict[str, Any]:
    data: dict[str, Any] = {
        "ruleId": item.code,
        "ruleIndex": index,
        "level": _LEVELS[item.level],
        "message": {"text": _text(item.message)},
        "locations": [{"physicalLocation": _place(item.span)}],
        "partialFingerprints": {_FINGERPRINT: mark},
        "properties": {"flag": _text(item.flag or ""), "sglangVersion": item.version or ""},
    }
    if item.related:
        data["relatedLocations"] = [
            {"id": number, "physicalLocation": _place(span), "message": {"text": _text(text)}}
            for number, (text, span) in enumerate(item.related)
        ]
    fixes = [fix for fix in (item.fix, *item.others) if fix is not None and fix.applicability != "display"]
    if fixes:
        data["fixes"] = [_fix(fix) for fix in fixes]
    return data


def _fix(fix: Fix) -> dict[str, Any]:
    files: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        files.setdefault(edit.span.file.path, []).append(edit)
    note = "" if fix.applicability == "safe" else " (unsafe)"
    return {
        "description": {"text": _text(fix.message) + note},
        "artifactChanges": [_change(path, edits) for path, edits in files.items()],
    }


def _change(path: str, edits: Sequence[Edit]) -> dict[str, Any]:
    return {
        "artifactLocation": _artifact(path),
        "replacements": [
            {"deletedRegion": _region(edit.span), "insertedContent": {"text": _text(edit.content)}} for edit in edits
        ],
    }


def _place(span: Span) -> dict[str, Any]:
    return {"artifactLocation": _artifact(span.file.path), "region": _region(span)}


def _artifact(path: str) -> dict[str, str]:
    name = paths.uri(path)
    return {"uri": name} if name.startswith("file:") else {"uri": name, "uriBaseId": _ROOT}


def _region(span: Span) -> dict[str, int]:
    row, column = span.file.location(span.start)
    end_row, end_column = span.file.location(span.end)
    return {"startLine": row, "startColumn": column, "endLine": end_row, "endColumn": end_column}


def _text(text: str) -> str:
    """Text as readers of JSON take it: a byte of the file that is no UTF-8 is shown as the sign for that."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
