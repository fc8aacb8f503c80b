"""JSON with places: the values are those of ``json``, and every place is right."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from speclint.hosts.json_text import Json, Node
from speclint.source import SourceError, SourceFile
from speclint.text import Mapped

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


def parse(text: str, comments: bool = False) -> Json:
    return Json(Mapped.of(SourceFile("x.json", text.encode())), comments)


def plain(source: Json, node: Node) -> Any:
    if node.kind == "object":
        return {key: plain(source, value) for key, value in source.pairs(node)}
    if node.kind == "array":
        return [plain(source, item) for item in source.items(node)]
    string = source.string(node)
    if string is None:
        return json.loads(source.text.text[node.start : node.end])
    exact = string.exact()
    assert exact is None or exact.text == string.text
    return string.text


@given(VALUES, st.booleans(), st.sampled_from([None, 0, 2]))
def test_the_values_are_those_of_json(value: Any, ascii_only: bool, indent: int | None) -> None:
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent).replace("\0", "")
    if "\0" in text or any(0xD800 <= ord(c) < 0xE000 for c in text):
        return
    source = parse(text)
    assert plain(source, source.root) == json.loads(text)


@given(st.text(alphabet='{}[]",:\\u12 tnae/*\n'))
@example('"\\1"')
@example('"\\u12"')
def test_what_json_refuses_is_refused(text: str) -> None:
    try:
        json.loads(text)
    except ValueError:
        with pytest.raises(SourceError):
            parse(text)
    else:
        parse(text)


def test_comments() -> None:
    text = '// x\n{"a": [1, /* , */ 2,], // "b"\n "c": "//",}\n'
    source = parse(text, comments=True)
    assert plain(source, source.root) == {"a": [1, 2], "c": "//"}
    with pytest.raises(SourceError) as error:
        parse(text)
    assert (error.value.row, error.value.column) == (1, 1)


def test_depth_is_no_reason_to_fail() -> None:
    source = parse("[" * 50_000 + "]" * 50_000)
    assert source.root.end == 100_000
