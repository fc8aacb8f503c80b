"""Text with origins: every character knows its place, through slices, joins and splices."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from speclint.byteindex import ByteIndex
from speclint.source import SourceFile
from speclint.text import Mapped, Piece, Span

TEXT = st.text(alphabet="ab é漢😀\n", max_size=30)


def places(text: Mapped) -> list[int | None]:
    """The place of each character, asked one by one."""
    spans = [text.span(i, i + 1) for i in range(len(text))]
    return [None if s is None else s.start for s in spans]


@given(TEXT, st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), max_size=5))
def test_slices_and_joins_keep_the_place_of_every_character(body: str, cuts: list[tuple[int, int]]) -> None:
    file = SourceFile("x", body.encode())
    whole = Mapped.of(file)
    parts = [whole[min(a, b) : max(a, b)] for a, b in cuts]
    joined = Mapped.join(parts)
    assert joined.text == "".join(p.text for p in parts)
    assert places(joined) == [at for p in parts for at in places(p)]
    for index, at in enumerate(places(joined)):
        assert at is not None
        assert file.text[at] == joined.text[index]


@given(TEXT, st.integers(0, 30), st.integers(0, 30))
def test_an_exact_span_holds_the_very_text(body: str, start: int, end: int) -> None:
    file = SourceFile("x", body.encode())
    text = Mapped.of(file)[: len(body)]
    span = text.exact(min(start, len(body)), min(end, len(body)))
    if span is not None:
        assert span.text == text.text[start:end]


def test_text_that_was_put_together_is_not_exact() -> None:
    file = SourceFile("x", b"abcdef")
    whole = Mapped.of(file)
    assert (whole[0:2] + whole[2:4]).exact() == Span(file, 0, 4)
    assert (whole[0:2] + whole[3:4]).exact() is None
    assert (whole[0:2] + Mapped.new("z")).exact() is None
    assert (whole[0:2] + whole[3:4]).span() == Span(file, 0, 4)
    assert (whole[3:4] + whole[0:2]).span() == Span(file, 3, 4)


def test_spliced_text_has_a_place_and_an_origin() -> None:
    file = SourceFile("x", b"TP=8 --tp $TP")
    value = Mapped.of(file, 3, 4).through(Span(file, 10, 13))
    line = Mapped.of(file, 5, 10) + value
    assert line.text == "--tp 8"
    assert line.place() == Span(file, 5, 13)
    assert line.exact(5, 6) == Span(file, 3, 4)
    assert line.span() == Span(file, 5, 10)


def test_an_escape_is_replaced_as_a_whole_or_not_at_all() -> None:
    file = SourceFile("x", b"a\\nb")
    text = Mapped(
        "a\nb",
        (Piece(1, Span(file, 0, 1), True), Piece(1, Span(file, 1, 3)), Piece(1, Span(file, 3, 4), True)),
    )
    assert text.exact() is None
    assert text.exact(2, 3) == Span(file, 3, 4)
    assert text.span() == Span(file, 0, 4)
    assert text.point(1) == Span(file, 1, 1)
    assert text.point(3) == Span(file, 4, 4)


@given(TEXT)
def test_byte_offsets(body: str) -> None:
    index = ByteIndex(body)
    assert [index(len(body[:i].encode())) for i in range(len(body) + 1)] == list(range(len(body) + 1))
