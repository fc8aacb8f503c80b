"""Pages, chunks and switches that other options decide, against what the real code of 0.5.23 resolved (on a CPU)."""

from __future__ import annotations

import pytest

from speclint.rules import replay
from speclint.sglang.resolve import View
from speclint.value import Unknown

V3 = "--model-path deepseek-ai/DeepSeek-V3 --tp-size 8"
LLAMA = "--model-path meta-llama/Llama-3.1-8B-Instruct"


def derived(argv: str, name: str, release: str = "0.5.23") -> object:
    return View(replay.options_of(argv, release), {}, lambda _: None).derived(name).value


@pytest.mark.parametrize(
    ("argv", "name", "value"),
    [
        (f"{V3} --attention-backend flashmla --page-size 16", "page_size", 64),
        (f"{V3} --attention-backend flashmla", "page_size", 64),
        (f"{V3} --attention-backend trtllm_mla --page-size 1", "page_size", 64),
        (f"{LLAMA} --attention-backend trtllm_mha --page-size 1", "page_size", 64),
        (f"{LLAMA} --attention-backend hpc_ops --page-size 16", "page_size", 64),
        (f"{V3} --dp-size 8 --enable-dp-attention --chunked-prefill-size 8192", "chunked_prefill_size", 1024),
        (f"{LLAMA} --chunked-prefill-size 8192", "chunked_prefill_size", 8192),
        (f"{LLAMA} --chunked-prefill-size -1", "chunked_prefill_size", -1),
        (f"{LLAMA} --disaggregation-mode decode", "disable_radix_cache", True),
        (f"{LLAMA} --disable-radix-cache", "disable_radix_cache", True),
        (f"{LLAMA} --pp-size 2", "disable_overlap_schedule", True),
        (f"{LLAMA} --attention-backend fa3 --kv-cache-dtype fp8_e5m2", "attention_backend", "triton"),
        (f"{LLAMA} --attention-backend fa3 --kv-cache-dtype fp8_e4m3", "attention_backend", "fa3"),
        (f"{V3} --attention-backend compressed", "attention_backend", "dsv4"),
        (f"{V3} --attention-backend tokenspeed_mla", "attention_backend", "cutedsl_mla"),
    ],
)
def test_what_other_options_decide(argv: str, name: str, value: object) -> None:
    assert derived(argv, name) == value


@pytest.mark.parametrize(
    ("argv", "name"),
    [
        (f"{LLAMA} --attention-backend triton --page-size 16", "page_size"),
        (LLAMA, "page_size"),
        (LLAMA, "chunked_prefill_size"),
        (LLAMA, "disable_radix_cache"),
        (f"{LLAMA} --disaggregation-mode decode --disaggregation-decode-enable-radix-cache", "disable_radix_cache"),
        (LLAMA, "disable_overlap_schedule"),
    ],
)
def test_what_the_model_or_the_device_may_decide_is_not_known(argv: str, name: str) -> None:
    assert isinstance(derived(argv, name), Unknown)


def test_a_name_counts_from_its_release_on() -> None:
    assert derived(f"{V3} --attention-backend compressed", "attention_backend", "0.5.22") == "compressed"
