"""``--sglang-version V..W``: what an upgrade breaks, each finding with the release that brings it."""

from __future__ import annotations

import json
from typing import Any

import pytest

LAUNCH = "python -m sglang.launch_server --model-path m --cuda-graph-max-bs 8 --no-such-option\n"


def told(cli: Any, version: str, text: str = LAUNCH) -> list[tuple[str, str]]:
    cli.write("serve.sh", text)
    ran = cli("--isolated", "--output-format", "json", "--select", "SGL1", "--sglang-version", version, "serve.sh")
    return [(finding["flag"], finding["sglang_version"]) for finding in json.loads(ran.out)]


def test_only_what_is_new_is_told_with_the_release_that_brings_it(cli: Any) -> None:
    assert told(cli, "0.5.9..0.5.23") == [("--cuda-graph-max-bs", "0.5.20")]
    assert told(cli, "0.5.9..0.5.19") == [("--cuda-graph-max-bs", "0.5.14")]
    assert told(cli, "0.5.9..0.5.13") == []
    assert ("--no-such-option", "0.5.9") in told(cli, "0.5.9")


def test_a_launch_that_is_newer_already_has_nothing_to_upgrade(cli: Any) -> None:
    text = f"docker run lmsysorg/sglang:v0.5.23 {LAUNCH}"
    assert told(cli, "0.5.9..0.5.20", text) == []
    assert told(cli, "0.5.23..0.5.23") == []


def test_a_launch_is_upgraded_from_its_own_release(cli: Any) -> None:
    text = f"docker run lmsysorg/sglang:v0.5.21 {LAUNCH}"
    assert told(cli, "0.5.9..0.5.23", text) == []


@pytest.mark.parametrize("version", ["0.5.9..", "..0.5.9", "0.5.9..x", "x"])
def test_what_is_no_release_is_refused(cli: Any, version: str) -> None:
    cli.write("serve.sh", LAUNCH)
    ran = cli("--isolated", "--sglang-version", version, "serve.sh")
    assert ran.status == 2
    assert "must be a release of SGLang" in ran.err
