from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from speclint.sglang import catalog, versions

ROOT = Path(__file__).parents[2]
DATA = ROOT / "speclint" / "sglang" / "data"


def test_releases_are_in_order_and_begin_with_0_4_0() -> None:
    known = catalog.known()
    assert known[0] == "0.4.0"
    assert known[-1] == catalog.newest()
    assert list(known) == sorted(known, key=versions.parse)
    assert {"0.4.6.post5", "0.5.10rc0", "0.5.12.post1", "0.5.23"} <= set(known)


@pytest.mark.parametrize(
    ("asked", "given"),
    [("0.5.9", "0.5.9"), ("v0.5.9", "0.5.9"), ("0.5.9.post7", "0.5.9"), ("0.1", "0.4.0"), ("99", catalog.newest()),
     ("0.5.10.dev1", "0.5.9"), ("0.5.9+cu128", "0.5.9")],
)  # fmt: skip
def test_which_release_speaks_for_a_version(asked: str, given: str) -> None:
    assert catalog.release(asked).version == given


def test_no_version() -> None:
    with pytest.raises(ValueError, match="not a version"):
        catalog.release("latest")


# Counted by each release's own parser, help included.
@pytest.mark.parametrize(
    ("version", "count"), [("0.4.6.post5", 146), ("0.5.4", 274), ("0.5.8", 329), ("0.5.18", 489), ("0.5.23", 532)]
)
def test_number_of_options(version: str, count: int) -> None:
    assert len(list(catalog.release(version).unique())) == count


def test_an_option_with_aliases() -> None:
    release = catalog.release("0.5.23")
    option = release.options["--tensor-parallel-size"]
    assert option is release.options["--tp-size"] is release.by_dest("tp_size")
    assert (option.type, option.default, option.nargs, option.action, option.choices) == ("int", 1, None, "store", None)
    assert release.default("tp_size") == 1


@pytest.mark.parametrize("version", ["0.4.0", "0.5.9", "0.5.13", "0.5.14", "0.5.23"])
def test_destinations_are_the_fields_of_the_configuration(version: str) -> None:
    release = catalog.release(version)
    for dest in ("tp_size", "dp_size", "model_path", "mem_fraction_static"):
        option = release.by_dest(dest)
        assert option is not None
        assert release.has_field(dest)
    assert not release.has_field("tensor_parallel_size")
    assert not release.has_field("config")


def test_fields_without_an_option() -> None:
    assert catalog.release("0.5.23").has_field("stat_loggers")
    assert not catalog.release("0.5.9").has_field("stat_loggers")


def test_switches_constants_and_optional_values() -> None:
    options = catalog.release("0.5.23").options
    trust = options["--trust-remote-code"]
    assert (trust.action, trust.nargs, trust.default, trust.const) == ("store_true", 0, False, True)
    both = options["--no-enable-tf32-matmul"]
    assert both is options["--enable-tf32-matmul"]
    assert (both.action, both.nargs) == ("bool_optional", 0)
    checksum = options["--model-checksum"]
    assert (checksum.nargs, checksum.const) == ("?", "")
    assert options["--lora-paths"].action == "lora_paths"
    assert options["--max-total-tokens"].type == "human_int"
    assert options["--model-path"].required


def test_deprecations() -> None:
    kinds = {
        ("0.5.9", "--hybrid-kvcache-ratio"): "ignored",
        ("0.5.4", "--enable-ep-moe"): "refused",
        ("0.5.18", "--enable-expert-distribution-metrics"): "refused",
        ("0.5.19", "--cuda-graph-bs"): "warned",
        ("0.5.23", "--enable-dp-attention"): "warned",
        ("0.5.23", "--grpc-mode"): "documented",
        ("0.5.23", "--tp-size"): None,
    }
    assert {at: catalog.release(at[0]).options[at[1]].deprecated for at in kinds} == kinds
    moved = catalog.release("0.5.19").options["--cuda-graph-bs"]
    assert (moved.dest, moved.replacement) == ("cuda_graph_bs_decode", "--cuda-graph-bs-decode")
    both = catalog.release("0.5.23").options["--disable-cuda-graph"].replacement
    assert both == "--cuda-graph-backend-decode=disabled --cuda-graph-backend-prefill=disabled"
    const = catalog.release("0.5.19").options["--enable-breakable-cuda-graph"]
    assert (const.action, const.nargs, const.const) == ("store_const", 0, "breakable")
    amd = catalog.release("0.5.23").options["--monokernel-backend"]
    assert (amd.action, amd.nargs, amd.const, amd.choices) == ("store_const", None, True, ("amd",))


def test_the_option_that_is_not_deprecated_speaks_for_a_destination() -> None:
    option = catalog.release("0.5.19").by_dest("cuda_graph_bs_decode")
    assert option is not None
    assert option.strings == ("--cuda-graph-bs-decode",)


def test_what_nothing_reads() -> None:
    assert catalog.release("0.5.23").options["--triton-attention-reduce-in-fp32"].unread
    assert not catalog.release("0.5.23").options["--attention-backend"].unread


def test_history() -> None:
    assert catalog.history("--linear-attn-backend") == ("0.5.10rc0", None, None)
    assert catalog.history("--mamba-scheduler-strategy") == ("0.5.7", "0.5.20", "0.5.14")
    assert catalog.history("--tensor-parallel-size") == ("0.4.0", None, None)
    assert catalog.history("--no-such-option") is None
    assert catalog.choice_history("--load-balance-method", "shortest_queue") == ("0.4.0", "0.5.8", None)
    assert catalog.choice_history("--load-balance-method", "no-such-method") is None


@pytest.mark.parametrize(
    ("option", "version", "words", "kind"),
    [
        ("--enable-flashinfer-mla", "0.5.23", "--attention-backend flashinfer", "safe"),
        ("--max-micro-batch-size", "0.5.23", "--pp-max-micro-batch-size", "safe"),
        ("--nsa-decode", "0.5.9", "--nsa-decode-backend", "review"),
        ("--nsa-decode", "0.5.23", "--dsa-decode-backend", "review"),
        ("--enable-ep-moe", "0.5.23", "--ep-size <tp>", "value"),
        ("--enable-dp-attention", "0.5.23", "--attn-dp-size <dp-size>", "value"),
        ("--load-watch-interval", "0.5.23", None, "drop"),
    ],
)
def test_replacement(option: str, version: str, words: str | None, kind: str) -> None:
    assert catalog.replacement(option, version) == (words, kind)


def test_no_replacement_before_there_is_one() -> None:
    assert catalog.replacement("--enable-dp-attention", "0.5.9") is None
    assert catalog.replacement("--tp-size", "0.5.23") is None


def test_every_replacement_in_the_table_is_known_to_some_release() -> None:
    table = json.loads((DATA / "replaced.json").read_text(encoding="utf-8"))
    for option, ways in table.items():
        assert catalog.history(option) is not None, option
        for words, kind in ways:
            assert kind in {"safe", "value", "review", "drop"}
            used = any(catalog.replacement(option, version) == (words, kind) for version in catalog.known())
            assert words is None or used, f"{option}: {words} fits no release"


def test_every_removed_option_has_an_entry_or_is_back() -> None:
    table = json.loads((DATA / "replaced.json").read_text(encoding="utf-8"))
    strings = {string for version in catalog.known() for string in catalog.release(version).options}
    removed = {string for string in strings if (history := catalog.history(string)) and history.removed}
    assert removed <= set(table)


def test_bench_programs_take_the_options_of_the_server_and_their_own() -> None:
    for name in ("sglang.bench_one_batch", "sglang.benchmark.one_batch"):
        release = catalog.release("0.5.23", name)
        assert "--tp-size" in release.options
        assert "--batch-size" in release.options
    assert "--batch-size" not in catalog.release("0.5.23").options
    assert "--timeout" in catalog.release("0.5.9", "sglang.compile_deep_gemm").options


def test_serve() -> None:
    assert not catalog.release("0.5.9", "sglang serve").positionals
    release = catalog.release("0.5.23", "sglang serve")
    assert [option.dest for option in release.positionals] == ["model_path"]
    assert release.options["--model-type"].action == "model_type"
    assert "--model-type" not in catalog.release("0.5.23").options
    assert release.is_diffusion_option("--num-gpus")
    assert not release.is_diffusion_option("--model-path")
    assert not catalog.release("0.5.23").is_diffusion_option("--num-gpus")


def test_prefixed_and_wrapped_entry_points() -> None:
    release = catalog.release("0.5.23", "slime")
    assert release.options["--sglang-tp-size"].strings == ("--sglang-tp-size", "--sglang-tensor-parallel-size")
    assert "--tp-size" not in release.options
    assert release.by_dest("tp_size") is release.options["--sglang-tp-size"]
    for name in ("dynamo.sglang", "sglang_router.launch_server", "somebody.else"):
        assert catalog.entrypoint(name).foreign
    assert not catalog.entrypoint("sglang.launch_server").foreign


def test_features_of_the_command_line() -> None:
    def features(version: str) -> set[str]:
        return set(catalog.release(version).features)

    assert features("0.4.6.post5") == set()
    assert features("0.5.4") == {"config"}
    assert features("0.5.9") == {"config", "config-refuses", "serve"}
    assert features("0.5.14") >= {"config-json", "serve-model-type"}
    assert "serve-positional" in features("0.5.16") - features("0.5.15.post1")


SERVER_ARGS = """
import dataclasses
from typing import Optional
import torch
from sglang.srt.choices import BACKENDS

@dataclasses.dataclass
class ServerArgs:
    model_path: str
    backend: str = "fast"
    tp_size: int = 1
    hidden: Optional[str] = None

    @staticmethod
    def add_cli_args(parser):
        parser.add_argument("--model-path", type=str, required=True)
        parser.add_argument("--backend", choices=BACKENDS, default=ServerArgs.backend)
        parser.add_argument("--tensor-parallel-size", "--tp-size", type=int, default=1)
        parser.add_argument("--old", action=DeprecatedAction, help="NOTE: --old is gone. Use `--backend fast` instead.")

    @classmethod
    def from_cli_args(cls, args):
        args.tp_size = args.tensor_parallel_size

def use(args):
    return args.model_path, args.tp_size

class DeprecatedAction(__import__("argparse").Action):
    def __init__(self, option_strings, dest, nargs=0, **kwargs):
        super().__init__(option_strings, dest, nargs=nargs, **kwargs)

    def __call__(self, parser, namespace, values, option_string=None):
        raise ValueError(self.help)
"""


def test_the_tool_reads_a_wheel(tmp_path: Path) -> None:
    package = tmp_path / "sglang" / "srt"
    package.mkdir(parents=True)
    (package / "server_args.py").write_text(SERVER_ARGS, encoding="utf-8")
    choices = 'import heavy\nBACKENDS = ["slow"]\nBACKENDS.append("fast")\nPATH = heavy.open("x")\n'
    (package / "choices.py").write_text(choices, encoding="utf-8")
    tool = [sys.executable, str(ROOT / "tools" / "catalog.py"), "--dump", str(tmp_path)]
    read = json.loads(subprocess.run(tool, check=True, capture_output=True, text=True).stdout)
    records = {record["dest"]: record for record in read["tables"]["server"]}
    assert records["model_path"] == {
        "strings": ["--model-path"],
        "dest": "model_path",
        "action": "store",
        "type": "str",
        "required": True,
    }
    assert records["backend"]["choices"] == ["slow", "fast"]
    assert records["backend"]["unread"]
    assert records["tp_size"]["strings"] == ["--tensor-parallel-size", "--tp-size"]
    assert (records["old"]["deprecated"], records["old"]["replacement"]) == ("refused", "--backend fast")
    assert [record["strings"] for record in read["tables"]["fields"]] == [["hidden"]]


def test_the_tool_writes_the_shipped_file_again(tmp_path: Path) -> None:
    script = (
        f"import catalog_file as f; f.save({str(tmp_path / 'again.json')!r}, f.load({str(DATA / 'catalog.json')!r}))"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=ROOT / "tools")
    assert (tmp_path / "again.json").read_bytes() == (DATA / "catalog.json").read_bytes()


def test_size_of_the_shipped_file() -> None:
    assert (DATA / "catalog.json").stat().st_size < 300_000
