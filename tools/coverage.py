"""Tells which of the facts about what SGLang refuses, overrides and ignores a rule speaks of, by subject.

The facts stand in tests/rules/constraints.jsonl. ``--left-out`` lists those without a rule, with the reason.
"""

from __future__ import annotations

import json
import pathlib
import sys
from collections import Counter
from typing import Any

FACTS = pathlib.Path(__file__).parents[1] / "tests" / "rules" / "constraints.jsonl"
_BY = {"F": "options", "FM": "options and model", "FD": "options and hardware"}


def main(arguments: list[str]) -> int:
    """Prints a table in Markdown."""
    facts: list[dict[str, Any]] = [json.loads(line) for line in FACTS.read_text(encoding="utf-8").splitlines()]
    if "--left-out" in arguments:
        for fact in facts:
            if "left_out" in fact:
                print(f"{fact['id']} ({fact['about']}, {fact['decidable']}): {fact['left_out']}")
        return 0
    rows = Counter((fact["about"], _BY[fact["decidable"]]) for fact in facts)
    covered = Counter((fact["about"], _BY[fact["decidable"]]) for fact in facts if "launches" in fact)
    print("| subject | told by | listed | covered | left out |\n| --- | --- | --- | --- | --- |")
    for key in sorted(rows):
        print(f"| {key[0]} | {key[1]} | {rows[key]} | {covered[key]} | {rows[key] - covered[key]} |")
    for told in _BY.values():
        listed = sum(n for key, n in rows.items() if key[1] == told)
        done = sum(n for key, n in covered.items() if key[1] == told)
        print(f"| all | {told} | {listed} | {done} | {listed - done} |")
    print(f"| all | {len(facts)} | {covered.total()} | {len(facts) - covered.total()} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
