"""What a person meets who asks wrongly, or whose output goes nowhere."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

Cli = Any
ROOT = Path(__file__).resolve().parent.parent


class TestWords:
    """What is asked wrongly is told with the way to ask it."""

    @pytest.mark.parametrize(
        ("words", "told"),
        [
            (["lanches"], "did you mean `speclint launches`?"),
            (["version"], "did you mean `speclint --version`?"),
            (["help"], "did you mean `speclint --help`?"),
            (["rule", "--output-format", "sarif"], "must be one of `text`, `json`, `markdown` here, not 'sarif'"),
            (["launches", "--output-format", "junit"], "must be one of `text`, `json` here, not 'junit'"),
            (["--sglang-version", "0.5.18.."], "V..W for an upgrade from V to W"),
            (["--sglang-version", "..0.5.18"], "V..W for an upgrade from V to W"),
            (["--sglang-version", "0.5.18..0.5.17"], "0.5.17 is older than 0.5.18"),
            (["explain", "sub:1"], "sub is a folder; explain takes a file and a line of it"),
            (["--write-baseline"], "speclint: --write-baseline: expected one argument"),
            (["explain", "sub/a.sh:1", "more"], "speclint: `more` is a word too many\n"),
            (["launches", "--fix"], "unknown option `--fix`; it is one of `speclint check`\n"),
            (["rule", "--stdin-filename=a.sh"], "unknown option `--stdin-filename`; it is one of `speclint check`\n"),
            (["launches", "--outptu-format", "json"], "did you mean `--output-format`?"),
        ],
    )
    def test_told(self, cli: Cli, sources: dict[str, str], words: list[str], told: str) -> None:
        cli.write("sub/a.sh", sources["clean.sh"])
        ran = cli(*words)
        assert ran.status == 2
        assert told in ran.err

    def test_what_looks_like_an_option_behind_dashes_is_a_path(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("-a.sh", sources["serve.sh"])
        found = cli("--output-format", "concise", "--", "-a.sh").out
        assert found.startswith("-a.sh:")
        assert cli("check", "--output-format", "concise", "--", "-a.sh").out == found
        assert cli("launches", "--", "-a.sh").out.startswith("-a.sh:")

    def test_standard_input_is_explained_by_its_line(self, cli: Cli, sources: dict[str, str]) -> None:
        text = sources["clean.sh"].encode()
        told = cli("explain", "-:1", stdin=text)
        assert (told.status, told.err) == (0, "")
        assert told.out.startswith("-:1:1: ")
        assert cli("explain", "-:1", "--stdin-filename", "a.sh", stdin=text).out.startswith("a.sh:1:1: ")

    def test_a_configured_format_is_for_check(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("speclint.toml", 'output-format = "sarif"\n')
        cli.write("a.sh", sources["clean.sh"])
        assert cli("rule", "SGL201").out.startswith("SGL201 lightning-topk")
        assert cli("launches", "a.sh").out.startswith("a.sh:1:1: ")

    def test_rules_by_prefix(self, cli: Cli) -> None:
        every = cli("rule").out.splitlines()
        some = [line.split()[0] for line in every if line.startswith("SGL20")]
        assert len(some) > 1
        assert [line.split()[0] for line in cli("rule", "sgl20").out.splitlines()] == some
        assert cli("rule", "sgl201").out == cli("rule", "lightning-topk").out != ""
        assert cli("rule", "SGL").status == 2


class TestStreams:
    """Where the output goes, or does not."""

    @pytest.fixture(autouse=True)
    def launch(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.sh", sources["serve.sh"])

    @pytest.mark.parametrize("words", ["a.sh", "--version", "rule", "launches a.sh", "a.sh --output-format json"])
    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no full device")
    def test_full(self, cli: Cli, words: str) -> None:
        ran = self.run(cli, f"{words} >/dev/full")
        assert ran == (2, "speclint: standard output: No space left on device\n")
        assert self.run(cli, f"{words} >/dev/full 2>/dev/full")[0] == 2

    @pytest.mark.parametrize("words", ["a.sh", "--version", "launches a.sh"])
    @pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
    def test_closed(self, cli: Cli, words: str, closed: str) -> None:
        assert self.run(cli, f"{words} {closed}") == (int(words == "a.sh"), "")

    def test_nobody_reads_on(self, cli: Cli) -> None:
        assert self.run(cli, "rule --output-format json | head -c 9") == (0, "")

    def run(self, cli: Cli, words: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", f"{quote(sys.executable)} -m speclint {words}; exit ${{PIPESTATUS[0]}}"], cwd=cli.folder,
            env={**os.environ, "PYTHONPATH": str(ROOT)}, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL,
            text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stderr

    def test_a_fault_is_one_line(self, cli: Cli) -> None:
        script = "import speclint.commands as c; c.parse = lambda w: 1 / 0; from speclint.cli import main; print(main([]))"
        done = subprocess.run(
            [sys.executable, "-c", script], env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True,
            check=False,
        )  # fmt: skip
        assert done.stdout == "2\n"
        assert done.stderr.startswith("speclint: internal error: ZeroDivisionError: division by zero at ")
        assert done.stderr.count("\n") == 1
