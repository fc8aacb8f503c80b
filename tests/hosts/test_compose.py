"""Compose files: what services take from each other, and from files beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclint.hosts import read
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.value import Joined, Known, OneOf

if TYPE_CHECKING:
    from pathlib import Path

    from speclint.launch import Launch

IMAGE = "lmsysorg/sglang:v0.5.14"
SERVES = "sglang serve --model-path"


def found_in(folder: Path, text: str) -> list[Launch]:
    """The launches in a compose file of a folder."""
    path = folder / "compose.yaml"
    path.write_text(text)
    file = SourceFile(str(path), text.encode())
    return launches(inner for outer in read(file, "yaml", []) for inner in commands(outer))


def image_of(launch: Launch) -> Any:
    """The name of the image, None where it is not known."""
    return getattr(getattr(launch.command.image, "text", None), "text", None)


def first_of(value: Any) -> Any:
    """The text of a value in the first of its cases, None where it is not known."""
    if isinstance(value, OneOf):
        return first_of(value.arms[0])
    parts = (
        [first_of(part) for part in value.parts]
        if isinstance(value, Joined)
        else [value.text.text if isinstance(value, Known) else None]
    )
    return None if None in parts else "".join(parts)


@pytest.mark.parametrize("extends", ["{service: base}", "base", "{service: middle}"])
def test_a_service_extends_another(find, extends: str) -> None:
    text = f"""services:
  big:
    extends: {extends}
    environment: [B=2]
    command: {SERVES} m
  middle:
    extends: base
    environment: {{C: "3"}}
  base:
    image: {IMAGE}
    environment: {{A: "1", B: "1"}}
    command: {SERVES} n
"""
    big, base = find("yaml", text)
    assert (big.object, big.words, big.image) == ("service big", ["--model-path", "m"], IMAGE)
    assert big.env == {"A": "1", "B": "2"} | ({"C": "3"} if "middle" in extends else {})
    assert (base.object, base.words, base.env) == ("service base", ["--model-path", "n"], {"A": "1", "B": "1"})


def test_the_program_of_the_service_that_is_extended(find) -> None:
    text = f"""services:
  a: {{extends: b, command: [--model-path, m]}}
  b: {{image: {IMAGE}, entrypoint: [sglang, serve], command: [--model-path, n]}}
  c: {{extends: a}}
"""
    assert [(each.object, each.words) for each in find("yaml", text)] == [
        ("service a", ["--model-path", "m"]), ("service b", ["--model-path", "n"]),
    ]  # fmt: skip


def test_services_that_extend_each_other(find) -> None:
    text = f"services:\n  a: {{extends: b, command: {SERVES} m}}\n  b: {{extends: a, image: {IMAGE}}}\n  c: {{extends: c}}\n"
    (launch,) = find("yaml", text)
    assert launch.image == IMAGE


@pytest.mark.parametrize(
    ("other", "image"),
    [
        (f"services: {{base: {{image: {IMAGE}}}}}", IMAGE),
        (f"services: {{base: {{extends: a}}, a: {{image: {IMAGE}}}}}", IMAGE),
        ("services: {base: {image: 'x:${TAG}'}}", None),
        ("services: {other: {image: x}}", None),
        ("services: [", None),
        ("", None),
    ],
)
def test_a_service_of_another_file_is_extended(tmp_path: Path, other: str, image: str | None) -> None:
    (tmp_path / "common.yaml").write_text(other)
    (launch,) = found_in(
        tmp_path,
        "services:\n  s:\n    build: .\n  big:\n    extends: {file: common.yaml, service: base}\n"
        f"    command: {SERVES} m\n",
    )
    assert image_of(launch) == image


@pytest.mark.parametrize(
    ("command", "words"),
    [
        # One line, in which each backslash takes itself away.
        (">\n      bash -c \"sglang serve \\\n      --model-path m \\\n      --tp 2\"\n", ["--model-path", "m", "--tp", "2"]),
        # Lines of their own, of which only the first starts a server.
        ("|\n      bash -c \"sglang serve --tp 2 \\\n      --model-path m\"\n", ["--tp", "2"]),
        ("bash -c \"sglang serve --x \\'a\\ b\\' --y \\\"c\\\" --z \\\\\\\\d\\t--tp\\t2\"\n",
         ["--x", "a b", "--y", "c", "--z", "\\d", "--tp", "2"]),
        ("bash -c 'sglang serve --x a\\ b'\n", ["--x", "a b"]),
    ],
)  # fmt: skip
def test_backslashes_in_double_quotes(find, command: str, words: list[str]) -> None:
    (launch,) = find("yaml", f"services:\n  s:\n    image: {IMAGE}\n    command: {command}")
    assert launch.words == words


ENV = """\
# comment
A=1
export B='2 $x' # comment
C = "3"
D=4 5 # comment
E=6#7
F=${A}
G=
not a variable
H="8
I="9" 9
J= # comment
"""


@pytest.mark.parametrize("files", ["sg.env", "[sg.env]", "[{path: ./sg.env, required: false}]", "[none.env, sg.env]"])
def test_variables_of_a_file(tmp_path: Path, files: str) -> None:
    (tmp_path / "sg.env").write_text(ENV)
    (launch,) = found_in(
        tmp_path,
        f"services:\n  s:\n    image: {IMAGE}\n    env_file: {files}\n    environment: [C=9]\n"
        "    command: bash -c 'sglang serve --a $$A --b \"$$B\" --c $$C --tp ${A}'\n",
    )
    env = {name: getattr(getattr(value, "text", None), "text", None) for name, value in launch.command.env.items()}
    assert env == {"A": "1", "B": "2 $x", "C": "9", "D": "4 5", "E": "6#7", "F": None, "G": "", "J": ""}
    assert [word.text for word in launch.words] == ["--a", "1", "--b", "2 $x", "--c", "9", "--tp", None]


DOTENV = """\
TAG=v0.5.10
export MODEL="a/b" # comment
TP=4
NONE=
REST=--port 1 --tp 8
OTHER=${TP}
"""


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("$MODEL --tp ${TP}", ["a/b", "--tp", "4"]),
        ("${MODEL:?none} --tp ${TP:-2}", ["a/b", "--tp", "4"]),
        ("${MODEL} --tp ${NONE:-2}", ["a/b", "--tp", "2"]),
    ],
)
def test_variables_that_compose_puts_in(tmp_path: Path, written: str, words: list[str]) -> None:
    """The caller may give others, so each is what it is in one case."""
    (tmp_path / ".env").write_text(DOTENV)
    (launch,) = found_in(
        tmp_path, f"services:\n  s:\n    image: lmsysorg/sglang:${{TAG}}\n    command: {SERVES} {written}\n"
    )
    assert [first_of(word.value) for word in launch.words] == ["--model-path", *words]
    assert first_of(launch.command.image) == "lmsysorg/sglang:v0.5.10"


@pytest.mark.parametrize("name", ["OTHER", "MISSING", "TP:+8"])
def test_variables_that_compose_does_not_tell(tmp_path: Path, name: str) -> None:
    (tmp_path / ".env").write_text(DOTENV)
    (launch,) = found_in(tmp_path, f"services:\n  s:\n    image: {IMAGE}\n    command: {SERVES} m --tp ${{{name}}}\n")
    assert [first_of(word.value) for word in launch.words] == ["--model-path", "m", "--tp", None]


def test_nothing_is_put_in_where_compose_does_not_read(find) -> None:
    """A file of compose in the text of another one is read wherever that is unpacked."""
    text = f"services:\n  s:\n    image: {IMAGE}\n    command: {SERVES} m --tp ${{TP}}\n"
    (launch,) = find("markdown", f"```yaml\n{text}```\n")
    assert launch.words == ["--model-path", "m", "--tp", "…"]


@pytest.mark.parametrize(
    "line", [" " * 100_000, "A=" + " " * 100_000 + "x", "A " * 50_000, "A='" * 50_000, "A=# " * 50_000]
)
def test_a_file_of_variables_that_is_none(tmp_path: Path, line: str) -> None:
    (tmp_path / "sg.env").write_text(f"{line}\nB=1\n")
    (launch,) = found_in(tmp_path, f"services:\n  s:\n    image: x\n    env_file: sg.env\n    command: {SERVES} m\n")
    assert "B" in launch.command.env


def test_a_file_of_variables_outside_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "sg.env").write_text(ENV)
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "pyproject.toml").write_text("")
    (launch,) = found_in(
        tmp_path / "project", f"services:\n  s:\n    image: {IMAGE}\n    env_file: ../sg.env\n    command: {SERVES} m\n"
    )
    assert launch.command.env == {}


@pytest.mark.parametrize(
    ("rest", "host", "tp"),
    [("", "compose", "…"), ("profiles:\n  compute: {sglang: {resources: {gpu: {units: 4}}}}\n", "yaml", "4")],
)
def test_services_of_akash_are_none_of_compose(find, rest: str, host: str, tp: str) -> None:
    """What compose fills in from the machine that it is called on is here the shell's, in the container."""
    text = f"""services:
  sglang:
    image: lmsysorg/sglang:v0.5.9
    env: [TP=4]
    command: [bash, -c]
    args: ["python3 -m sglang.launch_server --model-path m --tp $TP"]
{rest}"""
    (launch,) = find("yaml", text)
    assert (launch.host, launch.words) == (host, ["--model-path", "m", "--tp", tp])


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("${A:-${B:-2}}", "2"),
        ("${A-${B-${C-3}}}", "3"),
        ("${A:-x${B:-2}-${C:-3}}", "x2-3"),
        ("${A:-${B}}", None),
        ("${A:-$B}", None),
    ],
)
def test_defaults_that_hold_others(tmp_path: Path, written: str, value: str | None) -> None:
    command = f"[sglang, serve, --model-path, '{written}']"
    text = f"services:\n  s:\n    image: {IMAGE}\n    environment: {{X: '{written}'}}\n    command: {command}\n"
    (launch,) = found_in(tmp_path, text)
    assert first_of(launch.words[1].value) == first_of(launch.command.env["X"]) == value


def test_words_that_stand_where_a_variable_is_set(find) -> None:
    """Such a reference is a shell's as well as compose's."""
    text = f"services:\n  s:\n    image: {IMAGE}\n    command: {SERVES} m ${{P:+--reasoning-parser ${{P}}}}\n"
    (launch,) = find("yaml", text)
    assert launch.words[:3] == ["--model-path", "m", "--reasoning-parser"]


@pytest.mark.parametrize("text", ["${A:-" * 20_000, "${A:-" + "x" * 50_000, "${A:-${" * 10_000, "${A:-$" * 20_000])
def test_references_that_are_not_ended(find, text: str) -> None:
    find("yaml", f"services:\n  s:\n    image: {IMAGE}\n    command: [sglang, serve, '{text}']\n")
