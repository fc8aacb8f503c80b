"""A manifest that is twice as long takes twice the work: told in steps of the interpreter, not in seconds."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.hosts.yaml import document
from speclint.source import SourceFile

if TYPE_CHECKING:
    from types import FrameType

POD = "apiVersion: v1\nkind: Pod\nmetadata:\n  name: x\nspec:\n  containers:\n"
CONTAINER = """\
  - name: c{n}
    image: lmsysorg/sglang:v0.5.9
    command: [python3, -m, sglang.launch_server]
    args: [--model-path, a/b, --tp, "{n}", --port, $(PORT)]
    env: [{{name: PORT, value: "3000"}}]
"""
SHELL = """\
  - name: c{n}
    command: [bash, -c]
    args:
    - |
      python3 -m sglang.launch_server --model-path a/b \\
        --tp {n}
"""
TEMPLATE = """\
  - name: c{n}
    command: [python3, -m, sglang.launch_server]
    args:
    {{{{- if .Values.tp }}}}
    - --tp
    - "{n}"
    {{{{- end }}}}
    - --model-path={{{{ .Values.model }}}}
"""
SERVICE = "  s{n}:\n    <<: *base\n    command: python3 -m sglang.launch_server --model-path a/b --tp {n}\n"
RECIPE = "  worker{n}:\n    tensor-parallel-size: {n}\n    mem-fraction-static: 0.8\n"
VARIABLE = "    - {{name: V{n}, value: $(V)x}}\n"
FORMS = {
    "containers": (POD, CONTAINER),
    "scripts": (POD, SHELL),
    "templates": (POD, TEMPLATE),
    "documents": ("", "---\n" + POD + CONTAINER),
    "services": ("x-base: &base {image: lmsysorg/sglang, environment: {A: b}}\nservices:\n", SERVICE),
    "recipes": ("backend: {type: sglang}\nsglang_config:\n", RECIPE),
    "variables": (POD + CONTAINER.format(n=1).replace("[{name: PORT, value: \"3000\"}]", ""), VARIABLE),
}  # fmt: skip


POD_IN_CHAIN = "last:\n  image: lmsysorg/sglang\n  command: python3 -m sglang.launch_server --model-path a/b\n"
OWN = "    image: lmsysorg/sglang\n    command: python3 -m sglang.launch_server --model-path a/b\n"


def effort(text: str) -> int:
    """How many steps of the interpreter it takes to read a text."""
    steps = 0

    def trace(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal steps
        frame.f_trace_opcodes, frame.f_trace_lines = True, False
        steps += event == "opcode"
        return trace

    file = SourceFile("x.yaml", text.encode())
    sys.settrace(trace)
    try:
        found = [inner for outer in hosts.read(file, "yaml", []) for inner in commands(outer)]
    finally:
        sys.settrace(None)
    assert found
    return steps


@pytest.mark.parametrize("form", FORMS)
def test_work_grows_with_length(form: str) -> None:
    head, part = FORMS[form]
    short, long = (effort(head + "".join(part.format(n=n) for n in range(count))) for count in (20, 80))
    assert long < 4.8 * short


def test_mappings_that_merge_each_other_one_behind_the_other_are_not_copied_into_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(document, "_MAX_MERGED", 100)
    link = "s{n}: &s{n}\n  <<: *s{before}\n  k{n}: x\n"
    short, long = (
        effort("s0: &s0 {image: x}\n" + "".join(link.format(n=n, before=n - 1) for n in range(1, count)) + POD_IN_CHAIN)
        for count in (150, 600)
    )
    assert long < 4.8 * short


def test_of_mappings_that_merge_many_each_has_the_keys_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(document, "_MAX_MERGED", 3)
    text = "services:\n" + "".join(f"  s{n}: &s{n}\n    <<: [{{a: b, c: d}}]\n{OWN}" for n in range(9))
    file = SourceFile("x.yaml", text.encode())
    assert len([command for command in hosts.read(file, "yaml", []) if "sglang" in str(command.words)]) == 9
