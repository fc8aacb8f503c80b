"""The nodes of PyYAML's parser, however it was loaded."""

from __future__ import annotations

import subprocess
import sys

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint.hosts.yaml import loader

_TEXTS = [
    "a: [1, 2]\nb: {c: null, d: ~}\n",
    "- &x 1\n- *x\n---\n- '1'\n- \"a\\nb\"\n",
    "a: |\n  x\n",
    "",
    "--- !t {a: !!str 1}\n",
]


def _plain(text: str) -> str | None:
    """The tag that PyYAML itself resolves, None where the text is no plain scalar."""
    try:
        node = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError:
        return None
    return node.tag if isinstance(node, yaml.ScalarNode) and node.style is None and node.value == text else None


@given(
    st.one_of(
        st.from_regex(r"[-+]?[0-9.:_exbTZ\-+ ]{1,12}", fullmatch=True),
        st.text("0123456789+-._:eExXbo~=<nulfatrsy", max_size=8),
    )
)
@settings(max_examples=1000, deadline=None)
@example("0.0.0.0")
@example("1.5Gi")
@example("0o7")
@example("08")
@example("2001-12-14t21:59:43.10-05:00")
@example("2001-1-4 1:59:43 Z")
@example("-.inf")
@example("1e3")
@example("190:20:30.15")
@example("٣")
def test_tags_are_those_of_pyyaml(text):
    expected = _plain(text)
    if expected is not None:
        assert loader.tag_of(text) == expected


@pytest.mark.parametrize("text", _TEXTS)
def test_nodes_are_those_of_pyyaml(text):
    made = loader.loader(text)
    expected = yaml.SafeLoader(text)
    while expected.check_node():
        assert made.check_node()
        assert yaml.serialize(made.get_node()) == yaml.serialize(expected.get_node())
    assert not made.check_node()


def test_the_package_is_whole_after_the_parser_was_loaded_without_it():
    code = (
        "import sys\n"
        "from speclint import process\n"
        "from speclint.hosts.yaml import loader\n"
        "process.is_ours = True\n"
        "assert loader.loader('a: 1').check_node()\n"
        "assert 'yaml' not in sys.modules\n"
        "try:\n"
        "    nodes = loader.loader('a: [')\n"
        "    while nodes.check_node():\n"
        "        nodes.get_node()\n"
        "except loader.errors().MarkedYAMLError as error:\n"
        "    assert error.problem_mark.index == 4\n"
        "else:\n"
        "    raise AssertionError\n"
        "import yaml\n"
        "assert yaml.__with_libyaml__ and yaml.load('a: [1, .5]', Loader=yaml.CSafeLoader) == {'a': [1, 0.5]}\n"
        "try:\n"
        "    yaml.load('a: [', Loader=yaml.CSafeLoader)\n"
        "except yaml.YAMLError:\n"
        "    pass\n"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
