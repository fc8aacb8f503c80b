"""The benchmarks run. What they measure is never tested."""

from __future__ import annotations

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).parents[1]


def test_a_table_is_printed():
    names = ["start", "whole", "worst", "launches"]
    words = [sys.executable, "-m", "benchmarks", *names, "--times", "1", "--files", "200"]
    ran = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
    rows = ran.stdout.splitlines()
    assert sum("<=" in row for row in rows) >= 7
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


def test_hostile_files_are_read_and_one_has_many_findings_on_a_line(tmp_path):
    sys.path.insert(0, str(ROOT))
    try:
        from benchmarks import trees
    finally:
        sys.path.remove(str(ROOT))
    trees.hostile(str(tmp_path))
    for path in tmp_path.glob("*-4.*"):
        path.unlink()
    words = [sys.executable, "-m", "speclint", "--output-format", "concise", "-q", "."]
    ran = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
    assert ran.returncode == 1, ran.stderr
    places = [row.split(": ")[0].split(":")[:2] for row in ran.stdout.splitlines()]
    assert sum(name.endswith("line-1.sh") and row == "1" for name, row in places) == 250


def test_an_unknown_name_is_told():
    ran = subprocess.run([sys.executable, "-m", "benchmarks", "x"], cwd=ROOT, capture_output=True, text=True)
    assert ran.returncode == 2
    assert "unknown: x" in ran.stderr
