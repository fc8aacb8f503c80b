"""JSON is read as the module of Python's own library reads it."""

from __future__ import annotations

import json
import math
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint import plain_json

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner))


def read(loads: object, text: str) -> str:
    try:
        return repr(loads(text))  # type: ignore[operator]
    except ValueError:
        return "none"


@given(VALUES, st.sampled_from(["", " ", "\r\n", "\t"]), st.sampled_from([None, 1]))
def test_what_is_json_has_the_same_value(value: object, blanks: str, indent: int | None) -> None:
    text = blanks + json.dumps(value, indent=indent) + blanks
    assert read(plain_json.loads, text) == read(json.loads, text) != "none"


@given(st.text(alphabet='{}[]",: \n\\u0019.eE-+tfrualsnNIy\ufeff\xa0'))
def test_what_is_none_is_none(text: str) -> None:
    assert read(plain_json.loads, text) == read(json.loads, text)


@pytest.mark.parametrize(
    "text", ["", " ", "{", "[1,]", "{'a': 1}", "1 2", "\ufeff1", "\xa01", '"\n"', "nan", "01", '{"a" 1}']
)
def test_no_json(text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Where nothing has imported it, the scanner cannot tell what is wrong.
    for name in ("json", "json.decoder"):
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(ValueError):
        plain_json.loads(text)


def test_constants() -> None:
    assert math.isnan(plain_json.loads("NaN"))
    assert plain_json.loads("[-Infinity, Infinity]", str.lower) == ["-infinity", "infinity"]


def test_too_deep() -> None:
    with pytest.raises(RecursionError):
        plain_json.loads("[" * 200_000)
