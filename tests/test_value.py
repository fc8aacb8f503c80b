"""Values: alternatives stay tied to what decides them."""

from __future__ import annotations

from speclint.merging import merge
from speclint.source import SourceFile
from speclint.splitting import split
from speclint.text import Mapped
from speclint.value import EMPTY, Choice, Joined, Known, OneOf, Unknown, Value, join
from speclint.words import Word, as_text, merge_words
from speclint.worlds import choices, combine, default_text, resolve, restrict, settled, worlds

FILE = SourceFile("x", b"--a 1 --b 2 --c")


def known(text: str) -> Known:
    at = FILE.text.find(text)
    return Known(Mapped.of(FILE, at, at + len(text)) if at >= 0 else Mapped.new(text))


def branch(*labels: str) -> Choice:
    return Choice("branch", labels or ("`x` holds", "`x` does not hold"))


def test_two_values_of_one_branch_are_never_mixed() -> None:
    choice = branch()
    both = join([OneOf(choice, (known("1"), known("2"))), OneOf(choice, (known("--a"), known("--b")))])
    found = worlds(choices(both))
    assert found is not None
    assert [resolve(both, w).text.text for w in found] == ["1--a", "2--b"]  # type: ignore[union-attr]


def test_what_a_branch_appends_is_an_alternative_at_the_end() -> None:
    start = known("--a 1")
    one = merge(branch(), (join([start, known(" --b")]), start))
    two = merge(branch(), (join([one, known(" --c")]), one))
    assert isinstance(two, Joined)
    assert [len(getattr(p, "arms", ())) for p in two.parts] == [0, 2, 2]


def test_an_unknown_part_keeps_what_is_known_before_it() -> None:
    got = resolve(join([known("--a"), Unknown("it is not set"), known("1")]), {})
    assert isinstance(got, Unknown)
    assert got.prefix is not None
    assert got.prefix.text == "--a"


def test_worlds_are_bounded() -> None:
    assert worlds([branch() for _ in range(7)]) is None
    found = worlds([branch() for _ in range(3)])
    assert found is not None
    assert len(list(found)) == 8


def test_values_that_share_their_parts_are_walked_once() -> None:
    """Forty branches that may each leave the value alone make 2**40 paths; this ends only if parts are seen once."""
    value: Value = known("--a")
    points = [branch() for _ in range(40)]
    for point in points:
        value = OneOf(point, (value, value))
    assert set(choices(value)) == set(points)


def test_restrict_and_combine() -> None:
    choice = branch()
    value = OneOf(choice, (known("1"), known("2")))
    assert restrict(join([known("--a"), value]), choice, 1).text.text == "--a2"  # type: ignore[union-attr]
    twice = combine([value, value], lambda ks: Known(Mapped.new("+".join(k.text.text for k in ks))))
    assert [default_text(a) for a in twice.arms] == ["1+1", "2+2"]  # type: ignore[union-attr]
    assert isinstance(combine([value, Unknown("x")], lambda ks: ks[0]).arms[0], Unknown)  # type: ignore[union-attr]


def test_defaults_stand_where_only_a_default_is_open() -> None:
    default = Choice("default", ("`TP` keeps its default", "`TP` is given by the caller"))
    assert default_text(OneOf(default, (known("1"), Unknown("given")))) == "1"
    assert default_text(OneOf(branch(), (known("1"), known("2")))) is None
    assert default_text(OneOf(branch(), (known("1"), known("1")))) == "1"
    hollow = OneOf(default, (known(""), Unknown("given")))
    assert default_text(hollow) is None
    assert default_text(join([known("models/"), hollow])) is None
    assert default_text(join([known("model"), hollow])) == "model"
    assert default_text(OneOf(default, (known("models/"), Unknown("given")))) == "models/"


def test_lists_after_a_branch() -> None:
    a, b, c = (Word(known(t), None) for t in ("--a", "--b", "--c"))
    choice = branch()
    merged = merge_words(choice, ([a, b], [a, c], [a])[:2])
    assert [(w.text, [arm for _, arm in w.guard]) for w in merged] == [("--a", []), ("--b", [0]), ("--c", [1])]
    assert [w.text for w in merged if w.holds({choice: 1})] == ["--a", "--c"]


def texts(words: list[Word]) -> list[str | None]:
    return ["…" if w.many else w.text for w in words]


def test_splitting() -> None:
    assert texts(split([(known("--a 1"), True)], None)) == ["--a", "1"]
    assert texts(split([(known("--a 1"), False)], None)) == ["--a 1"]
    assert texts(split([(known("x"), False), (known("--a 1"), True), (known("y"), False)], None)) == ["x--a", "1y"]
    assert texts(split([(EMPTY, True)], None)) == []
    assert texts(split([(EMPTY, False)], None)) == [""]
    assert texts(split([(Unknown("u"), True)], None)) == ["…"]
    assert texts(split([(Unknown("u"), False)], None)) == [None]
    assert texts(split([(known("--a="), False), (Unknown("u"), True)], None)) == [None]


def test_splitting_alternatives() -> None:
    value = OneOf(branch(), (known("--a 1"), EMPTY))
    words = split([(known("--b "), True), (value, True)], None)
    assert [(w.text, len(w.guard)) for w in words] == [("--b", 0), ("--a", 1), ("1", 1)]
    assert texts(split([(known("--b"), False), (value, True)], None)) == ["…"]
    numbers = split([(known("--x="), False), (OneOf(branch(), (known("1"), known("2"))), True)], None)
    assert len(numbers) == 1
    assert not numbers[0].many


def test_words_as_text_keep_their_guards() -> None:
    choice = branch()
    text = as_text([Word(known("--a"), None), Word(known("--b"), None, ((choice, 0),))])
    hole = text.pieces[-1].hole
    assert isinstance(hole, OneOf)
    assert [default_text(a) for a in hole.arms] == ["--b", ""]


def test_settled_keeps_what_depends_on_nothing_that_went() -> None:
    """Arms that went another way are gone, alternatives of other choices stay, and what is not touched is not copied."""
    a, b = branch(), branch()
    inner = OneOf(b, (known("1"), known("2")))
    value = join([known("x"), OneOf(a, (inner, known("3")))])
    assert settled(value, {}) is value
    assert settled(inner, {a: 0}) is inner
    assert resolve(settled(value, {a: 1}), {}).text.text == "x3"  # type: ignore[union-attr]
    left = settled(value, {a: 0})
    assert choices(left) == (b,)
    assert resolve(settled(left, {b: 1}), {}).text.text == "x2"  # type: ignore[union-attr]
