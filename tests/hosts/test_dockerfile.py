"""Dockerfiles: ENTRYPOINT with CMD, both forms, stages, variables, continued lines and here-documents."""

from __future__ import annotations

import pytest

FROM = "FROM lmsysorg/sglang:v0.5.5\n"
ARGV = '["python3", "-m", "sglang.launch_server"]'
WORDS = ["--model-path", "m", "--tp", "2"]


@pytest.mark.parametrize(
    "text",
    [
        'CMD ["sglang", "serve", "--model-path", "m", "--tp", "2"]\n',
        'ENTRYPOINT ["sglang", "serve", "--model-path", "m", "--tp", "2"]\n',
        'ENTRYPOINT ["sglang", "serve"]\nCMD ["--model-path", "m", "--tp", "2"]\n',
        'CMD ["--model-path", "m", "--tp", "2"]\nENTRYPOINT ["sglang", "serve"]\n',
        'ENTRYPOINT ["bash", "-c"]\nCMD ["sglang serve --model-path m --tp 2"]\n',
        'ENTRYPOINT ["bash", "-c", "exec sglang serve --model-path m --tp 2"]\n',
        "CMD sglang serve --model-path m --tp 2\n",
        "cmd exec sglang serve \\\n  --model-path m \\\n\n  # comment\n  --tp 2\n",
        'CMD ["sglang", "serve", \\\n  # comment\n  "--model-path", "m", \\\n "--tp", "2"]\r\n',
        "ENTRYPOINT sglang serve --model-path m --tp 2\nCMD --tp 4\n",
        "ENV M=m TP=2\nCMD sglang serve --model-path $M --tp ${TP}\n",
        'ENV M m\nENTRYPOINT ["sh", "-c", "sglang serve --model-path $M --tp 2"]\n',
        'CMD ["x"]\nCMD ["sglang", "serve", "--model-path", "m", "--tp", "2"]\n',
        "RUN sglang serve --model-path m --tp 2\n",
        "RUN --mount=type=cache,target=/x sglang serve --model-path m --tp 2\n",
        "RUN <<EOF\nset -e\nsglang serve --model-path m --tp 2\nEOF\n",
        "COPY <<'EOF' /start.sh\n#!/bin/sh\nsglang serve --model-path m --tp 2\nEOF\n",
        "COPY <<-EOF /start.sh\n\tsglang serve --model-path m --tp 2\n\tEOF\nCMD /start.sh\n",
        'SHELL ["/bin/bash", "-c"]\nCMD sglang serve --model-path m --tp 2\n',
        'RUN echo "sglang serve --model-path m --tp 2" > /start.sh\nCMD /start.sh\n',
        "RUN echo '#!/bin/bash' > /start.sh && \\\n  echo 'sglang serve --model-path m --tp 2' >> /start.sh\n",
        "RUN echo '#!/bin/bash\\n\\\n# Start\\n\\\nexec sglang serve \\\\\\n\\\n  --model-path m \\\\\\n\\\n  --tp 2\\n\\\n' > /start\n",
        "RUN printf '#!/bin/sh\\nexec sglang serve --model-path %s --tp 2\\n' m > /entry && chmod +x /entry\n",
    ],
)
def test_found(find, text: str) -> None:
    (launch,) = find("dockerfile", FROM + text)
    assert (launch.entry, launch.words, launch.host) == ("sglang serve", WORDS, "dockerfile")
    assert launch.image == "lmsysorg/sglang:v0.5.5"


@pytest.mark.parametrize(
    "text",
    [
        '# CMD ["sglang", "serve", "--model-path", "m"]\n',
        'RUN echo "sglang serve --model-path m" > /usage.txt\n',
        "HEALTHCHECK CMD pgrep -f sglang.launch_server\n",
        'LABEL run="sglang serve --model-path m"\n',
        "CMD sglang serve --model-path m\nCMD other\n",
        "COPY <<EOF /README.md\nsglang serve --model-path m\nEOF\n",
    ],
)
def test_not_found(find, text: str) -> None:
    assert find("dockerfile", FROM + text) == []


def test_another_escape(find) -> None:
    (launch,) = find("dockerfile", "# escape=`\n" + FROM + "CMD sglang serve --model-path C:\\m `\n  --tp 2\n")
    assert launch.words[2:] == ["--tp", "2"]


def test_the_exec_form_knows_no_variables(find) -> None:
    (launch,) = find("dockerfile", FROM + 'ENV M=m\nCMD ["sglang", "serve", "--model-path", "$M"]\n')
    assert launch.words == ["--model-path", "$M"]


def test_arguments_of_the_build(find) -> None:
    text = "ARG TAG=v0.5.5\nARG M\nFROM lmsysorg/sglang:${TAG}\nARG TP=2\nENV TP=$TP P=${P:-1}\n"
    (launch,) = find("dockerfile", text + "CMD sglang serve --model-path $M --tp $TP --port $P\n")
    assert launch.words[1:] == ["…", "--tp", ["2", None], "--port", ["1", None]]
    assert launch.launch.command.image is not None


def test_the_arguments_come_from_outside(find) -> None:
    (launch,) = find("dockerfile", FROM + f"ENTRYPOINT {ARGV}\n")
    assert launch.words == ["…"]


def test_stages(find) -> None:
    text = f"{FROM.rstrip()} AS base\nENV A=1\nENTRYPOINT {ARGV}\nCMD []\n"
    text += 'FROM base\nENV B="2 3"\nCMD ["--tp", "2"]\nFROM other:v1\nCMD ["x"]\n'
    found = find("dockerfile", text)
    assert [(f.words, f.image) for f in found] == [
        (["…"], "lmsysorg/sglang:v0.5.5"),
        (["--tp", "2", "…"], "lmsysorg/sglang:v0.5.5"),
    ]
    assert found[1].env == {"A": "1", "B": "2 3"}


def test_a_template(find) -> None:
    text = FROM + 'CMD ["sglang", "serve", "--tp", "{{ tp }}"]\n'
    (launch,) = find("template", text, "Dockerfile.j2")
    assert launch.words[0] == "--tp"
    assert launch.words[1] in (None, "…")
    assert not launch.fixable


def test_arguments_of_a_shell_in_the_entrypoint(find) -> None:
    (launch,) = find("dockerfile", 'FROM x\nENTRYPOINT ["bash", "-c", "exec sglang serve \\"$@\\"", "--"]\n')
    assert launch.words == ["…"]


@pytest.mark.parametrize(
    ("cmd", "wanted"),
    [
        ("--model-path $M --tp 2", ["--model-path", "m", "--tp", "2"]),
        ("--tp 2 \\\n  --port 30000", ["--tp", "2", "--port", "30000", "…"]),
    ],
)
def test_options_as_text_behind_a_list(find, cmd: str, wanted: list[str]) -> None:
    """SGLang is given them as one word; they are read as they were meant."""
    (launch,) = find("dockerfile", f'FROM x\nENV M=m\nENTRYPOINT ["sglang", "serve"]\nCMD {cmd}\n')
    assert launch.words == wanted
    assert launch.launch.command.flaw is not None


def test_a_command_as_text_behind_a_script(find) -> None:
    (launch,) = find("dockerfile", 'FROM x\nENTRYPOINT ["/start.sh"]\nCMD sglang serve --model-path m\n')
    assert launch.words == ["--model-path", "m"]
    assert launch.launch.command.flaw is None


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('ENTRYPOINT ["python3", "-m", "sglang.launch_server"]\nCMD ["--host", "0.0.0.0"]', ["--host", "0.0.0.0", "…"]),
        ('ENTRYPOINT ["python3", "-m", "sglang.launch_server"]\nCMD ["--model-path", "m"]', ["--model-path", "m"]),
        ('CMD ["python3", "-m", "sglang.launch_server", "--host", "0.0.0.0"]', ["--host", "0.0.0.0"]),
    ],
)
def test_arguments_that_name_no_model_are_given_anew(find, text: str, wanted: list[str]) -> None:
    (launch,) = find("dockerfile", f"FROM lmsysorg/sglang:v0.5.9\n{text}\n")
    assert launch.words == wanted


@pytest.mark.parametrize(
    ("mark", "words"),
    [
        ("<<EOF", ["--model-path", "m", "…"]),
        ("<<-EOF", ["--model-path", "m", "…"]),
        ("<<'EOF'", ["--model-path", "$M", "$@"]),
        ('<<"EOF"', ["--model-path", "$M", "$@"]),
    ],
)
def test_a_dollar_in_a_script_that_is_written(find, mark: str, words: list[str]) -> None:
    """Where variables are put in, a backslash keeps a dollar for the script."""
    text = f'ENV M=m\nCOPY {mark} /start.sh\nexec sglang serve --model-path \\$M "\\$@"\nEOF\nCMD /start.sh\n'
    (launch,) = find("dockerfile", FROM + text)
    assert launch.words == words


@pytest.mark.parametrize(
    "words",
    [
        "['sglang', 'serve', '--model-path', 'm', '--tp', '2']",
        '["sglang", "serve", "--model-path", "m", "--tp", "2",]',
        "[ 'sglang', \"serve\", '--model-path', \\\n  'm', '--tp', '2', ]",
    ],
)
def test_a_list_that_is_no_json(find, words: str) -> None:
    """A shell is given it; it is read as it was meant."""
    for name in ("CMD", "ENTRYPOINT"):
        (launch,) = find("dockerfile", f"{FROM}{name} {words}\n")
        assert launch.words == WORDS
        assert launch.launch.command.flaw[0] == "list"
    assert find("dockerfile", FROM + "CMD [ -f /m ] && exec sglang serve --model-path m")[0].launch.command.flaw is None


@pytest.mark.parametrize(
    "text",
    [
        "COPY <<'EOF' /etc/supervisor/conf.d/s.conf\n[program:s]\ncommand=PROGRAM\nautostart=true\nEOF\n",
        "RUN cat > /etc/supervisor/s.ini <<EOF\n[program:s]\ncommand=PROGRAM\nEOF\n",
        "COPY <<EOF /etc/systemd/system/s.service\n[Service]\nExecStart=/usr/bin/PROGRAM\nEOF\n",
    ],
)
def test_services_that_are_written(find, text: str) -> None:
    (launch,) = find("dockerfile", FROM + text.replace("PROGRAM", "sglang serve --model-path m --tp 2"))
    assert (launch.words, launch.image) == (WORDS, "lmsysorg/sglang:v0.5.5")


def test_other_settings_that_are_written(find) -> None:
    assert find("dockerfile", FROM + "COPY <<EOF /etc/x.conf\nrun: sglang serve --model-path m\nEOF\n") == []
