"""How rules are asked: in every world, with the level, the place, the words and the fix that belong to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import Launch, launches
from speclint.rules import evaluate, expr, replay
from speclint.rules.load import rules
from speclint.rules.rule import Rule
from speclint.sglang import catalog
from speclint.sglang.models import lookup
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.value import Choice, Known
from speclint.words import Command, Word, many
from speclint.worlds import worlds

if TYPE_CHECKING:
    from speclint.finding import Finding
    from speclint.rules.evaluate import Doubt

RUN = "python -m sglang.launch_server --model-path some/model"
OWN = {rule.code: rule for rule in rules()}


def rule(**data: object) -> Rule:
    """A rule about ``--tp-size`` above 4, changed by ``data``."""
    usual = {
        "code": "SGL999",
        "name": "too-many",
        "level": "error",
        "summary": "x.",
        "when": "tp_size > 4",
        "blame": "tp_size",
        "message": "tp is {tp_size}",
    }
    return Rule({**usual, **data}, "SGL999-too-many.yaml")


def check(script: str, asked: Rule, release: str = "0.5.23", doubts: list[Doubt] | None = None) -> list[Finding]:
    file = SourceFile("x.sh", script.encode())
    found: list[Finding] = []
    for launch in launches(inner for outer in hosts.read(file, "shell") for inner in commands(outer)):
        options = Options.read(launch, catalog.release(release, launch.entrypoint))
        found.extend(evaluate.check(launch, options, [asked], doubts=doubts))
    return found


def told(script: str, asked: Rule, release: str = "0.5.23") -> list[tuple[str, str, str]]:
    return [(f.level, f.span.text.strip('"'), f.message) for f in check(script, asked, release)]


@pytest.mark.parametrize(
    ("script", "expected"),
    [
        (f"{RUN} --tp 8", [("error", "8", "tp is 8")]),
        (f"{RUN} --tp 4", []),
        (f"{RUN}", []),
        (f'{RUN} --tp "$1"', []),
        (f'{RUN} --tp 8 "$@"', [("error", "8", "tp is 8")]),
        (f"TP=8\n{RUN} --tp $TP", [("error", "$TP", "tp is 8")]),
        (f'{RUN} --tp "${{TP:-8}}"', [("warning", "${TP:-8}", "when `TP` keeps its default, tp is 8")]),
        (f'{RUN} --tp "${{TP:-2}}"', []),
        (f"if a; then TP=8; else TP=2; fi\n{RUN} --tp $TP", [("warning", "$TP", "when `a` holds, tp is 8")]),
        (f"if a; then TP=8; else TP=16; fi\n{RUN} --tp $TP", [("error", "$TP", "tp is 8 or 16")]),
        (f"A=()\nif a; then A+=(--tp 8); fi\n{RUN} ${{A[@]}}", [("warning", "8", "when `a` holds, tp is 8")]),
        (f"for TP in 2 8 16; do {RUN} --tp $TP; done", [("warning", "$TP", "when `TP` is `8` or `TP` is `16`, tp is 8 or 16")]),
        (f"{RUN} --tp 8 --tp 2", []),
        (f"{RUN} --tp 2 --tp 8", [("error", "8", "tp is 8")]),
    ],
)  # fmt: skip
def test_level_place_and_words_follow_from_the_worlds(script: str, expected: list[tuple[str, str, str]]) -> None:
    assert told(script, rule()) == expected


def test_alternatives_that_are_wrong_each_by_itself_are_told_each_at_its_place() -> None:
    script = f"if a; then A='--tp 8'; else A='--tp 16'; fi\n{RUN} $A"
    assert told(script, rule()) == [("error", "8", "tp is 8"), ("error", "16", "tp is 16")]


def test_choices_that_do_not_matter_are_not_asked() -> None:
    script = "".join(f'if a{n}; then A{n}="--dp {n}"; fi\n' for n in range(1, 9))
    script += f"{RUN} {' '.join(f'$A{n}' for n in range(1, 9))} --tp 8"
    assert told(script, rule()) == [("error", "8", "tp is 8")]


def test_alternatives_that_cannot_change_the_answer_are_not_told_apart() -> None:
    script = "".join(f"if a{n}; then A{n}='--dp {n}'; else A{n}=; fi\n" for n in range(1, 9))
    script += f"{RUN} {' '.join(f'$A{n}' for n in range(1, 9))} --tp 8"
    assert told(script, rule(when="tp_size > 4 and dp_size > 0")) == [("error", "8", "tp is 8")]
    (finding,) = check(script, rule(when="tp_size > 4 and dp_size == 8"))
    assert finding.message == "when `a8` holds, tp is 8"


def test_options_that_are_handed_on_as_they_are_given_are_not_told_to_clash() -> None:
    """A loop asks the same of each option: that two which clash are both given, nothing says."""
    both = rule(when="set(tp_size) and set(dp_size)", message="both")
    loop = "if given; then A='--tp {}'; fi\nif {}; then B='--dp 2'; fi\n" + f"{RUN} $A $B"
    assert told(loop.format(2, "given"), both) == []
    assert told(loop.format(2, "other"), both) == [("warning", "2", "when `given` holds and `other` holds, both")]
    # What is wrong with one of them is wrong all the same.
    assert told(loop.format(8, "given"), rule()) == [("warning", "8", "when `given` holds, tp is 8")]


def test_too_many_alternatives_are_not_known() -> None:
    flags = ("tp", "dp", "pp-size", "nnodes", "page-size", "max-running-requests", "chunked-prefill-size")
    script = "".join(f"if a{n}; then A{n}=1; else A{n}=2; fi\n" for n in range(len(flags)))
    script += f"{RUN} {' '.join(f'--{flag} $A{n}' for n, flag in enumerate(flags))}"
    names = "tp_size + dp_size + pp_size + nnodes + page_size + max_running_requests + chunked_prefill_size"
    doubts: list[Doubt] = []
    assert check(script, rule(when=f"{names} < 99"), doubts=doubts) == []
    assert "64" in doubts[0].reason


def test_what_a_derivation_makes_of_the_unknown_is_not_taken_for_what_it_makes_of_the_open() -> None:
    """Hidden words do not hide a written top-k, but here the algorithm is in the file, in one branch."""
    seed = "python -m sglang.launch_server --model-path m --speculative-eagle-topk 4 --linear-attn-backend lightning"
    script = f'if a; then A="--speculative-algorithm DFLASH"; else A=; fi\n{seed} $A'
    (finding,) = check(script, OWN["SGL201"])
    assert finding.level == "warning"
    assert finding.message.startswith("when `a` does not hold, top-k is 4")


@pytest.mark.parametrize(
    ("script", "reason"),
    [(f'{RUN} --tp "$1"', "$1"), (f'{RUN} "$@"', "$@"), (f"{RUN} --tp eight", "`eight` is no value of type int")],
)
def test_a_doubt_says_why(script: str, reason: str) -> None:
    doubts: list[Doubt] = []
    assert check(script, rule(), doubts=doubts) == []
    assert [doubt.code for doubt in doubts] == ["SGL999"]
    assert reason in doubts[0].reason


def test_an_info_stays_an_info_in_one_world() -> None:
    assert told(f'{RUN} --tp "${{TP:-8}}"', rule(level="info"))[0][0] == "info"


@pytest.mark.parametrize(("release", "count"), [("0.5.9", 0), ("0.5.10", 1), ("0.5.12.post1", 1), ("0.5.13", 0)])
def test_a_rule_holds_for_its_releases(release: str, count: int) -> None:
    assert len(check(f"{RUN} --tp 8", rule(versions=">=0.5.10,<0.5.13"), release)) == count


def test_the_first_case_that_holds_is_told() -> None:
    cases = [
        {"if": "dp_size > 4", "message": "dp too"},
        {"if": "since('0.5.20')", "level": "warning", "message": "since {launch.release}", "blame": "flag.tp_size"},
        {},
    ]
    asked = rule(cases=cases)
    assert told(f"{RUN} --tp 8 --dp 8", asked) == [("error", "8", "dp too")]
    assert told(f"{RUN} --tp 8", asked) == [("warning", "--tp", "since 0.5.23")]
    assert told(f"{RUN} --tp 8", asked, "0.5.9") == [("error", "8", "tp is 8")]


def test_blame_falls_on_the_first_that_is_written() -> None:
    asked = rule(when="tp_size * dp_size > 4", blame=["dp_size", "tp_size"], message="{tp_size} and {dp_size}")
    assert told(f"{RUN} --tp 8", asked) == [("error", "8", "8 and 1")]
    assert told(f"{RUN} --tp 8 --dp 3", asked) == [("error", "3", "8 and 3")]


def test_a_rule_about_nothing_written_blames_the_entry_point() -> None:
    assert told(f"{RUN}", rule(when="tp_size == 1", message="{flag(tp_size)} is missing")) == [
        ("error", "sglang.launch_server", "--tp-size is missing")
    ] or told(f"{RUN}", rule(when="tp_size == 1", message="{flag(tp_size)} is missing"))[0][2].endswith("is missing")


def test_related_places_tell_where_the_value_was_set_and_what_else_is_involved() -> None:
    (finding,) = check(f"TP=8\n{RUN} --tp $TP --dp=2", rule(when="tp_size > 4 and dp_size == 2"))
    assert [(text, span.text) for text, span in finding.related] == [
        ("value set here", "8"),
        ("`--dp=2` is written here", "2"),
    ]


def test_a_fix_sets_every_wrong_value_and_no_other() -> None:
    fix = [{"message": "set tp to {tp_size // 2}", "set": {"tp_size": "{tp_size // 2}"}}]
    script = f"if a; then TP=8; elif b; then TP=2; else TP=16; fi\n{RUN} --tp $TP"
    (finding,) = check(script, rule(fix=fix))
    assert finding.fix is not None
    assert finding.fix.message == "set tp to 4 or 8"
    assert [(edit.span.text, edit.content) for edit in finding.fix.edits] == [("8", "4"), ("16", "8")]


def test_a_value_that_would_have_to_become_two_things_has_no_fix() -> None:
    fix = [{"message": "set tp", "set": {"tp_size": "{dp_size}"}}]
    script = f"if a; then DP=2; else DP=4; fi\n{RUN} --tp 8 --dp $DP"
    (finding,) = check(script, rule(when="tp_size > dp_size", fix=fix))
    assert finding.fix is None


def test_fixes_come_in_the_order_of_the_rule() -> None:
    fix = [
        {"if": "dp_size > 4", "message": "never", "remove": ["tp_size"]},
        {"message": "drop dp", "remove": ["dp_size"]},
        {"message": "drop tp", "remove": ["tp_size"]},
        {"message": "add dp", "add": {"dp_size": "2"}},
    ]
    (finding,) = check(f"{RUN} --tp 8", rule(fix=fix))
    assert finding.fix is not None
    assert [finding.fix.message, *(other.message for other in finding.others)] == ["drop tp", "add dp"]


def test_nothing_is_added_to_a_launch_that_may_hold_it_already() -> None:
    fix = [{"message": "add dp", "add": {"dp_size": "2"}}]
    (finding,) = check(f'{RUN} --tp 8 "$@"', rule(fix=fix))
    assert finding.fix is None


def test_what_is_not_safe_in_every_world_is_not_a_safe_fix() -> None:
    fix = [{"message": "add dp", "add": {"dp_size": "2"}}]
    (finding,) = check(f'{RUN} --tp ${{TP:-8}}', rule(fix=fix))
    assert finding.fix is not None
    assert finding.fix.applicability == "unsafe"


def test_an_environment_variable_can_be_asked() -> None:
    asked = rule(when='tp_size > 4 and env.SGLANG_X == "1"')
    assert told(f"SGLANG_X=1 {RUN} --tp 8", asked) == [("error", "8", "tp is 8")]
    assert told(f"SGLANG_X=0 {RUN} --tp 8", asked) == []
    assert told(f"{RUN} --tp 8", asked) == []


CHOICES = tuple(Choice("branch", (name, f"not {name}")) for name in "abc")
PAIRS = (
    "--speculative-eagle-topk 4", "--speculative-eagle-topk 1", "--speculative-algorithm NGRAM", "--speculative-num-steps 3",
    "--speculative-algorithm EAGLE", "--speculative-algorithm DFLASH", "--linear-attn-backend lightning", "--tp-size 8",
    "--linear-attn-backend triton", "--speculative-ngram-max-bfs-breadth 1", "--speculative-num-draft-tokens 8",
    "--model-path inclusionAI/Ring-2.5-1T", "--model-path google/gemma-4-31B-it", "--speculative-draft-model-path a/b",
)  # fmt: skip
_words = st.recursive(
    st.lists(st.sampled_from(PAIRS), max_size=3).map(
        lambda pairs: [Word(Known(Mapped.new(text)), None) for pair in pairs for text in pair.split()]
    ),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: [*pair[0], *pair[1]]),
        st.tuples(st.sampled_from(CHOICES), inner, inner).map(
            lambda three: [word.when(three[0], 0) for word in three[1]] + [word.when(three[0], 1) for word in three[2]]
        ),
    ),
    max_leaves=6,
)
WHEN = (
    OWN["SGL201"].data["when"].replace("and topk >", "and resolved.speculative_eagle_topk >"),
    OWN["SGL202"].data["when"],
    "surely(resolved.speculative_eagle_topk == 4) and tp_size == 8",
    "not set(speculative_algorithm) and set(tp_size)",
    "(tp_size == 8 or speculative_eagle_topk == 4) and model.architecture != 'x'",
    "frozen == 1 or (resolved.frozen_kv_mtp if set(speculative_num_steps) else tp_size > 4)",
)


@settings(deadline=None, max_examples=300)
@given(_words, st.sampled_from(WHEN), st.booleans())
def test_worlds_settled_as_needed_answer_like_all_worlds_one_by_one(words: list[Word], when: str, open: bool) -> None:
    file = SourceFile("x.sh", b"x")
    whole = Span(file, 0, 1)
    every = [*words, many("it is hidden", whole)] if open else words
    launch = Launch(Command(every, whole, "shell"), "sglang.launch_server", every, whole)
    options = Options.read(launch, catalog.release("0.5.23"))
    asked = rule(when=when, message="x", blame="flag.nothing")
    answers = [expr.truth(asked.when(View(options, world, lookup))) for world in worlds(CHOICES) or ()]
    found = evaluate.check(launch, options, [asked])
    expected = "error" if all(a is True for a in answers) else "warning" if any(a is True for a in answers) else None
    assert [finding.level for finding in found] == [expected] * bool(expected)


SEED = "python -m sglang.launch_server --model-path m --speculative-eagle-topk 4 --linear-attn-backend lightning"


@pytest.mark.parametrize("release", catalog.known())
def test_the_seed_is_found_and_fixed_in_every_release(release: str) -> None:
    if catalog.release(release).by_dest("speculative_eagle_topk") is None:
        pytest.skip("the release has no top-k")
    (finding,) = check(SEED, OWN["SGL201"], release)
    assert (finding.level, finding.span.text, finding.flag) == ("error", "4", "--speculative-eagle-topk")
    assert finding.version == release
    assert release in finding.message
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"
    assert [(edit.span.text, edit.content) for edit in finding.fix.edits] == [("4", "1")]
    assert check(SEED.replace("topk 4", "topk 1"), OWN["SGL201"], release) == []


@pytest.mark.parametrize(
    ("release", "words"),
    [("0.5.8", "does not have it"), ("0.5.12.post1", "silently commits wrong states"), ("0.5.13", "refuses a top-k above 1")],
)
def test_lightning_topk_says_what_its_release_does(release: str, words: str) -> None:
    assert words in check(SEED, OWN["SGL201"], release)[0].message


def test_two_findings_of_one_launch_do_not_meet() -> None:
    script = f"{RUN} --linear-attn-backend lightning --speculative-algorithm EAGLE --speculative-num-steps 3"
    script += " --speculative-eagle-topk 4 --speculative-num-draft-tokens 8"
    assert check(script, OWN["SGL202"]) == []
    assert len(check(script, OWN["SGL201"])) == 1
    assert len(check(script.replace("topk 4", "topk 1"), OWN["SGL202"])) == 1


@pytest.mark.parametrize(("model", "told"), [("dummy", False), ("NONE", False), ("a/b", True), ("a/dummy", True)])
def test_what_sglang_takes_unresolved_is_not_refused(model: str, told: bool) -> None:
    options = replay.options_of(f"--model-path {model} --tp-size 8 --enable-hisparse", "0.5.23")
    found = evaluate.check(options.launch, options, rules(), lambda _: None)
    assert ("SGL507" in {finding.code for finding in found}) is told
