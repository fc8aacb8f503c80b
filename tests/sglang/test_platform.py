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


@pytest.mark.parametrize(
    ("image", "sm", "generation"),
    [
        ("lmsysorg/sglang:v0.5.9-cu130-b300", 100, "blackwell"),
        ("lmsysorg/sglang:deepseek-v4-blackwell", None, "blackwell"),
        ("lmsysorg/sglang:deepseek-v4-h200", 90, "hopper"),
        ("example.com/sglang:a100", 80, "ampere"),
        ("example.com/sglang:rtx-pro-6000", 120, "rtx"),
        ("lmsysorg/sglang:v0.5.14", None, None),
    ],
)
def test_an_image_tells_the_class_of_a_gpu(image: str, sm: int | None, generation: str | None) -> None:
    found = pod(image)
    for name, wanted in (("sm", sm), ("generation", generation)):
        got = found.derived(name).value
        assert isinstance(got, Unknown) if wanted is None else got == wanted


SELECTED = """\
apiVersion: apps/v1
kind: Deployment
metadata: {{name: llm}}
spec:
  template:
    spec:
      {asked}
      containers:
        - name: sglang
          image: lmsysorg/sglang:v0.5.23
          command: [python3, -m, sglang.launch_server, --model-path, a/b]
"""
AFFINITY = "affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [%s]}}}"
TERM = "{matchExpressions: [{key: nvidia.com/gpu.product, operator: %s, values: [%s]}]}"


@pytest.mark.parametrize(
    ("asked", "platform", "sm"),
    [
        ("nodeSelector: {nvidia.com/gpu.product: NVIDIA-GB200}", "cuda", 100),
        ("nodeSelector: {nvidia.com/gpu.product: NVIDIA-H100-80GB-HBM3}", "cuda", 90),
        ("nodeSelector: {nvidia.com/gpu.product: NVIDIA-RTX-PRO-6000-Blackwell-Server-Edition}", "cuda", 120),
        ("nodeSelector: {nvidia.com/gpu.product: NVIDIA-GeForce-RTX-4090}", "cuda", 89),
        ("nodeSelector: {nvidia.com/gpu.product: NVIDIA-RTX-6000-Ada-Generation}", "cuda", None),
        ("nodeSelector: {cloud.google.com/gke-accelerator: nvidia-a100-80gb}", "cuda", 80),
        ("nodeSelector: {amd.com/gpu.product-name: AMD_Instinct_MI300X_OAM}", "rocm", None),
        ("nodeSelector: {nvidia.com/gpu.product: $(GPU)}", None, None),
        ("nodeSelector: {kubernetes.io/arch: arm64}", None, None),
        (AFFINITY % (TERM % ("In", "NVIDIA-GB300")), "cuda", 100),
        (AFFINITY % (TERM % ("In", "NVIDIA-B200, NVIDIA-GB200")), "cuda", 100),
        (AFFINITY % (TERM % ("In", "NVIDIA-B200, NVIDIA-H200")), "cuda", None),
        (AFFINITY % (TERM % ("NotIn", "NVIDIA-B200")), None, None),
        (AFFINITY % ", ".join((TERM % ("In", "NVIDIA-H100"), TERM % ("In", "NVIDIA-H200"))), "cuda", 90),
        (AFFINITY % ", ".join((TERM % ("In", "NVIDIA-H100"), "{matchFields: []}")), None, None),
    ],
)
def test_the_nodes_that_a_pod_asks_for_tell_the_gpu(asked: str, platform: str | None, sm: int | None) -> None:
    found = view(SELECTED.format(asked=asked))
    for name, wanted in (("platform", platform), ("sm", sm)):
        got = found.derived(name).value
        assert isinstance(got, Unknown) if wanted is None else got == wanted


def test_what_a_selector_tells_goes_before_the_image() -> None:
    text = SELECTED.format(asked="nodeSelector: {nvidia.com/gpu.product: NVIDIA-H200}")
    found = view(text.replace("v0.5.23", "v0.5.23-b200"))
    assert found.derived("generation").value == "hopper"
    assert found.derived("generation").note == "its nodes have `nvidia.com/gpu.product` NVIDIA-H200"
