"""Parallel sizes as SGLang resolves them, against what releases made of the same options."""

from __future__ import annotations

import pytest

from speclint.rules import replay
from speclint.sglang.parallel import DERIVATIONS, SPANNING
from speclint.sglang.resolve import derivations
from speclint.value import Unknown

DEEPSEEK = {"architectures": ["DeepseekV3ForCausalLM"], "model_type": "deepseek_v3"}
V32 = {"architectures": ["DeepseekV32ForCausalLM"], "model_type": "deepseek_v32"}
CASES = [
    ("--tp-size 8", "0.5.23", {"attn_dp_size": 1, "dp_size": 1, "ep_size": 1, "moe_a2a_backend": "none"}),
    ("--tp-size 8 --dp-size 4", "0.5.23", {"attn_dp_size": 1, "dp_size": 4}),
    ("--tp-size 8 --dp-size 4 --enable-dp-attention", "0.5.23", {"attn_dp_size": 4, "dp_size": 1}),
    ("--tp-size 8 --dp-size 4 --enable-dp-attention", "0.5.9", {"attn_dp_size": 4, "dp_size": 1}),
    ("--tp-size 8 --attn-dp-size 4", "0.5.23", {"attn_dp_size": 4, "dp_size": 1}),
    ("--tp-size 8 --attn-dp-size 4 --dp-size 2 --enable-dp-attention", "0.5.23", {"attn_dp_size": 4, "dp_size": 2}),
    ("--tp-size 8 --dp-size 4 --attn-cp-size 2", "0.5.23", {"attn_dp_size": 1, "dp_size": 4}),
    ("--tp-size 8 --dp-size 2 --attn-cp-size 2 --enable-dp-attention", "0.5.23", {"attn_dp_size": 2, "dp_size": 1}),
    ("--tp-size 4 --dwdp-size 4 --dp-size 2", "0.5.23", {"attn_dp_size": 4, "dp_size": 1}),
    ("--tp-size 8 --ep-size 4", "0.5.23", {"ep_size": 4}),
    ("--tp-size 8 --ep-size 4 --moe-a2a-backend deepep", "0.5.23", {"ep_size": 8, "moe_a2a_backend": "deepep"}),
    ("--tp-size 8 --enable-deepep-moe", "0.4.6.post5", {"ep_size": 8, "moe_a2a_backend": "deepep"}),
    ("--tp-size 8 --enable-deepep-moe", "0.5.23", {"ep_size": 8, "moe_a2a_backend": "deepep"}),
    ("--tp-size 8 --moe-runner-backend megamoe", "0.5.23", {"ep_size": 8, "moe_a2a_backend": "megamoe"}),
]
UNKNOWN = [
    ("--tp-size 8 --dp-size 4 --enable-nsa-prefill-context-parallel", "0.5.9", DEEPSEEK),
    ("--tp-size 8 --dp-size 4 --enable-nsa-prefill-context-parallel", "0.5.23", DEEPSEEK),
    ("--tp-size 8 --dp-size 4", "0.5.4", V32),
    ("--tp-size 8 --dp-size 4", "0.5.4", None),
]


@pytest.mark.parametrize(("argv", "release", "sizes"), CASES)
def test_sizes_are_those_that_the_release_works_with(argv: str, release: str, sizes: dict[str, object]) -> None:
    view = replay.view_of(f"--model-path m {argv}", release, DEEPSEEK)
    assert {name: view.derived(name).value for name in sizes} == sizes


@pytest.mark.parametrize(("argv", "release", "config"), UNKNOWN)
def test_a_layout_that_other_options_or_the_model_decide_is_not_known(
    argv: str, release: str, config: dict[str, object] | None
) -> None:
    view = replay.view_of(f"--model-path m {argv}", release, config)
    assert isinstance(view.derived("attn_dp_size").value, Unknown)
    assert isinstance(view.derived("dp_size").value, Unknown)


def test_a_backend_spreads_experts_from_its_first_release_on() -> None:
    argv = "--model-path m --tp-size 8 --ep-size 2 --moe-a2a-backend pplx"
    assert SPANNING["pplx"] == "0.5.17"
    assert replay.view_of(argv, "0.5.17", DEEPSEEK).derived("ep_size").value == 8
    assert replay.view_of(argv, "0.5.16", DEEPSEEK).derived("ep_size").value != 8


def test_a_size_names_the_option_that_decided_it() -> None:
    view = replay.view_of("--model-path m --tp 8 --ep 2 --dp 4 --enable-dp-attention", "0.5.23", DEEPSEEK)
    assert view.derived("attn_dp_size").origins == ("dp_size",)
    assert view.derived("ep_size").note == "`--ep`"


def test_the_derivations_are_registered() -> None:
    assert DERIVATIONS.keys() <= derivations().keys()
