"""A file is the old one or the new one, whatever happens while it is written; and errors name file and reason."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
OLD = b"sglang serve --model-path m --page_size 64\n" + b"# filler\n" * 1000
NEW = OLD.replace(b"--page_size", b"--page-size")
FIX = ("check", "--isolated", "--fix", "--unsafe-fixes", "--select", "SGL1")
# Kills the process at the n-th call of the functions that change anything on disk.
KILLER = """\
import os, signal, sys
at, words = int(sys.argv[1]), sys.argv[2:]
count = 0
def deadly(name):
    real = getattr(os, name)
    def call(*args, **kwargs):
        global count
        count += 1
        if count == at:
            if name == "write":
                real(args[0], bytes(args[1])[:1000])
            os.kill(os.getpid(), signal.SIGKILL)
        return real(*args, **kwargs)
    setattr(os, name, call)
for name in ("write", "fsync", "replace", "chmod", "open", "ftruncate", "lseek", "unlink"):
    deadly(name)
from speclint.cli import main
sys.exit(main(words))
"""
FULL = """\
import resource, sys
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
from speclint.cli import main
sys.exit(main(sys.argv[1:]))
"""


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, *words], cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done


def test_the_fix_is_made_where_nothing_happens(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(OLD)
    run(tmp_path, "-m", "speclint", *FIX, "a.sh")
    assert (tmp_path / "a.sh").read_bytes() == NEW


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="there is no such signal here")
def test_killed_at_any_step_of_writing(tmp_path: Path) -> None:
    survived = 0
    for at in range(1, 60):
        (tmp_path / "a.sh").write_bytes(OLD)
        done = run(tmp_path, "-c", KILLER, str(at), *FIX, "a.sh")
        assert (tmp_path / "a.sh").read_bytes() in (OLD, NEW), at
        if done.returncode != -signal.SIGKILL:
            survived = at
            break
    assert survived > 4, "nothing was killed"
    assert (tmp_path / "a.sh").read_bytes() == NEW


def test_full_disk(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    (tmp_path / "a.sh").write_bytes(OLD)
    (tmp_path / "b.sh").write_bytes(b"sglang serve --model-path m --page_size 64\n")
    done = run(tmp_path, "-c", FULL, *FIX, "a.sh", "b.sh")
    assert done.returncode == 2
    assert "a.sh: File too large" in done.stderr
    assert (tmp_path / "a.sh").read_bytes() == OLD
    assert (tmp_path / "b.sh").read_bytes() == b"sglang serve --model-path m --page-size 64\n"
    assert sorted(os.listdir(tmp_path)) == ["a.sh", "b.sh"]


def test_full_disk_under_a_file_of_several_names(tmp_path: Path) -> None:
    pytest.importorskip("resource")
    (tmp_path / "a.sh").write_bytes(OLD)
    os.link(tmp_path / "a.sh", tmp_path / "b.sh")
    done = run(tmp_path, "-c", FULL, *FIX, "a.sh")
    assert done.returncode == 2
    assert (tmp_path / "a.sh").read_bytes() == OLD


def test_file_that_vanishes_between_listing_and_reading(tmp_path: Path) -> None:
    for name in ("a.sh", "b.sh"):
        (tmp_path / name).write_text("sglang serve --model-path m --page_size 64\n")
    script = """\
import os, sys
from speclint import discover
candidates = discover.candidates
def gone(*arguments):
    found = candidates(*arguments)
    os.remove("a.sh")
    return found
discover.candidates = gone
from speclint.cli import main
sys.exit(main(sys.argv[1:]))
"""
    done = run(tmp_path, "-c", script, "check", "--isolated", "--jobs", "1", "--select", "SGL1")
    assert done.returncode == 1
    assert "b.sh:1" in done.stdout
    assert done.stderr == ""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="for the super-user nothing is read-only")
def test_read_only_folder(tmp_path: Path) -> None:
    (tmp_path / "a.sh").write_bytes(OLD)
    tmp_path.chmod(0o500)
    try:
        done = run(tmp_path, "-m", "speclint", *FIX, "a.sh")
    finally:
        tmp_path.chmod(0o700)
    assert done.returncode == 2
    assert "a.sh: Permission denied" in done.stderr
    assert (tmp_path / "a.sh").read_bytes() == OLD
