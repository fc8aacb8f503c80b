"""Options of SGLang in data: lists, text and mappings for a program that starts the server with them."""

from __future__ import annotations

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Known


@pytest.mark.parametrize(
    "written",
    [
        "extraArgs: [--tp, '8', --mem-fraction-static=0.8]",
        "extraArgs: [--tp 8, --mem-fraction-static=0.8]",
        "extraArgs: [--tp 8 --mem-fraction-static=0.8]",
        "extraArgs: --tp 8 --mem-fraction-static=0.8",
        "extraArgs: '--tp 8 --mem-fraction-static=0.8'",
        "extraArgs: |\n    --tp 8 \\\n    --mem-fraction-static=0.8",
        "extraArgs: |\n    --tp 8\n    --mem-fraction-static=0.8",
        "extraArgs: >-\n    --tp 8\n    --mem-fraction-static=0.8",
    ],
)
@pytest.mark.parametrize(
    "engine",
    [
        "engine: sglang",
        "backend: SGLang",
        "rollout_backend: sglang",
        "server_type: sglang",
        "image: lmsysorg/sglang:v0.5.9",
        "image: {repository: lmsysorg/sglang}",
    ],
)
def test_list_string_and_block(find, written: str, engine: str) -> None:
    (launch,) = find("yaml", f"worker:\n  {engine}\n  {written}\n")
    words = [part for word in launch.words for part in word.split("=")]
    assert words == ["--tp", "8", "--mem-fraction-static", "0.8", "…"]
    assert launch.entry == "sglang options"


def test_value_with_a_blank_stays_one_word(find) -> None:
    (launch,) = find("yaml", "sglang:\n  args: [--served-model-name=a b, --enable-dp-attention]\n")
    assert launch.words[:2] == ["--served-model-name=a b", "--enable-dp-attention"]


@pytest.mark.parametrize(
    "text",
    [
        "worker:\n  engine: vllm\n  extraArgs: [--tp, '8', --mem-fraction-static, '0.8']\n",
        "worker:\n  image: lmsysorg/sglang-router:v1\n  extraArgs: --tp 8 --mem-fraction-static 0.8\n",
        "sglang:\n  vllm:\n    args: --max-model-len 8 --mem-fraction-static 0.8\n",
        "worker:\n  name: sglang\n  load_type: sglang\n  extraArgs: --tp 8 --mem-fraction-static 0.8\n",
        "sglang:\n  note: --mem-fraction-static is too high\n",
        "sglang:\n  args: -v --mem-fraction-static 0.8\n",
    ],
)
def test_options_of_others(find, text: str) -> None:
    assert find("yaml", text) == []


def test_version_by_repository_and_tag(find) -> None:
    text = "image:\n  repository: lmsysorg/sglang\n  tag: v0.5.9\nextraArgs: --mem-fraction-static 0.8\n"
    (launch,) = find("yaml", text)
    assert launch.image == "lmsysorg/sglang:v0.5.9"
    (launch,) = find("yaml", text.replace("  tag", "  registry: docker.io\n  tag"))
    assert launch.image == "docker.io/lmsysorg/sglang:v0.5.9"


RECIPE = """\
seed: 1
actor: {path: a/b, dtype: "${base.dtype}"}
base: {dtype: bfloat16}
loop: ${loop}
sglang:
  model_path: ${actor.path}
  random_seed: ${seed}
  dtype: ${actor.dtype}
  host: ${oc.env:HOST}
  tokenizer_path: ${actor.missing}
  log_level: ${loop}
  served_model_name: x-${actor.path}
  mem_fraction_static: 0.8
"""


def test_references_within_the_file() -> None:
    file = SourceFile("x.yaml", RECIPE.encode())
    (launch,) = launches(inner for outer in hosts.read(file, "yaml", []) for inner in commands(outer))
    keywords = {k.name: k for k in launch.command.keywords or () if k.name}
    known = {name: k.value.text.text for name, k in keywords.items() if isinstance(k.value, Known)}
    assert known == {"model_path": "a/b", "random_seed": "1", "dtype": "bfloat16", "mem_fraction_static": "0.8"}
    assert keywords["random_seed"].literal == "int"
    assert keywords["dtype"].span.text == "${actor.dtype}"
    step = keywords["dtype"].value.steps[-1]
    assert (step.note, step.span.text) == ("`base.dtype` is set here", "bfloat16")
    assert step.definition.shared


def test_part_of_a_value_is_put_in_by_another_program(find) -> None:
    text = "sglang:\n  args: ['--chat-template={data_dir}/x.jinja', '--tp={{ n }}', --mem-fraction-static, '${F}', --host=$(IP)]\n"
    (launch,) = find("yaml", text)
    assert [word and word.split("=")[0] for word in launch.words] == [
        None,
        None,
        "--mem-fraction-static",
        None,
        None,
        "…",
    ]
    assert [w.prefix for w in launch.launch.words[:2]] == ["--chat-template=", "--tp="]


@pytest.mark.parametrize(
    ("named", "image"),
    [
        ("image: lmsysorg/sglang\n  tag: v0.5.9", "lmsysorg/sglang:v0.5.9"),
        ("image: lmsysorg/sglang\n  imageTag: v0.5.9", "lmsysorg/sglang:v0.5.9"),
        ("image: r.io:5000/sglang\n  tag: v0.5.9", "r.io:5000/sglang:v0.5.9"),
        ("image: lmsysorg/sglang:v0.5.8\n  tag: v0.5.9", "lmsysorg/sglang:v0.5.8"),
        # The version of what, nobody tells.
        ("image: lmsysorg/sglang\n  version: 0.5.9", "lmsysorg/sglang"),
    ],
)
def test_the_tag_stands_beside_the_image(find, named: str, image: str) -> None:
    (launch,) = find("yaml", f"server:\n  {named}\n  extraArgs: --tp 8 --mem-fraction-static=0.8\n")
    assert launch.image == image


@pytest.mark.parametrize(
    "written",
    [
        "command: [python3, -m, sglang.launch_server]\n  args: [--tp, '2']",
        "command: python3 -m sglang.launch_server\n  args: --tp 2",
        "args: --tp 2",
        "args: [--tp, '2']",
    ],
)
def test_a_container_whose_model_something_else_adds(find, written: str) -> None:
    text = f"server:\n  image: lmsysorg/sglang:v0.5.9\n  model: a/b\n  {written}\n"
    (launch,) = find("yaml", text)
    assert launch.words == ["--tp", "2", "…"]
    (launch,) = find("yaml", text.replace("--tp", "--model-path"))
    assert launch.words == ["--model-path", "2"]
