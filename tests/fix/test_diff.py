from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from speclint.fix.diff import unified
from speclint.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

CASES = {
    "plain": (b"a\nb\nc\n", b"a\nB\nc\n"),
    "crlf": (b"a\r\nb\r\nc\r\n", b"a\r\nB\r\nc\r\n"),
    "no last newline": (b"a\nb", b"a\nB"),
    "no last newline, change far above": (b"a\n" + b"x\n" * 9 + b"b", b"A\n" + b"x\n" * 9 + b"b"),
    "line added behind no newline": (b"a \\\n  b", b"a \\\n  b \\\n  c"),
    "bom": (b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfA\nb\n"),
    "lone carriage returns": (b"a\rb\nc\r", b"a\rB\nc\r"),
    "form feed and separators": ("a\x0cb\u2028c\x85d\n".encode(), "a\x0cB\u2028c\x85d\n".encode()),
    "two hunks": (b"a\n" + b"x\n" * 30 + b"b\n", b"A\n" + b"x\n" * 30 + b"B\n"),
    "everything": (b"a\n", b"b\nc\n"),
}
NAMES = [
    "a.sh",
    "sub/b.yaml",
    "with blank.sh",
    "ünï/côdé.sh",
    'quo"te.sh',
    "back\\slash.sh",
    "tab\there.sh",
    "-dash.sh",
]


def git(folder: Path, *arguments: str, stdin: bytes = b"") -> None:
    done = subprocess.run(
        ["git", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env={**os.environ, "GIT_CEILING_DIRECTORIES": "/"},
    )
    assert done.returncode == 0, done.stderr.decode()


def applied(root: Path, name: str, old: bytes, new: bytes, below: str = ".") -> bytes:
    """What git makes of the diff, applied in the folder ``below``."""
    path = root / below / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(old)
    back = os.getcwd()
    os.chdir(root / below)
    try:
        file = SourceFile(name, old)
        text = SourceFile(name, new).text
        diff = unified(file, text).encode("utf-8", "surrogateescape")
    finally:
        os.chdir(back)
    git(root / below, "apply", "--whitespace=nowarn", "-", stdin=diff)
    return path.read_bytes()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    git(tmp_path, "config", "core.autocrlf", "false")
    return tmp_path


@pytest.mark.parametrize("case", CASES)
def test_git_applies_it(repository: Path, case: str) -> None:
    old, new = CASES[case]
    assert applied(repository, "a.sh", old, new) == new


@pytest.mark.parametrize("name", NAMES)
def test_git_knows_the_name(repository: Path, name: str) -> None:
    assert applied(repository, name, b"a\n", b"b\n") == b"b\n"


def test_git_applies_it_in_a_folder_below_the_root(repository: Path) -> None:
    assert applied(repository, "a.sh", b"a\n", b"b\n", below="deep/er") == b"b\n"


def test_diffs_of_several_files_are_one_diff(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repository)
    whole = ""
    for name in ("b.sh", "a.sh"):
        (repository / name).write_bytes(b"a\nb")
        whole += unified(SourceFile(name, b"a\nb"), "A\nb")
    git(repository, "apply", "-", stdin=whole.encode())
    assert [(repository / n).read_bytes() for n in ("a.sh", "b.sh")] == [b"A\nb", b"A\nb"]


def test_nothing_changed_is_no_diff() -> None:
    assert unified(SourceFile("a.sh", b"a"), "a") == ""


@pytest.mark.parametrize("given_as", ["./a.sh", "{root}/a.sh", "sub/../a.sh"])
def test_path_is_told_from_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given_as: str) -> None:
    monkeypatch.chdir(tmp_path)
    diff = unified(SourceFile(given_as.format(root=tmp_path), b"a\n"), "b\n")
    assert diff.splitlines()[:2] == ["--- a/a.sh", "+++ b/a.sh"]


def test_path_outside_the_current_folder_is_told_from_the_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert ".." not in unified(SourceFile("../a.sh", b"a\n"), "b\n").splitlines()[0]


LINES = st.lists(st.text(alphabet="ab\r é\ufeff\x0c", max_size=4), max_size=12)


@given(LINES, LINES, st.booleans())
@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
def test_git_applies_any(repository: Path, old: list[str], new: list[str], end: bool) -> None:
    before, after = ("\n".join(lines) + "\n" * end for lines in (old, new))
    raw = before.encode()
    if before == after or not before or not after or SourceFile("a.sh", raw).bom:
        return
    file = SourceFile("a.sh", raw)
    (repository / "a.sh").write_bytes(raw)
    here = os.getcwd()
    os.chdir(repository)
    try:
        diff = unified(file, after)
    finally:
        os.chdir(here)
    git(repository, "apply", "--whitespace=nowarn", "-", stdin=diff.encode())
    assert (repository / "a.sh").read_bytes() == after.encode()
