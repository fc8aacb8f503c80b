"""``--fix`` on the command line: what is told of fixes that were not made."""

from __future__ import annotations

from typing import TYPE_CHECKING

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
