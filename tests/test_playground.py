"""The playground: speclint in WebAssembly finds and fixes what speclint does, on every fixture."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

Cli = Any
ROOT = Path(__file__).resolve().parent.parent
NAMES = sorted(
    path
    for path in (ROOT / "fixtures").rglob("*")
    if path.is_file() and (path.suffix in (".sh", ".py", ".yaml", ".md", ".toml") or path.name.endswith("ockerfile"))
)


@pytest.fixture
def modules(tmp_path: Path, from_index: Any) -> Path:
    """The packages of the page, in the releases that the page names."""
    npm = shutil.which("npm")
    if npm is None or shutil.which("node") is None:
        pytest.skip("there is no node")
    page = (ROOT / "docs/playground/page.js").read_text("utf-8")
    names = [f"pyodide@{re.findall(r'/pyodide/v([0-9.]+)/', page)[0]}", *re.findall(r"/npm/([\w-]+@[0-9.]+)/", page)]
    assert len(names) == 3
    words = [npm, "install", "--silent", "--no-save", "--ignore-scripts", "--legacy-peer-deps", "--prefix", tmp_path]
    if from_index([*words, *names]).returncode:
        pytest.skip("the registry cannot be reached")
    return tmp_path / "node_modules"


def test_it_tells_what_speclint_tells(modules: Path, tmp_path: Path, cli: Cli, from_index: Any) -> None:
    tree = tmp_path / "tree"
    ignored = shutil.ignore_patterns(".git", "tests", "docs", "__pycache__", "*.egg-info", ".*_cache", "build")
    shutil.copytree(ROOT, tree, ignore=ignored)
    words = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", tmp_path, tree]
    done = from_index(words)
    assert done.returncode == 0, done.stderr
    (wheel,) = tmp_path.glob("*.whl")
    folder = Path(yaml.__file__).parent
    done = subprocess.run(
        ["node", ROOT / "tools/playground.mjs", modules, wheel, folder, *NAMES],
        capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    told = json.loads(done.stdout.splitlines()[-1])
    assert len(told) == len(NAMES) > 5
    for path, here in zip(NAMES, told, strict=True):
        cli.write(path.name, path.read_bytes())
        ran = cli("--isolated", "--fix", path.name)
        after = (cli.folder / path.name).read_text("utf-8")
        assert (here["status"], here["out"], here["err"], here["text"]) == (ran.status, ran.out, ran.err, after), path
