"""Which files are read on: those that hold the word that every launch holds."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from speclint import needle

if TYPE_CHECKING:
    from pathlib import Path

SIZE = 1 << 20
# Name, the language that it tells, content, and whether that may hold a launch.
FILES = (
    ("empty.py", "python", b"", False),
    ("word.py", "python", b"import sglang\n", True),
    ("near.py", "python", b"language = 'golang'  # lang sgl ang\n", False),
    ("after.py", "python", b"language = 'golang'\nimport sglang", True),
    ("first.sh", "shell", b"sglang", True),
    ("name.py", "python", b"SGLang", False),
    ("name.yaml", "yaml", b"backend: SGLang\n", True),
    ("name.json", "json", b'{"backend": "SGLang"}', True),
    ("name.md", "markdown", b"```yaml\nbackend: SGLang\n```\n", True),
    ("wide.py", "python", "x = 'sglang'".encode("utf-16"), True),
    ("wide-le.py", "python", "x = 'sglang'".encode("utf-16-le"), True),
    ("wide-be.py", "python", "x = 'sglang'".encode("utf-16-be"), True),
    ("wider.py", "python", "x = 'sglang'".encode("utf-32"), True),
    ("wider-be.py", "python", "\ufeffx = 'sglang'".encode("utf-32-be"), True),
    ("wide-none.py", "python", "x = 'sgl'".encode("utf-16"), False),
    ("zeros.py", "python", b"\0" * 100, False),
    ("exact.sh", "shell", b"x" * (SIZE - 6) + b"sglang", True),
    ("exact-none.sh", "shell", b"x" * SIZE, False),
    ("cut.sh", "shell", b"x" * (SIZE - 3) + b"sglang", True),
    ("cut-name.yaml", "yaml", b"x" * (SIZE - 3) + b"SGLang", True),
    ("far.sh", "shell", b"x" * (3 * SIZE) + b"sglang", True),
    ("cut-again.sh", "shell", b"x" * (2 * SIZE - 14) + b"sglang", True),
    ("small.js", "javascript", b"run('sglang serve')", True),
    ("bundle.js", "javascript", b"run('sglang serve')" + b"x" * SIZE, False),
    ("far-none.sh", "shell", b"x" * (3 * SIZE) + b"sgl ang", False),
    ("far-wide.sh", "shell", ("x" * SIZE + "sglang").encode("utf-16"), True),
    ("cut-wider.sh", "shell", ("x" * (SIZE // 4 - 4) + "sglang").encode("utf-32"), True),
)


@pytest.mark.parametrize("number", [1, 1_000_000], ids=["few", "many"])
def test_what_holds_the_word_comes_with_its_bytes(tmp_path: Path, number: int) -> None:
    candidates = []
    for name, host, content, _ in FILES:
        (tmp_path / name).write_bytes(content)
        candidates.append((0, str(tmp_path / name), host, False))
    found = {os.path.basename(candidate[1]): raw for candidate, raw in needle.holding(candidates, number)}
    assert list(found) == [name for name, _, _, holds in FILES if holds]
    for name, _, content, _ in FILES:
        if found.get(name) is not None:
            assert found[name] == content
        elif name in found:
            assert len(content) >= SIZE, f"{name} has to be read once more"


def test_what_is_named_is_not_opened_and_what_cannot_be_read_is_handed_on(tmp_path: Path) -> None:
    gone = (0, str(tmp_path / "gone.sh"), "shell", False)
    named = (1, str(tmp_path / "pipe.sh"), "shell", True)
    if hasattr(os, "mkfifo"):
        os.mkfifo(named[1])
    assert list(needle.holding([gone, named], 2)) == [(gone, None), (named, None)]


def test_a_file_that_is_given_piece_by_piece_is_read_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.sh"
    path.write_bytes(b"sglang serve --model-path m\n")
    if not hasattr(os, "readv"):
        pytest.skip("files are read otherwise here")
    real = os.readv
    monkeypatch.setattr(os, "readv", lambda handle, room: real(handle, (room[0][:10],)))
    one = (0, str(path), "shell", False)
    assert list(needle.holding([one], 1)) == [(one, None)]


def test_without_the_systems_library_the_same_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def none(buffer: bytearray) -> None:
        raise OSError

    monkeypatch.setattr(needle, "_system_searches", none)
    monkeypatch.delattr(os, "readv", raising=False)
    test_what_holds_the_word_comes_with_its_bytes(tmp_path, 1_000_000)


@pytest.mark.parametrize(
    ("text", "only"),
    [
        (b"# sglang\n  # SGLang, sglang\nx = 1\n", True),
        (b"x = 1\n", True),
        (b"# sglang\nsglang\n", False),
        (b"x = 1  # sglang\n", False),
        (b"# a\nSGLang: 1\n", False),
        (b"x = \\\n# sglang\n", False),
        (b"x = \\\r\n# sglang\n", False),
        (b"# a\rsglang\n", False),
        (b"\x0c# sglang\n", False),
    ],
)
def test_whether_the_word_stands_in_comments_alone(text: bytes, only: bool) -> None:
    places = [at for word in (b"sglang", b"SGLang") for at in range(len(text)) if text.startswith(word, at)]
    assert all(needle.commented(text, at) for at in places) is only
