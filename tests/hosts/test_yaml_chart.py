"""Values of a Helm chart in the templates of the same chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclint.hosts import read
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

VALUES = """\
model: a/b
image: {repository: lmsysorg/sglang, tag: v0.5.9}
tp: 8
big: 1048576
frac: 0.80
half: 0.5
on: true
nothing:
empty: ""
list: [--tp, "8"]
none: []
deep: {er: {tp: "4"}}
script: "--tp 4 --dp 2"
template: "{{ .Values.tp }}"
"""
HEAD = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: c
    image: "{{ .Values.image.repository }}:{{ .Values.image.tag }}"
    command: [python3, -m, sglang.launch_server]
    args:
"""


@pytest.fixture
def words(tmp_path: Path) -> Callable[..., list[str | None]]:
    """The words after the entry point while the values hold; None for one that is not known, "…" for any number."""
    (tmp_path / "templates").mkdir()
    (tmp_path / "Chart.yaml").write_text("name: x\n")
    (tmp_path / "values.yaml").write_text(VALUES)

    def made(text: str, name: str = "pod.yaml") -> list[str | None]:
        file = SourceFile(str(tmp_path / "templates" / name), text.encode())
        (launch,) = launches(inner for outer in read(file, "yaml", []) for inner in commands(outer))
        assert not launch.command.fixable
        for word in launch.words:
            assert word.span is None or word.span.file is file
        kept = [w for w in launch.words if w.guard == () or w.guard[0][0].kind != "default" or w.guard[0][1] == 0]
        return ["…" if word.many else default_text(word.value) for word in kept]

    return made


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (".Values.tp", "8"),
        ("$.Values.tp", "8"),
        ("$root.Values.tp", "8"),
        (".root.Values.deep.er.tp", "4"),
        (".Subcharts.x.Values.tp", None),
        ("tpl .Values.deep.er.tp .", "4"),
        ("tpl .Values.deep.er.tp $ | quote", "4"),
        ("tpl .Values.template $", None),
        ("tpl (.Values.missing | default \"2\") $root", "2"),
        (".Values.tp | quote", "8"),
        (".Values.tp | toString | quote", "8"),
        (".Values.deep.er.tp", "4"),
        ("default 2 .Values.tp", "8"),
        (".Values.missing | default 2", "2"),
        ('.Values.missing | default "2" | quote', "2"),
        ("default 2 .Values.nothing", "2"),
        ("default 2 .Values.empty", "2"),
        (".Values.big | int", "1048576"),
        (".Values.half", "0.5"),
        (".Values.on", "true"),
        # Helm writes 1.048576e+06 and 0.8.
        (".Values.big", None),
        (".Values.frac", None),
        (".Values.missing", None),
        (".Values.nothing", None),
        (".Values.list", None),
        (".Values.deep", None),
        (".Values.tp | add 1", None),
        ("add .Values.tp 1", None),
        ("(.Values.tp)", "8"),
        (".Release.Name", None),
        ("include \"x\" .", None),
        (".Values.tp | default .Values.big", "8"),
        (".Values.missing | default .Values.big", None),
        (".Values.missing | default .Values.tp", "8"),
        ("default .Values.deep.er.tp .Values.empty", "4"),
        ("(default .Values.missing .Values.tp) | quote", "8"),
        ("quote .Values.tp", "8"),
        ('required "no tp" .Values.tp', "8"),
        ('.Values.missing | required "no tp"', None),
        ("coalesce .Values.missing .Values.empty .Values.tp", "8"),
        ('printf "%s" .Values.deep.er.tp', "4"),
        ('printf "%s" (.Values.missing | default "2")', "2"),
        ('printf "%s%s" .Values.deep.er.tp .Values.tp | trim', "48"),
        ('printf "%s" .Values.missing', None),
        ('printf "%05d" .Values.tp', None),
        ('printf "%s"', None),
        ('printf "" .Values.tp', None),
        ("(.Values.tp", None),
        (".Values.tp)", None),
        ("(((.Values.tp)))) | quote", None),
        ("()", None),
        ("|", None),
        ("coalesce .Values.tp $x", None),
        ("default", None),
        ("`{{ .Tp }}`", None),
        ("printf `{{ %s }}` .Values.tp", None),
        ("tp", None),
        (".tp", None),
        (".Values.", None),
    ],
)  # fmt: skip
def test_expression(words: Callable[..., list[str | None]], expression: str, expected: str | None) -> None:
    assert words(f"{HEAD}    - --tp\n    - {{{{ {expression} }}}}\n") == ["--tp", expected]
    assert words(f'{HEAD}    - "--tp={{{{ {expression} }}}}"\n') == [expected and f"--tp={expected}"]


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("    - --x\n    {{- toYaml .Values.list | nindent 4 }}\n", ["--x", "--tp", "8"]),
        ("    {{- toYaml .Values.list | nindent 4 }}\n    - --x\n", ["--tp", "8", "--x"]),
        ("    {{- toYaml .Values.list | nindent 4 }}\n", ["--tp", "8"]),
        ("    - --x\n    {{- toYaml .Values.none | nindent 4 }}\n", ["--x"]),
        ("    - --x\n    {{- with .Values.list }}\n    {{- toYaml . | nindent 4 }}\n    {{- end }}\n", ["--x", "--tp", "8"]),
        ("    - --x\n    {{- range .Values.list }}\n    - {{ . | quote }}\n    {{- end }}\n", ["--x", "--tp", "8"]),
        ("    - --x\n    {{- range $a := .Values.list }}\n    - {{ $a }}\n    {{- end }}\n", ["--x", "--tp", "8"]),
        ("    - --x\n    {{- range .Values.list }}\n    - a-{{ . }}\n    {{- end }}\n", ["--x", "…"]),
        ("    - --x\n    {{- range .Values.list }}\n    - {{ . }}\n    - b\n    {{- end }}\n", ["--x", "…", "…"]),
        ("    - --x\n    {{- range .Values.deep }}\n    - {{ . }}\n    {{- end }}\n", ["--x", "…"]),
        ("    - --x\n    {{- range .Values.list }}\n    - {{ $.Values.tp }}\n    {{- end }}\n", ["--x", "…"]),
        ("    - --x\n    {{- toYaml .Values.missing | nindent 4 }}\n", ["--x", "…"]),
    ],
)  # fmt: skip
def test_list(words: Callable[..., list[str | None]], written: str, expected: list[str]) -> None:
    assert words(HEAD + written) == expected


def test_list_on_the_line_of_its_key(words: Callable[..., list[str | None]]) -> None:
    head = HEAD.rstrip("\n")
    assert words(f"{head} {{{{ toYaml .Values.list | nindent 4 }}}}\n") == ["--tp", "8"]


@pytest.mark.parametrize(
    ("around", "path"),
    [
        ("{{- with .Values.deep }}", ".er.tp"),
        ("{{- with .Values.deep.er }}", ".tp"),
        ("{{- with $.Values.deep }}", "$.Values.deep.er.tp"),
    ],
)
def test_scope(words: Callable[..., list[str | None]], around: str, path: str) -> None:
    assert words(f"{around}\n{HEAD}    - --tp={{{{ {path} }}}}\n{{{{- end }}}}\n") == ["--tp=4"]
    assert words(f"{around}\n{HEAD.replace('.Values', '$.Values')}    - --tp={{{{ .missing }}}}\n{{{{- end }}}}\n") == [
        None
    ]


def test_script(words: Callable[..., list[str | None]]) -> None:
    head = HEAD.replace("python3, -m, sglang.launch_server", "bash, -c")
    text = f"{head}    - |\n      python3 -m sglang.launch_server --model {{{{ .Values.model }}}} --tp {{{{ .Values.tp }}}}\n"
    assert words(text) == ["--model", "a/b", "--tp", "8"]


def test_named_part(words: Callable[..., list[str | None]]) -> None:
    text = (
        '{{- define "x" -}}\n- python3\n- -m\n- sglang.launch_server\n- --tp\n- {{ .Values.tp | quote }}\n{{- end }}\n'
    )
    assert words(text, "_helpers.tpl") == ["--tp", "8"]
    assert words(text.replace("{{- end }}", "- --{{ .x }}\n{{- end }}") + "{{ broken: [", "_helpers.tpl")[:2] == [
        "--tp",
        "8",
    ]


CHECKED = f"{HEAD}    - --model-path=a/b\n    - --attention-backend={{{{ .Values.backend }}}}\n    - --mem-frac=0.8\n"


@pytest.fixture
def chart(cli: Any) -> Any:
    cli.write("Chart.yaml", "name: x\n")
    cli.write("values.yaml", f"{VALUES}backend: flashinferr\n")
    cli.write("templates/pod.yaml", CHECKED)
    return cli


def test_finding_holds_while_the_values_do(chart: Any) -> None:
    (finding,) = chart("templates", "--output-format", "json", "--select", "SGL109").json
    assert finding["level"] == "warning"
    assert finding["message"].startswith("when `values.yaml` holds, ")
    assert finding["location"]["row"] == 11
    (related,) = [r for r in finding["related"] if r["filename"] == "values.yaml"]
    assert related["location"]["row"] == VALUES.count("\n") + 1
    assert finding["sglang_version"] == "0.5.9"


def test_nothing_is_edited(chart: Any) -> None:
    ran = chart("templates", "values.yaml", "--fix", "--unsafe-fixes", "--quiet")
    assert "internal" not in ran.err
    assert (chart.folder / "templates" / "pod.yaml").read_text() == CHECKED
    assert (chart.folder / "values.yaml").read_text() == f"{VALUES}backend: flashinferr\n"


@pytest.mark.parametrize("values", ["", "a: [", "- a\n", "a: 1\n---\nb: 2\n", "{{ x }}\n", "a: &a [*a]\n", "\0"])
def test_values_of_any_kind(cli: Any, values: str) -> None:
    cli.write("Chart.yaml", "name: x\n")
    cli.write("values.yaml", values)
    cli.write("templates/pod.yaml", CHECKED)
    ran = cli("launches", "templates", "--output-format", "json")
    assert ran.status == 0
    assert ran.json[0]["args"]["attention_backend"] is None


@pytest.mark.parametrize(
    ("image", "version"),
    [
        ("{{ .Values.image.repository }}:{{ .Values.none.tag | default .Chart.AppVersion }}", "0.5.14"),
        ("{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}", "0.5.9"),
        ("{{ .Values.image.repository }}:{{ default .Chart.AppVersion .Values.empty }}", "0.5.14"),
        ("{{ .Values.image.repository }}:{{ $.Chart.AppVersion }}", "0.5.14"),
        ("lmsysorg/sglang:{{ .Chart.AppVersion | quote }}", "0.5.14"),
        ("{{ printf `%s:%s` .Values.image.repository (.Values.empty | default .Chart.AppVersion) }}", "0.5.14"),
        ("{{ .Values.a.image | default .Values.defaults.image }}", "0.5.7"),
    ],
)
def test_image(cli: Any, image: str, version: str) -> None:
    cli.write("Chart.yaml", "name: x\nappVersion: v0.5.14\n")
    cli.write("values.yaml", f"{VALUES}defaults: {{image: 'lmsysorg/sglang:v0.5.7'}}\n")
    head, tail = HEAD.split("    image:")
    text = f"{head}    image: '{image}'\n{tail.partition(chr(10))[2]}    - --model-path=m\n"
    cli.write("templates/pod.yaml", text)
    (launch,) = cli("launches", "templates", "--output-format", "json").json
    assert (launch["sglang_version"], launch["version_source"]) == (version, "image")


@pytest.mark.parametrize("about", ["", "appVersion: 1.0\n", "a: [", "- a\n"])
def test_a_chart_that_tells_no_version(cli: Any, about: str) -> None:
    cli.write("Chart.yaml", about)
    cli.write("values.yaml", VALUES)
    text = HEAD.replace(
        "{{ .Values.image.repository }}:{{ .Values.image.tag }}", "lmsysorg/sglang:{{ .Chart.AppVersion }}"
    )
    cli.write("templates/pod.yaml", f"{text}    - --model-path=m\n")
    (launch,) = cli("launches", "templates", "--output-format", "json").json
    assert launch["version_source"] == "newest"


@pytest.mark.parametrize(
    ("body", "image"),
    [
        ('{{- printf "%s:%s" .Values.image.repository .Values.image.tag -}}', "lmsysorg/sglang:v0.5.9"),
        ("{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}", "lmsysorg/sglang:v0.5.9"),
        ('{{- $r := .Values.image.repository }}\n{{- printf "%s:%s" $r .Values.image.tag }}', "lmsysorg/sglang:v0.5.9"),
        ('{{ include "x.inner" . }}:v0.5.8', "lmsysorg/sglang:v0.5.8"),
        ("{{ if .Values.on }}{{ .Values.image.repository }}{{ end }}", None),
        ('{{ include "x.image" . }}', None),
        ('{{ include "x.missing" . }}', None),
        ("{{ .Release.Name }}:v1", None),
        ("{{ .Values.image.repository }} {{ .Values.image.tag }}", None),
        ("", None),
    ],
)  # fmt: skip
def test_a_part_that_puts_values_together(
    words: Callable[..., list[str | None]], tmp_path: Path, body: str, image: str | None
) -> None:
    inner = '{{- define "x.inner" -}}\n{{ .Values.image.repository }}\n{{- end }}\n'
    helpers = f'{inner}{{{{- define "x.image" -}}}}\n{body}\n{{{{- end }}}}\n'
    (tmp_path / "templates" / "_helpers.tpl").write_text(helpers)
    for context in (".", "$"):
        text = f'{HEAD}    - --x={{{{ include "x.image" {context} }}}}\n'
        assert words(text) == [f"--x={image}" if image else None]


@pytest.mark.parametrize(
    "text",
    [
        '{{ define "x.image" }}' * 5000,
        '{{ define "x.image" }}{{' + " " * 50_000,
        '{{ define "x.image" }}' + "{{ $a := " * 5000,
        '{{ define "x.image" }}' + " " * 50_000,
    ],
)
@pytest.mark.parametrize("end", ["", "{{ end }}"])
def test_parts_that_are_broken(words: Callable[..., list[str | None]], tmp_path: Path, text: str, end: str) -> None:
    (tmp_path / "templates" / "_helpers.tpl").write_text(text + end)
    assert words(f'{HEAD}    - --x={{{{ include "x.image" . }}}}\n') == [None]
