"""``speclint rule``: what a rule means, why, on what evidence, and how a launch that breaks it is mended."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from speclint.report.style import Style
    from speclint.rules.rule import Rule

_LANGUAGES = {
    "shell": "sh", "python": "python", "yaml": "yaml", "kubernetes": "yaml", "dockerfile": "dockerfile",
    "markdown": "markdown", "makefile": "makefile", "toml": "toml", "json": "json",
}  # fmt: skip
_TITLES = {"bad": "Bad", "good": "Good", "unknown": "Cannot be told"}


def table(rules: Sequence[Rule], style: Style) -> str:
    """One line a rule."""
    width = max((len(rule.name) for rule in rules), default=0)
    return "".join(
        f"{style.paint(rule.code, '1')} {rule.name:<{width}} {style.level(rule.level)}{' ' * (9 - len(rule.level))}"
        f"{rule.summary}\n"
        for rule in rules
    )


def full(rule: Rule, style: Style) -> str:
    """Everything about one rule."""
    data = rule.data
    title = style.paint(f"{rule.code} {rule.name}", "1")
    parts = [f"{title} {style.level(rule.level)}", rule.summary]
    if data.get("versions"):
        parts.append(f"Releases of SGLang: {data['versions']}")
    if data.get("why"):
        parts.append(str(data["why"]).strip())
    evidence = list(_evidence(data.get("evidence") or ()))
    if evidence:
        parts.append(style.paint("Evidence", "1") + "\n" + "\n".join(evidence))
    parts.extend(_examples(data.get("examples") or {}, style))
    return "\n\n".join(parts) + "\n"


def markdown(rule: Rule) -> str:
    """Everything about one rule as a page."""
    data = rule.data
    parts = [f"# {rule.code} {rule.name}", f"**{rule.level}**: {rule.summary}"]
    if data.get("versions"):
        parts.append(f"Releases of SGLang: `{data['versions']}`")
    if data.get("why"):
        parts.append(str(data["why"]).strip())
    evidence = list(_evidence(data.get("evidence") or ()))
    if evidence:
        parts.append("## Evidence\n\n" + "\n".join(evidence))
    for kind, title in _TITLES.items():
        for example in (data.get("examples") or {}).get(kind) or ():
            about = f": {' '.join(str(example['about']).split())}" if example.get("about") else ""
            parts.append(f"## {title}{about}\n\n{_fence(example, example['text'])}")
            if example.get("fixed"):
                parts.append(f"{_fixed(example)}:\n\n{_fence(example, example['fixed'])}")
    return "\n\n".join(parts) + "\n"


def markdown_table(rules: Iterable[Rule]) -> str:
    """One row a rule."""
    from speclint.report.markdown import escape

    rows = (f"| {rule.code} | {rule.name} | {rule.level} | {escape(rule.summary)} |\n" for rule in rules)
    return "| Code | Name | Level | Meaning |\n| --- | --- | --- | --- |\n" + "".join(rows)


def _fence(example: dict[str, Any], text: str) -> str:
    """Text as a block of code; a fence in it must not end the block."""
    mark = "```"
    while mark in text:
        mark += "`"
    body = text.rstrip("\n")
    return f"{mark}{_LANGUAGES.get(example.get('host', 'shell'), '')}\n{body}\n{mark}"


def to_json(rules: Iterable[Rule]) -> list[dict[str, Any]]:
    """Rules as data: what the rule files hold for people."""
    keys = ("code", "name", "level", "versions", "summary", "why", "evidence", "examples")
    return [{key: rule.data.get(key) for key in keys} for rule in rules]


def _evidence(items: Iterable[dict[str, Any]]) -> Iterable[str]:
    for item in items:
        at = item.get("at") or {}
        place = f" ({at.get('file')}:{at.get('line')} in {at.get('sglang')})" if at else ""
        versions = f"SGLang {item['sglang']}: " if item.get("sglang") else ""
        yield f"- {versions}{' '.join(str(item.get('what', '')).split())}{place}"


def _examples(examples: dict[str, Any], style: Style) -> Iterable[str]:
    for kind, title in _TITLES.items():
        for example in examples.get(kind) or ():
            about = f": {' '.join(str(example['about']).split())}" if example.get("about") else ""
            heading = style.paint(f"{title} ({example.get('host', 'shell')}){about}", "1")
            yield f"{heading}\n{_indented(example['text'])}"
            if example.get("fixed"):
                yield style.paint(_fixed(example), "1") + "\n" + _indented(example["fixed"])


def _fixed(example: dict[str, Any]) -> str:
    """The heading of fixed text, which tells a guess where the example does."""
    unsafe = example.get("fix") in ("unsafe", ["unsafe", "unsafe"])
    return "Fixed by `--unsafe-fixes`" if unsafe else "Fixed"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}".rstrip() for line in text.rstrip("\n").split("\n"))
