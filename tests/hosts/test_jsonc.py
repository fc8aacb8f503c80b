"""JSON and TOML: editors' launches and tasks, containers for development, scripts of projects."""

from __future__ import annotations

import json
from typing import Any

import pytest

from speclint import hosts
from speclint.source import SourceError, SourceFile

WORDS = ["--model-path", "m", "--tp", "2"]
RUN = "sglang serve --model-path m --tp 2"
ARGV = ["sglang", "serve", *WORDS]


@pytest.mark.parametrize(
    "value",
    [
        {"configurations": [{"type": "debugpy", "module": "sglang.launch_server", "args": WORDS}]},
        {"configurations": [{"module": "sglang.launch_server", "args": "--model-path m --tp 2"}]},
        {"configurations": [{"program": "${workspaceFolder}/python/sglang/launch_server.py", "args": WORDS}]},
        {"tasks": [{"type": "shell", "command": RUN}]},
        {"tasks": [{"type": "shell", "command": "python -m sglang.launch_server", "args": WORDS}]},
        {
            "tasks": [
                {"type": "process", "command": "sglang", "args": ["serve", "--model-path", {"value": "m"}, "--tp", 2]}
            ]
        },
        {"postStartCommand": f"nohup {RUN} &"},
        {"postStartCommand": ARGV},
        {"postStartCommand": {"server": RUN}},
        {"scripts": {"start": RUN}},
        {"mcp": {"x": {"command": ARGV}}},
        {"steps": ["echo x", RUN]},
        {"apiVersion": "v1", "kind": "Pod", "spec": {"containers": [{"name": "x", "command": ARGV}]}},
    ],
)
def test_found(find, value: Any) -> None:
    (launch,) = find("json", json.dumps(value, indent=2))
    assert launch.words == WORDS


@pytest.mark.parametrize(
    "value",
    [
        {"description": RUN},
        {"prompt": f"Explain: {RUN}"},
        {"log": [RUN]},
        {"x": f"To start it: {RUN}"},
        {"cmd": "pkill -f sglang.launch_server --x"},
        {"endpoint": "sglang.example.com"},
    ],
)
def test_not_found(find, value: Any) -> None:
    assert find("json", json.dumps(value)) == []


def test_surroundings(find) -> None:
    text = """{ // comment
      "image": "lmsysorg/sglang:v0.5.5",
      "configurations": [{
        "name": "serve", "module": "sglang.launch_server",
        "args": ["--model-path", "${env:M}", "--port", "${input:port}0",],
        "env": {"SGLANG_A": "1", "B": "${workspaceFolder}"},
      }],
    }"""
    (launch,) = find("json", text)
    assert (launch.object, launch.image) == ("serve", "lmsysorg/sglang:v0.5.5")
    assert launch.words == ["--model-path", None, "--port", None]
    assert launch.env == {"SGLANG_A": "1", "B": None}


def test_escapes(find) -> None:
    (launch,) = find("json", '{"run": "sglang serve --model-path \\"m\\" --x \'\\u007b\\"a\\": 1}\'\\n"}')
    assert launch.words == ["--model-path", "m", "--x", '{"a": 1}']
    assert launch.places[0] == "--model-path"


TOML = '''\
[project]
description = "sglang serve --model-path m --tp 2"
# x = "sglang serve --model-path m"
[tool.pixi.tasks]
a = "sglang serve --model-path m --tp 2"
b = { cmd = ["sglang", "serve", "--model-path", "m", "--tp", "2"], env = { A = "1" } }
[tasks.c]
run = """
sglang serve \\
  --model-path m \\\\
  --tp 2
"""
[[x."y.z"]]
run = ["echo", 'sglang serve --model-path m --tp 2']
when = 2025-01-01T00:00:00Z
'''


def test_toml(find) -> None:
    found = find("toml", TOML)
    assert [launch.row for launch in found] == [5, 6, 9, 14]
    assert [launch.words for launch in found] == [WORDS] * 4
    assert found[1].env == {"A": "1"}


@pytest.mark.parametrize(
    ("host", "text"), [("json", '{"run": "sglang serve --x 1"'), ("toml", 'a = "sglang serve --x')]
)
def test_broken(host: str, text: str) -> None:
    with pytest.raises(SourceError) as error:
        list(hosts.read(SourceFile("x", text.encode()), host, []))
    assert error.value.row == 1


OPTIONS = """{"models": [
  {"backend": "SGLang", "backend_parameters": ["--enable-dp-attention", "--context-length=32768", "--tp 8"]},
  {"backend": "vLLM", "backend_parameters": ["--max-model-len=32768", "--enable-dp-attention"]},
  {"engine": "sglang", "extra_args": "--tp 4 --mem-fraction-static 0.8"},
  {"backend": "sglang", "result": {"mem_fraction_static": 0.8, "chunked_prefill_size": 3}}
], "serve": "sglang serve --model-path m"}
"""


def test_options_without_a_program(find) -> None:
    found = find("json", OPTIONS)
    assert [launch.words for launch in found] == [
        ["--enable-dp-attention", "--context-length=32768", "--tp", "8", "…"],
        ["--tp", "4", "--mem-fraction-static", "0.8", "…"],
        ["--model-path", "m"],
    ]
    assert [launch.fixable for launch in found] == [False, False, True]
    assert {launch.host for launch in found} == {"json"}


@pytest.mark.parametrize(
    "text",
    [
        '{"x": [{"y": "python -m sglang.launch_server --model-path m"}]}',
        '{"x": [{"y": "python -m sglang.launch\\u005fserver --model-path m"}]}',
        '{"x": [{"y": "\\u0073glang serve --model-path m"}], "z": "sglang.x"}',
        '{"env": {"M": "sglang.launch_server"}, "x": {"command": "python -m $M --model-path m", "args": []}}',
        '{"image": "lmsysorg/sglang", "x": {"y": {"command": "sglang serve", "args": ["--model-path", "m"]}}}',
    ],
)
def test_only_what_cannot_start_anything_is_left_out(find, text: str) -> None:
    noise = '"a": {"command": "make", "args": ["-j", "8"]}, "b": ["x", "y"], '
    assert find("json", text) != []
    assert len(find("json", "{" + noise + text[1:])) == len(find("json", text))


@pytest.mark.parametrize("text", ['{"x": "the sglang.io site"}', '{"x": "-- sglang --", "y": "--"}', '{"x": "sglang"}'])
def test_prose_is_no_launch(find, text: str) -> None:
    assert find("json", text) == []


@pytest.mark.parametrize(
    "value",
    [
        {"containerDefinitions": [{"name": "s", "image": "x:1", "command": ARGV}]},
        {"containerDefinitions": [{"name": "s", "image": "x:1", "entryPoint": ["sh", "-c"], "command": [RUN]}]},
        {"image": "y:1", "a": {"image": "x:1", "entrypoint": ["bash", "-lc"], "command": f"cd /x && {RUN}"}},
        {"dockerImage": "x:1", "entrypoint": ["sglang"], "command": "serve --model-path m --tp 2"},
        {"container_image": "x:1", "Entrypoint": ["sglang", "serve"], "Cmd": WORDS},
        {"ImageUri": "x:1", "ContainerEntrypoint": ["sglang", "serve"], "ContainerArguments": WORDS},
        {"runtime-image": "x:1", "nested": {"cmd": RUN}},
    ],
)
def test_the_image_beside_a_command(find, value: Any) -> None:
    (launch,) = find("json", json.dumps(value))
    assert (launch.words, launch.image) == (WORDS, "x:1")


def test_the_image_beside_a_command_in_toml(find) -> None:
    found = find("toml", f'image = "y:1"\nrun = "{RUN}"\n[s]\nimage = "x:1"\ncommand = {json.dumps(ARGV)}\n[[t]]\nrun = "{RUN}"\n')
    assert [launch.image for launch in found] == ["y:1", "x:1", "y:1"]


def test_variables_in_a_list(find) -> None:
    env = [{"name": "P", "value": "30001"}, {"name": "S", "valueFrom": "x"}, {"value": "1"}]
    value = {"environment": env, "entryPoint": ["sh", "-c"], "command": ["sglang serve --model-path m --port $P --tp $S"]}
    (launch,) = find("json", json.dumps(value))
    assert (launch.words, launch.env) == (["--model-path", "m", "--port", "30001", "--tp", "…"], {"P": "30001"})


@pytest.mark.parametrize(
    "value",
    [
        {"properties": {"server_executable": {"const": ["sglang", "serve"]}}},
        {"server_executable": ["python3", "-m", "sglang.launch_server"], "base_args": WORDS},
        {"command": ["/opt/bin/sglang", "serve"]},
        {"module": "sglang.launch_server"},
    ],
)
def test_the_arguments_of_a_program_stand_elsewhere(find, value: Any) -> None:
    (launch,) = find("json", json.dumps(value))
    assert launch.words == ["…"]
    (launch,) = find("json", json.dumps({"x": ["python3", "-m", "sglang.launch_server", "--enable-metrics"]}))
    assert launch.words == ["--enable-metrics"]


FORM = "sglang serve --model-path {model_path} --port={port} --x {} --y {a}{b} {more}"


def test_what_is_put_in_elsewhere_is_not_known(find) -> None:
    words = ["--model-path", "…", None, "--x", "{}", "--y", "{a}{b}", "…"]
    for host, text in (
        ("json", json.dumps({"command": FORM})),
        ("toml", f'command = "{FORM}"\n'),
        ("yaml", f"a:\n  run: {FORM}\n"),
        ("python", f'RUN = "{FORM}"\n'),
    ):
        (launch,) = find(host, text)
        assert launch.words == words
    (launch,) = find("json", json.dumps({"command": FORM.split()}))
    assert launch.words == [None if word == "…" else word for word in words]


def test_what_is_shown_for_somebody_to_fill_in(find) -> None:
    text = 'base_image = "x:1"\nentrypoint_shape = "sglang serve --model-path <path> --config <yaml>"\n'
    (launch,) = find("toml", text)
    assert (launch.words, launch.image) == (["--model-path", None, "--config", None], "x:1")
