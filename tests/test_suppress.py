"""Suppressions from outside: which findings they take, and what is said of those that take none."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.source import SourceFile
from speclint.suppress import read

Cli = Any
IGNORE = "# speclint: ignore[SGL201] we know"


def codes(cli: Cli, *words: str) -> list[str]:
    ran = cli.check(*words)
    assert ran.err == ""
    return list(ran.codes)


def line(text: str, containing: str, comment: str) -> str:
    """The text with a comment at the end of a line."""
    return "\n".join(f"{row}  {comment}" if containing in row else row for row in text.split("\n"))


def above(text: str, containing: str, comment: str) -> str:
    """The text with a comment on its own line, indented like the one below it."""
    rows: list[str] = []
    for row in text.split("\n"):
        if containing in row:
            rows.append(" " * (len(row) - len(row.lstrip())) + comment)
        rows.append(row)
    return "\n".join(rows)


PLACES = [
    ("serve.sh", line, "draft-tokens 4"),  # the last line of a continued command
    ("serve.sh", line, "TOPK=4"),  # where the value was set
    ("serve.sh", above, "python -m"),
    ("serve.py", line, "topk=4"),
    ("serve.py", above, "topk=4"),
    ("serve.py", above, "llm ="),
    ("serve.yaml", line, "topk=4"),
    ("serve.yaml", above, "topk=4"),
    ("serve.yaml", above, "args:"),
    ("serve.yaml", above, "command:"),
    ("serve.yaml", above, "- name: sglang"),
]
ELSEWHERE = [
    ("serve.py", line, "steps=3"),
    ("serve.py", above, "steps=3"),
    ("serve.py", line, "import sglang"),
    ("serve.yaml", line, "steps=3"),
    ("serve.yaml", line, "apiVersion"),
]


@pytest.mark.parametrize(("name", "put", "containing"), PLACES)
@pytest.mark.parametrize("comment", [IGNORE, "# speclint: ignore[SGL2]", "#speclint:ignore[SGL100,lightning-topk]"])
def test_finding_is_suppressed(
    cli: Cli, sources: dict[str, str], name: str, put: Any, containing: str, comment: str
) -> None:
    cli.write(name, put(sources[name], containing, comment))
    assert codes(cli, "--select", "SGL201") == []


@pytest.mark.parametrize(("name", "put", "containing"), ELSEWHERE)
def test_comment_for_something_else(cli: Cli, sources: dict[str, str], name: str, put: Any, containing: str) -> None:
    cli.write(name, put(sources[name], containing, IGNORE))
    assert sorted(codes(cli)) == ["SGL002", "SGL201"]


@pytest.mark.parametrize("name", ["serve.sh", "serve.py", "serve.yaml"])
def test_file_ignore(cli: Cli, sources: dict[str, str], name: str) -> None:
    cli.write(name, sources[name] + "# speclint: file-ignore[SGL2]\n")
    assert codes(cli) == []


def test_block_scalar(cli: Cli) -> None:
    text = """\
apiVersion: v1
kind: Pod
metadata: {name: a}
spec:
  containers:
    - name: sglang
      command: [bash, -c]
      args:
        - |
          # speclint: ignore[SGL201]
          python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NEXTN \\
            --speculative-num-steps 3 --speculative-eagle-topk 4 --speculative-num-draft-tokens 4
"""
    cli.write("a.yaml", text)
    assert codes(cli) == []
    cli.write("a.yaml", text.replace("          # speclint: ignore[SGL201]\n", ""))
    assert codes(cli) == ["SGL201"]


def test_annotation_holds_for_its_document(cli: Cli, sources: dict[str, str]) -> None:
    annotated = sources["serve.yaml"].replace(
        "metadata:\n", "metadata:\n  annotations:\n    speclint.dev/ignore: SGL201\n"
    )
    cli.write("a.yaml", annotated)
    assert codes(cli) == []
    cli.write("a.yaml", annotated + "---\n" + sources["serve.yaml"])
    assert codes(cli) == ["SGL201"]
    cli.write("a.yaml", sources["serve.yaml"] + "---\n" + annotated)
    assert codes(cli) == ["SGL201"]


def test_only_what_is_named(cli: Cli, sources: dict[str, str]) -> None:
    cli.write("a.sh", line(sources["serve.sh"], "draft-tokens 4", "# speclint: ignore[SGL301]"))
    assert codes(cli, "--select", "SGL201") == ["SGL201"]


class TestUnused:
    def unused(self, cli: Cli, text: str, *words: str) -> list[dict[str, Any]]:
        cli.write("a.sh", text)
        ran = cli("check", "--output-format", "json", *words)
        assert ran.err == ""
        return [finding for finding in ran.json if finding["code"] == "SGL002"]

    @pytest.mark.parametrize(
        ("comment", "kept"),
        [
            ("  # speclint: ignore[SGL201] reason", ""),
            ("  # speclint: ignore[SGL201,SGL9]", ""),
            ("\n# speclint: ignore[SGL201]", ""),
            ("\n# speclint: file-ignore[SGL201]", ""),
        ],
    )
    def test_fix_removes_it(self, cli: Cli, sources: dict[str, str], comment: str, kept: str) -> None:
        clean = sources["clean.sh"]
        text = clean.rstrip("\n") + comment + "\n"
        (finding,) = self.unused(cli, text, "--select", "SGL201,SGL9,SGL002")
        assert finding["level"] == "warning"
        assert finding["fix"]["applicability"] == "safe"
        assert cli("--select", "SGL201,SGL9,SGL002", "--fix").status == 0
        assert (cli.folder / "a.sh").read_text() == clean

    def test_fix_keeps_what_is_of_use(self, cli: Cli, sources: dict[str, str]) -> None:
        text = line(sources["serve.sh"], "draft-tokens 4", "# speclint: ignore[SGL9, SGL201, SGL8] known")
        (finding,) = self.unused(cli, text, "--select", "SGL201,SGL8,SGL9,SGL002")
        assert finding["message"] == "`SGL9`, `SGL8` in this comment suppresses nothing"
        assert cli("--select", "SGL201,SGL8,SGL9,SGL002", "--fix").status == 0
        assert (cli.folder / "a.sh").read_text() == text.replace("SGL9, SGL201, SGL8", "SGL201")

    def test_not_told_of_rules_that_were_not_asked(self, cli: Cli, sources: dict[str, str]) -> None:
        text = line(sources["serve.sh"], "draft-tokens 4", IGNORE)
        assert self.unused(cli, text, "--select", "SGL202,SGL002") == []

    def test_not_told_if_ignored(self, cli: Cli, sources: dict[str, str]) -> None:
        text = line(sources["clean.sh"], "python", IGNORE)
        assert self.unused(cli, text) != []
        assert self.unused(cli, text, "--ignore", "SGL002") == []
        assert self.unused(cli, text, "--ignore", "unused-suppression") == []
        assert self.unused(cli, text + "# speclint: file-ignore[SGL002]\n") == []

    def test_of_two_that_hold_neither_is_unused(self, cli: Cli, sources: dict[str, str]) -> None:
        text = above(line(sources["serve.sh"], "draft-tokens 4", IGNORE), "python -m", IGNORE)
        assert self.unused(cli, text, "--select", "SGL201,SGL002") == []

    def test_without_a_name(self, cli: Cli, sources: dict[str, str]) -> None:
        (finding,) = self.unused(cli, line(sources["clean.sh"], "python", "# speclint: ignore"))
        assert "names no rule" in finding["message"]
        assert finding["fix"] is None


def test_law_suppressed_then_mended(cli: Cli, sources: dict[str, str]) -> None:
    """A comment on each finding leaves none; with the cause gone, just the comment is told."""
    for name, put, containing in PLACES:
        text = put(sources[name], containing, IGNORE)
        cli.write(name, text)
        assert codes(cli, name) == [], name
        cli.write(name, text.replace("topk=4", "topk=1").replace("TOPK=4", "TOPK=1"))
        assert codes(cli, name) == ["SGL002"], (name, containing)


@pytest.mark.parametrize(
    "text", ["x # speclint ignore[A1]", 'echo "#speclint: nothing"', "x#speclint: ignore[A1]", "# speclint: ignored[A1]"]
)
def test_what_is_no_suppression(text: str) -> None:
    assert read(SourceFile("a.sh", text.encode())) == []
