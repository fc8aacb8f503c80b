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
