"""Suppressions that end by a day or a release."""

from __future__ import annotations

from typing import Any

import pytest

from speclint import expiry
from speclint.source import SourceFile

Cli = Any
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM"


def codes(cli: Cli, comment: str, *words: str) -> list[str]:
    cli.write("serve.sh", f"{LAUNCH}  # speclint: {comment}\n")
    return cli.check("--select=SGL201,SGL0", *words, "serve.sh").codes


@pytest.mark.parametrize("comment", ["ignore[SGL201] until=2999-12-31", "file-ignore[SGL201] see #7 until=2999-12-31"])
def test_day_to_come(cli: Cli, comment: str) -> None:
    assert codes(cli, comment) == []


@pytest.mark.parametrize("comment", ["ignore[SGL201] until=2020-01-31", "file-ignore[SGL2] until=2020-01-31 see #7"])
def test_day_that_has_passed(cli: Cli, comment: str) -> None:
    assert sorted(codes(cli, comment)) == ["SGL003", "SGL201"]


@pytest.mark.parametrize(("today", "over"), [("2027-01-30", False), ("2027-01-31", False), ("2027-02-01", True)])
def test_last_day_counts(monkeypatch: pytest.MonkeyPatch, today: str, over: bool) -> None:
    file = SourceFile("a.sh", b"# until=2027-01-31")
    until = expiry.read(file, 0, len(file.text))
    assert until is not None
    assert until.readable
    monkeypatch.setattr("time.strftime", lambda form: form.replace("%Y-%m-%d", today))
    assert until.over("0.5.23") is over


@pytest.mark.parametrize(
    ("until", "release", "expected"),
    [
        ("sglang>=0.6", "0.5.23", []),
        ("sglang>=0.5.20", "0.5.23", ["SGL003", "SGL201"]),
        ("sglang>=0.5.20", "0.5.13", []),
        ("sglang>=0.5.20,<0.5.22", "0.5.23", []),
    ],
)
def test_release(cli: Cli, until: str, release: str, expected: list[str]) -> None:
    assert sorted(codes(cli, f"ignore[SGL201] until={until}", "--sglang-version", release)) == expected


@pytest.mark.parametrize("until", ["tomorrow", "2027-13-01", "sglang>=", "vllm>=1"])
def test_what_cannot_be_read_holds_and_is_told(cli: Cli, until: str) -> None:
    assert codes(cli, f"ignore[SGL201] until={until}") == ["SGL003"]


def test_unused_and_passed_is_unused(cli: Cli) -> None:
    cli.write("serve.sh", "python -m sglang.launch_server --model-path x  # speclint: ignore[SGL201] until=2020-01-01\n")
    assert cli.check("serve.sh").codes == ["SGL002"]


def test_fix_takes_the_comment_out(cli: Cli) -> None:
    codes(cli, "ignore[SGL201] until=2020-01-31")
    cli("--select", "SGL201,SGL0", "--fix", "serve.sh")
    assert (cli.folder / "serve.sh").read_text() == f"{LAUNCH} --speculative-ngram-max-bfs-breadth 1\n"


def test_no_fix_while_it_holds_for_another_launch(cli: Cli) -> None:
    cli.write("pod.yaml", "\n".join((
        "# speclint: file-ignore[SGL201] until=sglang>=0.5.20",
        *(part for release in ("0.5.18", "0.5.21") for part in (
            "---", "kind: Pod", "spec:", "  containers:", f"    - image: lmsysorg/sglang:v{release}",
            f"      command: [bash, -c, '{LAUNCH}']",
        )), "",
    )))  # fmt: skip
    found = cli.check("--select=SGL201,SGL0", "pod.yaml").json
    assert [(item["code"], item["fix"] is None) for item in found if item["code"] != "SGL201"] == [("SGL003", True)]
    assert [item["sglang_version"] for item in found if item["code"] == "SGL201"] == ["0.5.21"]


def test_rule_is_told(cli: Cli) -> None:
    ran = cli("rule", "SGL003")
    assert ran.status == 0
    assert "expired-suppression" in ran.out
    assert cli.check("--select", "expired-suppresion").status == 2
