"""Numbers that are written with a comma: what they are mended to."""

from __future__ import annotations

from typing import Any

import pytest

Cli = Any


@pytest.mark.parametrize(
    ("option", "written", "fixed"),
    [
        ("--mem-fraction-static", "0,9", "0.9"),
        ("--max-running-requests", "1,024", "1024"),
        ("--max-total-tokens", "1,048,576", "1048576"),
        ("--tp", "1,5", None),
        ("--tp", "1,2,3", None),
        ("--tp", "0,125", None),
    ],
)
def test_comma(cli: Cli, option: str, written: str, fixed: str | None) -> None:
    cli.write("a.sh", f"python -m sglang.launch_server --model-path x {option} {written}\n")
    (found,) = cli("--isolated", "--select", "SGL108", "--output-format", "json", "a.sh").json
    edits = [edit["content"] for edit in (found["fix"] or {"edits": []})["edits"]]
    assert edits == ([] if fixed is None else [fixed])
