"""systemd units, containers and drop-ins, supervisor programs, Procfiles."""

from __future__ import annotations

UNIT = """\
[Unit]
Description=sglang serve --model-path m
[Service]
Environment="TP=2" M=a/b
Environment='EXTRA=--dp 2 --ep 2'
ExecStartPre=-/usr/bin/pkill -f sglang.launch_server
# ExecStart=/usr/bin/sglang serve --model-path m
ExecStart=/usr/bin/sglang serve --model-path ${M} \\
  # comment
  --tp $TP $EXTRA --port %i --x '{"a": "b c"}' --y "$EXTRA" \\
  --z $$A %% $UNSET
ExecStop=/usr/bin/sglang serve --model-path m
"""


def test_systemd(find) -> None:
    (launch,) = find("units", UNIT)
    assert (launch.row, launch.entry, launch.object) == (8, "sglang serve", "[Service]")
    expected = ["--model-path", "a/b", "--tp", "2", "--dp", "2", "--ep", "2", "--port", None]
    assert launch.words == [*expected, "--x", '{"a": "b c"}', "--y", "--dp 2 --ep 2", "--z", "$A", "%", "…"]
    assert launch.env == {"TP": "2", "M": "a/b", "EXTRA": "--dp 2 --ep 2"}


def test_a_shell_in_a_unit(find) -> None:
    (launch,) = find("units", "[Service]\nExecStart=/bin/bash -lc 'exec sglang serve --model-path m'\n")
    assert launch.words == ["--model-path", "m"]


def test_a_container(find) -> None:
    text = "[Container]\nImage=lmsysorg/sglang:v0.5.5\nExec=sglang serve --model-path m\n"
    (launch,) = find("units", text)
    assert (launch.words, launch.image) == (["--model-path", "m"], "lmsysorg/sglang:v0.5.5")


SUPERVISOR = """\
[supervisord]
nodaemon=true
; [program:off]
; command=sglang serve --model-path m

[program:sglang]
command=sglang serve --model-path %(ENV_M)s
    --tp "2"
environment=SGLANG_A="1,2",B=%(ENV_B)s
autostart=true
"""


def test_supervisor(find) -> None:
    (launch,) = find("units", SUPERVISOR)
    assert (launch.row, launch.object) == (7, "[program:sglang]")
    assert launch.words == ["--model-path", None, "--tp", "2"]
    assert launch.env == {"SGLANG_A": "1,2", "B": None}


def test_comments_and_numbers_of_supervisor(find) -> None:
    text = "[program:x]\ncommand=sglang serve --tp 2 ; why\n  --port 300%(process_num)02d # why\n  --x a;b#c '%(ENV_A)s'\n"
    (launch,) = find("units", text)
    assert launch.words == ["--tp", "2", "--port", None, "--x", "a;b#c", None]


def test_several_commands_on_a_line_of_systemd(find) -> None:
    text = "[Service]\nExecStart=/bin/a b ; /x/sglang serve --x ';' --tp 2 ; /x/sglang serve --tp 4\n"
    assert [launch.words for launch in find("units", text)] == [["--x", ";", "--tp", "2"], ["--tp", "4"]]


def test_procfile(find) -> None:
    (launch,) = find("units", "# x: sglang serve --a b\nweb: A=1 sglang serve --model-path m --port $PORT\nx: y\n")
    assert (launch.row, launch.object, launch.env) == (2, "web", {"A": "1"})
    assert launch.words == ["--model-path", "m", "--port", "…"]


TEMPLATE = """\
[Service]
Environment=GPUS={{ gpus }} N=1 {{ more }}
{% for k, v in env.items() %}
Environment="{{ k }}={{ v }}"
{% endfor %}
ExecStart=/usr/bin/sglang serve --model-path {{ model }} --x "{{ x }}" \\
{% if tp %}
  --tp {{ tp }} \\
{% endif %}
  {% if ep %}--ep 2{% else %}--dp 2{% endif %} --port 1{{ port }} {{ more }}
"""


def test_a_template(find) -> None:
    (launch,) = find("template", TEMPLATE, "sglang.service.j2")
    assert launch.env == {"GPUS": None, "N": "1"}
    words = [(w.guard, shown) for w, shown in zip(launch.launch.words, launch.words, strict=True)]
    assert [shown for guard, shown in words if not guard] == ["--model-path", "…", "--x", None, "--port", None, "…"]
    assert [shown for guard, shown in words if guard] == ["--tp", "…", "--ep", "2", "--dp", "2"]


def test_templates_of_containers_and_of_supervisor(find) -> None:
    text = "[Container]\nImage=a/sglang:{{ tag }}\nExec=sglang serve --tp {{ tp }}\n"
    (launch,) = find("template", text, "sglang.container.j2")
    assert (launch.words, launch.image) == (["--tp", "…"], None)
    text = '[program:{{ name }}]\ncommand=sglang serve --tp {{ tp }}\nenvironment=A="{{ a }}",{{ p }}B="1",C="2"\n'
    (launch,) = find("template", text, "sglang.conf.j2")
    assert (launch.words, launch.env, launch.object) == (["--tp", "…"], {"A": None, "C": "2"}, "[program:…]")


def test_a_template_in_a_file_that_is_written(find) -> None:
    lines = "[Service]", "Environment=A={{ a }}", "ExecStart=/x/sglang serve --tp {{ tp }} {{ more }}"
    content = "".join(f"        {line}\n" for line in lines)
    (launch,) = find("yaml", f"- hosts: all\n  tasks:\n  - copy:\n      content: |\n{content}")
    assert (launch.words, launch.env) == (["--tp", "…", "…"], {"A": None})
