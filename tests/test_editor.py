"""Places and replacements as editors count them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint import editor
from speclint.config import Configs
from speclint.run import Linter
from speclint.source import SourceFile

LETTERS = st.text(st.sampled_from("ab é名😀\t\u2028\x0b\r\n"), max_size=40)
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM"


@given(LETTERS, LETTERS)
def test_replacements_make_the_new_text(old: str, new: str) -> None:
    at, text = 0, ""
    for start, end, content in editor.replacements(old, new):
        assert at <= start <= end
        text += old[at:start] + content
        at = end
    assert text + old[at:] == new


def test_replacements_are_small() -> None:
    old = "".join(f"line {row}\n" for row in range(100))
    new = old.replace("line 50\n", "line fifty\n").replace("line 7\n", "")
    start = old.index("line 7\n")
    # Which of the lines that begin alike is taken out may be told from either end.
    (first, second) = editor.replacements(old, new)
    assert (first[1] - first[0], first[2]) == (len("line 7\n"), "")
    assert abs(first[0] - start) <= len("line ")
    assert (old[second[0] : second[1]], second[2]) == ("50", "fifty")


@given(LETTERS, st.sampled_from(["utf-8", "utf-16", "utf-32"]))
def test_places_lead_back(text: str, encoding: str) -> None:
    file = SourceFile("a.sh", text.encode())
    for offset in range(len(text) + 1):
        line, character = editor.to_client(file, offset, encoding)
        back = editor.from_client(file, line, character, encoding)
        # Inside of a line end there is no place but the end of the line.
        assert back == offset or (text[back:offset] == "\r" and text[offset] == "\n")


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_places_that_are_not_there(encoding: str) -> None:
    file = SourceFile("a.sh", "é😀\nb".encode())
    assert editor.from_client(file, 0, 99, encoding) == 2
    assert editor.from_client(file, 99, 0, encoding) == 4
    # In the middle of a character is before it.
    assert editor.from_client(file, 0, 2 if encoding != "utf-8" else 3, encoding) == (2 if encoding == "utf-32" else 1)


def look(path: str, text: str, **given: Any) -> Any:
    linter = Linter(Configs({"select": ("SGL201",), **given}, isolated=True))
    return linter, editor.look(linter, path, text, editor.host_of(path, text))


def test_what_is_excluded_or_holds_no_launch_says_nothing(tmp_path: Any) -> None:
    path = str(tmp_path / "a.sh")
    assert len(look(path, f"{LAUNCH}\n")[1].findings) == 1
    assert look(path, "echo hello\n")[1] is None
    assert editor.host_of("untitled:Untitled-1", "", "shellscript") == "shell"
    assert editor.host_of("untitled:Untitled-1", "#!/bin/sh\n") == "shell"
    assert editor.host_of("untitled:Untitled-1", "text") is None


def test_fix_all_makes_what_the_command_line_makes(tmp_path: Any) -> None:
    text = f"TOP=8\n{LAUNCH} --speculative-ngram-max-bfs-breadth $TOP\n{LAUNCH}\n"
    linter, analysis = look(str(tmp_path / "a.sh"), text)
    new = text
    for start, end, content in reversed(editor.fix_all(linter, analysis)):
        new = new[:start] + content + new[end:]
    assert new == text.replace("TOP=8", "TOP=1").removesuffix("\n") + " --speculative-ngram-max-bfs-breadth 1\n"


def test_actions_only_where_the_cursor_is(tmp_path: Any) -> None:
    _, analysis = look(str(tmp_path / "a.sh"), f"{LAUNCH}\n{LAUNCH}\n")
    at = len(LAUNCH)
    assert len(list(editor.actions(analysis, at, at))) == 1
    assert list(editor.actions(analysis, 0, 1)) == []
    assert len(list(editor.actions(analysis, 0, 2 * at))) == 2
