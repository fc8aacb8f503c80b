"""What an encoder writes is read back by the real reader as the same text."""

from __future__ import annotations

import ast
import shutil
import subprocess

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.fix import quote

TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=12) | st.text(
    alphabet="ab'\"\\$`{}[]:#, \n\t!&*?|>%@-=~\r\x07\x85\u2028\ufeff\ufffd\ufffe\uffff\U0001f600", max_size=8
)
SAFE = st.from_regex(r"\A[A-Za-z0-9_./:=,@%+-]+\Z")
bash = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash")


def read_by_bash(words: list[str]) -> list[str]:
    script = "printf '%s\\0' x " + " ".join(words)
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    return done.stdout.decode("utf-8", "surrogateescape").split("\0")[1:-1]


@bash
@given(st.lists(TEXT, max_size=6))
@settings(max_examples=40, deadline=None)
def test_shell_word(texts: list[str]) -> None:
    assert read_by_bash([quote.shell_word(t) for t in texts]) == texts


@bash
@given(st.lists(TEXT, max_size=6), st.sampled_from(["", "'", '"']))
@settings(max_examples=60, deadline=None)
def test_inside_shell(texts: list[str], mark: str) -> None:
    written = [(t, w) for t in texts if (w := quote.inside_shell(t, mark)) is not None]
    assert read_by_bash([f"{mark}a{w}{mark}" for _, w in written]) == [f"a{t}" for t, _ in written]


@given(TEXT, st.sampled_from(["", "'", '"']), st.booleans())
@example("\ufffe", "'", False)  # no character for YAML
@settings(max_examples=300)
def test_yaml_scalar_is_that_string(text: str, mark: str, flow: bool) -> None:
    written = quote.yaml_scalar(text, mark)
    assert yaml.safe_load(f"[{written}]\n" if flow else f"- {written}\n") == [text]


@pytest.mark.parametrize(
    "text",
    [
        "8",
        "true",
        "No",
        "null",
        "1e3",
        "0x10",
        "1_000",
        ".5",
        "2001-01-01",
        "",
        "~",
        "-",
        "---",
        "=",
        "<<",
        "1:30",
        "-1",
        ".inf",
    ],
)
def test_yaml_scalar_is_never_another_type(text: str) -> None:
    assert yaml.safe_load(f"- {quote.yaml_scalar(text)}\n") == [text]


@pytest.mark.parametrize("text", ["--tp", "--dp=2", "fa3", "Qwen/Qwen3-8B", "bfloat16"])
def test_plain_words_stay_plain(text: str) -> None:
    assert quote.yaml_scalar(text) == text


@given(TEXT, st.sampled_from(["", "'", '"', "|", ">"]), st.booleans())
@example("?", "", True)
@settings(max_examples=400)
def test_inside_yaml(text: str, style: str, flow: bool) -> None:
    written = quote.inside_yaml(text, style, flow)
    if written is None or (flow and style in ("|", ">")):
        return
    if style in ("|", ">"):
        document, expected = f"a: {style}\n  x {written} y\n", f"x {text} y\n"
    elif flow:
        document, expected = f"a: [{style}x {written} y{style}]\n", f"x {text} y"
    else:
        document, expected = f"a: {style}x {written} y{style}\n", f"x {text} y"
    got = yaml.safe_load(document)["a"]
    assert (got[0] if flow else got) == expected


@given(TEXT, st.sampled_from(['"', "'", '"""', "r'", "f'x'", "4"]))
@settings(max_examples=300)
def test_python_string(text: str, like: str) -> None:
    assert ast.literal_eval(quote.python_string(text, like)) == text


@given(TEXT, st.sampled_from(["", "r", "u", "f", "rf", "b"]), st.sampled_from(["'", '"', "'''", '"""']))
@settings(max_examples=400)
def test_inside_python(text: str, prefix: str, mark: str) -> None:
    written = quote.inside_python(text, prefix, mark)
    if written is None:
        assert "r" in prefix or "b" in prefix
        return
    got = eval(f"{prefix}{mark}a{written}{mark}")
    assert (got.decode() if prefix == "b" else got) == f"a{text}"


@given(TEXT)
@settings(max_examples=200)
def test_encoders_compose(text: str) -> None:
    """A shell word in a double-quoted scalar in a Python literal."""
    inner = quote.inside_yaml(quote.shell_word(text), '"')
    assert inner is not None
    outer = quote.python_string(f'- "run {inner}"')
    assert yaml.safe_load(ast.literal_eval(outer)) == [f"run {quote.shell_word(text)}"]


@given(SAFE)
def test_safe_text_needs_nothing(text: str) -> None:
    if not quote.safe(text):
        assert text.endswith(":")
        return
    assert quote.shell_word(text) == text
    assert quote.inside_shell(text, '"') == text
    assert quote.inside_shell(text, "'") == text
    for style in ("", "'", '"', "|", ">"):
        assert quote.inside_yaml(text, style) == text
    for prefix in ("", "r", "f", "b"):
        assert quote.inside_python(text, prefix, '"') == text


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("1", "1"),
        ("-1", "-1"),
        ("0.85", "0.85"),
        ("1e-3", "1e-3"),
        ("True", "True"),
        ("None", "None"),
        ("fa3", '"fa3"'),
        ("01", '"01"'),
        ("1_0", '"1_0"'),
        ("", '""'),
        ("٣", '"٣"'),
    ],
)
def test_python_value(text: str, written: str) -> None:
    assert quote.python_value(text) == written
    assert str(ast.literal_eval(written)) == text or ast.literal_eval(written) == ast.literal_eval(text)


def test_python_string_takes_the_quotes_of_its_neighbour() -> None:
    assert quote.python_string("fa3", "'triton'") == "'fa3'"
    assert quote.python_string("it's", "'triton'") == "'it\\'s'"
