"""tools/mutate_rules.py: conditions that are changed are noticed by the examples of the rule."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import mutate_rules

from speclint.rules import load
from speclint.rules.rule import Rule

RULES = {rule.code: rule for rule in load.rules()}


def rule(*dropped: str) -> Rule:
    """The founding rule without some of its examples and without its recorded runs."""
    data = dict(RULES["SGL201"].data)
    data["examples"] = {kind: [] if kind in dropped else some for kind, some in data["examples"].items()}
    data["evidence"] = [{k: v for k, v in item.items() if k != "runs"} for item in data["evidence"]]
    return Rule(data, "SGL201-lightning-topk.yaml")


def test_every_change_of_the_founding_rule_is_noticed() -> None:
    tried, found = mutate_rules.survivors([RULES["SGL201"]])
    assert tried > 15
    assert found == []


def test_without_examples_no_change_is_noticed() -> None:
    tried, found = mutate_rules.survivors([rule("bad", "good", "unknown")])
    assert len(found) == tried


def test_a_mutant_that_is_said_to_be_equivalent_and_is_noticed_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "SGL201 when: `topk <= 1` for `topk > 1`"
    monkeypatch.setitem(mutate_rules.EQUIVALENT, told, "it is not")
    assert mutate_rules.survivors([RULES["SGL201"]])[1] == [f"{told}: an example notices it, so it is not equivalent"]


def test_an_equivalent_mutant_is_one_of_a_rule_that_is_there() -> None:
    """And is left out: those of no rule would stand there for ever."""
    known = {f"{r.code} {m.place}: {m.told}" for r in RULES.values() for m in mutate_rules.mutants(r.data, False)}
    assert mutate_rules.EQUIVALENT.keys() <= known


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a > 1", ["a <= 1", "a >= 1", "a > 2"]),
        ("a and not b", ["a or not b", "not b", "a", "a and b"]),
        ("x in ('p', 'q')", ["x not in ('p', 'q')"]),
        ("since('0.5.9')", ["before('0.5.9')"]),
        ("1 if a else 2", ["2 if a else 1", "2 if a else 2", "1 if a else 3"]),
    ],
)
def test_what_is_changed(source: str, expected: list[str]) -> None:
    assert [text for text, _ in mutate_rules._changed(source, False)] == expected


def test_a_sample_of_all_rules() -> None:
    """Not all are noticed yet: the share may only fall."""
    tried, found = mutate_rules.survivors(list(RULES.values()), every=40)
    assert tried > 100
    assert len(found) <= tried * 0.25, "\n".join(found)
