"""Whether the states of a hybrid model are kept in the radix cache."""

from __future__ import annotations

import pytest

from speclint.rules import replay
from speclint.value import Unknown

NEXT = {"architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next"}
LLAMA = {"architectures": ["LlamaForCausalLM"], "model_type": "llama"}


@pytest.mark.parametrize(
    ("argv", "release", "config", "wanted"),
    [
        ("", "0.5.23", NEXT, True),
        ("", "0.5.12", NEXT, True),
        ("", "0.5.9", NEXT, None),
        ("--disable-radix-cache", "0.5.23", NEXT, False),
        ("--disaggregation-mode prefill", "0.5.23", NEXT, True),
        ("--disaggregation-mode decode", "0.5.23", NEXT, None),
        ("", "0.5.23", LLAMA, False),
        ("", "0.5.23", {"architectures": ["ZayaForCausalLM"], "model_type": "zaya"}, None),
        ("", "0.5.23", None, None),
    ],
)
def test_states_are_cached_by_hybrid_models_with_the_radix_cache(
    argv: str, release: str, config: dict[str, object] | None, wanted: bool | None
) -> None:
    view = replay.view_of(f"--model-path x/y {argv}", release, config)
    got = view.derived("states_cached").value
    assert (None if isinstance(got, Unknown) else got) is wanted
