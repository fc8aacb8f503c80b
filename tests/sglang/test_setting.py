"""Values that Python code computes, and variables that a file sets, as rules see them."""

from __future__ import annotations

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.rules import check, load
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.source import SourceFile
from speclint.value import Unknown

RULES = {rule.code: rule for rule in load.rules()}


def view(text: str, host: str) -> View:
    file = SourceFile(f"example.{host}", text.encode())
    (launch,) = launches(inner for outer in hosts.read(file, host) for inner in commands(outer))
    return View(Options.read(launch, catalog.release("0.5.23")), {}, lambda _: None)


def test_none_by_way_of_a_variable_leaves_an_option_out() -> None:
    got = view('import sglang\n\nwidth = None\nsglang.Engine(model_path="m", dp_size=width, tp_size=2)\n', "python")
    assert got.is_set("dp_size") is False
    assert got.value("dp_size") == 1
    assert got.is_set("tp_size") is True


def test_a_truth_value_by_way_of_a_variable_is_none_of_text() -> None:
    got = view('import sglang\n\non = False\nsglang.Engine(model_path="m", enable_dp_attention=on)\n', "python")
    assert got.value("enable_dp_attention") is False


def test_text_in_quotes_stays_text() -> None:
    got = view('import sglang\n\nsglang.Engine(model_path="m", served_model_name="None")\n', "python")
    assert got.value("served_model_name") == "None"


def test_a_default_of_none_is_no_algorithm() -> None:
    text = (
        "import sglang\n\n\ndef serve(algorithm=None):\n"
        '    return sglang.Engine(model_path="m", lora_paths=["a"], speculative_algorithm=algorithm)\n'
    )
    assert check.analyse(text, {"host": "python"}, RULES["SGL604"]) == []


def test_a_variable_that_the_file_sets_is_known_to_be_set() -> None:
    launch = "python -m sglang.launch_server --model-path m"
    assert view(f"SGLANG_X=1 {launch}\n", "shell").is_set("env.SGLANG_X") is True
    assert view(f"{launch}\n", "shell").is_set("env.SGLANG_X") is False


@pytest.mark.parametrize(
    ("text", "number"),
    [("8192", 8192), ("128k", 128_000), ("25.6k", 25_600), ("1M", 1_000_000), ("128Ki", 131_072), (" 4Mi ", 4 << 20)],
)
def test_a_number_with_a_suffix_has_the_value_that_sglang_gives_it(text: str, number: int) -> None:
    got = view(f'import sglang\n\nsglang.Engine(model_path="m", context_length="{text}")\n', "python")
    assert got.value("context_length") == number


@pytest.mark.parametrize("text", ["1.5Ki", "1K", "k", "1.k", ""])
def test_what_sglang_refuses_as_a_number_is_not_known(text: str) -> None:
    got = view(f'import sglang\n\nsglang.Engine(model_path="m", context_length="{text}")\n', "python")
    assert isinstance(got.value("context_length"), Unknown)
