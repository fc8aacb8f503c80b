"""A rule is passed over only where it would have had nothing to say."""

from __future__ import annotations

import pytest

from speclint.rules import check, evaluate, gate, load, pick
from speclint.rules.replay import options_of
from speclint.sglang import catalog

RULES = load.rules()


@pytest.mark.parametrize("number", range(10))
def test_all_rules_say_the_same_when_all_are_asked(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [rule.data["examples"].get(kind, ())[:1] for rule in RULES for kind in ("bad", "unknown")]
    examples = [example for some in kinds for example in some][number::10]
    told = {}
    for names in (gate.names, lambda *_: None):
        monkeypatch.setattr(gate, "names", names)
        told[names] = [
            [(f.code, f.level, f.message, f.span.start) for f in _findings(example)] for example in examples
        ]
    with_gates, without = told.values()
    assert with_gates == without
    assert any(with_gates)


def _findings(example):
    return [
        finding
        for options in check.launched(example["text"], example)
        for finding in evaluate.check(options.launch, options, RULES)
    ]


def test_most_rules_are_not_asked_of_a_plain_launch() -> None:
    options = options_of("--model-path Qwen/Qwen3-8B --port 30000 --mem-fraction-static 0.9", "0.5.23")
    names = gate.names(options)
    assert names == {"model_path", "port", "mem_fraction_static"}
    asked = list(pick.picker(RULES, "0.5.23").asked(names))
    assert len(asked) < len(RULES) / 3


@pytest.mark.parametrize("words", ['--model-path m "$@"', "--model-path m $EXTRA", "--config launch.yaml"])
def test_all_rules_are_asked_where_more_may_be_written(words: str) -> None:
    assert gate.names(check.launched(f"python -m sglang.launch_server {words}\n", {"host": "shell"})[0]) is None


def test_of_a_launch_that_is_open_those_that_may_hold_are_asked() -> None:
    options = check.launched('python -m sglang.launch_server --model-path m "$@"\n', {"host": "shell"})[0]
    names = gate.names(options, doubts=False)
    assert names == {"model_path"}
    asked = list(pick.picker(RULES, "0.5.23").asked(names))
    assert len(asked) < len(RULES) / 3


def test_what_a_condition_hangs_on() -> None:
    rule = next(rule for rule in RULES if rule.code == "SGL201")
    assert gate.silent(rule, "0.5.23") == ((("speculative_algorithm", "speculative_eagle_topk"),),)
    # Each arm of a condition has what it hangs on by itself.
    rule = next(rule for rule in RULES if rule.code == "SGL512")
    assert {(("tp_size",),), (("gc_threshold",),)} < set(gate.silent(rule, "0.5.23"))


def test_the_gates_that_a_build_writes_down_are_those_that_are_found(tmp_path) -> None:
    load.write_compiled(RULES, str(tmp_path / load.COMPILED))
    again = load._compiled_rules(str(tmp_path))
    for rule, other in zip(RULES, again, strict=True):
        assert (rule.code, rule.name, rule.level, rule.summary) == (other.code, other.name, other.level, other.summary)
        for version in catalog.known()[::25]:
            assert other.gate(version) == rule.gate(version)
            assert rule.applies(version) is other.applies(version)
