from __future__ import annotations

import contextlib
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.sglang import versions

ORDERED = ["0.4.9", "0.4.10.post2", "0.5.3rc0", "0.5.3rc2", "0.5.3", "0.5.3.post1", "0.5.9", "0.5.10.dev3", "0.5.10rc0",
           "0.5.10", "0.5.10.post1", "0.5.11", "1.0"]  # fmt: skip


def test_order_is_that_of_releases() -> None:
    assert sorted(random.Random(7).sample(ORDERED, len(ORDERED)), key=versions.parse) == ORDERED


@pytest.mark.parametrize(
    ("one", "other"),
    [("v0.5.10rc0", "0.5.10rc0"), ("0.5.9+cu128", "0.5.9"), ("0.5", "0.5.0"), (" 0.5.9 ", "0.5.9"), ("0.5.9-1", "0.5.9.post1"),
     ("0.5.9.rc.1", "0.5.9rc1"), ("V0.5.9", "0.5.9"), ("0.5.9.POST1", "0.5.9.post1")],
)  # fmt: skip
def test_spellings_of_one_version(one: str, other: str) -> None:
    assert versions.parse(one) == versions.parse(other)


@pytest.mark.parametrize(
    "text", ["", "latest", "0.5.", "post1", "0..5", "0.5.9-cu126", "v", "0.5.9 0.5.10", "0.5.x", "²"]
)
def test_what_is_no_version(text: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        versions.parse(text)


@given(st.text(max_size=20))
def test_parse_knows_only_one_error(text: str) -> None:
    with contextlib.suppress(ValueError):
        hash(versions.parse(text))


@pytest.mark.parametrize(
    ("version", "spec", "holds"),
    [
        ("0.5.9", "", True),
        ("0.5.9", ">=0.5.9,<0.5.13", True),
        ("0.5.13", ">=0.5.9,<0.5.13", False),
        ("0.5.12.post1", ">=0.5.9, <0.5.13", True),
        ("0.5.10rc0", "<0.5.10", True),
        ("0.5.10.post1", ">0.5.10", True),
        ("0.5.10.post1", "==0.5.10", False),
        ("0.5.10.post1", "==0.5.10.*", True),
        ("0.5.11", "!=0.5.10.*", True),
        ("0.5.23", "~=0.5.9", True),
        ("0.6.0", "~=0.5.9", False),
        ("0.5.8", "~=0.5.9", False),
        ("0.5.9", "===0.5.9,!=0.5.8", True),
    ],
)
def test_satisfies(version: str, spec: str, holds: bool) -> None:
    assert versions.satisfies(version, spec) is holds


@pytest.mark.parametrize("spec", ["0.5.9", ">=", ">=abc", "=>0.5", "~=1", "==x.*"])
def test_malformed_range(spec: str) -> None:
    with pytest.raises(ValueError, match="not a version"):
        versions.satisfies("0.5.9", spec)
