"""``explain`` and ``rule`` as Markdown and as JSON."""

from __future__ import annotations

import re
from typing import Any

import pytest

Cli = Any


def rows(text: str, title: str) -> dict[str, tuple[str, str]]:
    """The rows of the table below a heading."""
    part = text.split(f"## {title}\n\n", 1)[1].split("\n\n")[0]
    cells = [re.split(r"(?<!\\) \| ", line.strip("| ")) for line in part.splitlines()[2:]]
    return {cell[0].strip("`"): (cell[1].strip(" `|"), cell[-1]) for cell in cells}


class TestExplain:
    def test_markdown(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("serve.sh", sources["serve.sh"])
        ran = cli("explain", "--select", "SGL201", "--output-format", "markdown", "serve.sh:5")
        assert ran.status == 0
        assert ran.out.startswith("# serve.sh:3:1: sglang.launch\\_server, SGLang ")
        assert rows(ran.out, "Written")["--speculative-eagle-topk"][0] == "4"
        assert rows(ran.out, "Derived by SGLang")["linear_backend"][0] == "lightning"
        assert "## Findings\n\n- **SGL201** lightning-topk (error): " in ran.out

    def test_json_has_the_same_options(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("serve.sh", sources["serve.sh"])
        (told,) = cli("explain", "--select", "SGL201", "--output-format", "json", "serve.sh:5").json
        page = cli("explain", "--output-format", "markdown", "serve.sh:5").out
        assert [option["flag"] for option in told["options"]] == list(rows(page, "Written"))
        assert [finding["code"] for finding in told["findings"]] == ["SGL201"]

    def test_environment_and_open_launch(self, cli: Cli) -> None:
        cli.write("a.sh", 'SGLANG_X="a|b" python -m sglang.launch_server --model-path x "$@"\n')
        ran = cli("explain", "--output-format", "markdown", "a.sh:1")
        assert "## Environment\n\n- `SGLANG_X=a\\|b`\n" in ran.out
        assert "More options may follow: " in ran.out

    def test_what_an_option_hangs_on_is_told_as_it_goes(self, cli: Cli) -> None:
        cli.write(
            "a.py",
            "import subprocess\ncmd = ['python', '-m', 'sglang.launch_server']\n"
            "if E:\n    pass\nelse:\n    cmd.append('--log-requests')\nsubprocess.run(cmd)\n",
        )
        ran = cli("explain", "--output-format", "markdown", "a.py:2")
        assert "when `E` does not hold" in rows(ran.out, "Written")["--log-requests"][1]

    def test_what_hangs_on_a_branch_is_not_derived(self, cli: Cli) -> None:
        text = (
            "import sglang as sgl\ndef run(backend, e):\n    if e:\n        backend = 'triton'\n"
            "    sgl.Engine(model_path='m', attention_backend=backend, tp_size=e or 4)\n"
        )
        cli.write("a.py", text)
        derived = rows(cli("explain", "--output-format", "markdown", "a.py:5").out, "Derived by SGLang")
        assert "dp_size" in derived
        assert "decode_attention_backend" not in derived
        cli.write("a.py", text.replace("backend, e)", "backend='fa3', e=0)").replace("if e", "if backend is None"))
        derived = rows(cli("explain", "--output-format", "markdown", "a.py:5").out, "Derived by SGLang")
        assert derived["decode_attention_backend"][0] == "fa3"

    def test_findings_that_launches_share_are_told_of_each(self, cli: Cli) -> None:
        run = 'bash -c "$ENVS python3 -m sglang.launch_server --model-path'
        cli.write("a.sh", f"ENVS='A=1 SGLANG_ENABLE_SPEC_V2=1'\n{run} x\"\n{run} y\"\n")
        assert cli("check", "--output-format", "concise", "a.sh").out.count("SGL702") == 1
        for row in (2, 3):
            told = cli("explain", "--output-format", "json", f"a.sh:{row}").json
            assert all([finding["code"] for finding in one["findings"]] == ["SGL702"] for one in told)

    def test_no_findings(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.sh", sources["clean.sh"])
        ran = cli("explain", "--select", "SGL201", "--output-format", "markdown", "a.sh:1")
        assert ran.out.endswith("## Findings\n\nNone.\n")


class TestRule:
    def test_markdown(self, cli: Cli) -> None:
        ran = cli("rule", "SGL201", "--output-format", "markdown")
        assert ran.out.startswith("# SGL201 lightning-topk\n\n**error**: ")
        assert "\n\n## Evidence\n\n- SGLang " in ran.out
        assert ran.out.count("```") % 2 == 0
        assert "\n\nFixed:\n\n```sh\n" in ran.out

    def test_table(self, cli: Cli) -> None:
        ran = cli("rule", "--output-format", "markdown")
        lines = ran.out.splitlines()
        assert lines[:2] == ["| Code | Name | Level | Meaning |", "| --- | --- | --- | --- |"]
        codes = [rule["code"] for rule in cli("rule", "--output-format", "json").json]
        assert [line.split(" | ")[0].strip("| ") for line in lines[2:]] == codes
        assert {"SGL002", "SGL003", "SGL201"} <= set(codes)
        assert all(len(re.findall(r"(?<!\\)\|", line)) == 5 for line in lines)

    @pytest.mark.parametrize("form", ["sarif", "nonsense"])
    def test_other_formats(self, cli: Cli, form: str) -> None:
        ran = cli("rule", "--output-format", form)
        assert ran.status == 2
