"""The command line from outside: what is printed where, and the exit status."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shlex import quote
from typing import Any

import pytest

Cli = Any


@pytest.fixture
def shell(cli: Cli, sources: dict[str, str]) -> str:
    cli.write("serve.sh", sources["serve.sh"])
    return sources["serve.sh"]


def test_version_is_told_without_importing_what_takes_time(cli: Cli) -> None:
    ran = cli("--version")
    assert ran.status == 0
    assert re.fullmatch(r"speclint \d+\.\d+\.\d+\S*\n", ran.out)
    code = (
        "import sys, speclint.cli as c; c.main(['--version']); "
        "print([m for m in ('argparse', 'json', 'pathlib', 'subprocess', 'yaml', 'tree_sitter', 'importlib.metadata',"
        " 'dataclasses', 'typing', 'ast') if m in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).resolve().parent.parent)},
        check=True,
    )
    loaded = set(json.loads(done.stderr.replace("'", '"')))
    assert loaded == set()


def test_finding_in_every_language(cli: Cli, sources: dict[str, str]) -> None:
    for name, text in sources.items():
        cli.write(name, text)
    ran = cli.check()
    assert ran.status == 1
    assert [(f["filename"], f["code"], f["location"]["row"]) for f in ran.json] == [
        ("serve.py", "SGL201", 7),
        ("serve.sh", "SGL201", 5),
        ("serve.yaml", "SGL201", 14),
    ]


def test_json_form(cli: Cli, shell: str) -> None:
    (finding,) = cli.check("serve.sh").json
    assert set(finding) >= {
        "code", "name", "level", "message", "url", "filename", "location", "end_location", "flag", "sglang_version",
        "related", "fix",
    }  # fmt: skip
    assert finding["name"] == "lightning-topk"
    assert finding["level"] == "error"
    assert finding["filename"] == "serve.sh"
    assert finding["location"] == {"row": 5, "column": 28}
    assert finding["end_location"] == {"row": 5, "column": 35}
    assert finding["flag"] == "--speculative-eagle-topk"
    assert finding["related"][0]["message"] == "value set here"
    assert finding["related"][0]["location"] == {"row": 2, "column": 6}
    assert finding["fix"]["applicability"] == "safe"
    assert finding["fix"]["edits"] == [
        {"content": "1", "location": {"row": 2, "column": 6}, "end_location": {"row": 2, "column": 7}}
    ]


@pytest.mark.parametrize(
    ("level", "status"), [("error", 1), ("warning", 1), ("info", 1), ("never", 0)]
)
def test_fail_on(cli: Cli, shell: str, level: str, status: int) -> None:
    assert cli.check("--fail-on", level, "serve.sh").status == status


def test_fail_on_error_lets_a_warning_pass(cli: Cli, shell: str) -> None:
    cli.write("serve.sh", shell.replace("TOPK=4", "TOPK=${TOPK:-4}"))
    ran = cli.check("--fail-on", "error", "serve.sh")
    assert [f["level"] for f in ran.json] == ["warning"]
    assert ran.status == 0
    assert cli.check("serve.sh").status == 1


def test_clean_file(cli: Cli, sources: dict[str, str]) -> None:
    cli.write("clean.sh", sources["clean.sh"])
    ran = cli("--select", "SGL201", "clean.sh")
    assert (ran.status, ran.err) == (0, "")
    assert ran.out == "No findings in 1 launch in 1 file.\n"


def test_nothing_to_lint(cli: Cli) -> None:
    cli.write("a.sh", "echo hello\n")
    ran = cli()
    assert (ran.status, ran.out, ran.err) == (0, "No SGLang launch found in 1 file.\n", "")


class TestWords:
    def test_command_may_be_left_out(self, cli: Cli, shell: str) -> None:
        assert cli("serve.sh").out == cli("check", "serve.sh").out

    def test_path_named_like_a_command(self, cli: Cli, shell: str) -> None:
        cli.write("rule/serve.sh", shell)
        ran = cli.check("./rule")
        assert [f["filename"] for f in ran.json] == ["./rule/serve.sh"]

    def test_command_behind_options(self, cli: Cli, shell: str) -> None:
        ran = cli("--isolated", "--output-format", "json", "launches", "serve.sh")
        assert [launch["entrypoint"] for launch in ran.json] == ["sglang.launch_server"]

    def test_unknown_option_names_the_nearest(self, cli: Cli) -> None:
        ran = cli("--fail-onn", "error")
        assert (ran.status, ran.out) == (2, "")
        assert "did you mean `--fail-on`?" in ran.err

    def test_abbreviated_options_are_none(self, cli: Cli) -> None:
        assert cli("--isol").status == 2

    @pytest.mark.parametrize("words", [["--output-format", "sarrif"], ["--output", "xml=a"], ["--output", "text"]])
    def test_unknown_format_names_the_known(self, cli: Cli, words: list[str]) -> None:
        ran = cli(*words)
        assert ran.status == 2
        assert "text" in ran.err

    @pytest.mark.parametrize("version", ["0.5.9..", "newest", ""])
    def test_versions_that_are_none(self, cli: Cli, version: str) -> None:
        ran = cli("--sglang-version", version)
        assert ran.status == 2
        assert "--sglang-version must be" in ran.err

    def test_options_between_paths(self, cli: Cli, shell: str) -> None:
        cli.write("b.sh", shell)
        ran = cli.check("serve.sh", "--isolated", "b.sh")
        assert [f["filename"] for f in ran.json] == ["serve.sh", "b.sh"]

    def test_help(self, cli: Cli) -> None:
        for words in ((), ("check",), ("launches",), ("explain",), ("rule",)):
            ran = cli(*words, "--help")
            assert (ran.status, ran.err) == (0, "")
            assert ran.out.startswith("usage: speclint")


class TestBadInput:
    """A clear line on standard error, exit status 2, and the other files are linted all the same."""

    def tell(self, cli: Cli, name: str, sources: dict[str, str]) -> str:
        cli.write("good.sh", sources["serve.sh"])
        ran = cli.check()
        assert ran.status == 2
        assert ran.codes == ["SGL201"]
        lines = ran.err.splitlines()
        assert len(lines) == 1, ran.err
        assert lines[0].startswith(f"speclint: {name}")
        return lines[0]

    def test_binary(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.sh", b"sglang\0\x01\x02")
        assert "binary" in self.tell(cli, "a.sh", sources)

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
    def test_utf_16(self, cli: Cli, sources: dict[str, str], encoding: str) -> None:
        cli.write("a.sh", sources["serve.sh"].encode(encoding))
        assert "UTF-16" in self.tell(cli, "a.sh", sources)

    def test_python_syntax(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.py", "import sglang\ndef f(:\n    sglang.Engine()\n")
        assert self.tell(cli, "a.py:2:", sources)

    def test_half_a_yaml(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.yaml", 'image: "lmsysorg/sglang\n')
        assert self.tell(cli, "a.yaml", sources)

    def test_missing_path(self, cli: Cli, shell: str) -> None:
        ran = cli.check("nothing.sh", "serve.sh")
        assert (ran.status, ran.codes) == (2, ["SGL201"])
        assert ran.err == "speclint: nothing.sh: no such file or folder\n"

    @pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the super-user may read everything")
    def test_no_permission(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("a.sh", sources["serve.sh"]).chmod(0)
        assert "Permission denied" in self.tell(cli, "a.sh", sources)

    def test_internal_error_names_the_file(self, cli: Cli, sources: dict[str, str], monkeypatch: Any) -> None:
        from speclint import analysis, run
        from speclint.config import Configs

        def fail(*_: object) -> None:
            raise ZeroDivisionError("too deep")

        monkeypatch.setattr(run, "_launches", fail)
        path = cli.write("a.sh", sources["serve.sh"])
        outcome = run.Linter(Configs(isolated=True)).run([str(path)])
        (line,) = outcome.errors
        assert line.startswith(f"{path}: internal error: ZeroDivisionError: too deep at test_cli.py:")
        assert analysis.exit_status(outcome, "never") == 2

    def test_unknown_language(self, cli: Cli) -> None:
        cli.write("notes.rtf", "sglang\n")
        ran = cli("notes.rtf")
        assert ran.status == 0
        assert "notes.rtf: not linted" in ran.err


class TestStdin:
    def test_named(self, cli: Cli, sources: dict[str, str]) -> None:
        for name in ("serve.sh", "serve.py", "serve.yaml"):
            ran = cli.check("-", "--stdin-filename", f"a/{name}", stdin=sources[name].encode())
            assert [(f["filename"], f["code"]) for f in ran.json] == [(f"a/{name}", "SGL201")]

    @pytest.mark.parametrize("name", ["serve.sh", "serve.py", "serve.yaml"])
    def test_language_by_content(self, cli: Cli, sources: dict[str, str], name: str) -> None:
        ran = cli.check("-", stdin=sources[name].encode())
        assert [(f["filename"], f["code"]) for f in ran.json] == [("-", "SGL201")]

    def test_fixed_text_goes_to_standard_output(self, cli: Cli, sources: dict[str, str]) -> None:
        text = sources["serve.sh"].replace("\n", "\r\n")
        ran = cli("--select", "SGL201", "--fix", "-", stdin=b"\xef\xbb\xbf" + text.encode())
        assert ran.status == 0
        assert ran.raw == b"\xef\xbb\xbf" + text.replace("TOPK=4", "TOPK=1").encode()
        assert ran.err.startswith("Fixed 1 problem.\n")

    def test_what_needs_no_fix_comes_back_as_it_is(self, cli: Cli) -> None:
        raw = b"caf\xe9 sglang\r\n\tno newline"
        assert cli("--fix", "-", stdin=raw).raw == raw

    def test_diff(self, cli: Cli, sources: dict[str, str]) -> None:
        ran = cli("--select", "SGL201", "--diff", "-", "--stdin-filename", "a.sh", stdin=sources["serve.sh"].encode())
        assert ran.status == 1
        assert "-TOPK=4\n+TOPK=1\n" in ran.out


class TestFix:
    def test_one_token_a_file(self, cli: Cli, sources: dict[str, str]) -> None:
        for name, text in sources.items():
            cli.write(name, text)
        ran = cli("--select", "SGL201", "--fix")
        assert (ran.status, ran.err) == (0, "")
        assert ran.out == "Fixed 3 problems.\nNo findings in 4 launches in 4 files.\n"
        for name, text in sources.items():
            fixed = (cli.folder / name).read_text()
            assert fixed == text.replace("TOPK=4", "TOPK=1").replace("topk=4", "topk=1")
        assert cli.check().json == []

    def test_diff_writes_nothing_and_applies(self, cli: Cli, sources: dict[str, str]) -> None:
        for name, text in sources.items():
            cli.write(name, text)
        ran = cli("--select", "SGL201", "--diff")
        assert ran.status == 1
        assert (cli.folder / "serve.sh").read_text() == sources["serve.sh"]
        subprocess.run(["git", "apply"], input=ran.raw, cwd=cli.folder, check=True)
        assert cli.check().json == []
        assert cli("--select", "SGL201", "--diff").status == 0

    def test_unsafe_fixes_wait_to_be_asked_for(self, cli: Cli, shell: str) -> None:
        text = shell.replace("TOPK=4", "TOPK=${TOPK:-4}")
        cli.write("serve.sh", text)
        ran = cli("--select", "SGL201", "--fix", "serve.sh")
        assert ran.status == 1
        assert "--unsafe-fixes" in ran.out
        assert (cli.folder / "serve.sh").read_text() == text
        assert cli("--select", "SGL201", "--fix", "--unsafe-fixes", "serve.sh").status == 0
        assert (cli.folder / "serve.sh").read_text() == text.replace(":-4", ":-1")

    def test_what_cannot_be_written_is_told(self, cli: Cli, sources: dict[str, str]) -> None:
        path = cli.write("serve.sh", sources["serve.sh"])
        path.chmod(0o444)
        if os.access(path, os.W_OK):
            pytest.skip("the super-user may write everything")
        ran = cli("--select", "SGL201", "--fix")
        assert ran.status == 2
        assert "serve.sh: the file is read-only" in ran.err


class TestSelection:
    @pytest.mark.parametrize(
        ("words", "found"),
        [
            (["--select", "SGL201"], True),
            (["--select", "SGL2"], True),
            (["--select", "lightning-topk"], True),
            (["--select", "ALL"], True),
            (["--select", "SGL1,SGL201"], True),
            (["--select", "SGL3"], False),
            (["--select", "SGL3", "--extend-select", "SGL201"], True),
            (["--select", "SGL2", "--ignore", "SGL201"], False),
            (["--select", "SGL201", "--ignore", "SGL2"], True),
            (["--select", "SGL201", "--ignore", "SGL201"], False),
            (["--select", "ALL", "--ignore", "lightning-topk"], False),
        ],
    )
    def test_closest_selector_decides(self, cli: Cli, shell: str, words: list[str], found: bool) -> None:
        assert ("SGL201" in cli.check(*words, "serve.sh").codes) is found

    def test_unknown_rule(self, cli: Cli, shell: str) -> None:
        ran = cli("--select", "lightning-topq", "serve.sh")
        assert ran.status == 2
        assert "did you mean `lightning-topk`?" in ran.err


class TestFormats:
    def test_github_is_the_default_there(self, cli: Cli, shell: str) -> None:
        ran = cli("--select", "SGL201", "serve.sh", GITHUB_ACTIONS="true")
        assert ran.out.startswith("::error title=")
        assert cli("--output-format", "concise", "serve.sh", GITHUB_ACTIONS="true").out.startswith("serve.sh:5:28: ")

    def test_further_reports(self, cli: Cli, shell: str) -> None:
        ran = cli("--select", "SGL201", "--output", "json=a.json", "--output", "github=b.txt", "serve.sh", FORCE_COLOR="1")
        assert "\x1b[" in ran.out
        assert [f["code"] for f in json.loads((cli.folder / "a.json").read_text())] == ["SGL201"]
        assert (cli.folder / "b.txt").read_text().startswith("::error ")

    def test_report_that_cannot_be_written(self, cli: Cli, shell: str) -> None:
        ran = cli("--output", "json=no/folder/a.json", "serve.sh")
        assert ran.status == 2
        assert "no/folder/a.json" in ran.err

    def test_statistics(self, cli: Cli, shell: str) -> None:
        ran = cli("--select", "SGL201", "--statistics", "serve.sh")
        assert (ran.status, ran.out) == (1, "1\tSGL201\t[*]\tlightning-topk\n")

    def test_quiet(self, cli: Cli, shell: str, sources: dict[str, str]) -> None:
        assert "Found" not in cli("--quiet", "serve.sh").out
        cli.write("clean.sh", sources["clean.sh"])
        assert cli("-q", "--select", "SGL201", "clean.sh").out == ""

    def test_show_unknown(self, cli: Cli, shell: str) -> None:
        cli.write("serve.sh", shell.replace("TOPK=4", "TOPK=$1"))
        ran = cli("--select", "SGL201", "serve.sh")
        assert "[unknown]" not in ran.out
        ran = cli("--select", "SGL201", "--show-unknown", "serve.sh")
        assert "SGL201 [unknown] lightning-topk cannot be told because" in ran.out
        assert ran.status == 0

    def test_reader_that_goes_away(self, cli: Cli, shell: str, repository: Path) -> None:
        command = f"{quote(sys.executable)} -m speclint serve.sh | true"
        env = {**os.environ, "PYTHONPATH": str(repository)}
        done = subprocess.run(command, shell=True, cwd=cli.folder, capture_output=True, text=True, env=env, check=False)
        assert done.stderr == ""


class TestLaunches:
    def test_json_form(self, cli: Cli, sources: dict[str, str]) -> None:
        cli.write("k8s/serve.yaml", sources["serve.yaml"])
        (launch,) = cli("launches", "--output-format", "json").json
        assert launch["filename"] == "k8s/serve.yaml"
        assert launch["host"] == "kubernetes"
        assert launch["entrypoint"] == "sglang.launch_server"
        assert launch["object"] == "Pod/ring container sglang"
        assert (launch["sglang_version"], launch["version_source"]) == ("0.5.18", "image")
        assert launch["argv"][:2] == ["--model-path=inclusionAI/Ring-2.5-1T", "--speculative-algorithm=NEXTN"]
        assert launch["args"]["speculative_eagle_topk"] == "4"
        assert launch["open"] is False
        assert set(launch) >= {"location", "end_location", "env"}

    def test_what_is_not_known(self, cli: Cli) -> None:
        cli.write("a.sh", 'FOO=1 python -m sglang.launch_server --model-path "$M" --trust-remote-code --tp "${T:-4}" "$@"\n')
        (launch,) = cli("launches", "--output-format", "json").json
        assert launch["argv"] == ["--model-path", None, "--trust-remote-code", "--tp", "4"]
        assert launch["args"] == {"model_path": None, "trust_remote_code": True, "tp_size": "4"}
        assert launch["open"] is True
        assert launch["env"] == {"FOO": "1"}

    def test_text(self, cli: Cli, shell: str) -> None:
        ran = cli("launches", "serve.sh")
        assert ran.status == 0
        assert ran.out.startswith("serve.sh:3:1: sglang.launch_server, SGLang ")
        assert "\n  --speculative-eagle-topk 4\n" in ran.out


class TestExplain:
    def test_text(self, cli: Cli, shell: str) -> None:
        ran = cli("explain", "--select", "SGL201", "serve.sh:4")
        assert ran.status == 0
        assert re.search(r"^  --speculative-eagle-topk +4 +row 5, ", ran.out, re.MULTILINE)
        assert re.search(r"^  linear_backend +lightning ", ran.out, re.MULTILINE)
        assert "serve.sh:5:28: SGL201 [error]" in ran.out

    def test_json(self, cli: Cli, shell: str) -> None:
        (launch,) = cli("explain", "--output-format", "json", "--select", "SGL201", "serve.sh:4:1").json
        assert [finding["code"] for finding in launch["findings"]] == ["SGL201"]
        assert {"flag": "--tp-size", "value": "8"}.items() <= launch["options"][1].items()

    @pytest.mark.parametrize("word", ["serve.sh", "serve.sh:x", ":4"])
    def test_no_place(self, cli: Cli, shell: str, word: str) -> None:
        ran = cli("explain", word)
        assert ran.status == 2
        assert "PATH:LINE" in ran.err

    def test_no_launch_there(self, cli: Cli, shell: str) -> None:
        ran = cli("explain", "serve.sh:1")
        assert ran.status == 2
        assert ran.err == "speclint: serve.sh:1: no launch on this line; launches begin on line 3\n"


class TestRule:
    def test_table(self, cli: Cli) -> None:
        ran = cli("rule")
        assert ran.status == 0
        assert re.search(r"^SGL201 lightning-topk +\[error\] ", ran.out, re.MULTILINE)

    @pytest.mark.parametrize("word", ["SGL201", "lightning-topk"])
    def test_one(self, cli: Cli, word: str) -> None:
        ran = cli("rule", word)
        assert ran.status == 0
        assert ran.out.startswith("SGL201 lightning-topk [error]\n")
        assert "lightning_backend.py" in ran.out

    def test_json(self, cli: Cli) -> None:
        (rule,) = cli("rule", "SGL201", "--output-format", "json").json
        assert (rule["code"], rule["level"]) == ("SGL201", "error")

    def test_unknown(self, cli: Cli) -> None:
        ran = cli("rule", "SGL999")
        assert ran.status == 2
        assert "no rule is called `SGL999`" in ran.err
