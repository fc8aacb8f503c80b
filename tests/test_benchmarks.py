"""The benchmarks run. What they measure is never tested."""

from __future__ import annotations

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]


def test_a_table_is_printed():
    words = [sys.executable, "-m", "benchmarks", "start", "whole", "launches", "--times", "1", "--files", "200"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    rows = ran.stdout.splitlines()
    assert sum("<=" in row for row in rows) >= 6
    assert any("--version" in row for row in rows)


def test_trees_hold_launches_that_are_found(tmp_path):
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks import trees
    finally:
        sys.path.remove(str(ROOT))
    trees.full(str(tmp_path), 8)
    ran = subprocess.run([sys.executable, "-m", "speclint", "launches", "."], cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.count("sglang.launch_server") == 8


def test_an_unknown_name_is_told():
    ran = subprocess.run([sys.executable, "-m", "benchmarks", "x"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "unknown: x" in ran.stderr
