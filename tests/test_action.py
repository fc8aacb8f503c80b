"""The GitHub Action: its steps as a runner runs them, and its form against GitHub's schemas."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

Cli = Any
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM\n"


def finished(words: list[str], **more: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run(words, capture_output=True, text=True, timeout=900, check=False, **more)


class Runner:
    """Runs the shell steps of action.yml in a folder, with inputs and the outputs of the steps before."""

    def __init__(self, cli: Cli, repository: Path, temp: Path) -> None:
        self.folder = cli.folder
        self.repository = repository
        self.temp = temp
        self.action = yaml.safe_load((repository / "action.yml").read_text("utf-8"))
        self.outputs: dict[str, dict[str, str]] = {"install": {"python": sys.executable}}
        self.summary = temp / "summary.md"
        self.summary.write_text("# before\n")

    def step(
        self, name: str, action: Path | None = None, run: Any = finished, **inputs: str
    ) -> subprocess.CompletedProcess[str]:
        (step,) = [step for step in self.action["runs"]["steps"] if step["name"] == name]
        script = self.temp / "step.sh"
        script.write_text(step["run"], "utf-8")
        output = self.temp / "output"
        output.write_text("")
        env = {key: self._value(text, inputs, action) for key, text in step["env"].items()}
        done = run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.folder,
            env={
                **os.environ,
                "PYTHONPATH": "" if action else str(self.repository),
                "GITHUB_ACTIONS": "true",
                "GITHUB_WORKSPACE": str(self.folder),
                "GITHUB_OUTPUT": str(output),
                "GITHUB_STEP_SUMMARY": str(self.summary),
                "RUNNER_TEMP": str(self.temp),
                **env,
            },
        )
        if "id" in step:
            self.outputs[step["id"]] = dict(line.split("=", 1) for line in output.read_text().splitlines())
        return done

    def _value(self, text: str, inputs: dict[str, str], action: Path | None) -> str:
        found = re.fullmatch(r"\$\{\{ (inputs|steps|github)\.([\w.-]+) \}\}", text)
        assert found, f"an expression that this runner does not know: {text}"
        if found[1] == "inputs":
            default = str(self.action["inputs"][found[2]]["default"])
            return inputs.get(found[2].replace("-", "_"), "" if "${{" in default else default)
        if found[1] == "steps":
            step, outputs, name = found[2].split(".")
            assert outputs == "outputs"
            return self.outputs[step].get(name, "")
        assert found[2] == "action_path"
        return str(action)


@pytest.fixture
def runner(cli: Cli, repository: Path, tmp_path_factory: pytest.TempPathFactory, sources: dict[str, str]) -> Runner:
    for name, text in sources.items():
        cli.write(name, text)
    cli.write("speclint.toml", 'select = ["SGL0", "SGL201"]\n')
    return Runner(cli, repository, tmp_path_factory.mktemp("runner"))


def test_lint(runner: Runner) -> None:
    done = runner.step("Lint")
    assert done.returncode == 0
    assert re.findall(r"^::(\w+) .*file=([^,]+)", done.stdout, re.MULTILINE) == [
        ("error", "serve.py"), ("error", "serve.sh"), ("error", "serve.yaml"),
    ]  # fmt: skip
    outputs = runner.outputs["lint"]
    assert outputs["status"] == "1"
    assert Path(outputs["sarif"]).read_text("utf-8").startswith('{\n  "$schema"')
    assert Path(outputs["json"]).read_text("utf-8").startswith("[")
    summary = runner.summary.read_text("utf-8")
    assert summary.startswith("# before\n## speclint\n")
    assert summary.count("| :x: error |") == 3
    assert "diff" not in outputs
    assert runner.step("Result").returncode == 1


def test_paths_and_level(runner: Runner) -> None:
    (runner.folder / "with blank").mkdir()
    (runner.folder / "with blank" / "-a $(touch x) *.sh").write_text(LAUNCH)
    done = runner.step("Lint", paths="with blank\r\nclean.sh\n\n", fail_on="never")
    assert done.stdout.count("::error ") == 1
    assert runner.outputs["lint"]["status"] == "0"
    assert runner.step("Result").returncode == 0
    assert not (runner.folder / "x").exists()


def test_release(runner: Runner) -> None:
    runner.step("Lint", paths="serve.sh", sglang_version="0.5.5")
    assert runner.outputs["lint"]["status"] == "0"


def test_what_cannot_be_read(runner: Runner) -> None:
    done = runner.step("Lint", paths="missing.sh\nclean.sh", fail_on="never")
    assert "::error title=speclint::missing.sh: no such file or folder\n" in done.stdout
    assert runner.step("Result").returncode == 2


def test_diff(runner: Runner) -> None:
    done = runner.step("Lint", fix_diff="true")
    diff = Path(runner.outputs["lint"]["diff"])
    assert "::group::What speclint --fix would change\n::stop-commands::speclint-" in done.stdout
    assert "+TOPK=1" in done.stdout
    assert "~~~~~~~~diff\n" in runner.summary.read_text("utf-8")
    subprocess.run(["git", "apply", str(diff)], cwd=runner.folder, check=True)
    runner.step("Lint")
    assert runner.outputs["lint"]["status"] == "0"


def test_changed_lines_first(runner: Runner) -> None:
    def git(*words: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
        return subprocess.run(
            ("git", *who, *words), cwd=runner.folder, check=True, capture_output=True, text=True
        ).stdout.strip()

    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "a")
    base = git("rev-parse", "HEAD")
    (runner.folder / "zz.sh").write_text(LAUNCH)
    git("add", ".")
    git("commit", "-qm", "b")
    origin = runner.temp / "origin"
    git("clone", "-q", "--bare", ".", str(origin))
    git("-C", str(origin), "config", "uploadpack.allowAnySHA1InWant", "true")
    shutil.rmtree(runner.folder)
    runner.folder.mkdir()
    git("clone", "-q", "--depth=1", f"file://{origin}", ".")
    first = runner.step("Lint", base=base).stdout.splitlines()[0]
    assert "file=zz.sh" in first
    # Without the commit, or with something that is none, it is only the order that is another.
    for other in ("", "0" * 40, "1" * 40, "--output=x", "main"):
        first = runner.step("Lint", base=other).stdout.splitlines()[0]
        assert "file=serve.py" in first
        assert runner.outputs["lint"]["status"] == "1"


def test_install(runner: Runner, repository: Path, from_index: Any) -> None:
    source = runner.temp / "action"
    source.mkdir()
    for name in ("speclint", "rules", "fixtures", "tests"):
        shutil.copytree(repository / name, source / name, ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for path in repository.glob("*.*"):
        if path.is_file():
            shutil.copy(path, source)
    shutil.copy(repository / "LICENSE", source)
    done = runner.step("Install speclint", action=source, run=from_index)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("speclint ")
    python = Path(runner.outputs["install"]["python"])
    assert python.is_relative_to(runner.temp)
    done = runner.step("Lint", action=source)
    assert done.stdout.count("::error ") == 3


@pytest.mark.parametrize("version", ["$(touch x)", "-r x", "1.0; x", "latest"])
def test_version_that_is_none(runner: Runner, version: str) -> None:
    done = runner.step("Install speclint", action=runner.temp, version=version)
    assert done.returncode == 1
    assert done.stdout.startswith("::error title=speclint::")


@pytest.mark.parametrize(
    ("schema", "path"),
    [("github-actions", "action.yml"), ("github-workflows", ".github/workflows/ci.yml")],
)
def test_form(repository: Path, schema: str, path: str) -> None:
    words = [sys.executable, "-m", "check_jsonschema", "--builtin-schema", f"vendor.{schema}", path]
    done = subprocess.run(words, cwd=repository, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_no_expression_in_a_script(repository: Path) -> None:
    for name in ("action.yml", ".github/workflows/ci.yml"):
        data = yaml.safe_load((repository / name).read_text("utf-8"))
        jobs = [data["runs"]] if "runs" in data else list(data["jobs"].values())
        for job in jobs:
            assert not any("${{" in step.get("run", "") for step in job["steps"])
