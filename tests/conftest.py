"""What tests of several parts use: the command line as a user runs it, and launches that break SGL201."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings

# How long an example takes says something of the machine only. Each run tries the same examples, so that a change is
# judged by what it changes; SPECLINT_TIMES tries others.
TIMES = int(os.environ.get("SPECLINT_TIMES", "0"))
# Seconds after which a program that takes a moment is taken to hang, on however busy a machine.
PATIENCE = 900
settings.register_profile(
    "speclint", deadline=None, derandomize=not TIMES, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("speclint")
_providers: Any = sys.modules.get("hypothesis.internal.conjecture.providers")
if not TIMES and hasattr(_providers, "_local_constants"):
    # Hypothesis also draws constants of the modules that happen to be loaded: which these are depends on the tests
    # that this process has run before.
    _providers._get_local_constants = lambda: _providers._local_constants
# Where the tests are run says nothing of what they try: not what a user has configured, nor in what a hook they are run.
_KEPT = ("GIT_SSL", "GIT_EXEC_PATH")
_LEFT = ("GIT_", "GITHUB_", "GITLAB_", "CI_", "RUNNER_", "PRE_COMMIT")
for _name in list(os.environ):
    if (_name.startswith(_LEFT) and not _name.startswith(_KEPT)) or _name in (
        "CI", "NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "BASH_ENV", "ENV", "CDPATH", "TAR_OPTIONS", "PYTHONWARNINGS",
    ):  # fmt: skip
        del os.environ[_name]
os.environ.update(GIT_CONFIG_GLOBAL=os.devnull, GIT_CONFIG_NOSYSTEM="1")

ROOT = Path(__file__).resolve().parent.parent
SHELL = """\
#!/bin/bash
TOPK=4
python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --tp-size 8 --trust-remote-code \\
  --speculative-algorithm NEXTN --speculative-num-steps 3 \\
  --speculative-eagle-topk "$TOPK" --speculative-num-draft-tokens 4
"""
PYTHON = """\
import sglang as sgl

llm = sgl.Engine(
    model_path="inclusionAI/Ring-2.5-1T",
    speculative_algorithm="NEXTN",
    speculative_num_steps=3,
    speculative_eagle_topk=4,
    speculative_num_draft_tokens=4,
)
"""
YAML = """\
apiVersion: v1
kind: Pod
metadata:
  name: ring
spec:
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.18
      command: [python3, -m, sglang.launch_server]
      args:
        - --model-path=inclusionAI/Ring-2.5-1T
        - --speculative-algorithm=NEXTN
        - --speculative-num-steps=3
        - --speculative-eagle-topk=4
        - --speculative-num-draft-tokens=4
"""
CLEAN = "python -m sglang.launch_server --model-path Qwen/Qwen3-8B --tp-size 2\n"


class Ran:
    """A finished run of speclint."""

    def __init__(self, done: subprocess.CompletedProcess[bytes]) -> None:
        self.status = done.returncode
        self.raw = done.stdout
        self.out = done.stdout.decode("utf-8", "surrogateescape")
        self.err = done.stderr.decode("utf-8", "surrogateescape")

    @property
    def json(self) -> Any:
        return json.loads(self.out)

    @property
    def codes(self) -> list[str]:
        return [finding["code"] for finding in self.json]


class Cli:
    """Runs speclint in a folder of its own; ``SGL201`` and ``SGL002`` are asked unless a test chooses otherwise."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __call__(self, *words: str, stdin: bytes | None = None, **env: str) -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "speclint", *words],
            cwd=self.folder,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env={**os.environ, "PYTHONPATH": str(ROOT), **env},
            timeout=PATIENCE,
            check=False,
        )
        ran = Ran(done)
        assert "Traceback" not in ran.err, ran.err
        return ran

    def check(self, *words: str, stdin: bytes | None = None, **env: str) -> Ran:
        """``check`` with JSON and with the rules that these tests know."""
        rules = () if any(word.startswith("--select") for word in words) else ("--select", "SGL201,SGL002")
        return self("check", "--output-format", "json", *rules, *words, stdin=stdin, **env)

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path


@pytest.fixture
def soon() -> Iterator[None]:
    """Ends a test that uses a minute of the processor: what it does takes less than a second, or for ever."""
    if not hasattr(signal, "setitimer"):
        yield
        return

    def over(*_: object) -> None:
        raise AssertionError("it takes for ever")

    before = signal.signal(signal.SIGVTALRM, over)
    signal.setitimer(signal.ITIMER_VIRTUAL, 60)
    yield
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


@pytest.fixture(scope="session")
def from_index(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs what installs packages; skipped where there is no index; where there is one, a failure is a failure."""

    def run(words: Sequence[str | Path], **more: Any) -> subprocess.CompletedProcess[str]:
        return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False, **more)

    folder = tmp_path_factory.mktemp("index")
    packages = ("setuptools>=77", "PyYAML", "tree-sitter", "tree-sitter-bash")
    words = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", folder, *packages]
    if run(words).returncode:
        pytest.skip("packages cannot be reached")
    return run


@pytest.fixture
def cli(tmp_path: Path) -> Cli:
    return Cli(tmp_path)


@pytest.fixture
def repository() -> Path:
    """The root of speclint's own repository."""
    return ROOT


@pytest.fixture
def sources() -> dict[str, str]:
    """A launch that breaks SGL201 in each language, by a name that tells the language."""
    return {"serve.sh": SHELL, "serve.py": PYTHON, "serve.yaml": YAML, "clean.sh": CLEAN}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Properties are tried SPECLINT_TIMES as often as they say, each time with other examples: 50, say, for a night."""
    for item in items if TIMES > 1 else ():
        function = getattr(getattr(item, "obj", None), "__func__", getattr(item, "obj", None))
        own = getattr(function, "_hypothesis_internal_use_settings", None)
        if own is not None and function is not None:
            function._hypothesis_internal_use_settings = settings(own, max_examples=own.max_examples * TIMES)
