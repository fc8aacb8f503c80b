"""Makefiles and justfiles: recipes and the variables in them."""

from __future__ import annotations

import pytest

MAKEFILE = """\
MODEL ?= Qwen/Qwen3-8B # the model
TP := 2
ARGS = --tp $(TP) \\
   --port 1
ARGS += --x '{"a": "b c"}'
ifeq ($(GPU),1)
  Q = fp8
endif
export SGLANG_A = 1
B = 2

serve: TOP = 1
serve: deps
\t@echo "sglang serve --model-path m"
\t# sglang serve --model-path m
\t@A=1 sglang serve --model-path $(MODEL) \\
\t  $(ARGS) --quantization $(Q) --top $(TOP) --host $$HOST --rank $${R:-0} --y $(shell x) $@

other: ; -sglang serve --model-path $(UNSET)
"""


def test_makefile(find) -> None:
    first, second = find("makefile", MAKEFILE)
    assert first.row == 16
    assert first.words[:8] == [
        "--model-path",
        ["Qwen/Qwen3-8B", None],
        "--tp",
        "2",
        "--port",
        "1",
        "--x",
        '{"a": "b c"}',
    ]
    rest = ["--quantization", "…", "--top", "…", "--host", "…", "--rank", ["0", None], "--y", "…", "…"]
    assert first.words[8:] == rest
    assert first.env == {"SGLANG_A": "1", "A": "1"}
    assert (second.row, second.words) == (19, ["--model-path", "…"])


@pytest.mark.parametrize(
    "text",
    [
        "A = sglang serve --model-path m\n",
        "# a:\n#\tsglang serve --model-path m\n",
        "define X\na:\n\tsglang serve --model-path m\nendef\n",
        "a:\n\tpkill -f 'sglang serve --model-path m'\n",
    ],
)
def test_nothing_runs(find, text: str) -> None:
    assert find("makefile", text) == []


def test_a_command_in_a_variable(find) -> None:
    (launch,) = find("makefile", "RUN = python -m sglang.launch_server\na:\n\t$(RUN) --model-path m\n")
    assert launch.words == ["--model-path", "m"]


def test_variables_that_hold_each_other(find) -> None:
    (launch,) = find("makefile", "A = $(B)\nB = $(A)\na:\n\tsglang serve --model-path $(A)\n")
    assert launch.words[0] == "--model-path"


JUSTFILE = """\
model := "Qwen/Qwen3-8B"
export SGLANG_A := '1'
other := `date`

# sglang serve --model-path m
serve tp="2" *args:
    @sglang serve --model-path {{model}} --tp {{ tp }} \\
      --port {{other}} {{args}}
    echo sglang serve --model-path m

script:
    #!/usr/bin/env bash
    TP=4
    sglang serve --model-path {{model}} --tp $TP
"""


def test_justfile(find) -> None:
    first, second = find("justfile", JUSTFILE)
    assert (first.row, second.row) == (7, 14)
    assert first.words == ["--model-path", "Qwen/Qwen3-8B", "--tp", ["2", None], "--port", "…", "…"]
    assert first.env == {"SGLANG_A": "1"}
    assert second.words == ["--model-path", "Qwen/Qwen3-8B", "--tp", "4"]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('tp := "2"\nserve t=tp:\n  RUN --tp {{t}}\n', ["--tp", ["2", None]]),
        ('serve t=tp:\n  RUN --tp {{t}}\ntp := "2"\n', ["--tp", ["2", None]]),
        ("serve t=tp:\n  RUN --tp {{t}}\n", ["--tp", "…"]),
        ('serve a="2" b=a:\n  RUN --tp {{b}}\n', ["--tp", [["2", None], None]]),
        ('serve t=("1" + "6") u="a:b":\n  RUN --tp {{t}}\n', ["--tp", ["16", None]]),
        ('serve $TP="2":\n  RUN --tp $TP\n', ["--tp", ["2", None]]),
        ('x := "1"\nserve:\n  RUN {{ if x != "" { "--trust-remote-code" } else { "" } }}\n', ["--trust-remote-code"]),
        ('x := ""\nserve:\n  RUN {{ if x != "" { "--trust-remote-code" } else { "" } }}\n', []),
        ('x := "1"\nserve:\n  RUN --tp {{ if x == "1" { "2" } else { "4" } }} --dp 2\n', ["--tp", "2", "--dp", "2"]),
        ('x := "3"\nserve:\n  RUN --tp {{ if x == "1" { "2" } else if x == "3" { "8" } else { "4" } }}\n', ["--tp", "8"]),
        ('serve:\n  RUN --tp {{ if arch() == "x" { "2" } else { "4" } }}\n', ["--tp", "…"]),
        ('serve x:\n  RUN --tp {{ if x == "1" { "2" } else { "4" } }}\n', ["--tp", ["2", "4"]]),
        ('serve x:\n  RUN --tp {{ if x =~ "^1" { "2" } else { "4" } }}\n', ["--tp", ["2", "4"]]),
        ('x := "1"\nserve:\n  RUN --host {{ uppercase(x) }} --tp {{ if x == "1" { "2" } else { "4" } }}\n', ["--host", "…", "--tp", "2"]),
        ('a := "--tp " + b\nb := "2"\nserve:\n  RUN {{a}}\n', ["--tp", "2"]),
        ('a := a + "x"\nserve:\n  RUN --tp {{a}}\n', ["--tp", None]),
        ('d := "/m"\nserve:\n  RUN --tokenizer-path {{ d / "x" }}\n', ["--tokenizer-path", "/m/x"]),
        ('a := "x\\"y"\nserve:\n  RUN --host \'{{a}}\'\n', ["--host", 'x"y']),
    ],
)
def test_expressions_of_a_justfile(find, text: str, words: list[object]) -> None:
    (launch,) = find("justfile", text.replace("RUN", "sglang serve --model-path m"))
    assert launch.words == ["--model-path", "m", *words]


def test_variables_of_a_justfile_that_hold_many_others(find) -> None:
    text = "".join(f"a{n} := a{n + 1} + a{n + 1}\n" for n in range(5000))
    (launch,) = find("justfile", text + "serve:\n  sglang serve --model-path m --tp {{a0}} --dp {{a4999}}\n")
    assert launch.words[:3] == ["--model-path", "m", "--tp"]
