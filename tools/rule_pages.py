"""Writes the pages of docs/rules from the rule files: one page a rule, by its code, and an index.

``--check``: writes nothing; exit status 1 where a page is not what it would be.
"""

from __future__ import annotations

import pathlib
import sys

from speclint import suppress
from speclint.report.rules import markdown, markdown_table
from speclint.rules import load
from speclint.rules.rule import Rule

FOLDER = pathlib.Path(__file__).parents[1] / "docs" / "rules"
SUBJECTS = {
    "SGL0": "speclint itself",
    "SGL1": "The command line",
    "SGL2": "Speculative decoding",
    "SGL3": "Attention backends, linear attention and hybrid models",
    "SGL4": "Parallel sizes and experts",
    "SGL5": "Memory, caches, scheduling, disaggregation",
    "SGL6": "Models, quantization, LoRA, serving",
    "SGL7": "Environment variables",
    "SGL8": "The surroundings",
    "SGL9": "The host language",
}


def pages() -> dict[str, str]:
    """The name of each page, and its text."""
    rules = sorted((*load.rules(), *(Rule(data, "") for data in suppress.rules())), key=lambda rule: rule.code)
    index = ["# Rules", f"speclint knows {len(rules)} rules. `speclint rule CODE` shows the same pages."]
    for prefix, subject in SUBJECTS.items():
        of_subject = [rule for rule in rules if rule.code.startswith(prefix)]
        if of_subject:
            table = markdown_table(of_subject)
            for rule in of_subject:
                table = table.replace(f"| {rule.code} |", f"| [{rule.code}]({rule.code}.md) |")
            index.append(f"## {subject}\n\n{table}".rstrip())
    return {"index.md": "\n\n".join(index) + "\n", **{f"{rule.code}.md": markdown(rule) for rule in rules}}


def main(arguments: list[str]) -> int:
    """Writes the pages, or tells those that are stale."""
    wanted = pages()
    # As bytes: a page on line ends of Windows holds some.
    there = {path.name: path.read_bytes().decode() for path in FOLDER.glob("*.md")} if FOLDER.is_dir() else {}
    stale = sorted({*wanted, *there} - {name for name in wanted if there.get(name) == wanted[name]})
    if "--check" in arguments:
        for name in stale:
            print(f"docs/rules/{name} is stale: run python tools/rule_pages.py")
        return 1 if stale else 0
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in stale:
        if name in wanted:
            (FOLDER / name).write_bytes(wanted[name].encode())
        else:
            (FOLDER / name).unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
