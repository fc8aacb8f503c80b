"""The decoder gives every scalar the value that PyYAML gives it, and origins that hold."""

from __future__ import annotations

import sysconfig
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.hosts.yaml import scalar
from speclint.source import SourceFile
from speclint.text import Mapped

LOADERS = [loader for loader in (getattr(yaml, "CSafeLoader", None), yaml.SafeLoader) if loader is not None]
# Blanks, breaks and indicators in every mixture; letters to tell places apart.
LETTERS = st.sampled_from(
    [*"ab1 \t\n", "\r\n", "\r", "\x85", "\u2028", "''", "\\\n", "\\n", "\\x41", "\\\\", '\\"', "\\ ", " ", "  ", "\n  ",
     "\n ", "#", " #", ": ", "- ", "%", "é", "😀", "\n\n", "&x ", "!t ", "---", "\\u00e9", "\\U0001F600", "\\\t"]
)  # fmt: skip
TEXTS = st.lists(LETTERS, max_size=14).map("".join)
WRAPS = st.sampled_from(
    ["{}", "a: {}", "a:\n  b: {}", "- {}", "- - {}", "a:\n- {}", "[{}]", "[x, {}]", "{{a: {}}}", "a: {}\nb: 1\n",
     "a: '{}'", 'a: "{}"', "- '{}'\n- x\n", '- &x "{}"\n- *x\n', "a: !!str '{}'", "a: &x\n  '{}'\n", "'{}'", '"{}"',
     "a: |\n  {}\n", "a: >\n  {}\n", "a: >-\n  {}\n", "a: |+\n  {}\nb: 1\n", "a: |2\n   {}\n", "- |1-\n  {}\n", "- >1+\n  {}",
     "--- |\n {}\n", "a: &x |\n  {}\n", "a: !!str > # c\n  {}\n", "a:\n  b:\n    - |3\n       {}\n     x\n", "? |2\n   {}\n: x"]
)  # fmt: skip


def scalars(text: str, loader: type) -> list[yaml.ScalarEvent]:
    """The scalars of a text, none if it is no YAML."""
    try:
        return [event for event in yaml.parse(text, Loader=loader) if isinstance(event, yaml.ScalarEvent)]
    except (yaml.YAMLError, RecursionError):
        return []


def check(text: str, event: yaml.ScalarEvent) -> Mapped:
    """The scalar decoded; the decoder must not have needed the parser's value."""
    start, end, style = event.start_mark.index, event.end_mark.index, event.style or ""
    at = scalar.skip_properties(text, start, end)
    indent = scalar._indent(text, at, end, style, event.value)
    assert "".join(p[0] for p in scalar.decode(text, at, end, style, indent)) == event.value
    mapped = scalar.read(Mapped.of(SourceFile("x.yaml", text.encode())), start, end, style, event.value)
    assert mapped.text == event.value
    for index, char in enumerate(mapped.text):
        where = mapped.exact(index, index + 1)
        assert where is None or where.text == char
        origin = mapped.span(index, index + 1)
        assert origin is not None
        assert start <= origin.start <= origin.end <= end
    return mapped


@pytest.mark.parametrize("loader", LOADERS)
@settings(max_examples=600, deadline=None)
@given(wrap=WRAPS, body=TEXTS)
@example(wrap="a: |2\n   {}\n", body="x\n     y")
@example(wrap="a:\n  b:\n    - |3\n       {}\n     x\n", body="\n---")
@example(wrap="a:\n  - |3\n       {}\n", body="\n           \n")
@example(wrap="a: >\n  {}\n", body="a\n\n\n  b\n   c\n  d\n\n")
@example(wrap="a: |\n  {}", body="x\n   ")
@example(wrap='a: "{}"', body="a \\\n   \\ b\n\n  c")
def test_equals_the_parser(loader: type, wrap: str, body: str) -> None:
    """Every scalar of every text that parses."""
    text = wrap.format(body)
    for event in scalars(text, loader):
        check(text, event)


@settings(max_examples=300, deadline=None)
@given(value=st.text(alphabet=st.characters(exclude_categories=["Cs", "Cc"], include_characters="\n\t"), max_size=60),
       style=st.sampled_from([None, "'", '"', "|", ">"]), width=st.sampled_from([10, 80]))  # fmt: skip
def test_equals_what_was_dumped(value: str, style: str | None, width: int) -> None:
    """A dumped text comes back, in every style and with folded lines."""
    text = yaml.safe_dump({"a": [value]}, default_style=style, width=width, allow_unicode=True)
    for event in scalars(text, LOADERS[0]):
        check(text, event)


@settings(max_examples=200, deadline=None)
@given(wrap=WRAPS, body=TEXTS, data=st.data())
def test_an_edit_changes_that_word_only(wrap: str, body: str, data: st.DataObject) -> None:
    """An exact word is replaced through its origin and nothing else changes."""
    text = wrap.format("xylo" + body)
    events = scalars(text, LOADERS[0])
    for number, event in enumerate(events):
        at = event.value.find("xylo")
        where = check(text, event).exact(at, at + 4) if at >= 0 else None
        if where is None:
            continue
        edited = scalars(text[: where.start] + "qq" + text[where.end :], LOADERS[0])
        values = [e.value for e in events]
        values[number] = values[number][:at] + "qq" + values[number][at + 4 :]
        assert [e.value for e in edited] == values
        break


@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize(
    "text",
    [
        "a: python3 -m x\n  --tp 88\n",
        "a: |\n  one \\\n    --tp 88\n",
        "a: >-\n  one\n  --tp 88\n",
        'a: "one \\\n   --tp\\x20 88"\n',
        "a: 'it''s\n\n  --tp 88'\n",
        "a: &x !!str |2\n    --tp\n   88\n",
    ],
)
def test_places(text: str, newline: str) -> None:
    """Each word is told where it stands, whatever the line ends."""
    written = text.replace("\n", newline)
    mapped = check(written, scalars(written, LOADERS[0])[1])
    for word in ("--tp", "88"):
        at = mapped.text.index(word)
        where = mapped.exact(at, at + len(word))
        assert where is not None
        assert where.start == written.index(word)


def test_a_difference_forbids_edits() -> None:
    """Where the parser says something else its value stands, with the scalar as a whole as origin."""
    file = SourceFile("x.yaml", b"a: word\n")
    mapped = scalar.read(Mapped.of(file), 3, 7, "", "other")
    assert mapped.text == "other"
    assert mapped.exact(0, 5) is None
    where = mapped.span(1, 2)
    assert where is not None
    assert (where.start, where.end) == (3, 7)


def test_long_runs_of_blanks_take_linear_time() -> None:
    """A line of blanks is not read again from each of its characters."""
    text = "a: 'x" + " " * 300_000 + "y'\n"
    (_, event) = scalars(text, LOADERS[0])
    mapped = scalar.read(
        Mapped.of(SourceFile("x.yaml", text.encode())), event.start_mark.index, event.end_mark.index, "'", event.value
    )
    assert len(mapped) == 300_002


def test_installed_files() -> None:
    """A sample of the YAML files that are installed beside speclint."""
    found = sorted(Path(sysconfig.get_paths()["purelib"]).glob("*/**/*.y*ml"))[:40]
    for path in found:
        text = path.read_text("utf-8")
        if len(text) < 50_000:
            for event in scalars(text, LOADERS[0])[:300]:
                check(text, event)
