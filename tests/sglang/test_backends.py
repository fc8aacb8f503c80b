"""The attention backends of the two phases, as the options tell them."""

from __future__ import annotations

import pytest

from speclint.rules import replay
from speclint.sglang.resolve import View
from speclint.value import Unknown


@pytest.mark.parametrize(
    ("argv", "common", "prefill", "decode"),
    [
        ("--attention-backend fa3", "fa3", "fa3", "fa3"),
        ("--attention-backend fa3 --decode-attention-backend triton", "fa3", "fa3", "triton"),
        ("--prefill-attention-backend fa3", None, "fa3", None),
        ("--prefill-attention-backend fa3 --decode-attention-backend fa3", "fa3", "fa3", "fa3"),
        ("--attention-backend triton --prefill-attention-backend fa3 --decode-attention-backend fa3",) + ("fa3",) * 3,
        ("--tp 2", None, None, None),
    ],
)
def test_a_phase_comes_before_the_common_backend(
    argv: str, common: str | None, prefill: str | None, decode: str | None
) -> None:
    view = replay.view_of(f"--model-path x/y {argv}", "0.5.23", None)
    for name, wanted in (
        ("attention_backend", common),
        ("prefill_attention_backend", prefill),
        ("decode_attention_backend", decode),
    ):
        got = view.derived(name).value
        assert (None if isinstance(got, Unknown) else got) == wanted, name


def test_it_is_said_which_options_decide() -> None:
    view: View = replay.view_of("--attention-backend fa3 --decode-attention-backend triton", "0.5.23", None)
    assert view.derived("decode_attention_backend").origins == ("decode_attention_backend",)
    assert view.derived("prefill_attention_backend").origins == ("attention_backend",)
