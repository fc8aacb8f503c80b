"""A rule is passed over only where it would have had nothing to say."""

from __future__ import annotations

import pytest

from speclint.rules import check, evaluate, gate, load, pick, sieve
from speclint.rules.replay import options_of
from speclint.rules.rule import Rule
from speclint.sglang import catalog
from speclint.sglang.resolve import View
from speclint.value import Unknown

RULES = load.rules()


@pytest.mark.parametrize("number", range(10))
def test_all_rules_say_the_same_when_all_are_asked(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    kinds = [rule.data["examples"].get(kind, ())[:1] for rule in RULES for kind in ("bad", "unknown")]
    examples = [example for some in kinds for example in some][number::10]
    for doubts in (None, []):
        with_gates = [_told(example, doubts) for example in examples]
        with monkeypatch.context() as patch:
            patch.setattr(gate, "names", lambda *_: None)
            assert with_gates == [_told(example, doubts) for example in examples]
            patch.setattr(sieve.Sieve, "left", lambda _, arms, view: arms)
            assert with_gates == [_told(example, doubts) for example in examples]
        assert any(with_gates)


def _told(example, doubts):
    return [
        (finding.code, finding.level, finding.message, finding.span.start)
        for options in check.launched(example["text"], example)
        for finding in evaluate.check(options.launch, options, RULES, doubts=doubts)
    ]


def test_what_is_not_known_is_told_of_all_rules_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    examples = [rule.data["examples"]["unknown"][0] for rule in RULES if rule.data["examples"].get("unknown")][::3]
    told: list[set[tuple[str, str]]] = []
    for left in (sieve.Sieve.left, lambda _, arms, view: arms):
        monkeypatch.setattr(sieve.Sieve, "left", left)
        doubts: list[evaluate.Doubt] = []
        for example in examples:
            _told(example, doubts)
        told.append({(doubt.code, doubt.reason) for doubt in doubts})
    assert told[0] == told[1]
    assert len(told[0]) > 20


def _asked(options, doubts=True):
    names = gate.names(options, doubts)
    view = View(options, {}, lambda _: None)
    view.written = names if options.open is None else None
    return names, list(pick.picker(RULES, "0.5.23", not doubts).asked(names, view))


def test_most_rules_are_not_asked_of_a_plain_launch() -> None:
    options = options_of("--model-path Qwen/Qwen3-8B --port 30000 --mem-fraction-static 0.9", "0.5.23")
    names, asked = _asked(options)
    assert names == {"model_path", "port", "mem_fraction_static"}
    assert len(asked) < len(RULES) / 10
    assert len(_asked(options, doubts=False)[1]) < len(asked)


def test_rules_on_variables_are_asked_only_where_there_are_some() -> None:
    gates = {rule.find: rule.gate("0.5.23") for rule in RULES if (rule.find or "").startswith("env.")}
    assert "env.deprecated" in gates
    assert gates == dict.fromkeys(gates, ((("env",),),))


@pytest.mark.parametrize("words", ['--model-path m "$@"', "--model-path m $EXTRA", "--config launch.yaml"])
def test_all_rules_are_asked_where_more_may_be_written(words: str) -> None:
    assert gate.names(check.launched(f"python -m sglang.launch_server {words}\n", {"host": "shell"})[0]) is None


def test_of_a_launch_that_is_open_those_that_may_hold_are_asked() -> None:
    options = check.launched('python -m sglang.launch_server --model-path m "$@"\n', {"host": "shell"})[0]
    names, asked = _asked(options, doubts=False)
    assert names == {"model_path", "word.unknown", "word.variable"}
    assert len(asked) < len(RULES) / 10


@pytest.mark.parametrize(
    ("condition", "value", "sure", "ruled_out"),
    [
        ("tp_size > 1", 1, True, True),
        ("tp_size > 1", 2, True, False),
        ("tp_size == 1 and dp_size == 7", True, True, False),
        ("not (tp_size == 1 or dp_size == 1)", 1, True, True),
        ("tp_size > 1", Unknown("why"), True, True),
        ("tp_size > 1", Unknown("why"), False, False),
        ("tp_size > dp_size", Unknown("why"), True, True),
        ("tp_size > dp_size", 0, True, False),
        ("surely(tp_size > 1)", Unknown("why"), False, True),
        ("(tp_size == 4 or dp_size == 4) and dp_size == 7", 1, True, False),
    ],
)
def test_a_value_rules_out_what_cannot_hold_with_it(
    condition: str, value: object, sure: bool, ruled_out: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"code": "XYZ100", "name": "n", "level": "error", "summary": "s", "when": condition}
    of_one = sieve.Sieve([(Rule(data, ""), 0, 1)], "0.5.23", sure)
    view = View(options_of("--model-path m --tp-size 4", "0.5.23"), {}, lambda _: None)
    monkeypatch.setattr(View, "value", lambda _, dest: value if dest == "tp_size" else 7)
    for _ in range(2):  # as it is worked out, and as it is remembered
        assert (of_one.left(1, view) == 0) is ruled_out


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


def test_the_first_launches_are_asked_what_later_ones_are() -> None:
    fresh = pick.Picker(RULES, "0.5.23")
    names = sorted({name for needs in fresh._needs for some in needs for name in some})
    launches = [frozenset(names[start :: 40 + start]) for start in range(30)]
    told = [fresh._open(launch) for launch in launches[: pick._FEW]]
    for launch in launches:
        fresh._open(launch)
    assert told == [fresh._open(launch) for launch in launches[: pick._FEW]]
    assert len({*told}) == len(told)
