"""Jinja templates of scripts and of other files."""

from __future__ import annotations

import pytest

from speclint.hosts import of_name
from speclint.value import Choice

SCRIPT = """\
#!/bin/bash
{# sglang serve --model-path comment #}
{% set host = "0.0.0.0" %}
M=${M:-"{{ model }}"}
{% if fast %}
TP=2
{% else %}
TP=4
{% endif %}
{% for line in lines %}
{{ line }}
{% endfor %}
sglang serve --model-path "$M" --host {{ host }} --tp $TP \\
  {{ more }} \\
  {% if metrics %}
  --enable-metrics \\
  {% endif %}
  {% if json %}
  --x '{"a": 1}' \\
  {% endif %}
  --port {{ port | default(30000) | int }} {% if a %}--dp 2{% else %}--dp 4{% endif %}
"""


def test_a_script(find) -> None:
    (launch,) = find("template", SCRIPT, "run.sh.j2")
    assert launch.row == 13
    assert not launch.fixable
    words = [(w.guard, shown) for w, shown in zip(launch.launch.words, launch.words, strict=True)]
    plain = [shown for guard, shown in words if not guard]
    assert plain[:7] == ["--model-path", [None, None], "--host", "0.0.0.0", "--tp", ["2", "4"], "…"]
    assert plain[7:] == ["…", "--port", ["30000", None]]
    guarded = [shown for guard, shown in words if guard]
    assert guarded == ["--enable-metrics", "--dp", "2", "--dp", "4"]
    choices = [guard[0][0] for guard, _ in words if guard]
    assert all(isinstance(choice, Choice) for choice in choices)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (
            "a.yaml.j2",
            "kind: Pod\napiVersion: v1\nspec:\n  containers:\n  - name: x\n    command: [sglang, serve, --tp, '2']\n",
        ),
        ("a.md.jinja", "```bash\nsglang serve --tp 2\n```\n"),
        ("a.py.jinja2", "import os\nos.system('sglang serve --tp 2')\n"),
        ("a.j2", "sglang serve --tp 2\n"),
        ("a.txt.j2", "Run it:\nsglang serve --tp 2\n"),
        ("a.sh.tmpl", "{{/* sglang serve */}}\n{{- $x := 1 }}\nsglang serve --tp 2\n"),
        ("a.sh.template", "sglang serve --tp 2\n"),
        ("a.yaml.gotmpl", "services:\n  x:\n    image: {{ .Image }}\n    command: sglang serve --tp 2\n"),
        ("a.yaml.tpl", "services:\n  x:\n    image: {{ .Image }}\n    command: sglang serve --tp 2\n"),
    ],
)
def test_other_files(find, name: str, text: str) -> None:
    (launch,) = find("template", text, name)
    assert launch.words == ["--tp", "2"]


@pytest.mark.parametrize(
    "text", ["{% if %}", "{% endif %}{{", "{% for x in y %}sglang serve {{ x", "{%%}{##}{{}} sglang"]
)
def test_broken_templates(find, text: str) -> None:
    find("template", text, "a.sh.j2")


@pytest.mark.parametrize("depth", [10, 100, 5000])
def test_conditions_in_conditions_may_be_as_deep_as_they_like(find, depth: int) -> None:
    text = "{% if a %}\n" * depth + "sglang serve --model-path m\n" + "{% endif %}\n" * depth
    assert len(find("template", text, "run.sh.j2")) == 1


@pytest.mark.parametrize(
    "text",
    [
        '{% set program = "sglang" %}{{ program }} serve --model-path m\n',
        "{{ 'sglang' }} serve --model-path m\n",
        '{%- set program = "sglang.launch_server" -%}\npython -m {{ program }} --model-path m\n',
        "python -m {{ 'sglang.launch_server' }} --model-path m\n",
    ],
)
def test_a_launch_may_be_put_in(find, text: str) -> None:
    assert len(find("template", text, "run.sh.j2")) == 1


def test_a_template_that_names_only_variables_is_none(find) -> None:
    assert find("template", "{% if sglang['tp'] %}--tp {{ sglang['tp'] }}{% endif %}\n", "args.j2") == []


GO = """\
{{- if eq .Mode "mtp" }}
EXTRA="--dp 2"
{{- else if .Other }}
EXTRA="--dp 4"
{{- else }}
EXTRA=""
{{- end }}
sglang serve --tp {{ .Tp }} {{ if .Fast }}--ep 2{{ else }}--ep 4{{ end }} \\
  {{- range .Args }}
  {{ . }} \\
  {{- end }}
  $EXTRA --port 30000
"""


def test_what_go_writes_as_values_are_conditions(find) -> None:
    (launch,) = find("template", GO, "run.sh.tmpl")
    words = [(w.guard, shown) for w, shown in zip(launch.launch.words, launch.words, strict=True)]
    assert [shown for guard, shown in words if not guard] == ["--tp", "…", "…", "--port", "30000"]
    assert [shown for guard, shown in words if guard] == ["--ep", "2", "--ep", "4", "--dp", "2", "--dp", "4"]


@pytest.mark.parametrize("value", ["{{ .Tp }}", "{{ tp }}", "1{{ tp }}"])
def test_what_is_put_into_python_text_is_not_known(find, value: str) -> None:
    for text in (f'["sglang", "serve", "--tp", "{value}"]', f'f"sglang serve --tp {value}", shell=True'):
        (launch,) = find("template", f"import subprocess\nsubprocess.run({text})\n", "a.py.j2")
        assert launch.words[0] == "--tp"
        assert launch.launch.words[1].text is None


def test_names_of_templates() -> None:
    named = {
        "a.sh.tmpl": "template", "a.yml.template": "template", "values.yaml.gotmpl": "template", "a.yaml.tpl": "template",
        "_helpers.tpl": "yaml", "a.sh.tpl": "shell", "a.tmpl": None, "nginx.template": None, "index.html.tmpl": None,
        "Dockerfile.template": "dockerfile", "main.tftpl": "terraform", "a.tf": "terraform",
    }  # fmt: skip
    assert {name: of_name(name) for name in named} == named


def test_the_name_of_a_service_is_put_in(find) -> None:
    text = "services:\n{% for m in models %}\n  {{ m.name }}:\n    image: x\n    command: sglang serve --tp 2\n{% endfor %}\n"
    (launch,) = find("template", text, "compose.yaml.j2")
    assert launch.object == "service …"
