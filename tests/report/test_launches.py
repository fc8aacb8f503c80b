"""``speclint launches``: no value is told that only one way of several gives."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

HEAD = 'import subprocess\ncmd = ["python", "-m", "sglang.launch_server"]\n'


def args(path: Path, text: str) -> dict[str, Any]:
    file = path / "serve.py"
    file.write_text(text)
    run = [sys.executable, "-m", "speclint", "launches", "--isolated", "--output-format", "json", str(file)]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    *_, launch = json.loads(done.stdout)
    found: dict[str, Any] = launch["args"]
    return found


@pytest.mark.parametrize(
    ("body", "wanted"),
    [
        ("cmd += ['--tp', '2'] if x else ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": None}),
        ("cmd += ['--tp', '2']\nif x:\n    cmd += ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": None}),
        ("if x:\n    cmd += ['--tp', '4']\nsubprocess.run(cmd)", {"tp_size": "4"}),
        ("import sglang\ndef f(t=None):\n    sglang.Engine(tp_size=t)", {"tp_size": None}),
    ],
)
def test_values_that_differ_are_not_told(tmp_path: Path, body: str, wanted: dict[str, Any]) -> None:
    assert args(tmp_path, HEAD + body) == wanted
