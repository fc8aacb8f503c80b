"""``--write-baseline`` and ``--baseline``: what is known is not told, wherever it has moved to."""

from __future__ import annotations

import json
from typing import Any

import pytest

Cli = Any
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM\n"


@pytest.fixture
def tree(cli: Cli, sources: dict[str, str]) -> Cli:
    for name, text in sources.items():
        cli.write(f"deploy/{name}", text)
    ran = cli("--select", "SGL201,SGL002", "--write-baseline", "known.json")
    assert (ran.status, ran.out) == (0, "Listed 3 findings in known.json.\n")
    return cli


def test_known_findings_are_not_told(tree: Cli) -> None:
    ran = tree.check("--baseline", "known.json")
    assert (ran.status, ran.json, ran.err) == (0, [], "")
    assert "line" not in (tree.folder / "known.json").read_text()


def test_text_that_moves_keeps_its_entry(tree: Cli, sources: dict[str, str]) -> None:
    tree.write("deploy/serve.sh", "#!/bin/bash\n\n" + sources["serve.sh"])
    assert tree.check("--baseline", "known.json").codes == []


def test_another_value_is_told(tree: Cli, sources: dict[str, str]) -> None:
    tree.write("deploy/serve.sh", sources["serve.sh"].replace("TOPK=4", "TOPK=8"))
    ran = tree.check("--baseline", "known.json")
    assert (ran.status, ran.codes) == (1, ["SGL201"])


def test_one_more_of_the_same_is_told(tree: Cli) -> None:
    tree.write("twice.sh", LAUNCH)
    tree("--select", "SGL201", "--write-baseline", "known.json")
    tree.write("twice.sh", LAUNCH * 2)
    assert [(f["filename"], f["location"]["row"]) for f in tree.check("--baseline", "known.json").json] == [
        ("twice.sh", 2)
    ]


def test_words_that_two_launches_share_are_known_once(tree: Cli) -> None:
    image = "    image: lmsysorg/sglang:v0.5.9\n"
    text = f"services:\n  a:\n{image}    entrypoint: [sglang, serve]\n    command: &words [--model-path, a/b, --zz]\n"
    text += f"  b:\n{image}    entrypoint: [sglang, serve, --log-level, info]\n    command: *words\n"
    tree.write("compose.yaml", text)
    assert tree("--write-baseline", "known.json", "compose.yaml").out == "Listed 1 finding in known.json.\n"
    assert tree("--baseline", "known.json", "compose.yaml").out == "No findings in 2 launches in 1 file.\n"


def test_the_list_itself_is_not_linted(tree: Cli) -> None:
    """It quotes what it lists."""
    command = "python3 -m sglang.launch_server --model-path a/b --tp-size 1"
    container = f"{{name: a, image: 'lmsysorg/sglang:v0.5.9', command: [{command}]}}"
    tree.write("pod.yaml", f"apiVersion: v1\nkind: Pod\nspec: {{containers: [{container}]}}\n")
    tree("--write-baseline", "known.json", ".")
    assert command in (tree.folder / "known.json").read_text()
    told = [tree("--baseline", "known.json", *paths).out.split()[:5] for paths in ((".",), ("deploy", "pod.yaml"))]
    assert told[0] == told[1] == ["No", "findings", "in", told[0][3], "launches"]


def test_stale_entries(tree: Cli, sources: dict[str, str]) -> None:
    tree.write("deploy/serve.sh", sources["clean.sh"])
    (tree.folder / "deploy/serve.py").unlink()
    ran = tree.check("--baseline", "known.json")
    assert ran.status == 0
    assert "known.json: 2 entries occur no more" in ran.err
    assert "SGL201 in deploy/serve.sh: `--speculative-eagle-topk" in ran.err
    assert "deploy/serve.py" in ran.err
    assert "deploy/serve.py" not in tree.check("--baseline", "known.json", "deploy/serve.sh").err


def test_fix_leaves_what_is_known(tree: Cli, sources: dict[str, str]) -> None:
    tree("--baseline", "known.json", "--fix", "deploy")
    assert (tree.folder / "deploy/serve.sh").read_text() == sources["serve.sh"]


def test_configuration(tree: Cli) -> None:
    tree.write("speclint.toml", 'baseline = "known.json"\n')
    assert tree.check("deploy/serve.sh").codes == []
    (tree.folder / "known.json").unlink()
    ran = tree.check("deploy/serve.sh")
    assert ran.status == 2
    assert "baseline: " in ran.err
    assert tree("--write-baseline", "known.json").status == 0


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"version": 2, "findings": []}', '{"version": 1, "findings": [{}]}'])
def test_what_is_no_baseline(cli: Cli, sources: dict[str, str], content: str) -> None:
    cli.write("serve.sh", sources["serve.sh"])
    cli.write("known.json", content)
    ran = cli.check("--baseline", "known.json")
    assert ran.status == 2
    assert "known.json" in ran.err


def test_entries_are_data(tree: Cli) -> None:
    entries = json.loads((tree.folder / "known.json").read_text())["findings"]
    assert [entry["file"] for entry in entries] == ["deploy/serve.py", "deploy/serve.sh", "deploy/serve.yaml"]
    assert entries[1] == {
        "code": "SGL201", "file": "deploy/serve.sh", "launch": "sglang.launch_server inclusionAI/Ring-2.5-1T",
        "flag": "--speculative-eagle-topk", "value": entries[1]["value"], "count": 1,
    }  # fmt: skip
