"""Files as they lie on disk."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.source import SourceError, SourceFile, row_starts


@given(st.lists(st.sampled_from(["a", "é漢", "😀", "\n", "\r\n", "\r", "\x0c", "\u2028", " "]), max_size=20))
def test_locations_and_offsets_are_inverse(parts: list[str]) -> None:
    body = "".join(parts)
    file = SourceFile("x", body.encode())
    for offset in range(len(body) + 1):
        row, column = file.location(offset)
        assert file.offset(row, column) == offset
        assert row == len(body[:offset].replace("\r\n", "\n").replace("\r", "\n").split("\n")) or body[offset - 1 :][
            :2
        ] == "\r\n"
    assert "".join(file.line(r) for r in range(1, len(file.line_starts) + 1)) == body.replace("\r", "").replace("\n", "")


@given(st.binary(max_size=40).filter(lambda raw: b"\0" not in raw and raw[:2] not in (b"\xff\xfe", b"\xfe\xff")))
def test_any_bytes_come_back_as_they_were(raw: bytes) -> None:
    file = SourceFile("x", raw)
    assert file.encode(file.text) == raw


def test_a_byte_order_mark_is_no_column() -> None:
    file = SourceFile("x", b"\xef\xbb\xbfab")
    assert file.text == "ab"
    assert file.location(1) == (1, 2)
    assert file.encode("cd") == b"\xef\xbb\xbfcd"


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        ("sglang".encode("utf-16"), "UTF-16"),
        ("sglang".encode("utf-16-be"), "UTF-16"),
        ("sglang".encode("utf-32"), "UTF-32"),
        (b"\x7fELF\0\1sglang" + bytes(range(1, 255)), "binary"),
    ],
)
def test_what_is_no_text_says_so(raw: bytes, reason: str) -> None:
    with pytest.raises(SourceError, match=reason):
        SourceFile("x", raw)


def test_the_newline_of_a_place() -> None:
    file = SourceFile("x", b"a\r\nb\nc")
    assert [file.newline(o) for o in (0, 3, 5)] == ["\r\n", "\n", "\r\n"]
    assert SourceFile("x", b"a").newline() == "\n"


@pytest.mark.parametrize("size", [4093, 4094, 4095, 4096])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_rows_of_a_large_text_are_those_of_its_parts(newline: str, size: int) -> None:
    # Long enough to be read in pieces, at whose bounds rows end, begin and go on.
    text = newline.join([*["x" * size] * 600, "", "é", "last"])
    starts = row_starts(text)
    assert len(text) > 2 << 20
    assert list(starts) == [0, *(match.end() for match in re.finditer("\r\n|\n|\r", text))]
    assert list(row_starts(newline.join(["a"] * 3))) == [0, 1 + len(newline), 2 + 2 * len(newline)]
