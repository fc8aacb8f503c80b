"""The hooks, run by pre-commit on a repository with files in every language."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pre_commit")

Cli = Any
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM"
FIXED = f"{LAUNCH} --speculative-ngram-max-bfs-breadth 1"
FILES = {
    "run": f"#!/usr/bin/env bash\n{LAUNCH}\n",
    "a.sh": f"{LAUNCH}\n",
    "a.sbatch": f"#!/bin/bash\n#SBATCH -N 1\n{LAUNCH}\n",
    "a.py": f'import os\n\nos.system("{LAUNCH}")\n',
    "pod.yaml": f"kind: Pod\nspec:\n  containers:\n    - command: [bash, -c, '{LAUNCH}']\n",
    "Dockerfile": f"FROM lmsysorg/sglang:v0.5.18\nCMD {LAUNCH}\n",
    "Makefile": f"serve:\n\t{LAUNCH}\n",
    "README.md": f"```sh\n{LAUNCH}\n```\n",
    "LICENSE": "Nothing here runs sglang serve --nonsense.\n",
    "old/a.sh": f"{LAUNCH}\n",
    "speclint.toml": 'select = ["SGL0", "SGL201"]\nextend-exclude = ["old"]\n',
}


@pytest.fixture
def git(cli: Cli) -> Any:
    def run(*words: str) -> None:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "core.hooksPath=/dev/null")
        subprocess.run(("git", *who, *words), cwd=cli.folder, check=True, capture_output=True)

    for name, text in FILES.items():
        cli.write(name, text)
    (cli.folder / "run").chmod(0o755)
    run("init", "-q")
    run("add", ".")
    run("commit", "-qm", "a")
    return run


@pytest.fixture(scope="module")
def hooks(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of speclint as it is, for pre-commit to clone."""
    top = Path(__file__).resolve().parent.parent
    copy = tmp_path_factory.mktemp("hooks") / "speclint"
    copy.mkdir()
    for name in ("speclint", "rules"):
        shutil.copytree(top / name, copy / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "setup.py", "setup.cfg", "README.md", "LICENSE", ".pre-commit-hooks.yaml"):
        shutil.copy(top / name, copy)
    who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    for words in (("init", "-q"), ("add", "."), ("commit", "-qm", "a")):
        subprocess.run(("git", *who, *words), cwd=copy, check=True, capture_output=True)
    return copy


@pytest.fixture
def pre_commit(cli: Cli, tmp_path_factory: pytest.TempPathFactory, from_index: Any) -> Any:
    home = tmp_path_factory.mktemp("home")
    env = {**os.environ, "PRE_COMMIT_HOME": str(home), "PRE_COMMIT_COLOR": "never"}
    return lambda *words: from_index([sys.executable, "-m", "pre_commit", *words], cwd=cli.folder, env=env)


@pytest.mark.usefixtures("git")
def test_try_repo(cli: Cli, hooks: Path, pre_commit: Any) -> None:
    done = pre_commit("try-repo", str(hooks), "speclint", "--all-files", "--verbose")
    told = {line.split(":")[0] for line in done.stdout.splitlines() if "SGL201 [error]" in line}
    assert (done.returncode, told) == (1, set(FILES) - {"LICENSE", "old/a.sh", "speclint.toml"}), done.stdout
    assert "exit code: 1" in done.stdout

    done = pre_commit("try-repo", str(hooks), "speclint-fix", "--all-files")
    assert done.returncode == 1
    assert "files were modified by this hook" in done.stdout
    assert (cli.folder / "old/a.sh").read_text() == FILES["old/a.sh"]
    for name in ("run", "a.sh", "a.sbatch", "a.py", "pod.yaml", "Dockerfile", "Makefile", "README.md"):
        assert (cli.folder / name).read_text() == FILES[name].replace(LAUNCH, FIXED)
    assert (cli.folder / "run").stat().st_mode & 0o111

    done = pre_commit("try-repo", str(hooks), "speclint-fix", "--all-files")
    assert (done.returncode, "Passed" in done.stdout) == (0, True), done.stdout


def test_manifest(repository: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pre_commit", "validate-manifest", ".pre-commit-hooks.yaml"], cwd=repository, check=False
    )
    assert done.returncode == 0
