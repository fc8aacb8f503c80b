"""Patterns against git itself, and against names made to take long."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.globs import Globs

# Not drawn, since git itself is odd there: two stars beside other characters, and a class that holds a slash.
NAMES = st.text("ab.?-", min_size=1, max_size=4).filter(lambda name: name not in (".", ".."))
PARTS = st.one_of(
    NAMES,
    st.sampled_from(["*", "**", "*.a", "a*", "*a*b", "?*", "[ab]", "[!a]b", "a[b-]", "\\*", "[^.]*", "[]-]"]),
    st.sampled_from(["[[:alpha:]]", "[![:digit:].]", "[\\b]"]),
)
PATTERN = st.builds(
    lambda bang, root, parts, end: bang + root + "/".join(parts) + end,
    st.sampled_from(["", "", "", "!"]),
    st.sampled_from(["", "", "/"]),
    st.lists(PARTS, min_size=1, max_size=3),
    st.sampled_from(["", "", "/", " ", "  "]),
)
PATH = st.lists(st.text("ab.-]*", min_size=1, max_size=3).filter(lambda n: n.strip(".")), min_size=1, max_size=3)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("globs")
    subprocess.run(["git", "init", "-q", str(path)], check=True)
    return path


def ignored_by_git(folder: Path, patterns: list[str], path: str) -> bool:
    (folder / ".git" / "info" / "exclude").write_text("".join(f"{pattern}\n" for pattern in patterns))
    done = subprocess.run(["git", "-C", str(folder), "check-ignore", "-q", "--no-index", "--", path], check=False)
    return done.returncode == 0


@settings(max_examples=150, deadline=None)
@given(patterns=st.lists(PATTERN, min_size=1, max_size=3), parts=PATH)
def test_as_git_does(folder: Path, patterns: list[str], parts: list[str]) -> None:
    path = "/".join(parts)
    assert Globs(patterns).covers(path) is ignored_by_git(folder, patterns, path)


@pytest.mark.parametrize(
    ("pattern", "path", "ignored"),
    [
        ("build", "a/build/x.sh", True),
        ("build/", "build", False),
        ("/build", "a/build", False),
        ("*.log", "a/b.log", True),
        ("a/*.sh", "a/b/c.sh", False),
        ("a/**/c.sh", "a/c.sh", True),
        ("a/**", "a/b/c", True),
        ("a/**", "a", False),
        ("**/c", "c", True),
        ("\\#x", "#x", True),
        ("# x", "# x", False),
        ("x ", "x", True),
        ("x\\ ", "x ", True),
        ("[z-a]", "b", False),
        ("[a", "[a", False),
        ("[[:upper:]]*.sh", "Run.sh", True),
        ("[[:upper:]]*.sh", "run.sh", False),
        ("[![:digit:]x]", "a", True),
        ("[![:digit:]x]", "7", False),
        ("[[:nothing:]]", "n", False),
        ("[\\f]oo", "foo", True),
        ("[\\d]", "d", True),
        ("[\\d]", "7", False),
        ("[a\\]]b", "]b", True),
        ("**", "a/b", True),
        ("*.a", "x/a", False),
        ("", "a", False),
        ("!", "!", False),
    ],
)
def test_examples(pattern: str, path: str, ignored: bool) -> None:
    assert Globs([pattern]).covers(path) is ignored


def test_later_patterns_win_and_a_closed_folder_stays_closed() -> None:
    assert not Globs(["*.sh", "!keep.sh"]).covers("keep.sh")
    assert Globs(["!keep.sh", "*.sh"]).covers("keep.sh")
    assert Globs(["a/", "!a/keep.sh"]).covers("a/keep.sh")


@pytest.mark.usefixtures("soon")
def test_no_pattern_takes_long() -> None:
    assert not Globs(["*a" * 60 + "b"]).covers("a" * 250)
    assert not Globs(["**/a/" * 40 + "b"]).covers("a/" * 300 + "c")
