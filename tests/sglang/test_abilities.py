"""What the models' own code can do, by release; and the tool that reads it off the source."""

from __future__ import annotations

import importlib.util
import pathlib
import sys
from typing import Any

import pytest

from speclint.rules import replay
from speclint.sglang import abilities
from speclint.value import Unknown

TOOLS = pathlib.Path(__file__).parents[2] / "tools"
CONFIG = {"architectures": ["Gemma3ForConditionalGeneration"], "model_type": "gemma3"}


def tool(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(TOOLS))
    spec = importlib.util.spec_from_file_location("abilities_of_models", TOOLS / "abilities.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, spec.name, module)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("architecture", "version", "without"),
    [
        ("Qwen3VLForConditionalGeneration", "0.5.6", True),
        ("Qwen3VLForConditionalGeneration", "0.5.7", False),
        ("KimiK25ForConditionalGeneration", "0.5.8", False),
        ("KimiK25ForConditionalGeneration", "0.5.9", True),
        ("KimiK25ForConditionalGeneration", "0.5.10", False),
        ("Gemma3ForConditionalGeneration", "0.5.5.post1", True),
        ("Gemma3ForConditionalGeneration", "0.5.5", False),
        ("LlamaForCausalLM", "0.5.23", False),
    ],
)
def test_models_without_a_pipeline_are_told_by_release(architecture: str, version: str, without: bool) -> None:
    assert abilities.holds("no-pipeline", architecture, version) is without


@pytest.mark.parametrize(
    ("more", "known"),
    [("", True), (" --model-impl sglang", True), (" --model-impl transformers", False), (" --is-embedding", False)],
)
def test_other_code_than_the_models_own_tells_nothing(more: str, known: bool) -> None:
    value = replay.view_of(f"--model-path a/b --pp-size 2{more}", "0.5.23", CONFIG).derived("pipeline").value
    assert (value is False) is known
    assert isinstance(value, Unknown) is not known


def test_a_model_that_is_not_listed_may_have_a_pipeline() -> None:
    view = replay.view_of("--model-path a/b", "0.5.23", {"architectures": ["LlamaForCausalLM"]})
    assert isinstance(view.derived("pipeline").value, Unknown)
    assert isinstance(replay.view_of("--model-path a/b", "0.5.23", None).derived("pipeline").value, Unknown)


@pytest.mark.parametrize(("version", "apart"), [("0.5.9", None), ("0.5.10.post1", False), ("0.5.11", True)])
def test_encoders_that_are_served_apart_are_listed_by_release(version: str, apart: bool | None) -> None:
    config = {"architectures": ["Qwen3_5ForConditionalGeneration"], "model_type": "qwen3_5"}
    value = replay.view_of("--model-path a/b", version, config).derived("encoder_apart").value
    assert isinstance(value, Unknown) if apart is None else value is apart


SOURCE = {
    "base.py": "class Base(nn.Module):\n    def forward(self, x, pp_proxy_tensors=None): ...\n",
    "own.py": """\
from sglang.srt.models.base import Base as Start

class Inherits(Start): ...
class Plain(nn.Module):
    @torch.no_grad()
    def forward(self, x): ...
class Wrapped(nn.Module):
    @somehow
    def forward(self, x): ...
class Foreign(Outside): ...
class Set(nn.Module):
    forward = other
class Again(Plain): ...
EntryClass = [Inherits, Plain, Wrapped, Foreign, Set, Again]
""",
    "part/inner.py": "class Inner(nn.Module):\n    def forward(self, x): ...\nEntryClass = Inner\n",
    "one.py": "class One(nn.Module):\n    def forward(self, x): ...\nEntryClass = One\n",
}


def test_the_tool_names_what_is_known_to_have_none(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    models = tmp_path / "sglang" / "srt" / "models"
    for name, text in SOURCE.items():
        (models / name).parent.mkdir(parents=True, exist_ok=True)
        (models / name).write_text(text, encoding="utf-8")
    (tmp_path / "sglang" / "srt" / "server_args.py").write_text(
        'if only and arch not in ["A", "B"]:\n    raise ValueError("x is not supported for encoder disaggregation")\n',
        encoding="utf-8",
    )
    module = tool(monkeypatch)
    assert sorted(module.Models(str(tmp_path)).without_pipeline()) == ["Again", "One", "Plain"]
    assert list(module.encoders(str(tmp_path))) == ["A", "B"]


def test_what_holds_for_some_releases_becomes_spans(monkeypatch: pytest.MonkeyPatch) -> None:
    held = [("1", {"X"}), ("2", {"X"}), ("3", set()), ("4", {"X"})]
    found = {version: {"no-pipeline": names, "encoder": set()} for version, names in held}
    assert list(tool(monkeypatch).rows(found)) == ["no-pipeline\tX\t1\t3", "no-pipeline\tX\t4\t-"]
