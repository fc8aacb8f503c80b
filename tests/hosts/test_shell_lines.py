"""``read`` into names, and ``while read``: what the text tells of them."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import shell
from speclint.launch import Launch, launches
from speclint.source import SourceFile
from speclint.value import Known
from speclint.worlds import default_text, resolve, worlds

BASH = shutil.which("bash")
START = "python3 -m sglang.launch_server"


def find(text: str) -> list[Launch]:
    return launches(shell.read(SourceFile("x.sh", text.encode())))


def ways(launch: Launch) -> list[list[str | None]]:
    """The words of a launch in each way that its choices can go; None where unknown."""
    points = dict.fromkeys(point for word in launch.words for point in word.choices())
    found: list[list[str | None]] = []
    for world in worlds(points) or ():
        values = [resolve(word.value, world) for word in launch.words if word.holds(world)]
        found.append([value.text.text if isinstance(value, Known) else None for value in values])
    return found


def rows(*lines: str) -> list[list[str | None]]:
    return [[None if word == "?" else word for word in line.split(" ")] for line in lines]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f'read -r m t <<< "a/b 4"\n{START} "$m" "$t"', rows("a/b 4")),
        (f'IFS=: read -r m t p <<< "a/b:4:30000"\n{START} "$m" "$t" "$p"', rows("a/b 4 30000")),
        (f'IFS="|" read -r m t <<< "a|4|8"\n{START} "$m" "$t"', rows("a 4|8")),
        (f'IFS=\':\' read -r m t <<< "a"\n{START} "$m" "$t"', [["a", ""]]),
        (f'C="a:4"\nIFS=: read -r m t <<< "$C"\n{START} "$m" "$t"', rows("a 4")),
        (f'IFS=:\nread -r m t <<< "a:4"\n{START} "$m" "$t"', rows("a 4")),
        (f'IFS=, read -r -a A <<< "a,4"\n{START} "${{A[@]}}"', rows("a 4")),
        (f'for c in a:2 b:4; do\n  IFS=: read -r m t <<< "$c"\n  {START} "$m" "$t"\ndone', rows("a 2", "b 4")),
        (f'for c in 2 4; do\n  IFS=: read -r m t <<< "m:$c"\n  {START} "$m" "$t"\ndone', rows("m 2", "m 4")),
        # What is not known may hold a colon.
        (f'IFS=: read -r m t <<< "a:$X:4"\n{START} "$m" "$t"', rows("a ?")),
        (f'IFS=: read -r m t <<< "$X:4"\n{START} "$m" "$t"', rows("? ?")),
        (f'IFS=$SEP read -r m t <<< "a:4"\n{START} "$m" "$t"', rows("? ?")),
        (f'IFS=", " read -r m t <<< "a, 4"\n{START} "$m" "$t"', rows("? ?")),
        (f'read -r m t < file\n{START} "$m" "$t"', rows("? ?")),
        (f'read m t <<< "a 4"\n{START} "$m" "$t"', rows("a 4")),
        (f"read m t <<< 'a\\ 4 2'\n{START} \"$m\" \"$t\"", rows("? ?")),
        (f'read m t <<< "$X 4"\n{START} "$m" "$t"', rows("? ?")),
        (f'read -r -t 5 m t <<< "a 4"\n{START} "$m" "$t"', rows("? ?")),
        (f'while read -r m t; do\n  {START} "$m" "$t"\ndone <<EOF\na 2\n\n# c 8\nb 4\nEOF', rows("a 2", "b 4")),
        (f'while IFS=, read -r m t || [ -n "$m" ]; do {START} "$m" "$t"; done <<< "a,2"', rows("a 2")),
        (f'while IFS=, read -r m t; do {START} "$m" "$t"; done < <(printf \'%s\\n\' a,2 b,4)', rows("a 2", "b 4")),
        (f"printf '%s\\n' 'a 2' 'b 4' | while read -r m t; do {START} \"$m\" \"$t\"; done", rows("a 2", "b 4")),
        (f'L="a 2\nb 4"\nwhile read -r m t; do {START} "$m" "$t"; done <<< "$L"', rows("a 2", "b 4")),
        (f'echo "a 2" | while read -r m t; do {START} "$m" "$t"; done', rows("a 2")),
        (f'while IFS= read -r l; do {START} "$l"; done <<< "--tp $T"', rows("?")),
        (f'while read -r m t; do {START} "$m" "$t"; done < models.txt', rows("? ?")),
        (f'cat models.txt | while read -r m t; do {START} "$m" "$t"; done', rows("? ?")),
        (f'while read -r m t; do {START} "$m" "$t"; done', rows("? ?")),
    ],
)
def test_fields(text: str, expected: list[list[str | None]]) -> None:
    (launch,) = find(text + "\n")
    assert ways(launch) == expected


def test_a_field_stands_where_it_is_written() -> None:
    text = f'for c in a:2 b:44; do\n  IFS=: read -r m t <<< "$c"\n  {START} --tp "$t"\ndone\n'
    (launch,) = find(text)
    points = dict.fromkeys(point for word in launch.words for point in word.choices())
    spans = [resolve(launch.words[1].value, world).text.span() for world in worlds(points) or ()]  # type: ignore[union-attr]
    assert [span and text[span.start : span.end] for span in spans] == ["2", "44"]


_LINE = st.lists(st.sampled_from(("a", "b/c", "4", "", " ", ":", ",", "--tp")), max_size=6).map("".join)


@pytest.mark.skipif(BASH is None, reason="no bash")
@given(
    st.sampled_from(("", "IFS=: ", "IFS=, ", "IFS= ", "IFS=:, ")),
    st.integers(1, 3),
    st.lists(_LINE, min_size=1, max_size=3),
)
@settings(max_examples=60, deadline=None)
def test_fields_are_those_of_bash(separator: str, count: int, lines: Sequence[str]) -> None:
    names = [f"n{number}" for number in range(count)]
    use = " ".join(f'"${name}"' for name in names)
    text = "".join(f"{separator}read -r {' '.join(names)} <<< '{line}'\n{START} {use}\n" for line in lines)
    kept = [line for line in lines if line.strip()]
    shown = "\n".join(kept)
    text += f"while {separator}read -r {' '.join(names)}; do\n  {START} {use}\ndone <<< '{shown}'\n" if kept else ""
    stub = "python3() { shift 2; printf '%s\\t' \"$@\"; printf '\\n'; }\n"
    assert BASH is not None
    ran = subprocess.run(
        [BASH, "-c", stub + text], capture_output=True, text=True, env={"PATH": os.defpath}, check=True
    )
    real = [line.split("\t")[:-1] for line in ran.stdout.splitlines()]
    known = [way for launch in find(text) for way in ways(launch)]
    assert known == real


@pytest.mark.parametrize("read", ["read -r -d '' CMD", 'read -rd "" CMD', "IFS= read -d '' -r CMD"])
@pytest.mark.parametrize("behind", [" || true", ""])
@pytest.mark.parametrize("run", ['bash -c "$CMD"', 'eval "$CMD"', 'ssh host "$CMD"', 'docker run i/x bash -c "$CMD"'])
@pytest.mark.parametrize("size", [0, 200])
def test_a_whole_text_that_is_read(read: str, behind: str, run: str, size: int) -> None:
    more = "".join(f"log() {{ echo {i}; }}\n" for i in range(size))
    text = f"{more}TP=4\n{read} <<EOF{behind}\n\nexport X=1\n{START} --tp $TP \\\n  --dp 2\nEOF\n{run}\n"
    (launch,) = find(text)
    assert [default_text(word.value) for word in launch.words] == ["--tp", "4", "--dp", "2"]


def test_a_text_that_is_read_in_part_is_not_known() -> None:
    for read in ("read -r CMD", "read -r -d x CMD", "read -r -d '' A CMD", "read -r -n 3 -d '' CMD", "read -d '' CMD"):
        assert find(f"{read} <<'EOF'\nx\n{START} \\\n --tp 2\nEOF\nbash -c \"$CMD\"\n") == []
