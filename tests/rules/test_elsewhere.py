"""Prefill and decode servers of one deployment in two files."""

from __future__ import annotations

from pathlib import Path

import pytest

from speclint import hosts
from speclint.finding import Finding
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import evaluate, load
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.source import SourceFile

RULES = [rule for rule in load.rules() if rule.code == "SGL809"]
POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: {role}}}
spec:
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.16
      command: [python3, -m, sglang.launch_server, --model-path, {model}, --disaggregation-mode, {role}]
      args: [--page-size, "{page}"]
"""
LISTED = "resources:\n  - prefill.yaml\n  - ./decode.yaml  # the other\n  - other.yaml\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / ".git").mkdir()
    (tmp_path / "prefill.yaml").write_text(POD.format(role="prefill", model="a/b", page=64))
    (tmp_path / "decode.yaml").write_text(POD.format(role="decode", model="a/b", page=32))
    (tmp_path / "kustomization.yaml").write_text(LISTED)
    return tmp_path


def found(path: Path) -> list[Finding]:
    file = SourceFile(str(path), path.read_bytes())
    (launch,) = launches(inner for outer in hosts.read(file, "yaml") for inner in commands(outer))
    options = Options.read(launch, catalog.release("0.5.16"))
    return evaluate.check(options.launch, options, RULES, lambda _: None)


def test_what_a_kustomization_applies_together_is_compared(folder: Path) -> None:
    (finding,) = found(folder / "decode.yaml")
    assert "has `--page-size` 32, the prefill server 64" in finding.message
    assert finding.span.file.path == str(folder / "decode.yaml")
    assert [span.file.path for _, span in finding.related] == [str(folder / "prefill.yaml")]
    assert found(folder / "prefill.yaml") == []


@pytest.mark.parametrize(
    "listed",
    [
        None,
        "resources:\n  - prefill.yaml\n",
        "resources:\n  - decode.yaml\n",
        LISTED + "patches:\n  - path: page.yaml\n",
        LISTED + "patchesStrategicMerge: [page.yaml]\n",
        LISTED + "components:\n  - ../pages\n",
        LISTED + "".join(f"  - more{number}.yaml\n" for number in range(16)),
    ],
)
def test_nothing_is_told_where_they_may_not_go_together(folder: Path, listed: str | None) -> None:
    (folder / "kustomization.yaml").unlink()
    if listed is not None:
        (folder / "kustomization.yaml").write_text(listed)
    assert found(folder / "decode.yaml") == []


@pytest.mark.parametrize("text", [POD.format(role="prefill", model="a/c", page=64), "a: [", "", "a: 1\n"])
def test_another_model_or_no_server_is_no_peer(folder: Path, text: str) -> None:
    (folder / "prefill.yaml").write_text(text)
    assert found(folder / "decode.yaml") == []


def test_one_prefill_server_that_fits_is_enough(folder: Path) -> None:
    (folder / "other.yaml").write_text(POD.format(role="prefill", model="a/b", page=32))
    assert found(folder / "decode.yaml") == []


def test_a_peer_in_the_same_file_goes_first(folder: Path) -> None:
    own = POD.format(role="decode", model="a/b", page=32) + "---\n" + POD.format(role="prefill", model="a/b", page=32)
    (folder / "decode.yaml").write_text(own)
    file = SourceFile(str(folder / "decode.yaml"), own.encode())
    for launch in launches(inner for outer in hosts.read(file, "yaml") for inner in commands(outer)):
        options = Options.read(launch, catalog.release("0.5.16"))
        assert evaluate.check(options.launch, options, RULES, lambda _: None) == []
