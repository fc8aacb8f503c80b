"""The hardware that a file tells of."""

from __future__ import annotations

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.source import SourceFile
from speclint.value import Unknown

POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: llm}}
spec:
  containers:
    - name: sglang
      image: {image}
      command: [python3, -m, sglang.launch_server]
      args: [--model-path, a/b{more}]
      resources: {{limits: {{{resource}: 8}}}}
"""


def view(text: str, host: str = "yaml") -> View:
    file = SourceFile("x", text.encode())
    (launch,) = launches(inner for outer in hosts.read(file, host) for inner in commands(outer))
    return View(Options.read(launch, catalog.release("0.5.23")), {}, lambda _: None)


def pod(image: str = "example.com/sglang:v1", more: str = "", resource: str = "cpu") -> View:
    return view(POD.format(image=image, more=more, resource=resource))


@pytest.mark.parametrize(
    ("image", "platform"),
    [
        ("lmsysorg/sglang:v0.5.12-rocm720-mi30x", "rocm"),
        ("rocm/sgl-dev:sglang-0.5.9-rocm720-mi35x-mori", "rocm"),
        ("lmsysorg/sglang:v0.5.9-cann8.5.0-910b", "npu"),
        ("lmsysorg/sglang:v0.5.9-npu", "npu"),
        ("lmsysorg/sglang:v0.5.9-xpu", "xpu"),
        ("lmsysorg/sglang:v0.5.9-xeon", "cpu"),
        ("lmsysorg/sglang:v0.5.14-cu130", "cuda"),
        ("lmsysorg/sglang:deepseek-v4-blackwell", "cuda"),
        ("lmsysorg/sglang:v0.5.14", None),
        ("example.com/occupied:v1", None),
        ("$(IMAGE)", None),
    ],
)
def test_an_image_tells_the_hardware_by_its_tag(image: str, platform: str | None) -> None:
    got = pod(image).derived("platform").value
    assert isinstance(got, Unknown) if platform is None else got == platform


@pytest.mark.parametrize(
    ("image", "generation"),
    [
        ("lmsysorg/sglang:v0.4.7-cu128-b200", "blackwell"),
        ("lmsysorg/sglang:v0.5.8-cu130-gb300", "blackwell"),
        ("lmsysorg/sglang:deepseek-v4-grace-blackwell", "blackwell"),
        ("lmsysorg/sglang:deepseek-v4-hopper", "hopper"),
        ("lmsysorg/sglang:v0.5.14-cu130", None),
    ],
)
def test_an_image_may_tell_the_generation(image: str, generation: str | None) -> None:
    got = pod(image).derived("generation").value
    assert isinstance(got, Unknown) if generation is None else got == generation


@pytest.mark.parametrize(
    ("resource", "platform"), [("amd.com/gpu", "rocm"), ("nvidia.com/gpu", "cuda"), ("memory", None)]
)
def test_a_resource_tells_the_hardware(resource: str, platform: str | None) -> None:
    got = pod(resource=resource).derived("platform").value
    assert isinstance(got, Unknown) if platform is None else got == platform


def test_the_option_goes_before_the_image() -> None:
    assert pod("lmsysorg/sglang:v0.5.14-cu130", ", --device, npu").derived("platform").value == "npu"
    assert pod("lmsysorg/sglang:v0.5.14-rocm720-mi30x", ", --device, cuda").derived("platform").value == "rocm"


def test_a_bare_command_tells_nothing() -> None:
    got = view("python -m sglang.launch_server --model-path a/b --device cuda\n", "shell")
    assert isinstance(got.derived("platform").value, Unknown)
    assert isinstance(got.derived("generation").value, Unknown)
