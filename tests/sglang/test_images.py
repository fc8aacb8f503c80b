"""What an image reference says about the release inside, and how builds between two releases are judged."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.sglang import catalog, images, versions

Cli = Any


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("lmsysorg/sglang:v0.5.5-cu126", "0.5.5"),
        ("lmsysorg/sglang:v0.5.10.post1", "0.5.10.post1"),
        ("lmsysorg/sglang:v0.5.10rc0-cu130-amd64", "0.5.10rc0"),
        ("lmsysorg/sglang:v0.5.9-rocm700-mi35x", "0.5.9"),
        ("lmsysorg/sglang:v0.5.9-cann8.5.0-a3", "0.5.9"),
        ("lmsysorg/sglang:v0.5.8-cu130-runtime", "0.5.8"),
        ("lmsysorg/sglang:v0.5.9@sha256:0123", "0.5.9"),
        ("docker.io/lmsysorg/sglang:v0.4.6.post5-cu124", "0.4.6.post5"),
        ("localhost:5000/mirror/sglang:0.5.4", "0.5.4"),
        ("registry.example.com/ml/sglang-rocm:v0.5.4", "0.5.4"),
        ("rocm/sgl-dev:sglang-0.5.9-rocm720-mi35x-mori-0227-2", "0.5.9"),
        ("rocm/pytorch-private:sglang-0.5.9-rocm720-mi35x-py3.10", "0.5.9"),
        ("lmsysorg#sglang:v0.5.9", "0.5.9"),
        # Dynamo's own numbers: what its wheel of that release pins.
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:0.6.1", "0.5.3.post2"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.1.1-cuda13", "0.5.10.post1"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.3.0", "0.5.14"),
        ("nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.4.9", "0.5.16"),
    ],
)  # fmt: skip
def test_a_release(image: str, version: str) -> None:
    assert images.build(image) == (version, None)


@pytest.mark.parametrize(
    ("image", "version", "until"),
    [
        ("lmsysorg/sglang:nightly-dev-cu13-20260520-0abe6a85", "0.5.12", "0.5.13"),
        ("lmsysorg/sglang:nightly-dev-20260101-abcdef12", "0.5.7", "0.5.8"),
        ("lmsysorg/sglang-rocm:v0.5.13.post1-rocm720-mi35x-20260620", "0.5.13.post1", "0.5.15"),
        ("rocm/sgl-dev:v0.5.8.post1-rocm720-mi35x-20260210", "0.5.8.post1", "0.5.10rc0"),
        ("lmsysorg/sglang:v0.5.7-1a2b3c4d", "0.5.7", "0.5.8"),
    ],
)
def test_a_build_between_releases(image: str, version: str, until: str) -> None:
    """A release is cut some days before it is uploaded: a build of those days belongs to the next one too."""
    assert images.build(image) == (version, until)


def test_a_build_after_the_newest_release_is_judged_by_it() -> None:
    assert images.build("lmsysorg/sglang:nightly-dev-20991231-abcdef12") == (catalog.newest(), None)


@pytest.mark.parametrize(
    "image",
    [
        "lmsysorg/sglang:latest",
        "lmsysorg/sglang",
        "lmsysorg/sglang:dev-cu13",
        "lmsysorg/sglang:deepseek-v4-blackwell",
        "lmsysorg/sglang:nightly-dev-20200101-abcdef12",
        "lmsysorg/sglang@sha256:0123",
        "localhost:5000/sglang",
        "nvcr.io/nvidia/sglang:25.10-py3",
        "nvcr.io/nvidia/ai-dynamo/sglang-runtime:1.3.0-glm-5.2-dev.1",
        "nvcr.io/nvidia/ai-dynamo/sglang-runtime:9.1.0",
        "nvcr.io/nvidia/ai-dynamo/vllm-runtime:1.3.0",
        "lmsysorg/sglang-router:v0.2.2",
        "vllm/vllm-openai:v0.5.5",
        "",
    ],
)
def test_nothing_told(image: str) -> None:
    assert images.build(image) is None


@given(
    st.sampled_from(("lmsysorg/sglang", "nvcr.io/nvidia/ai-dynamo/sglang-runtime", "rocm/sgl-dev")),
    st.text(alphabet="v0123456789.-+_rcpostdevabf", max_size=30),
)
def test_any_tag_gives_versions_in_order_or_nothing(repository: str, tag: str) -> None:
    told = images.build(f"{repository}:{tag}")
    if told is not None:
        assert told.until is None or versions.parse(told.version) < versions.parse(told.until)


def test_only_what_holds_on_both_sides_is_told(cli: Cli) -> None:
    """``--cuda-graph-max-bs`` is an option of 0.5.19 and ambiguous in 0.5.20; ``--tpp`` is none of either."""
    run = "docker run lmsysorg/sglang:{} python3 -m sglang.launch_server --model-path m --cuda-graph-max-bs 8 --tpp 1\n"
    cli.write("between.sh", run.format("nightly-dev-20260910-0abe6a85"))
    cli.write("behind.sh", run.format("nightly-dev-20260925-0abe6a85"))
    assert [found["code"] for found in cli("--output-format", "json", "between.sh").json] == ["SGL101"]
    assert [found["code"] for found in cli("--output-format", "json", "behind.sh").json] == ["SGL105", "SGL101"]
    (launch,) = cli("launches", "--output-format", "json", "between.sh").json
    assert (launch["sglang_version"], launch["sglang_version_until"]) == ("0.5.19", "0.5.21")
    assert "SGLang 0.5.19 to 0.5.21, by its image" in cli("launches", "between.sh").out
