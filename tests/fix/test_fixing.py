"""``--fix`` on the command line: what is told of fixes that were not made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from speclint.run import Linter

if TYPE_CHECKING:
    from tests.conftest import Cli

# Renamed, the variable would be read, and `on` misread: the fix of SGL703 would bring SGL708.
REFUSED = "SGLANG_GC_LOG=on python3 -m sglang.launch_server --model-path a/b\n"


def test_fix_that_was_refused_is_not_counted_as_one_that_can_be_made(cli: Cli) -> None:
    cli.write("a.sh", REFUSED)
    ran = cli("--isolated", "--fix", "--unsafe-fixes", "a.sh")
    assert "the fix for SGL703 was not made: SGL708 would be found" in ran.err
    assert "SGL703" in ran.out
    assert "fixable" not in ran.out
    assert (cli.folder / "a.sh").read_text() == REFUSED


def test_fix_that_was_refused_is_for_display_in_json(cli: Cli) -> None:
    cli.write("a.sh", REFUSED)
    ran = cli("--isolated", "--fix", "--unsafe-fixes", "--output-format", "json", "a.sh")
    (finding,) = ran.json
    assert (finding["code"], finding["fix"]["applicability"]) == ("SGL703", "display")


def test_selection_does_not_let_a_fix_bring_what_is_not_selected(cli: Cli) -> None:
    cli.write("a.sh", REFUSED)
    ran = cli("--isolated", "--fix", "--unsafe-fixes", "--select", "SGL703", "a.sh")
    assert "the fix for SGL703 was not made: SGL708 would be found" in ran.err
    assert (cli.folder / "a.sh").read_text() == REFUSED


WORDS = ["python3", "-m", "sglang.launch_server", "--model-path", "a/b"]
# Of each host a file with a launch of the words that are given.
FILES = {
    "a.sh": lambda words: f"{' '.join(words)}\n",
    "rows.sh": lambda words: " ".join(words).replace(" --", " \\\n  --") + "\n",
    "a.py": lambda words: f"import subprocess\n\nsubprocess.run({json.dumps(words)})\n",
    "rows.py": lambda words: f"import subprocess\n\nsubprocess.run({json.dumps(words, indent=4)})\n",
    "a.yaml": lambda words: f"services:\n  s:\n    image: lmsysorg/sglang:v0.5.23\n    command: {json.dumps(words)}\n",
    "rows.yaml": lambda words: (
        "services:\n  s:\n    image: lmsysorg/sglang:v0.5.23\n    command:\n"
        + "".join(f"      - {json.dumps(word)}\n" for word in words)
    ),
    "Dockerfile": lambda words: f"FROM lmsysorg/sglang:v0.5.23\nCMD {json.dumps(words)}\n",
    "a.json": lambda words: json.dumps({"command": words}) + "\n",
}


@pytest.mark.parametrize("name", FILES)
def test_what_is_written_many_times_is_taken_out_in_few_rounds(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    looks = []
    analyse = Linter.analyse
    monkeypatch.setattr(Linter, "analyse", lambda *arguments: (looks.append(1), analyse(*arguments))[1])
    cli.write(name, FILES[name]([*WORDS, *["--tp", "2"] * 100, "--dp", "1", *["--tp", "2"] * 20]))
    cli("--isolated", "--fix", "--select", "SGL110", name)
    left = (cli.folder / name).read_text().replace(",\n]", "\n]")
    assert left == FILES[name]([*WORDS, "--tp", "2", "--dp", "1"])
    assert len(looks) < 12


def test_what_a_rule_finds_twice_is_fixed_beside_a_fix_that_is_refused(cli: Cli) -> None:
    """Each export holds for the last launch, so that neither can be renamed without the other."""
    launch = "python3 -m sglang.launch_server --model-path a/b\n"
    text = f"export SGL_ENABLE_JIT_DEEPGEMM=1\n{launch}{REFUSED}export SGL_ENABLE_JIT_DEEPGEMM=1\n{launch}"
    cli.write("a.sh", text)
    ran = cli("--isolated", "--fix", "--unsafe-fixes", "a.sh")
    assert "the fix for SGL703 was not made" in ran.err
    assert (cli.folder / "a.sh").read_text() == text.replace("SGL_", "SGLANG_")


def test_a_word_that_launches_share_with_and_without_its_quotes_is_told_once(cli: Cli) -> None:
    text = (
        'import subprocess\nmore = ["--tp_size", "4"]\n'
        'cmd = ["python", "-m", "sglang.launch_server", "--model-path", "a/b", *more]\n'
        'subprocess.run(["ssh", "host", " ".join(cmd)])\nsubprocess.run(cmd)\n'
    )
    cli.write("a.py", text)
    ran = cli("--isolated", "--output-format", "json", "a.py")
    assert [(f["code"], f["location"]["column"]) for f in ran.json] == [("SGL101", 9)]
    cli("--isolated", "--fix", "a.py")
    assert (cli.folder / "a.py").read_text() == text.replace("--tp_size", "--tp-size")
