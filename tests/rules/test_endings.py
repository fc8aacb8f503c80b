"""Models that are named by the end of a path, of which the start is not known."""

from __future__ import annotations

import pytest

from speclint import hosts
from speclint.finding import Finding
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import evaluate, load
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.source import SourceFile

RULES = [rule for rule in load.rules() if rule.code in ("SGL201", "SGL424")]


def check(text: str, host: str = "shell") -> list[Finding]:
    file = SourceFile("x.py" if host == "python" else "x.sh", text.encode())
    found: list[Finding] = []
    for launch in launches(inner for outer in hosts.read(file, host) for inner in commands(outer)):
        options = Options.read(launch, catalog.release("0.5.23", launch.entrypoint))
        found.extend(evaluate.check(launch, options, RULES))
    return found


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("$ROOT/Qwen/Qwen3-8B", "`…/Qwen/Qwen3-8B`"),
        ("$ROOT/$SUB/Qwen/Qwen3-8B/", "`…/Qwen/Qwen3-8B`"),
        ("${ROOT:-/models}/Qwen/Qwen3-8B", "`/models/Qwen/Qwen3-8B or …/Qwen/Qwen3-8B`"),
        ("$HUB/models--Qwen--Qwen3-8B/snapshots/$REVISION", "`…/models--Qwen--Qwen3-8B`"),
        ("$ROOT/Qwen3-8B", None),
        ("$ROOT/$OWNER/Qwen3-8B", None),
        ("${ROOT}Qwen/Qwen3-8B", None),
        ("$ROOT/Qwen/Qwen3-8B$KIND", None),
        ("$ROOT/Qwen/Qwen3-8B/$STEP", None),
        ("${HUB}models--Qwen--Qwen3-8B/snapshots/1", None),
        ("$MODEL", None),
    ],
)
def test_the_end_of_a_path_names_the_model(path: str, shown: str | None) -> None:
    found = check(f"python -m sglang.launch_server --model-path {path} --tp 3\n")
    assert [f.code for f in found] == ([] if shown is None else ["SGL424"])
    assert shown is None or f"the 32 attention heads of {shown} do not divide" in found[0].message


def test_a_note_of_a_derivation_tells_the_end() -> None:
    draft = "--speculative-algorithm EAGLE --speculative-num-steps 3 --speculative-eagle-topk 2"
    more = "--speculative-num-draft-tokens 4"
    (found,) = check(f"python -m sglang.launch_server --model-path $R/inclusionAI/Ling-2.5-1T {draft} {more}\n")
    assert found.code == "SGL201"
    assert "SGLang serves `…/inclusionAI/Ling-2.5-1T`" in found.message


@pytest.mark.parametrize(
    ("path", "count"),
    [
        ('f"{root}/Qwen/Qwen3-8B"', 1),
        ('snapshot_download("Qwen/Qwen3-8B")', 1),
        ('snapshot_download(repo_id="Qwen/Qwen3-8B", revision="main")', 1),
        ('snapshot_download(os.environ.get("MODEL", "Qwen/Qwen3-8B"))', 1),
        ('modelscope.snapshot_download("Qwen/Qwen3-8B")', 1),
        ('bentoml.models.HuggingFaceModel("Qwen/Qwen3-8B")', 1),
        ('snapshot_download("Qwen/Qwen3-8B", local_dir="/models/one")', 0),
        ('snapshot_download("Qwen/Qwen3-8B", local_dir="/models/Qwen/Qwen3-8B")', 1),
        ("snapshot_download(root)", 0),
    ],
)
def test_a_model_that_a_module_downloads(path: str, count: int) -> None:
    start = "import bentoml, modelscope, os, sglang\nfrom huggingface_hub import snapshot_download\n"
    assert len(check(f"{start}sglang.Engine(model_path={path}, tp_size=3)\n", "python")) == count
