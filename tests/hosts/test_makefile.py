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
    rest = ["--quantization", "…", "--top", "1", "--host", "…", "--rank", ["0", None], "--y", "…", "…"]
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


CALL = "sglang serve --model-path $(1) --tp $(2)"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (f"define START\n@echo x\n@{CALL}\nendef\na:\n\t$(call START,m,4)\n", ["--tp", "4"]),
        (f"define START\n{CALL} \\\n  --dp 2\nendef\na:\n\t$(call START,m,4)\n", ["--tp", "4", "--dp", "2"]),
        (f"START = {CALL}\nN = 4\na:\n\t$(call START,m,$(N))\n", ["--tp", "4"]),
        (f"START = {CALL} $(3)\na:\n\t$(call START,m,4)\n", ["--tp", "4"]),
        (f"START = {CALL} $(3)\na:\n\t$(call START,m,4,$(X))\n", ["--tp", "4", "…"]),
        ("define ARGS\n--model-path m \\\n--tp 4\nendef\na:\n\tsglang serve $(ARGS)\n", ["--tp", "4"]),
        ("define M\n-m sglang.launch_server --model-path m --tp 4\nendef\na:\n\tpython3 $(M)\n", ["--tp", "4"]),
        ("define START\n-@RUN --tp 4\nendef\na:\n\t$(START)\n", ["--tp", "4"]),
        ("override TP := 4\nTP := 2\na:\n\tRUN --tp $(TP)\n", ["--tp", "4"]),
        ("TP := 2\noverride TP := 4\noverride TP += 1\na:\n\tRUN --tp $(TP)\n", ["--tp", "4", "1"]),
        ("define START =\nsglang serve --model-path m --tp 4\nendef\na:\n\t$(START)\n", ["--tp", "4"]),
        ("a: TP = 4\na:\n\tRUN --tp $(TP)\n", ["--tp", "4"]),
        ("TP = 2\na: TP = 4\nb:\n\tRUN --tp $(TP)\n", ["--tp", "2"]),
        ("TP = 2\na: TP = 4\na: b\nb:\n\tRUN --tp $(TP)\n", ["--tp", "…"]),
        ("TP = 2\na: TP = 4\na: c\nc: b\nb:\n\tRUN --tp $(TP)\n", ["--tp", "…"]),
        ("TP = 2\na: TP = 4\na b:\n\tRUN --tp $(TP)\n", ["--tp", "…"]),
        ("TP = 2\n%: TP = 4\nb:\n\tRUN --tp $(TP)\n", ["--tp", "…"]),
        ("F = --tp 2\na: F += --dp 2\na:\n\tRUN $(F)\n", ["--tp", "2", "--dp", "2"]),
        ("F := --tp 2\nifdef X\nF += --dp 2\nendif\na:\n\tRUN $(F)\n", ["--tp", "2", "--dp", "2"]),
        ("F := --tp 2\nifdef X\nF += --dp 2\nelse ifdef Y\nF += --dp 4\nendif\na:\n\tRUN $(F)\n", ["--tp", "2", "--dp", "2", "…"]),
        ("F := --tp 2\nifdef X\nF = --dp 2\nendif\na:\n\tRUN $(F)\n", ["…"]),
    ],
)  # fmt: skip
def test_variables_of_make(find, text: str, words: list[object]) -> None:
    (launch,) = find("makefile", text.replace("RUN", "sglang serve --model-path m"))
    assert launch.words == ["--model-path", "m", *words]


def test_what_branches_add_is_there_in_one_of_them(find) -> None:
    text = "F := --tp 2\nifdef X\nF += --dp 2\nelse\nF += --dp 4\nendif\na:\n\tsglang serve $(F)\n"
    (launch,) = find("makefile", text)
    ways = {word.guard[0][1]: word.text for word in launch.launch.words if word.guard and word.text != "--dp"}
    assert ways == {0: "2", 1: "4"}
    assert len({choice for word in launch.launch.words for choice, _ in word.guard}) == 1


def test_variables_of_a_file_that_is_included(find, tmp_path) -> None:
    (tmp_path / "config.mk").write_text("TP = 4\nserve:\n\tsglang serve --model-path other\n")
    text = "include config.mk\n-include none.mk *.mk $(X)\nserve:\n\tsglang serve --model-path m --tp $(TP)\n"
    (launch,) = find("makefile", text, str(tmp_path / "Makefile"))
    assert launch.words == ["--model-path", "m", "--tp", "4"]


def test_variables_that_hold_many_others(find) -> None:
    text = "".join(f"A{n} = {f'$(A{n + 1})' * 50}\n" for n in range(9))
    (launch,) = find("makefile", text + "a:\n\tsglang serve --model-path m --tp $(A0)\n")
    assert launch.words[:3] == ["--model-path", "m", "--tp"]


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
