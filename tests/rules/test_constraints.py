"""What is known of what SGLang refuses, overrides and ignores, against the rules.

Each line of constraints.jsonl is one such fact, with launches that violate it and the rules that speak of each, or the
reason for which none does. A launch is the words behind the entry point (``argv``), or a whole ``text`` of a ``host``
where words do not say it. ``tools/coverage.py`` counts them.
"""

from __future__ import annotations

import importlib.util
import json
import pathlib

import pytest

from speclint.rules import check, evaluate, load, replay

HERE = pathlib.Path(__file__).parent
CONSTRAINTS = [json.loads(line) for line in (HERE / "constraints.jsonl").read_text(encoding="utf-8").splitlines()]
COVERED = [item for item in CONSTRAINTS if "launches" in item]
RULES = {rule.code: rule for rule in load.rules()}


def test_each_is_covered_or_left_out_for_a_reason() -> None:
    assert len({item["id"] for item in CONSTRAINTS}) == len(CONSTRAINTS) > 500
    for item in CONSTRAINTS:
        assert ("launches" in item) != bool(item.get("left_out")), item["id"]


@pytest.mark.parametrize("item", COVERED, ids=lambda item: item["id"])
def test_the_rules_that_are_named_speak_of_what_violates_it(item: dict[str, list[dict[str, object]]]) -> None:
    for launch in item["launches"]:
        if "text" in launch:
            (options,) = check.launched(launch["text"], launch)
        else:
            options = replay.options_of(launch["argv"], launch["sglang"], launch.get("env"), launch.get("platform"))
        rules = [RULES[code] for code in launch["told"]]
        found = evaluate.check(options.launch, options, rules, replay.finder(launch.get("config"), launch.get("drafts")))
        assert {finding.code for finding in found} == set(launch["told"]), launch


def test_the_table_counts_every_constraint_once(capsys: pytest.CaptureFixture[str]) -> None:
    path = HERE.parents[1] / "tools" / "coverage.py"
    spec = importlib.util.spec_from_file_location("coverage_of_rules", path)
    assert spec is not None
    assert spec.loader is not None
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    assert tool.main([]) == 0
    total = capsys.readouterr().out.splitlines()[-1].split("|")
    listed, covered, left_out = int(total[2]), int(total[3]), int(total[4])
    assert (listed, covered) == (len(CONSTRAINTS), len(COVERED))
    assert listed == covered + left_out
