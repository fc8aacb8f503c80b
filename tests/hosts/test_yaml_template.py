"""Helm, Jinja and workflow templates: what is filled in is not known, what is conditional hangs on a choice."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import yaml as host
from speclint.hosts.yaml.template import render
from speclint.launch import find
from speclint.source import SourceError, SourceFile
from speclint.text import HOLE, Mapped

if TYPE_CHECKING:
    from speclint.launch import Launch


def rendered(text: str) -> str:
    """The YAML that a template comes to, holes shown as ``?``."""
    return render(Mapped.of(SourceFile("x.yaml", text.encode()))).text.text.replace(HOLE, "?")


def launches(text: str) -> list[Launch]:
    """The launches in a YAML text."""
    return [x for x in map(find, host.read(SourceFile("x.yaml", text.encode()))) if x is not None]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a: {{ .x }}\n", "a: ?\n"),
        ('a: "{{ .x | default "y" }}-z"\n', 'a: "?-z"\n'),
        ("{{- if .x }}\na: 1\n{{- end }}\n", "a: 1\n"),
        ("a:\n  {{- toYaml .x | nindent 2 }}\nb: 1\n", "a:\nb: 1\n"),
        ("{{/* a {{ comment }} */}}\na: 1\n", "a: 1\n"),
        ("{{- $x := .y }}\na: {{ $x }}\n", "a: ?\n"),
        ("{% if x %}\na: {{ x }}\n{% endif %}\n", "a: ?\n"),
        ("a: ${{ github.ref }}\n", "a: ?\n"),
        ("a: {{ if .x }}1{{ else }}2{{ end }}\n", "a: ?\n"),
        ("a: |\n  x\n  {{ .y }}\n", "a: |\n  x\n  ?\n"),
        ("a: |\n  x {{- .y }}\nb: {{ .z }}\n", "a: |\n  x ?\nb: ?\n"),
        ("a: |\n  x \\\n  {{- if .y }}\n  --z \\\n  {{- end }}\n  w\n", "a: |\n  x \\\n  ? \\\n  w\n"),
        ("a: '{\"b\": {{1}'\n", "a: '{\"b\": {{1}'\n"),
        ("no template at all\n", "no template at all\n"),
    ],
)
def test_rendering(text: str, expected: str) -> None:
    """Lines that steer vanish, what is filled in is a hole."""
    assert rendered(text) == expected


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(
    ["{{", "}}", "{{- ", " -}}", "if .x", "end", "else", "range .y", "with .z", "define \"d\"", ".v", "a: ", "- b", "\n", "\n  ",
     " ", "|\n", "{%", "%}", "{#", "/*", "*/", "${{", "$x := 1", "sglang serve --x"]), max_size=30).map("".join))  # fmt: skip
def test_any_text(text: str) -> None:
    """Every text renders; what is kept is kept in order, and read() tells or stays silent."""
    file = SourceFile("x.yaml", text.encode())
    result = render(Mapped.of(file)).text
    last = 0
    for piece in result.pieces:
        if piece.span is not None:
            assert piece.span.start >= last
            last = piece.span.start
            assert not piece.exact or piece.span.text in result.text
    with contextlib.suppress(SourceError):
        host.read(file, [])


HEAD = "name: c\nimage: x/sglang\ncommand: [python3, -m, sglang.launch_server]\nargs:\n"


def words(args: str) -> list[tuple[str | None, bool, list[str]]]:
    """Each word: its text, whether it is any number of words, when it is there."""
    (launch,) = launches(HEAD + args)
    return [(w.text, w.many, [choice.labels[arm] for choice, arm in w.guard]) for w in launch.words]


def test_items_under_a_condition() -> None:
    """Each arm's words hang on one choice; the same condition further down is the same choice."""
    text = "{{- if .m }}\n- --a\n{{- else if .n }}\n- --b\n{{- else }}\n- --c\n{{- end }}\n- --d\n"
    assert words(text) == [
        ("--a", False, ["the template's `if .m` holds"]),
        ("--b", False, ["the template's `if .n` holds"]),
        ("--c", False, ["none of the template's conditions holds"]),
        ("--d", False, []),
    ]
    (launch,) = launches(HEAD + "{{ if .m }}\n- --a\n{{ end }}\n- --b\n{{ if .m }}\n- --c\n{{ end }}\n")
    assert launch.words[0].guard[0][0] is launch.words[2].guard[0][0]
    assert not launch.command.fixable


def test_items_that_repeat_or_are_not_known() -> None:
    """``range`` and lines that a template writes stand for any number of words."""
    assert words("- --a\n{{- range .x }}\n- {{ . }}\n{{- end }}\n") == [("--a", False, []), (None, True, [])]
    assert words("- --a\n{{- toYaml .x | nindent 0 }}\n- --b\n") == [
        ("--a", False, []),
        (None, True, []),
        ("--b", False, []),
    ]
    assert words("{{- toYaml .x | nindent 0 }}\nenv: []\n") == [(None, True, [])]


def test_a_condition_around_the_whole_launch_is_none_within_it() -> None:
    """What the launch itself hangs on says nothing of its words."""
    text = "{{ if .x }}\n" + HEAD + "- --a\n{{ end }}\n"
    (launch,) = launches(text)
    assert [w.guard for w in launch.words] == [()]
    assert launch.command.fixable


def test_shell_text_with_a_condition() -> None:
    """Arguments under a condition inside a script are guarded too."""
    text = "run: |\n  sglang serve --a 1 \\\n  {{- if .x }}\n    --b {{/* no */}}\n  {{- end }}\n"
    (launch,) = launches(text)
    assert [w.text for w in launch.words[:2]] == ["--a", "1"]
    assert launch.words[2].many


def test_launches_in_two_branches_of_a_script() -> None:
    """Each is told."""
    text = "run: |\n  {{ if .x }}\n  sglang serve --a 1\n  {{ else }}\n  sglang serve --b {{ .y }}\n  {{ end }}\n"
    assert [launch.words[0].text for launch in launches(text)] == ["--a", "--b"]


def test_places_hold() -> None:
    """A word after holes and cut lines stands where it is written; a hole is its action."""
    text = "{{- if .x }}\n" + HEAD + "- --a={{ .Values.y }}\n- --b\n{{- end }}\n"
    (launch,) = launches(text)
    first, second = launch.words
    assert first.span is not None
    assert first.span.text == "--a={{ .Values.y }}"
    assert first.prefix == "--a="
    assert second.span is not None
    assert second.span.text == "--b"
    assert second.span.start == text.index("--b")


def test_a_template_that_is_no_yaml() -> None:
    """It is told as what it is, with the row."""
    file = SourceFile("x.yaml", b"a: {{ .Values.x }}\nb: sglang.launch_server\n{{ if .x }}\n  c: [1\n{{ end }}\nd: 1\n")
    with pytest.raises(SourceError, match="Helm template") as caught:
        host.read(file)
    assert caught.value.row in (4, 6)


def test_braces_of_another_language() -> None:
    """Text that only looks like a template is read as it is."""
    text = "x: {a: {{b: 1}: 2}}\nrun: sglang serve --a 1\n"
    assert [w.text for launch in launches(text) for w in launch.words] == ["--a", "1"]
