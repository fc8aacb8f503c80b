"""The options of a launch: which are written, with which value, where, and when."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import Launch, launches
from speclint.sglang import catalog
from speclint.sglang.options import Options
from speclint.sglang.setting import Setting
from speclint.source import SourceFile
from speclint.text import Mapped, Span
from speclint.value import Choice, Known, Unknown
from speclint.words import Command, Word
from speclint.worlds import worlds

RUN = "python -m sglang.launch_server"


def options(script: str, release: str = "0.5.23", host: str = "shell") -> Options:
    file = SourceFile({"shell": "x.sh", "python": "x.py"}[host], script.encode())
    found = launches(inner for outer in hosts.read(file, host) for inner in commands(outer))
    assert len(found) == 1
    return Options.read(found[0], catalog.release(release, found[0].entrypoint))


def values(read: Options, dest: str) -> list[object]:
    """The typed value in every world of the option, "absent" where it is not written, "?" where that is not known."""
    result: list[object] = []
    for world in worlds(read.choices(dest)) or ():
        setting = read.at(dest, world)
        value = setting.typed(world) if isinstance(setting, Setting) else setting
        result.append("absent" if setting is None else "?" if isinstance(value, Unknown) else value)
    return result


def text(span: Span | None) -> str | None:
    return None if span is None else span.text


def only(read: Options, dest: str) -> Setting:
    (setting,) = read.written(dest)
    return setting


@pytest.mark.parametrize(
    ("arguments", "dest", "value"),
    [
        ("--tp-size 8", "tp_size", 8),
        ("--tp 8", "tp_size", 8),
        ("--tensor-parallel-size=8", "tp_size", 8),
        ("--speculative-eagle 4", "speculative_eagle_topk", 4),
        ("--tp 4 --tp 8", "tp_size", 8),
        ("--trust-remote-code", "trust_remote_code", True),
        ("--mem-fraction-static .8", "mem_fraction_static", 0.8),
        ("--model-path a/b", "model_path", "a/b"),
        ("--model a/b", "model_path", "a/b"),
        ("--tp-size eight", "tp_size", "?"),
        ("", "tp_size", "absent"),
        ('"$@"', "tp_size", "?"),
        ('--tp 4 "$@"', "tp_size", 4),
        ("--config c.yaml", "tp_size", "?"),
        ("--config c.yaml --tp 4", "tp_size", 4),
        ('--tp "$1"', "tp_size", "?"),
        ("--cuda-graph-bs-decode 1 2 4", "cuda_graph_bs_decode", (1, 2, 4)),
    ],
)
def test_what_is_written_is_what_argparse_makes_of_it(arguments: str, dest: str, value: object) -> None:
    assert values(options(f"{RUN} {arguments}"), dest) == [value]


@pytest.mark.parametrize(
    ("script", "dest", "expected"),
    [
        (f'{RUN} --tp "${{TP:-4}}"', "tp_size", [4, "?"]),
        (f"if a; then TP=4; else TP=8; fi\n{RUN} --tp $TP", "tp_size", [4, 8]),
        (f"A=(--tp 4)\nif a; then A+=(--dp 2); fi\n{RUN} ${{A[@]}}", "dp_size", [2, "absent"]),
        (f"if a; then A='--tp 4'; else A='--tp 8'; fi\n{RUN} $A", "tp_size", [4, 8]),
        (f"if a; then A=4; else A='8 --dp 2'; fi\n{RUN} --tp $A", "tp_size", [4, 8]),
        (f"if a; then A=4; else A='8 --dp 2'; fi\n{RUN} --tp $A", "dp_size", ["absent", 2]),
        (f"if a; then A='1 2'; else A='4'; fi\n{RUN} --cuda-graph-bs-decode $A --tp 2", "cuda_graph_bs_decode", [(1, 2), (4,)]),
        (f"if a; then A='4 --dp 2'; elif b; then A='8 --dp 4'; else A='16 --dp 8'; fi\n{RUN} --tp $A --pp 2", "dp_size", [2, 2, 4, 8]),
        (f'if a; then A=$1; else A=$2; fi\n{RUN} --tp $A --dp 2', "dp_size", [2]),
        (f"A=(--tp 2)\nif a; then A+=(--tp 4); fi\n{RUN} ${{A[@]}}", "tp_size", [4, 2]),
    ],
)  # fmt: skip
def test_it_differs_by_world(script: str, dest: str, expected: list[object]) -> None:
    assert values(options(script), dest) == expected


@pytest.mark.parametrize(
    ("script", "dest", "flag", "value"),
    [
        (f"{RUN} --tp 8", "tp_size", "--tp", "8"),
        (f"{RUN} --tp=8", "tp_size", "--tp", "8"),
        (f"{RUN} '--tp=8'", "tp_size", "--tp", "8"),
        (f'{RUN} --tp="8"', "tp_size", "--tp", "8"),
        (f"TP=8\n{RUN} --tp=$TP", "tp_size", "--tp", "$TP"),
        (f'TP=8\n{RUN} --tp "$TP"', "tp_size", "--tp", '"$TP"'),
        (f"TP=8\n{RUN} --tp=$(nproc)", "tp_size", "--tp", "$(nproc)"),
        (f"{RUN} --cuda-graph-bs-decode 1 2 4 --tp 8", "cuda_graph_bs_decode", "--cuda-graph-bs-decode", "1 2 4"),
        (f"A=(--tp 8)\n{RUN} ${{A[@]}}", "tp_size", "--tp", "8"),
    ],
)
def test_flag_and_value_stand_where_a_person_would_point(script: str, dest: str, flag: str, value: str) -> None:
    setting = only(options(script), dest)
    assert setting.flag == flag
    assert text(setting.flag_span) == flag
    assert text(setting.value_span) == value


def test_a_switch_has_no_value() -> None:
    setting = only(options(f"{RUN} --trust-remote-code"), "trust_remote_code")
    assert (setting.value, setting.value_span) == (None, None)


def test_a_positional_model_has_no_flag() -> None:
    setting = only(options("sglang serve a/b --tp 2"), "model_path")
    assert (setting.flag, setting.flag_span) == ("", None)
    assert text(setting.value_span) == "a/b"


def test_settings_are_in_the_order_of_writing() -> None:
    read = options(f"{RUN} --tp 8 --model-path a/b --dp 2 --tp 4", "0.5.23")
    assert [setting.flag for setting in read.settings] == ["--tp", "--model-path", "--dp", "--tp"]


@pytest.mark.parametrize(
    ("release", "foreign"), [("0.5.9", True), ("0.5.10", False), ("0.4.0", True)]
)
def test_an_option_of_another_release_is_known_but_does_not_count(release: str, foreign: bool) -> None:
    read = options(f"{RUN} --linear-attn-backend lightning --tp 2", release)
    setting = only(read, "linear_attn_backend")
    assert setting.foreign is foreign
    assert setting.typed({}) == "lightning"
    assert (read.at("linear_attn_backend", {}) is None) is foreign
    assert read.at("linear_attn_backend", {}, foreign=True) is setting
    assert values(read, "tp_size") == [2]


def test_a_foreign_option_with_its_value_inside() -> None:
    setting = only(options(f"{RUN} --linear-attn-backend=lightning", "0.5.9"), "linear_attn_backend")
    assert text(setting.flag_span) == "--linear-attn-backend"
    assert text(setting.value_span) == "lightning"


def test_an_option_whose_value_is_there_in_one_branch_only_is_not_known() -> None:
    read = options(f"A=(--tp)\nif a; then A+=(4); fi\n{RUN} ${{A[@]}} --dp 2")
    assert values(read, "tp_size") == ["?"]
    assert values(read, "dp_size") == [2]


TEXTS = ("--tp-size", "--dp-size=2", "--trust-remote-code", "--cuda-graph-bs-decode", "1", "2", "4", "--tp=8", "--made-up")
CHOICES = (Choice("branch", ("a", "not a")), Choice("branch", ("b", "not b")))
_words = st.recursive(
    st.lists(st.sampled_from(TEXTS), max_size=4).map(lambda texts: [Word(Known(Mapped.new(text)), None) for text in texts]),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map(lambda pair: [*pair[0], *pair[1]]),
        st.tuples(st.sampled_from(CHOICES), inner, inner).map(
            lambda three: [word.when(three[0], 0) for word in three[1]] + [word.when(three[0], 1) for word in three[2]]
        ),
    ),
    max_leaves=5,
)


@settings(deadline=None, max_examples=400)
@given(_words)
def test_what_is_told_of_all_worlds_at_once_holds_in_each(words: list[Word]) -> None:
    """A setting that is known in a world, or known not to be there, is what a parser gets that sees that world only."""
    file = SourceFile("x.sh", b"x")
    release = catalog.release("0.5.23")
    whole = Span(file, 0, 1)
    launch = Launch(Command(words, whole, "shell"), "sglang.launch_server", words, whole)
    read = Options.read(launch, release)
    for world in worlds(CHOICES) or ():
        launch.words = tuple(Word(word.value, None) for word in words if word.holds(world))
        alone = Options.read(launch, release)
        for dest in ("tp_size", "dp_size", "trust_remote_code", "cuda_graph_bs_decode"):
            told, true = read.at(dest, world), alone.at(dest, {})
            if isinstance(told, Unknown) or (isinstance(told, Setting) and isinstance(told.typed(world), Unknown)):
                continue
            assert (told is None) == (true is None), (dest, world)
            if isinstance(told, Setting) and isinstance(true, Setting):
                assert told.typed(world) == true.typed({}), (dest, world)


ENGINE = "import sglang\n"


@pytest.mark.parametrize(
    ("arguments", "dest", "value"),
    [
        ("tp_size=8", "tp_size", 8),
        ("trust_remote_code=True", "trust_remote_code", True),
        ("trust_remote_code=False", "trust_remote_code", False),
        ("speculative_eagle_topk=None", "speculative_eagle_topk", "absent"),
        ("model_path='a/b'", "model_path", "a/b"),
        ("tp_size=x", "tp_size", "?"),
        ("**more", "tp_size", "?"),
        ("tp_size=2, **more", "tp_size", 2),
    ],
)
def test_keywords_are_settings_too(arguments: str, dest: str, value: object) -> None:
    assert values(options(f"{ENGINE}sglang.Engine({arguments})", host="python"), dest) == [value]


def test_a_keyword_stands_where_it_is_written() -> None:
    setting = only(options(f"{ENGINE}sglang.Engine(tp_size = 8)", host="python"), "tp_size")
    assert text(setting.flag_span) == "tp_size"
    assert text(setting.value_span) == "8"


def test_a_keyword_of_another_release_is_foreign() -> None:
    read = options(f"{ENGINE}sglang.Engine(linear_attn_backend='lightning')", "0.5.9", "python")
    assert only(read, "linear_attn_backend").foreign
