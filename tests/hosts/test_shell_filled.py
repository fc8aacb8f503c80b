"""Scripts that are filled in before they are run."""

from __future__ import annotations

import pytest

from speclint.hosts import of_name, read, shell
from speclint.hosts.nested import commands
from speclint.launch import Launch, launches
from speclint.source import SourceFile
from speclint.worlds import default_text

START = "python3 -m sglang.launch_server"


def find(text: str) -> list[Launch]:
    return launches(shell.read(SourceFile("x.sh", text.encode())))


def words(launch: Launch) -> list[str | None]:
    return ["…" if word.many else default_text(word.value) for word in launch.words]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("--model-path {{ model }} --tp {{ tp }} --dp 2", ["--model-path", "…", "--tp", "…", "--dp", "2"]),
        ("--tp {{tp}} --dp=2", ["--tp", "…", "--dp=2"]),
        ("--tp {{ tp | default(4) }}", ["--tp", "4"]),
        ('--model-path "/models/{{ model }}" --dp 2', ["--model-path", None, "--dp", "2"]),
        ("{% if tp %}--tp 4{% endif %} --dp 2", ["--tp", "4", "--dp", "2"]),
        ("--model-path <model> --tp <N> \\\n  --dp 2", ["--model-path", None, "--tp", None, "--dp", "2"]),
        ("--dp 2 --model-path <path/to/model>\nls", ["--dp", "2", "--model-path", None]),
        # These are the shell's.
        ("--dp 2 < in > out", ["--dp", "2"]),
        ("--dp 2 <in >out", ["--dp", "2"]),
    ],
)
def test_what_is_put_in_is_not_known(text: str, expected: list[str | None]) -> None:
    (launch,) = find(f"{START} {text}\n")
    assert words(launch) == expected


@pytest.mark.parametrize(
    "other",
    [
        "docker ps --format '{{.Names}}'",
        'docker inspect --format "{{json .State}}" x',
        "docker ps --format {{.Names}}",
        "awk '{{print}}' x",
        "echo ${A%{%}} {%s}",
        "sort <in >out",
    ],
)
def test_other_scripts_are_mended_as_before(other: str) -> None:
    (launch,) = find(f"{other}\n{START} --dp 2\n")
    assert words(launch) == ["--dp", "2"]
    assert launch.command.fixable


def test_a_template_is_not_mended() -> None:
    (launch,) = find(f"{START} --tp {{{{ tp }}}} --dp 2\n")
    assert not launch.command.fixable
    (launch,) = find(f"{START} --tp <N> --dp 2\n")
    assert launch.command.fixable


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.toml", 'shape = "{} --model-path <path> --tp 2"\n'),
        ("a.json", '{"shape": "{} --model-path <path> --tp 2"}\n'),
        ("a.py", 'import os\nos.system("{} --model-path <path> --tp 2")\n'),
        ("a.sh", 'sg render -c "{} --model-path <path> \\\n  --tp 2"\n'),
    ],
)
def test_names_in_angles_of_text_that_others_hold(name: str, text: str) -> None:
    file = SourceFile(name, text.replace("{}", START, 1).encode())
    host = of_name(name)
    assert host is not None
    (launch,) = launches(inner for outer in read(file, host) for inner in commands(outer))
    assert words(launch) == ["--model-path", None, "--tp", "2"]
