"""Stand-ins must do what they stand in for."""

from __future__ import annotations

import pickle
import re
import subprocess
import sys
import typing

import pytest

from speclint.lean import NamedTuple, pattern


class Lean(NamedTuple):
    """A record."""

    first: int
    second: str = "b"
    third: tuple[int, ...] = ()

    def both(self) -> str:
        return f"{self.first}{self.second}"


class Usual(typing.NamedTuple):
    """The same, made by typing."""

    first: int
    second: str = "b"
    third: tuple[int, ...] = ()

    def both(self) -> str:
        return f"{self.first}{self.second}"


class Large(NamedTuple):
    """A record of more fields than a constructor is ready for."""

    a: int
    b: int
    c: int
    d: int
    e: int
    f: int
    g: int
    h: int
    i: int
    j: int
    k: int = 10


def test_values_by_place_and_by_name():
    for made in (Lean, Usual):
        record = made(1, third=(2,))
        assert record == (1, "b", (2,))
        assert (record.first, record.second, record.third) == record
        assert record.both() == "1b"
        assert record._fields == ("first", "second", "third")
        assert record._asdict() == {"first": 1, "second": "b", "third": (2,)}
        assert record._replace(second="c") == (1, "c", (2,))
        assert made._make((1, "x", ())) == made(1, "x")
        assert repr(record).partition("(")[2] == "first=1, second='b', third=(2,))"
        assert hash(record) == hash((1, "b", (2,)))
        assert pickle.loads(pickle.dumps(record)) == record
        with pytest.raises(AttributeError):
            record.first = 2


@pytest.mark.parametrize(
    ("values", "named"),
    [((), {}), ((1, "b", (), 4), {}), ((1,), {"first": 2}), ((1,), {"fourth": 2}), ((), {"second": "c"})],
)
def test_values_that_do_not_fit(values, named):
    for made in (Lean, Usual):
        with pytest.raises(TypeError):
            made(*values, **named)


def test_large_records():
    values = tuple(range(10))
    assert Large(*values) == (*values, 10)
    assert Large(*values[:9], k=1, j=2) == (*values[:9], 2, 1)
    assert Large(*values).k == 10
    for wrong in ({}, {"j": 1, "l": 2}, {"a": 1, "j": 2}):
        with pytest.raises(TypeError):
            Large(*values[:9], **wrong)


def test_replacing_what_a_record_does_not_have():
    for made in (Lean, Usual):
        with pytest.raises((TypeError, ValueError)):
            made(1)._replace(fourth=2)


def test_matching_by_place():
    match Lean(1, "x"):
        case Lean(first, "x"):
            assert first == 1
        case _:
            pytest.fail("no match")


@pytest.mark.parametrize("text", [r"a(?P<x>b)c", "a.c"])
@pytest.mark.parametrize("flags", [0, re.DOTALL | re.IGNORECASE])
def test_pattern_is_an_expression(text, flags):
    lazy, made = pattern(text, flags), re.compile(text, flags)
    for subject in ("xabcabc", "ABC", "a\nc", ""):
        for name in ("search", "match", "fullmatch"):
            ours, theirs = getattr(lazy, name)(subject), getattr(made, name)(subject)
            assert (ours and ours.span()) == (theirs and theirs.span())
        assert [m.span() for m in lazy.finditer(subject)] == [m.span() for m in made.finditer(subject)]
        for name in ("findall", "split"):
            assert getattr(lazy, name)(subject) == getattr(made, name)(subject)
        assert lazy.sub("-", subject) == made.sub("-", subject)
        assert lazy.subn("-", subject, 1) == made.subn("-", subject, 1)
    assert (lazy.pattern, lazy.flags, lazy.groups) == (made.pattern, made.flags, made.groups)
    assert dict(lazy.groupindex) == dict(made.groupindex)
    with pytest.raises(AttributeError):
        lazy.nothing  # noqa: B018


def test_a_wrong_expression_is_told_when_it_is_used():
    wrong = pattern("(")
    with pytest.raises(re.error):
        wrong.search("x")


def test_a_check_does_without_typing(tmp_path):
    (tmp_path / "serve.sh").write_text("python -m sglang.launch_server --model-path Qwen/Qwen3-8B\n")
    code = (
        "import sys; before = 'typing' in sys.modules; from speclint.cli import main; main(['serve.sh']);"
        "sys.exit('typing' in sys.modules and not before)"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0
