"""Python modules that only list options, for other code to start a server with."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from speclint.hosts import python
from speclint.launch import launches
from speclint.source import SourceFile
from speclint.worlds import default_text

if TYPE_CHECKING:
    from speclint.launch import Launch

IMPORT = "from sglang.test.test_utils import popen_launch_server\n"
LIST = "['--tp', '8', '--mem-fraction-static', '0.8', '--chunked-prefill-size', '64', '--disable-radix-cache']"
MAP = "{'tp_size': 8, 'mem_fraction_static': 0.8, 'chunked_prefill_size': 64, 'disable_radix_cache': True}"


def find(text: str) -> list[Launch]:
    return launches(python.read(SourceFile("serve.py", textwrap.dedent(text).encode())))


@pytest.mark.parametrize(
    "text",
    [
        f"{IMPORT}class Test(Base):\n    other_args = {LIST}",
        f"{IMPORT}class Test(Base):\n    def setUp(self):\n        self.args = {LIST}",
        f"{IMPORT}def get_server_args():\n    return {LIST}",
        f"{IMPORT}MODELS = [Settings('m', extra_args={LIST})]",
        f"{IMPORT}bench('m', {LIST})",
        f"import vllm\nsglang_args = {LIST}",
        f"{IMPORT}EXTRA_ARGS = ['--page-size', '64']\nother_args = EXTRA_ARGS",
        f"{IMPORT}ARGS = ('--page-size', '64')",
    ],
)
def test_a_list_of_options_is_found_where_it_is_written(text: str) -> None:
    (launch,) = find(text)
    assert launch.entrypoint == "sglang options"
    assert launch.words[-1].many  # what reads it may add to it
    assert launch.words[0].span is not None
    assert launch.span.text.startswith(("['--", "('--"))


@pytest.mark.parametrize(
    "text",
    [
        f"{IMPORT}engine_kwargs = {MAP}",
        f"{IMPORT}start(server_args={MAP})",
        f"config = {{'sglang': {MAP}}}",
        f"config = {{'sglang': [{{'groups': [{{'overrides': {MAP}}}]}}]}}",
        f"sglang_engine_config = {MAP}",
    ],
)
def test_a_dictionary_of_options_is_found_where_it_is_written(text: str) -> None:
    (launch,) = find(text)
    values = {k.name: default_text(k.value) for k in launch.command.keywords or () if k.name}
    assert values == {
        "tp_size": "8",
        "mem_fraction_static": "0.8",
        "chunked_prefill_size": "64",
        "disable_radix_cache": "True",
    }
    assert launch.span.text == MAP


ARGS = "model_path=path(x), mem_fraction_static=0.8, own_of_the_program=1, disable_radix_cache=True"


@pytest.mark.parametrize("name", ["SGLangConfig", "cli.SGLangConfig", "SglangServerArgs", "SGLangEngineConfig"])
def test_a_class_of_options_is_found_where_it_is_called(name: str) -> None:
    """The program that reads it sets options of its own."""
    call = f"{name}({ARGS})"
    (launch,) = find(f"from areal import cli\ncmd = {name}.build(config={call}, tp_size=1)")
    assert launch.entrypoint == "sglang options"
    keywords = launch.command.keywords or ()
    assert [k.name for k in keywords[:2]] == ["model_path", "mem_fraction_static"]
    assert keywords[-1].name is None
    assert launch.span.text == call


@pytest.mark.parametrize(
    "text",
    [
        "SGLangConfig(model_path='m', name='x')",
        "SGLangConfig(name='x', marks=[], mem_fraction_static=0.8, script='y', timeout=3)",
        "SGLangModelConfigs(mem_fraction_static=0.8)",
        "VllmConfig(mem_fraction_static=0.8, disable_radix_cache=True)",
        "class SGLangConfig:\n    mem_fraction_static: float = 0.8",
        "given = {'mem_fraction_static': 0.8, 'disable_radix_cache': True}\nSglangArgs(**given)",
        "assert_same(SGLangConfig(mem_fraction_static=0.8, disable_radix_cache=True))",
    ],
)
def test_a_class_that_is_none_of_options(text: str) -> None:
    assert not find(text)


@pytest.mark.parametrize(
    "text",
    [
        # What a launch of the module was given is no second one.
        f"{IMPORT}args = {LIST}\npopen_launch_server('m', 'u', timeout=1, other_args=args)",
        f"import sglang\nengine_kwargs = {MAP}\nsglang.Engine(model_path='m', **engine_kwargs)",
    ],
)
def test_what_is_launched_here_is_found_once(text: str) -> None:
    assert [launch.entrypoint for launch in find(text)] != ["sglang options"]
    assert len(find(text)) == 1


@pytest.mark.parametrize(
    "text",
    [
        f"args = parser.parse_args({LIST})",
        f"{IMPORT}assert build() == {LIST}",
        f"{IMPORT}self.assertEqual(build(), {LIST})",
        f"import subprocess\n{IMPORT}subprocess.run(['bench', *{LIST}])",
        f"{IMPORT}import subprocess\ncmd = ['other-server', *{LIST}]",
        f"{IMPORT}info = {{'server_info': {MAP}}}",
        f"{IMPORT}vllm_args = ['--tensor-parallel-size', '2', '--trust-remote-code', '--max-model-len', '64']",
        f"{IMPORT}other_args = ['--tensor-parallel-size', '2', '--trust-remote-code']",
        f"{IMPORT}bench_args = ['--dataset-name', 'x', '--num-prompts', '8', '--mem-fraction-static', '0.8']",
        f"names = {{{LIST[1:-1]}}}",
        "engine_kwargs = {'tp_size': 8, 'page_size': 1}",
    ],
)
def test_other_lists_are_not_options_of_sglang(text: str) -> None:
    assert find(text) == []


def test_what_is_added_later_belongs_to_the_list() -> None:
    (launch,) = find(
        f"{IMPORT}def get_args(self):\n    args = {LIST}\n    if self.x:\n        args += ['--page-size', '1']\n    return args"
    )
    assert [w.text for w in launch.words[-3:-1]] == ["--page-size", "1"]
    assert launch.words[-3].guard


def test_a_runner_of_tests_is_an_engine_with_options_of_its_own() -> None:
    text = "from sglang.test.runners import SRTRunner\nwith SRTRunner('m', torch_dtype=d, model_type='generation', tp_size=2) as r:\n    pass"
    (launch,) = find(text)
    assert launch.entrypoint == "SRTRunner"
    assert [k.name for k in launch.command.keywords or ()] == ["model_path", "tp_size", None]
