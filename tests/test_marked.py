"""Options without a launcher: which mappings, lists and programs are taken for SGLang's, and which are not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tests.conftest import Cli

RECIPE = """\
backend:
  type: sglang
  sglang_config:
    prefill:
      tensor-parallel-size: 4
      enable-dp-attention: true
      speculative-algo: "EAGLE"
      cuda-graph-bs: [1, 2]
      model-path: ${model.path}
      max-running-requests: null
    decode: {mem-fraction-static: 0.9, chunked-prefill-size: 8192}
"""


def launches(cli: Cli, name: str, text: str) -> list[dict[str, Any]]:
    cli.write(name, text)
    found: list[dict[str, Any]] = cli("launches", "--output-format", "json", "--isolated", name).json
    return found


class TestMappings:
    def test_a_recipe(self, cli: Cli) -> None:
        first, second = launches(cli, "a.yaml", RECIPE)
        assert first["entrypoint"] == second["entrypoint"] == "sglang options"
        assert first["open"], "the program sets options of its own"
        assert first["location"]["row"] == 5
        assert first["args"]["tp_size"] == "4"
        assert first["args"]["enable_dp_attention"] in (True, "True")
        assert first["args"]["speculative_algorithm"] == "EAGLE"
        assert first["args"]["model_path"] is None
        assert None in (first["args"].get("cuda_graph_bs", 0), first["args"].get("cuda_graph_bs_decode", 0))
        assert second["args"] == {"mem_fraction_static": "0.9", "chunked_prefill_size": "8192"}

    @pytest.mark.parametrize(
        "text",
        [
            "sglang:\n  image: x\n  port: 80\n  host: a\n",
            "sglang:\n  vllm:\n    mem_fraction_static: 0.9\n    chunked_prefill_size: 1\n",
            "sglang_router:\n  mem_fraction_static: 0.9\n",
            "name: sglang\nother:\n  mem_fraction_static: 0.9\n",
            "sglang:\n  search_space:\n    chunked_prefill_size: [1, 2]\n    max_running_requests: [3]\n",
            "sglang:\n  dashboards: 1\n  mem_fraction_static: 0.9\n  panels: 3\n",
        ],
    )
    def test_what_is_none(self, cli: Cli, text: str) -> None:
        assert not launches(cli, "a.yaml", text)

    def test_the_nearest_engine_decides(self, cli: Cli) -> None:
        one = "  - backend: %s\n    engine_args:\n      mem_fraction_static: 0.9\n      tp_size: 2\n"
        found = launches(cli, "a.yaml", "models:  # sglang\n" + one % "vllm" + one % "SGLang")
        assert [launch["location"]["row"] for launch in found] == [8]

    def test_a_list_beside_the_name_of_its_engine(self, cli: Cli) -> None:
        text = "- backend: %s\n  backend_parameters:\n  - --context-length=32768\n  - --tp-size\n  - '2'\n"
        found = launches(cli, "a.yaml", "# sglang\n" + text % "sglang" + text % "vLLM")
        assert [launch["args"] for launch in found] == [{"context_length": "32768", "tp_size": "2"}]

    def test_yaml_in_yaml(self, cli: Cli) -> None:
        text = "config_file: |\n  backend: sglang\n  engine_args:\n    mem_fraction_static: 0.85\n    page_size: 1\n"
        assert launches(cli, "a.yaml", text)[0]["location"] == {"row": 4, "column": 5}


class TestPrefixed:
    def test_a_trainer(self, cli: Cli) -> None:
        text = (
            "SGLANG_ARGS=(\n  --sglang-mem-fraction-static 0.7\n  --sglang-tp-size=2\n)\n"
            "ray job submit -- python3 train.py --attention-backend flash ${MODEL_ARGS[@]} ${SGLANG_ARGS[@]}\n"
        )
        (found,) = launches(cli, "a.sh", text)
        assert found["args"] == {"mem_fraction_static": "0.7", "tp_size": "2"}
        assert found["open"]
        assert found["location"]["row"] == 2

    def test_an_array_that_another_file_uses(self, cli: Cli) -> None:
        (found,) = launches(cli, "a.sh", "ARGS=(--sglang-mem-fraction-static 0.7 --sglang-page-size 1)\n")
        assert found["args"] == {"mem_fraction_static": "0.7", "page_size": "1"}

    def test_lines_of_options_in_a_document_are_one(self, cli: Cli) -> None:
        text = "```bash\n--sglang-mem-fraction-static 0.7\n--sglang-page-size 1\n```\n"
        (found,) = launches(cli, "a.md", text)
        assert found["args"] == {"mem_fraction_static": "0.7", "page_size": "1"}

    def test_text_in_python(self, cli: Cli) -> None:
        text = 'sglang = "--rollout-num-gpus 8 " "--sglang-page-size 4 "\nexecute(train=f"{sglang} --x 1")\n'
        (found,) = launches(cli, "a.py", text)
        assert found["args"] == {"page_size": "4"}

    @pytest.mark.parametrize(
        "text",
        [
            "speclint check --sglang-version 0.5.9 .\n",
            "python train.py --sglang-router-ip 1 --sglang-server-concurrency 4\n",
            "python3 suite.py --sglang-url http://127.0.0.1:30000 --sglang-model Qwen/Qwen3-8B\n",
            "soong tunnel start --sglang-port 9000 --n8n-port 6000\n",
            "python chat.py --sglang-host h --sglang-port=9000\n",
            "echo --sglang-page-size 1\n",
        ],
    )
    def test_what_is_none(self, cli: Cli, text: str) -> None:
        assert not launches(cli, "a.sh", text)


def test_how_options_are_spelled_is_no_launch(cli: Cli) -> None:
    """A table from the names of settings to the options of SGLang gives none of them a value."""
    table = '{"tp": "--tp", "mem_fraction_static": "--mem-fraction-static", "chunked_prefill_size": "--chunked-prefill-size"}'
    text = f'BASE = ["python", "-m", "sglang.launch_server"]\nFLAGS = {{"sglang": {table}}}\n'
    assert [found["entrypoint"] for found in launches(cli, "a.py", text)] == ["sglang.launch_server"]
    values = (
        table.replace('"--tp"', "2").replace('"--mem-fraction-static"', "0.8").replace('"--chunked-prefill-size"', "64")
    )
    assert len(launches(cli, "a.py", text.replace(table, values))) == 2


TUNED = """\
server:
  command_prefix: [python3, -m, sglang.launch_server]
  env: {CUDA_VISIBLE_DEVICES: "0"}
  base_flags: {model_path: a/b, tp_size: 2, mem_fraction_static: 0.8}
  search_space: {chunked_prefill_size: [4096, 8192]}
"""


def test_options_beside_the_command_that_is_given_them(cli: Cli) -> None:
    """A tuner runs a command with a mapping of options, and tries others out."""
    found = {one["entrypoint"]: one["args"] for one in launches(cli, "a.yaml", TUNED)}
    assert found == {
        "sglang.launch_server": {},
        "sglang options": {"model_path": "a/b", "tp_size": "2", "mem_fraction_static": "0.8"},
    }
    other = TUNED.replace("sglang.launch_server", "vllm.entrypoints.openai.api_server")
    assert not launches(cli, "a.yaml", other + "# not sglang.launch_server\n")
