"""``--config FILE``: what SGLang makes of the file takes part in the launch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclint.hosts import read
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.sglang import catalog, configured
from speclint.sglang.options import Options
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MANIFEST = """\
apiVersion: v1
kind: ConfigMap
metadata: {{name: conf}}
data:
  serve.yaml: |
    tp-size: 4
    enable-metrics: true
---
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: c
    args: [python3, -m, sglang.launch_server, --model-path, a/b, --config, {path}]
"""


def options(path: Path, host: str, text: str, version: str = "0.5.23") -> Options:
    path.write_text(text)
    file = SourceFile(str(path), text.encode())
    (launch,) = launches(inner for outer in read(file, host, []) for inner in commands(outer))
    return Options.read(launch, catalog.release(version))


def told(found: Options) -> dict[str, Any]:
    """What is set, and ``None`` for what is not known; "…" where more may be."""
    shown = {s.dest: " ".join(default_text(v) or "?" for v in s.values) for s in found.settings}
    return {**shown, **({"…": found.open} if found.open else {})}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Options]:
    (tmp_path / ".git").mkdir()

    def make(config: str | None, words: str = "--config serve.yaml", version: str = "0.5.23") -> Options:
        if config is not None:
            (tmp_path / "serve.yaml").write_text(config)
        return options(tmp_path / "run.sh", "shell", f"python3 -m sglang.launch_server {words}\n", version)

    return make


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("tp-size: 4", {"tp_size": "4"}),
        ("tp-size: '4'", {"tp_size": "4"}),
        ("tp: 4", {"tp_size": "4"}),
        ("mem-fraction-static: 0.90", {"mem_fraction_static": "0.9"}),
        ("trust-remote-code: true", {"trust_remote_code": ""}),
        ("trust-remote-code: no", {}),
        ("cuda-graph-bs-decode: [1, 2]", {"cuda_graph_bs_decode": "1 2"}),
        ("cuda-graph-bs-decode: []", {}),
        ("json-model-override-args: {a: [1, true]}", {"json_model_override_args": '{"a": [1, true]}'}),
        ("chat-template:", {"chat_template": "None"}),
        ("tp-size: 2\ntp-size: 4", {"tp_size": "4"}),
        ("# nothing", {}),
    ],
)
def test_words_of_a_file(run: Callable[..., Options], written: str, expected: dict[str, str]) -> None:
    found = told(run(f"{written}\n"))
    assert found.pop("config") == "serve.yaml"
    assert found == expected


def test_command_line_holds(run: Callable[..., Options]) -> None:
    found = run("tp-size: 4\nport: 1\n", "--config serve.yaml --tp 8")
    assert [told(found)[name] for name in ("tp_size", "port")] == ["8", "1"]
    assert len(found.written("tp_size")) == 1


@pytest.mark.parametrize(
    ("config", "words"),
    [
        (None, "--config serve.yaml"),
        ("- a\n", "--config serve.yaml"),
        ("a: [\n", "--config serve.yaml"),
        ("a: 1\n---\nb: 2\n", "--config serve.yaml"),
        ("tp-size: {{ tp }}\n", "--config serve.yaml"),
        ("tp-size: 4\n", '--config "$FILE"'),
        ("tp-size: 4\n", "--config ../../etc/serve.yaml"),
    ],
)
def test_what_is_not_known_may_be_anything(run: Callable[..., Options], config: str | None, words: str) -> None:
    found = told(run(config, words))
    assert "tp_size" not in found
    assert "…" in found


def test_spelling_that_is_not_read(run: Callable[..., Options]) -> None:
    assert "tp_size" not in told(run("tp-size: 4\n", "--config=serve.yaml"))
    assert "tp_size" not in told(run("tp-size: 4\n", "--config serve.yaml", "0.5.0"))


def test_container_has_other_files(tmp_path: Path) -> None:
    (tmp_path / "serve.yaml").write_text("tp-size: 4\n")
    text = "docker run lmsysorg/sglang python3 -m sglang.launch_server --config serve.yaml\n"
    assert "tp_size" not in told(options(tmp_path / "run.sh", "shell", text))


@pytest.mark.parametrize(("path", "known"), [("/etc/x/serve.yaml", True), ("/etc/x/other.yaml", False)])
def test_config_map_of_the_manifest(tmp_path: Path, path: str, known: bool) -> None:
    found = options(tmp_path / "pod.yaml", "yaml", MANIFEST.format(path=path))
    assert (told(found).get("tp_size") == "4") is known
    assert ("…" not in told(found)) is known
    if known:
        (setting,) = found.written("tp_size")
        assert (setting.flag_span.text, setting.value_span.text) == ("tp-size", "4")


def test_bomb_of_aliases(run: Callable[..., Options]) -> None:
    bomb = "".join(f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]\n" for i in range(1, 30))
    found = told(run(f"a0: &a0 [x]\n{bomb}x: &x {{y: *x}}\ntp-size: 4\n"))
    assert found["tp_size"] == "4"


def test_finding_tells_the_file(cli: Any) -> None:
    cli.write(".git/HEAD", "")
    cli.write("serve.yaml", "model-path: a/b\nno-such-option: 1\n")
    cli.write("run.sh", "python3 -m sglang.launch_server --config serve.yaml\n")
    ran = cli("run.sh", "--output-format", "json", "--select", "SGL101")
    (finding,) = ran.json
    assert (finding["filename"], finding["location"]["row"]) == ("run.sh", 1)
    assert finding["related"][0]["filename"] == "serve.yaml"
    assert finding["related"][0]["location"] == {"row": 2, "column": 1}
    assert finding["fix"] is None


def test_own_file_is_found(cli: Any) -> None:
    text = (
        "# for sglang\nmodel-path: a/b\nmem-fraction-static: 0.8\nchunked-prefill-size: 8192\nmax-running-requests: 1\n"
    )
    cli.write("serve.yaml", text)
    cli.write(
        "other.yaml", "# as sglang does\nmodel-path: a/b\nmax-tokens: 1\nlearning-rate: 2\nmem-fraction-static: 3\n"
    )
    ran = cli("launches", "--output-format", "json")
    (launch,) = ran.json
    assert (launch["filename"], launch["open"]) == ("serve.yaml", True)
    assert launch["args"]["mem_fraction_static"] == "0.8"


@pytest.mark.parametrize(
    ("key", "version", "refused"),
    [
        ("lora-paths", "0.5.23", True),
        ("lora_paths", "0.5.8", True),
        ("lora-paths", "0.5.7", False),
        ("enable-tf32-matmul", "0.5.23", True),
        ("no-enable-tf32-matmul", "0.5.23", True),
        ("no-enable-tf32-matmul", "0.5.22", False),
        ("enable-dp-attention", "0.5.22", True),
        ("enable-dp-attention", "0.5.21", False),
        ("enable-metrics", "0.5.23", False),
        ("tp-size", "0.5.23", False),
        ("tp", "0.5.23", False),
        ("no-such-option", "0.5.23", False),
    ],
)
def test_options_that_no_file_can_set(key: str, version: str, refused: bool) -> None:
    assert configured.refuses(key, catalog.release(version)) is refused


def test_entries_of_the_file(run: Callable[..., Options]) -> None:
    found = configured.entries(run("tp-size: 4\napi-key: ~\nquantization:\n"))
    assert [(entry.key, entry.span.text, entry.value_span.text, entry.null) for entry in found] == [
        ("tp-size", "tp-size", "4", False),
        ("api-key", "api-key", "~", True),
        ("quantization", "quantization", "", True),
    ]
    assert configured.entries(run("tp-size: {{ tp }}\n")) == []
    assert configured.entries(run(None)) == []
    assert configured.entries(run("tp-size: 4\n", "--tp-size 2")) == []


def test_a_switch_before_0_5_8_is_whatever_is_true(run: Callable[..., Options]) -> None:
    assert "api_key" not in told(run("tp-size: 4\napi-key: false\n", version="0.5.7"))
    assert told(run("tp-size: 4\napi-key: false\n", version="0.5.8"))["api_key"] == "false"
