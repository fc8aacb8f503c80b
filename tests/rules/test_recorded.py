"""The rules on speculative decoding and attention backends against what the real code of 22 releases did.

The launches are those of tests/sglang/speculative.jsonl; see test_resolve.py there for their form.
"""

from __future__ import annotations

import json
import pathlib

from speclint.rules import evaluate, load, replay

LINES = (pathlib.Path(__file__).parents[1] / "sglang" / "speculative.jsonl").read_text(encoding="utf-8").splitlines()
RULES = [rule for rule in load.rules() if rule.code.startswith(("SGL2", "SGL3"))]
# What these refuse passes the arguments and ends later: in the backend, in the draft worker.
LATER = {"SGL201", "SGL205", "SGL206", "SGL213", "SGL242", "SGL243"}


def test_an_error_is_told_of_what_sglang_refuses_and_of_nothing_that_it_accepts() -> None:
    refused = accepted = 0
    for line in LINES:
        record = json.loads(line)
        find = replay.finder(record["config"])
        for releases, outcome in record["outcomes"]:
            for release in releases.split():
                options = replay.options_of(record["argv"], release)
                found = evaluate.check(options.launch, options, RULES, find)
                told = {finding.code for finding in found if finding.level == "error"}
                if isinstance(outcome, str):
                    refused += 1
                    assert told, (release, record["argv"], outcome)
                else:
                    accepted += 1
                    assert told <= LATER, (release, record["argv"], told)
    assert refused > 100
    assert accepted > 900
