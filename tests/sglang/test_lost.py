"""Options behind the end of the command: neither written nor absent."""

from __future__ import annotations

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import evaluate, load
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.sglang.setting import Setting
from speclint.source import SourceFile
from speclint.value import Unknown

HEAD = "python3 -m sglang.launch_server --model-path a/b \\\n"


def read(text: str) -> Options:
    file = SourceFile("x.sh", text.encode())
    (launch,) = launches(inner for outer in hosts.read(file, "shell") for inner in commands(outer))
    return Options.read(launch, catalog.release("0.5.23"))


def codes(text: str) -> set[str]:
    options = read(text)
    return {finding.code for finding in evaluate.check(options.launch, options, load.rules())}


@pytest.mark.parametrize(
    ("rest", "lost"),
    [
        ("  --dp-size 2 \\ \n  --tp 8 \\\n  --ep 2\n", {"tp_size", "ep_size"}),
        ("  --dp-size 2 # two \\\n  --tensor-p 8\n", {"tp_size"}),
        ("  --dp-size 2 \\\n  # two\n  --enable-ep-moe\n", {"enable_ep_moe"}),
        ("  --dp-size 2 \\\n  --tp 8\n", set()),
        ("  --dp-size 2\nls --tp 8\n", set()),
    ],
)
def test_what_the_line_end_takes_is_neither_written_nor_absent(rest: str, lost: set[str]) -> None:
    options = read(HEAD + rest)
    assert options.lost == lost
    assert isinstance(options.at("dp_size", {}), Setting)
    assert options.at("nnodes", {}) is None
    assert options.open is None
    for dest in lost:
        assert isinstance(options.at(dest, {}), Unknown)


def test_a_rule_on_absence_is_silent_where_the_shell_took_the_option() -> None:
    whole = "  --disaggregation-decode-enable-offload-kvcache \\\n"
    assert "SGL523" in codes(HEAD + whole + "  --hicache-storage-backend file\n")
    broken = (
        whole.replace("\\\n", "\\  # for reuse\n") + "  --disaggregation-mode decode --hicache-storage-backend file\n"
    )
    assert codes(HEAD + broken) == {"SGL901", "SGL902"}


def test_what_is_lost_is_not_added_a_second_time() -> None:
    text = HEAD + "  --mamba-radix-cache-strategy no_buffer \\ \n  --disable-overlap-schedule\n"
    options = read(text.replace("a/b", "Qwen/Qwen3-Next-80B-A3B-Instruct"))
    found = evaluate.check(options.launch, options, load.rules())
    assert "SGL301" not in {finding.code for finding in found}


def test_what_a_name_may_mean_is_neither_written_nor_absent() -> None:
    options = read(HEAD + "  --tp 8 --pp 2\n")
    assert {"pp_size", "pp_async_batch_depth"} <= options.meant
    assert isinstance(options.at("pp_size", {}), Unknown)
    assert isinstance(options.at("tp_size", {}), Setting)
    assert options.at("dp_size", {}) is None


def test_gpus_are_not_counted_where_a_name_may_be_a_size_of_several() -> None:
    pod = (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n    - name: a\n"
        "      image: lmsysorg/sglang:v0.5.23\n      command: [python3, -m, sglang.launch_server]\n"
        "      args: [--model-path, a/b, --tp, '4', --pp, '2']\n      resources: {limits: {nvidia.com/gpu: 8}}\n"
    )
    found = {}
    for text in (pod, pod.replace("--pp, '2'", "--dtype, auto")):
        file = SourceFile("x.yaml", text.encode())
        (launch,) = launches(inner for outer in hosts.read(file, "yaml") for inner in commands(outer))
        options = Options.read(launch, catalog.release("0.5.23"))
        found[text] = {finding.code for finding in evaluate.check(launch, options, load.rules())} - {"SGL803"}
    assert list(found.values()) == [{"SGL105"}, {"SGL802"}]


@pytest.mark.parametrize(("dots", "expected"), [("...", set()), ("[...]", set()), ("…", set()), ("--tp 2", {"SGL902"})])
def test_what_a_document_leaves_out_ends_no_command(dots: str, expected: set[str]) -> None:
    text = f"```bash\n{HEAD}    {dots}\n    --port 40001 \\\n    --dp-size 2\n```\n"
    file = SourceFile("x.md", text.encode())
    (launch,) = launches(inner for outer in hosts.read(file, "markdown") for inner in commands(outer))
    options = Options.read(launch, catalog.release("0.5.23"))
    found = {finding.code for finding in evaluate.check(launch, options, load.rules())}
    assert {code for code in found if code.startswith("SGL9")} == expected
