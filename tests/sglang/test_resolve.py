"""What SGLang derives, against what the real code of 22 releases derived (speculative.jsonl, recorded on a CPU).

Each line is a command line, the model's config.json and the outcomes: releases with [algorithm, steps, top-k, draft
tokens], or the exception with which they refuse it; ``@backend`` is the Lightning backend's constructor.
"""

from __future__ import annotations

import json
import pathlib

import pytest

from speclint.rules import evaluate, load, replay
from speclint.sglang import versions
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.value import Unknown
from speclint.words import many

RECORDED = [json.loads(line) for line in (pathlib.Path(__file__).parent / "speculative.jsonl").read_text().splitlines()]
FIELDS = ("speculative_algorithm", "speculative_num_steps", "speculative_eagle_topk", "speculative_num_draft_tokens")
RULES = {rule.code: rule for rule in load.rules()}
FIND = [replay.finder(record["config"]) for record in RECORDED]
RUNS = [
    (number, release, outcome)
    for number, record in enumerate(RECORDED)
    for releases, outcome in record["outcomes"]
    for release in releases.split()
]


def found(code: str, number: int, release: str) -> bool:
    options = replay.options_of(RECORDED[number]["argv"], release)
    return bool(evaluate.check(options.launch, options, [RULES[code]], FIND[number]))


def test_what_is_derived_is_what_sglang_derives() -> None:
    told = wrong = 0
    for number, release, outcome in RUNS:
        if isinstance(outcome, str):
            continue
        view = View(replay.options_of(RECORDED[number]["argv"], release), {}, FIND[number])
        for field, value in zip(FIELDS, outcome, strict=True):
            got = view.derived(field).value
            if not isinstance(got, Unknown):
                told += 1
                if got != value:
                    wrong += 1
                    print(release, RECORDED[number]["argv"], field, got, value)
    assert not wrong
    assert told > 3500


def test_lightning_topk_is_what_the_guarded_releases_refuse() -> None:
    guarded = [run for run in RUNS if _at_least(run[1], "0.5.13")]
    refused = {run[:2] for run in guarded if run[2] == "NotImplementedError@backend"}
    accepted = {run[:2] for run in guarded if not isinstance(run[2], str)}
    assert len(refused) > 100
    assert {run for run in refused | accepted if found("SGL201", *run)} == refused


def test_lightning_topk_is_told_of_every_release_that_computes_wrong_states() -> None:
    """The same launches as are refused from 0.5.13 on, if they draft at all and the release has the model."""
    refused = {run[0] for run in RUNS if run[2] == "NotImplementedError@backend" and run[1] == "0.5.13"}
    earlier = [run for run in RUNS if run[0] in refused and not _at_least(run[1], "0.5.13") and not isinstance(run[2], str)]
    drafts = {run[:2] for run in earlier if run[2][0] is not None}
    assert len(drafts) > 30
    assert {run[:2] for run in earlier if found("SGL201", *run[:2])} == drafts


def test_draft_tokens_adjusted_is_what_sglang_overrides() -> None:
    overridden, kept = set(), set()
    for number, release, outcome in RUNS:
        words = RECORDED[number]["argv"].split()
        if isinstance(outcome, str) or "--speculative-num-draft-tokens" not in words:
            continue
        written = int(words[words.index("--speculative-num-draft-tokens") + 1])
        (kept if written == outcome[3] else overridden).add((number, release))
    assert len(overridden) > 200
    assert {run for run in overridden | kept if found("SGL202", *run)} == overridden


def _at_least(release: str, first: str) -> bool:
    return versions.satisfies(release, f">={first}")


@pytest.mark.parametrize(
    ("argv", "release", "name", "value", "note", "origins"),
    [
        ("--speculative-eagle-topk 4", "0.5.23", "speculative_eagle_topk", 4, "`--speculative-eagle-topk`", ["speculative_eagle_topk"]),
        ("--speculative-eagle 4", "0.5.23", "speculative_eagle_topk", 4, "`--speculative-eagle`", ["speculative_eagle_topk"]),
        (
            "--speculative-algorithm NGRAM --speculative-eagle-topk 1", "0.5.23", "speculative_eagle_topk", 10,
            "NGRAM takes it from `--speculative-ngram-max-bfs-breadth`, default 10", ["speculative_algorithm"],
        ),
        (
            "--speculative-algorithm NGRAM --speculative-ngram-max-bfs-breadth 3", "0.5.9", "speculative_eagle_topk", 3,
            "NGRAM takes it from `--speculative-ngram-max-bfs-breadth`", ["speculative_ngram_max_bfs_breadth", "speculative_algorithm"],
        ),
        ("--speculative-algorithm DSPARK --speculative-eagle-topk 4", "0.5.16", "speculative_eagle_topk", 1, "DSPARK sets it to 1", ["speculative_algorithm"]),
        ("--speculative-algorithm STANDALONE", "0.5.23", "speculative_num_steps", 3, "SGLang chooses it for STANDALONE", ["speculative_algorithm"]),
        ("--speculative-algorithm NEXTN", "0.5.23", "speculative_algorithm", "EAGLE", "NEXTN is EAGLE, `--speculative-algorithm`", ["speculative_algorithm"]),
        ("--linear-attn-decode-backend lightning", "0.5.9", "linear_backend", "lightning", "`--linear-attn-decode-backend lightning`", ["linear_attn_decode_backend"]),
        ("--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 4 --page-size 64", "0.4.8", "speculative_eagle_topk", 1, "SGLang sets it to 1 where `--page-size` is above 1", ["page_size", "speculative_eagle_topk"]),
    ],
)  # fmt: skip
def test_a_derived_value_says_where_it_came_from(
    argv: str, release: str, name: str, value: object, note: str, origins: list[str]
) -> None:
    got = replay.view_of(argv, release, None).derived(name)
    assert (got.value, got.note, list(got.origins)) == (value, note, origins)


@pytest.mark.parametrize(
    ("argv", "release", "name"),
    [
        ("--model-path x --speculative-algorithm EAGLE", "0.5.23", "speculative_eagle_topk"),
        ("--model-path x --speculative-algorithm EAGLE --speculative-num-steps 3", "0.5.23", "speculative_eagle_topk"),
        ("--model-path x", "0.5.23", "linear_backend"),
        ("", "0.5.23", "linear_backend"),
        ("--speculative-eagle-topk many", "0.5.23", "speculative_eagle_topk"),
        ("--speculative-algorithm NGRAM", "0.5.2", "speculative_eagle_topk"),
        ("--speculative-algorithm EAGLE --speculative-eagle-topk 4 --attention-backend flashmla", "0.4.8", "speculative_eagle_topk"),
    ],
)
def test_what_does_not_follow_from_the_file_is_not_known(argv: str, release: str, name: str) -> None:
    assert isinstance(replay.view_of(argv, release, None).derived(name).value, Unknown)


def test_an_algorithm_among_hidden_words_does_not_hide_a_written_topk() -> None:
    closed = replay.options_of("--speculative-eagle-topk 4", "0.5.23")
    launch = closed.launch
    launch.words = (*launch.words, many("the caller gives them", None))
    options = Options.read(launch, closed.release)
    view = View(options, {}, replay.finder(None))
    assert view.derived("speculative_eagle_topk").value == 4
    assert isinstance(view.derived("speculative_algorithm").value, Unknown)
