"""Rules of one's own: a folder of files in the form of speclint's, asked and checked like them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Cli

RULE = """\
code: ACM001
name: no-torch-compile
level: warning
summary: We run without torch.compile.
why: It takes twenty minutes to start here.
when: enable_torch_compile
blame: flag.enable_torch_compile
message: "remove `{flag(enable_torch_compile)}`: our servers run without it"
fix:
  - message: remove `{flag(enable_torch_compile)}`
    remove: [enable_torch_compile]
examples:
  bad:
    - host: shell
      text: |
        python -m sglang.launch_server --model-path a/b --enable-torch-compile
      at: [1, 49]
      fixed: |
        python -m sglang.launch_server --model-path a/b
  good:
    - host: shell
      text: |
        python -m sglang.launch_server --model-path a/b
  unknown:
    - host: shell
      text: |
        python -m sglang.launch_server --model-path a/b "$@"
"""
LAUNCH = "python -m sglang.launch_server --model-path a/b --enable-torch-compile\n"


def test_own_rules_are_checked_by_their_examples(cli: Cli) -> None:
    cli.write("own/ACM001-no-torch-compile.yaml", RULE)
    ran = cli("rule", "--check", "own")
    assert (ran.status, ran.out, ran.err) == (0, "1 rule checked\n", "")


def test_what_an_example_disproves_is_told_with_the_file(cli: Cli) -> None:
    cli.write("own/ACM001-no-torch-compile.yaml", RULE.replace("[1, 49]", "[1, 48]"))
    ran = cli("rule", "--check", "own")
    assert ran.status == 1
    assert "ACM001-no-torch-compile.yaml: examples.bad 1 (shell): at is [1, 49], not [1, 48]" in ran.out


def test_a_file_that_is_no_rule_and_a_folder_that_is_not_there_are_told(cli: Cli) -> None:
    cli.write("own/ACM001-no-torch-compile.yaml", RULE.replace("when: enable", "when: no_such("))
    ran = cli("rule", "--check", "own")
    assert ran.status == 1
    assert "ACM001-no-torch-compile.yaml" in ran.err
    ran = cli("rule", "--check", "nowhere")
    assert ran.status == 2
    assert "nowhere" in ran.err
    assert "Traceback" not in ran.err


def test_the_folder_that_the_configuration_names_is_checked_and_asked(cli: Cli) -> None:
    cli.write("own/ACM001-no-torch-compile.yaml", RULE)
    cli.write("speclint.toml", 'rules = ["own"]\n')
    cli.write("serve.sh", LAUNCH)
    assert cli("rule", "--check").out == "1 rule checked\n"
    assert [found["code"] for found in cli("--output-format", "json", "serve.sh").json] == ["ACM001"]
    assert "We run without torch.compile." in cli("rule", "ACM001").out


def test_a_rule_of_ones_own_has_no_page(cli: Cli) -> None:
    cli.write("own/ACM001-no-torch-compile.yaml", RULE)
    cli.write("speclint.toml", 'rules = ["own"]\n')
    cli.write("serve.sh", LAUNCH)
    assert cli("--output-format", "json", "serve.sh").json[0]["url"] is None
    assert "helpUri" not in cli("--output-format", "sarif", "serve.sh").json["runs"][0]["tool"]["driver"]["rules"][0]
    assert cli("--output-format", "rdjson", "serve.sh").json["diagnostics"][0]["code"] == {"value": "ACM001"}
    assert "| ACM001 no-torch-compile |" in cli("--output-format", "markdown", "serve.sh").out


def test_evidence_is_asked_of_the_rules_of_speclint_and_of_those_that_give_some(cli: Cli) -> None:
    cli.write("own/SGL299-no-torch-compile.yaml", RULE.replace("ACM001", "SGL299"))
    ran = cli("rule", "--check", "own")
    assert (ran.status, "`evidence` is missing" in ran.out) == (1, True)
