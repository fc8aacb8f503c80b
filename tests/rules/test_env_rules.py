"""Rules on environment variables, by what is written where and what a fix makes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import evaluate, load
from speclint.sglang import catalog, images
from speclint.sglang.options import Options
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from speclint.finding import Finding

RULES = [rule for rule in load.rules() if rule.code.startswith("SGL7")]
SERVE = "python3 -m sglang.launch_server --model-path a/b"


def found(text: str, name: str = "a.sh", host: str = "shell", release: str = "0.5.23") -> list[Finding]:
    file = SourceFile(name, text.encode())
    result: list[Finding] = []
    for launch in launches(inner for outer in hosts.read(file, host) for inner in commands(outer)):
        image = launch.command.image
        stated = images.build((default_text(image) if image is not None else None) or "")
        options = Options.read(launch, catalog.release(stated.version if stated else release, launch.entrypoint))
        result.extend(evaluate.check(launch, options, RULES))
    return result


def only(text: str, name: str = "a.sh", host: str = "shell", release: str = "0.5.23") -> Finding:
    every = found(text, name, host, release)
    assert len(every) == 1, every
    return every[0]


def fixed(text: str, finding: Finding) -> str:
    assert finding.fix is not None
    for edit in reversed(finding.fix.edits):
        text = text[: edit.span.start] + edit.content + text[edit.span.end :]
    return text


POD = """\
apiVersion: v1
kind: Pod
metadata: {name: llm}
spec:
  containers:
    - name: sglang
      image: lmsysorg/sglang:v0.5.22
      env:
        - name: %s
          value: "%s"
      command: [python3, -m, sglang.launch_server, --model-path, a/b]
"""


@pytest.mark.parametrize(
    ("name", "host", "text"),
    [
        ("a.sh", "shell", f"SGLANG_GC_LOG=1 {SERVE}\n"),
        ("a.sh", "shell", f"export SGLANG_GC_LOG=1\n{SERVE}\n"),
        ("a.sh", "shell", f"env SGLANG_GC_LOG=1 {SERVE}\n"),
        ("a.sh", "shell", f"bash -c 'export SGLANG_GC_LOG=1; {SERVE}'\n"),
        ("a.sh", "shell", f"docker run -e SGLANG_GC_LOG=1 lmsysorg/sglang:v0.5.22 {SERVE}\n"),
        ("a.sh", "shell", f"docker run --env=SGLANG_GC_LOG=1 lmsysorg/sglang:v0.5.22 {SERVE}\n"),
        ("a.py", "python", f"import os\nos.environ['SGLANG_GC_LOG'] = '1'\nos.system('{SERVE}')\n"),
        (
            "a.py",
            "python",
            "import os, subprocess\n"
            "env = {**os.environ, 'SGLANG_GC_LOG': '1'}\n"
            f"subprocess.run('{SERVE}'.split(), env=env)\n",
        ),
        ("a.yaml", "yaml", POD % ("SGLANG_GC_LOG", "1")),
        (
            "compose.yaml",
            "yaml",
            "services:\n  llm:\n    image: lmsysorg/sglang:v0.5.22\n    environment:\n      SGLANG_GC_LOG: 1\n"
            f"    command: {SERVE}\n",
        ),
        (
            "compose.yaml",
            "yaml",
            "services:\n  llm:\n    image: lmsysorg/sglang:v0.5.22\n    environment:\n      - SGLANG_GC_LOG=1\n"
            f"    command: {SERVE}\n",
        ),
        (
            "Dockerfile",
            "dockerfile",
            f"FROM lmsysorg/sglang:v0.5.22\nENV A=b \\\n    SGLANG_GC_LOG=1\nCMD {SERVE}\n",
        ),
        ("llm.service", "units", f"[Service]\nEnvironment=SGLANG_GC_LOG=1\nExecStart={SERVE}\n"),
    ],
)
def test_a_name_is_found_and_renamed_where_it_is_written(name: str, host: str, text: str) -> None:
    finding = only(text, name, host)
    assert (finding.code, finding.level, finding.flag) == ("SGL703", "warning", "SGLANG_GC_LOG")
    assert finding.span.text == "SGLANG_GC_LOG"
    assert finding.fix is not None
    assert finding.fix.applicability == "safe"
    after = fixed(text, finding)
    assert after == text[: finding.span.start] + "SGLANG_LOG_GC" + text[finding.span.end :]
    assert found(after, name, host) == []


@pytest.mark.parametrize(
    "before", ["export {0}=1\necho ${0}", "{0}=1\nexport {0}", "export {0}=1; [ ${0} = 1 ] || exit"]
)
def test_a_variable_that_the_file_names_elsewhere_is_renamed_only_when_asked(before: str) -> None:
    finding = only(before.format("SGLANG_GC_LOG") + f"\n{SERVE}\n")
    assert finding.fix is not None
    assert finding.fix.applicability == "unsafe"


def test_no_fix_where_the_new_name_is_set_as_well() -> None:
    assert only(f"SGLANG_GC_LOG=1 SGLANG_LOG_GC=0 {SERVE}\n").fix is None


def test_a_variable_of_another_command_is_nobody_s() -> None:
    assert found(f"SGLANG_GC_LOG=1 python3 prepare.py\n{SERVE}\n") == []
    assert found(f"SGLANG_GC_LOG=1\n{SERVE}\n") == []
    assert found(f"export SGLANG_GC_LOG=1\nunset SGLANG_GC_LOG\n{SERVE}\n") == []


def test_a_variable_of_one_branch_is_told_with_the_branch() -> None:
    finding = only(f'if [ "$A" = 1 ]; then\n  export SGLANG_GC_LOG=1\nfi\n{SERVE}\n')
    assert finding.message.startswith("when `")
    assert finding.span.file.location(finding.span.start) == (2, 10)


def test_each_branch_that_sets_it_is_told() -> None:
    text = f'if [ "$A" = 1 ]; then export SGLANG_GC_LOG=1; else export SGLANG_GC_LOG=0; fi\n{SERVE}\n'
    assert len({finding.span for finding in found(text)}) == 2


def test_a_value_that_may_be_given_otherwise_still_has_its_name() -> None:
    assert only(f"export SGLANG_GC_LOG=${{SGLANG_GC_LOG:-1}}\n{SERVE}\n").span.text == "SGLANG_GC_LOG"
    assert only(f"docker run -e SGLANG_GC_LOG=$1 lmsysorg/sglang:v0.5.22 {SERVE}\n").span.text == "SGLANG_GC_LOG"


def test_a_value_is_blamed_where_it_stands() -> None:
    finding = only(POD % ("SGLANG_LOG_GC", "on"), "a.yaml", "yaml")
    assert (finding.code, finding.span.text) == ("SGL708", '"on"')


def test_a_value_that_is_only_a_default_is_told_with_it() -> None:
    finding = only(f"export SGLANG_LOG_GC=${{GC:-on}}\n{SERVE}\n")
    assert (finding.code, finding.level) == ("SGL708", "warning")
    assert finding.message.startswith("when `GC`")
    assert found(f"export SGLANG_LOG_GC=$GC\n{SERVE}\n") == []


def test_the_release_decides() -> None:
    text = f"export SGLANG_ENABLE_SPEC_V2=1\n{SERVE}\n"
    assert found(text, release="0.5.9") == []
    assert only(text, release="0.5.23").code == "SGL702"


def test_variables_of_other_packages_are_left_alone() -> None:
    names = (
        "SGLANG_ROUTER_LOG",
        "SGLANG_MY_PLUGIN",
        "SGL_KERNEL_CUDA_ARCH",
        "SGLANG_CACHE_DIT_NAME",
        "SGLANG_CI_VALIDATE",
    )
    assert found(" ".join(f"{name}=1" for name in names) + f" {SERVE}\n") == []


@pytest.mark.parametrize(
    ("image", "codes"),
    [("container: lmsysorg/sglang:v0.5.22", ["SGL702"]), ("container: dynamo-sglang", []), ("precision: fp8", [])],
)
def test_a_recipe_is_judged_where_it_names_a_release(image: str, codes: list[str]) -> None:
    """What it calls an image otherwise, or leaves to others, is of whatever release."""
    text = f"""model: {{path: m, {image}}}
backend:
  prefill_environment: {{SGLANG_ENABLE_SPEC_V2: "1"}}
  sglang_config:
    prefill: {{tp-size: 2, mem-fraction-static: 0.8}}
"""
    assert [one.code for one in found(text, "recipe.yaml", "yaml")] == codes
