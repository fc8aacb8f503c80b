"""What is told without argparse must be what argparse would tell."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from speclint import arguments, parsers
from speclint.settings import ConfigError

_WORDS = [
    *(
        "a.sh",
        "-",
        "k8s/",
        "SGL201",
        "3",
        "1",
        "text",
        "--",
        "-x",
        "--nothing",
        "--fix=yes",
        "=",
        "--select=",
        "-j",
        "-j4",
    ),
    *(
        "--select",
        "--select=SGL2",
        "--config",
        "--config=a=b",
        "--jobs",
        "--jobs=2",
        "--output-format",
        "--output=json=x",
    ),
    *(
        "--sglang-version=0.5.9..0.5.10",
        "--output_format",
        "--isol",
        "-q",
        "-qj2",
        "--quiet",
        "--no-fix",
        "--fix",
        "-1",
    ),
    *("--help", "-h", "-V", "--version", "--no-respect-gitignore", "--baseline", "--stdin-filename", "", " ", "-q=1"),
    *arguments._SWITCHES,
]


@given(st.lists(st.sampled_from(_WORDS), max_size=6))
@settings(max_examples=300, deadline=None)
@example(["--select", "A", "a.sh", "--select=B", "--fix", "--no-fix"])
@example(["-j", "4", "-"])
@example(["-j4", "a.sh"])
@example(["-j=4", "a.sh"])
def test_usual_options_are_read_as_argparse_reads_them(words):
    quick = arguments.usual(words)
    if quick is None:
        return
    assert quick == vars(parsers.BUILD["check"]().parse_intermixed_args(list(words)))


@pytest.mark.parametrize(
    "words", [[], ["a.sh"], ["--fix", "a.sh", "b"], ["--output-format", "json", "--isolated", "."], ["-j2"]]
)
def test_usual_options_do_without_argparse(words):
    assert arguments.usual(words) is not None


@pytest.mark.parametrize("words", [["--select"], ["--jobs"], ["-j"], ["--config", "--isolated"], ["--nothing"]])
def test_what_is_wrong_is_told_by_argparse(words):
    assert arguments.usual(words) is None
    with pytest.raises(ConfigError):
        arguments.parse(words)
