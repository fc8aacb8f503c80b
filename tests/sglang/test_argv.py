from __future__ import annotations

import argparse
import functools
import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from speclint.sglang import argv, catalog
from speclint.sglang.argv import Word

if TYPE_CHECKING:
    from collections.abc import Sequence

    from speclint.sglang.catalog import Option, Release

NEWEST = "0.5.23"


def read(line: str, version: str = NEWEST, entrypoint: str = "sglang.launch_server") -> argv.Parsed:
    """Reads a line of words: ``?`` is an unknown word, ``*`` any number of them, ``--port=?`` one with a known beginning."""
    words = []
    for text in line.split(" ") if line else ():
        if text == "*":
            words.append(Word(None, many=True))
        elif text.endswith("?"):
            words.append(Word(None, text[:-1]))
        else:
            words.append(Word(text))
    return argv.parse(words, catalog.release(version, entrypoint))


def told(parsed: argv.Parsed) -> list[tuple[str, int | None, str]]:
    return [(problem.kind, problem.index, problem.spelling) for problem in parsed.problems]


def test_uses_and_what_counts() -> None:
    parsed = read("--model-path m --tp 2 --tp-size=4 --trust-remote-code")
    assert told(parsed) == []
    assert [
        (use.spelling, use.option.dest, use.index, use.value_indices, use.inline, use.values) for use in parsed.uses
    ] == [
        ("--model-path", "model_path", 0, (1,), False, ("m",)),
        ("--tp", "tp_size", 2, (3,), False, ("2",)),
        ("--tp-size", "tp_size", 4, (4,), True, ("4",)),
        ("--trust-remote-code", "trust_remote_code", 5, (), False, ()),
    ]
    assert parsed.last["tp_size"] is parsed.uses[2]
    assert parsed.uses[1].shortened
    assert not parsed.uses[2].shortened
    assert (parsed.open, parsed.certain, parsed.positionals) == (False, True, ())


@pytest.mark.parametrize(
    ("version", "line", "problems"),
    [
        (NEWEST, "--model-path m --tp_size 2", [("unknown", 2, "--tp_size")]),
        (NEWEST, "--model m -tp 2", [("unknown", 2, "-tp")]),
        (NEWEST, "--model m --speculative-num 3", [("ambiguous", 2, "--speculative-num")]),
        (NEWEST, "--model m --speculative-algo EAGLE", []),
        ("0.5.19", "--model m --cuda-graph-max-bs 3", []),
        (NEWEST, "--model m --cuda-graph-max-bs 3", [("ambiguous", 2, "--cuda-graph-max-bs")]),
        (NEWEST, "--model m --tp", [("missing-value", 2, "--tp")]),
        (NEWEST, "--model m --tp --dp 2", [("missing-value", 2, "--tp")]),
        (NEWEST, "--model m --tp two", [("invalid-type", 3, "--tp")]),
        (NEWEST, "--model m --tp=", [("invalid-type", 2, "--tp")]),
        (NEWEST, "--model m --attention-backend lightning", [("invalid-choice", 3, "--attention-backend")]),
        (NEWEST, "--model m --log-requests-level 02", []),
        (NEWEST, "--model m --log-requests-level 9", [("invalid-choice", 3, "--log-requests-level")]),
        (
            NEWEST,
            "--model m --cuda-graph-bs-decode 1 x 3 y",
            [("invalid-type", 4, "--cuda-graph-bs-decode"), ("invalid-type", 6, "--cuda-graph-bs-decode")],
        ),
        (NEWEST, "--model m --trust-remote-code true", [("positional", 3, "true")]),
        (NEWEST, "--model m --trust-remote-code=true", [("unexpected-value", 2, "--trust-remote-code")]),
        (NEWEST, "--model m --chunked-prefill-size -1", []),
        (NEWEST, "--model m --chunked-prefill-size -1.5", [("invalid-type", 3, "--chunked-prefill-size")]),
        (
            NEWEST,
            "--model m --chunked-prefill-size -x",
            [("missing-value", 2, "--chunked-prefill-size"), ("unknown", 3, "-x")],
        ),
        (NEWEST, "--tp 2", [("missing-required", None, "--model-path")]),
        (NEWEST, "", [("missing-required", None, "--model-path")]),
        (NEWEST, "--model m --context-length 128k", []),
        ("0.5.9", "--model m --context-length 128k", [("invalid-type", 3, "--context-length")]),
        (NEWEST, "--model m --context-length 1.5Ki", [("invalid-type", 3, "--context-length")]),
        (NEWEST, "--model m --preferred-sampling-params {", [("invalid-type", 3, "--preferred-sampling-params")]),
        (NEWEST, "--model m --no-lora-strict-loading --lora-paths", []),
        (NEWEST, "--model m --lora-paths a {b}", [("invalid-type", 4, "--lora-paths")]),
        ("0.4.10", "--model m --lora-paths a {b}", []),
        (NEWEST, "--model m --model-checksum --tp 2", []),
        ("0.5.4", "--model m --enable-ep-moe", [("refused", 2, "--enable-ep-moe")]),
        (NEWEST, "--model m --config a.yaml --config b.yml", [("config-repeated", 4, "--config")]),
        (NEWEST, "--config a.json", [("config-not-yaml", 1, "--config")]),
        (
            NEWEST,
            "m --tp 2 -- x",
            [("positional", 0, "m"), ("positional", 4, "x"), ("missing-required", None, "--model-path")],
        ),
    ],
)
def test_problems(version: str, line: str, problems: list[tuple[str, int | None, str]]) -> None:
    assert told(read(line, version)) == problems


def test_what_a_problem_tells() -> None:
    (ambiguous,) = read("--model m --cuda-graph-max-bs 3").problems
    assert ambiguous.candidates == ("--cuda-graph-max-bs-decode", "--cuda-graph-max-bs-prefill")
    assert ambiguous.words == (3,)
    (unknown,) = read("--model m --no-such a b --tp 2").problems
    assert unknown.words == (3, 4)
    (wrong,) = read("--model m --load-format x").problems
    assert wrong.value == "x"
    assert "auto" in wrong.choices
    (number,) = read("--model m --tp x").problems
    assert number.expected == "int"


def test_words_with_blanks_are_bare_unless_an_option_begins_them() -> None:
    release = catalog.release(NEWEST)
    parsed = argv.parse([Word("--model-path"), Word("m"), Word("--tp 8")], release)
    assert told(parsed) == [("positional", 2, "--tp 8")]
    parsed = argv.parse([Word("--model-path"), Word("m"), Word("--served-model-name=a b")], release)
    assert told(parsed) == []


@pytest.mark.parametrize(
    ("line", "values", "opens"),
    [
        ("--model m --tp ? --dp 2", {"tp_size": (None,), "dp_size": ("2",)}, ()),
        ("--model m --tp *", {"tp_size": (None,)}, ()),
        ("--model m --tp * x", {"tp_size": (None,)}, ()),
        ("--model m --port=? --dp 2", {"port": (None,), "dp_size": ("2",)}, ()),
        ("--model m * --dp 2", {"dp_size": ("2",)}, (2,)),
        ("--model m ? x y --dp 2", {"dp_size": ("2",)}, (2,)),
        ("--model m --po? x", {}, (2,)),
        ("--model m --tp --f? x", {"tp_size": ()}, (3,)),
        ("* --dp 2", {"dp_size": ("2",)}, (0,)),
        ("--model m --cuda-graph-bs-decode 1 * x y", {"cuda_graph_bs_decode": ("1", None, "x", "y")}, (4,)),
        ("--model m --cuda-graph-bs-decode * --dp 2", {"cuda_graph_bs_decode": (None,), "dp_size": ("2",)}, ()),
        ("--cuda-graph-bs-decode 1 *", {"cuda_graph_bs_decode": ("1", None)}, (2,)),
        ("--model m --model-checksum ? x", {"model_checksum": (None,)}, ()),
        ("--model qwen/? --tp 2", {"model_path": (None,), "tp_size": ("2",)}, ()),
        ("--config ?", {"config": (None,)}, (0,)),
        ("--model m -- ?", {}, (3,)),
    ],
)
def test_unknown_words(line: str, values: dict[str, tuple[str | None, ...]], opens: tuple[int, ...]) -> None:
    parsed = read(line)
    assert told(parsed) == []
    assert {dest: use.values for dest, use in parsed.last.items() if dest != "model_path" or dest in values} == {
        **({"model_path": ("m",)} if "model_path" in values and "m" in line.split(" ") else {}),
        **values,
    }
    assert parsed.opens == opens
    assert parsed.open == bool(opens)
    assert not parsed.certain


def test_known_mistakes_beside_unknown_words_are_still_told() -> None:
    assert told(read("* --tp x --no-such 1")) == [("invalid-type", 2, "--tp"), ("unknown", 3, "--no-such")]
    assert told(read("--model m ? x --dp 2 y")) == [("positional", 6, "y")]


def test_config_is_read_only_in_two_words() -> None:
    merged = read("--config a.yaml")
    assert merged.config is not None
    assert merged.open
    for line in ("--config=a.yaml", "--conf a.yaml"):
        parsed = read(line)
        assert parsed.config is None
        assert told(parsed) == [("missing-required", None, "--model-path")]
    old = read("--model m --config a.yaml", "0.4.6.post5")
    assert told(old) == [("unknown", 2, "--config")]
    assert not old.open


def test_help_ends_it() -> None:
    parsed = read("--tp x --help --tp y --no-such")
    assert parsed.help
    assert told(parsed) == [("invalid-type", 1, "--tp")]


def test_serve() -> None:
    parsed = read("Qwen/Qwen3-8B --tp 2 --model-type llm", entrypoint="sglang serve")
    assert told(parsed) == []
    assert parsed.last["model_path"].values == ("Qwen/Qwen3-8B",)
    assert parsed.last["model_path"].spelling == ""
    assert told(read("--tp 2 m", entrypoint="sglang serve")) == [
        ("positional", 2, "m"),
        ("missing-required", None, "--model-path"),
    ]
    assert told(read("m --tp 2", "0.5.9", "sglang serve")) == [
        ("positional", 0, "m"),
        ("missing-required", None, "--model-path"),
    ]
    assert told(read("m --model-ty llm", entrypoint="sglang serve")) == [("unknown", 1, "--model-ty")]
    assert told(read("--model m --model-type llm")) == [("unknown", 2, "--model-type")]
    assert read("? --tp 2", entrypoint="sglang serve").last["model_path"].values == (None,)
    assert read("* --tp 2", entrypoint="sglang serve").open


@pytest.mark.parametrize(
    "line",
    [
        "m --num-gpus 2 --no-such x",
        "--model-type diffusion m --no-such",
        "--model-type=diffusion --no-such",
        "black-forest-labs/FLUX.1-dev --attention-backend fa",
    ],
)
def test_serve_of_a_diffusion_model_is_not_judged(line: str) -> None:
    parsed = read(line, entrypoint="sglang serve")
    assert parsed.foreign
    assert parsed.problems == ()


def test_wrappers_have_options_of_their_own() -> None:
    parsed = read("--migration-limit 3 stray --tp 2 --enable-ep-moe --cuda-graph-bs 3", entrypoint="dynamo.sglang")
    assert told(parsed) == [("unknown", 5, "--enable-ep-moe"), ("ambiguous", 6, "--cuda-graph-bs")]
    assert parsed.last["tp_size"].values == ("2",)
    assert told(read("--tp-size x", entrypoint="dynamo.sglang")) == [("invalid-type", 1, "--tp-size")]
    parsed = read(
        "--rollout 8 --attention-backend flash --sglang-tp-size 2 --sglang-router-ip x --sglang-enable-ep-moe",
        entrypoint="slime",
    )
    assert told(parsed) == [("unknown", 8, "--sglang-enable-ep-moe")]
    assert parsed.last["tp_size"].values == ("2",)
    assert "attention_backend" not in parsed.last


def test_bench_programs() -> None:
    parsed = read("--model m --batch-size 1 2 --correct", entrypoint="sglang.bench_one_batch")
    assert told(parsed) == []
    assert parsed.last["batch_size"].values == ("1", "2")


def test_no_word_list_is_too_odd() -> None:
    release = catalog.release(NEWEST)
    for text in (
        "",
        "-",
        "--",
        "---",
        "--=",
        "-=x",
        "-h=",
        "-hx",
        "\0",
        "\ud800",
        "--tp=\ud800",
        "1" * 5000,
        "[" * 100_000,
    ):
        argv.parse([Word("--tp"), Word(text), Word("--preferred-sampling-params"), Word(text), Word(text)], release)


# ---- against argparse itself -----------------------------------------------------------------------------------------

VERSIONS = ("0.4.0", "0.4.10", "0.5.4", "0.5.9", "0.5.13", "0.5.19", NEWEST)


class RefusedError(Exception):
    """What a parser answers: the kind of error."""


class Parser(argparse.ArgumentParser):
    """The real one, without the usage text, which takes longer than the parsing."""

    def error(self, message: str) -> Any:
        raise RefusedError(next(kind for part, kind in ERRORS if part in message))

    def print_help(self, *_arguments: Any) -> None:
        pass


class LoRAPaths(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        for value in values:
            if value.strip().startswith("{") and value.strip().endswith("}"):
                try:
                    assert {"lora_name", "lora_path"} <= json.loads(value).keys()
                except (ValueError, AssertionError):
                    raise RefusedError("invalid-type") from None
        setattr(namespace, self.dest, values)


class Retired(argparse.Action):
    def __init__(self, *args: Any, kind: str, **kwargs: Any) -> None:
        super().__init__(*args, nargs=0, **kwargs)
        self.kind = kind

    def __call__(self, *_arguments: Any) -> None:
        if self.kind == "refused":
            raise RefusedError("refused")


class Constant(argparse.Action):
    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: str | None = None) -> None:
        setattr(namespace, self.dest, self.const)


def human(text: str) -> int:
    units = {"k": 10**3, "M": 10**6, "G": 10**9, "T": 10**12, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}
    for unit in sorted(units, key=len, reverse=True):
        if text.strip().endswith(unit):
            number = text.strip().removesuffix(unit)
            return int((int(number) if len(unit) == 2 else float(number)) * units[unit])
    return int(text)


def object_(text: str) -> dict[str, Any]:
    value = json.loads(text)
    if not isinstance(value, dict) or not all(name in ("decode", "prefill") for name in value):
        raise ValueError
    return value


CONVERTERS: dict[str | None, Any] = {
    None: None, "str": str, "int": int, "float": float, "bool": bool, "json": json.loads, "json_list": json.loads,
    "human_int": human, "nullable_str": str, "cuda_graph_config": object_,
}  # fmt: skip


@functools.cache
def real_parser(version: str) -> Parser:
    parser = Parser(prog="server", add_help=False)
    parser.add_argument("-h", "--help", action="help")
    for option in catalog.release(version).unique():
        if option.action != "help":
            parser.add_argument(*option.strings, **arguments(option))
    return parser


def arguments(option: Option) -> dict[str, Any]:
    common: dict[str, Any] = {"dest": option.dest}
    if option.deprecated in ("refused", "ignored"):
        return {**common, "action": Retired, "kind": option.deprecated}
    if option.action == "bool_optional":
        return {"action": argparse.BooleanOptionalAction}
    if option.action == "store_true":
        return {**common, "action": "store_true"}
    if option.action == "store_const" and option.nargs == 0:
        return {**common, "action": "store_const", "const": option.const}
    converter = CONVERTERS[option.type]
    choices = None if option.choices is None else [converter(one) if converter else one for one in option.choices]
    common.update(type=converter, choices=choices, nargs=option.nargs, required=option.required)
    if option.action == "lora_paths":
        return {**common, "action": LoRAPaths}
    if option.action == "store_const":
        return {**common, "action": Constant, "const": option.const}
    return {**common, "const": option.const} if option.nargs == "?" else common


ERRORS = (
    ("ambiguous option", "ambiguous"),
    ("ignored explicit argument", "unexpected-value"),
    ("invalid choice", "invalid-choice"),
    ("invalid ", "invalid-type"),
    ("expected ", "missing-value"),
    ("arguments are required", "missing-required"),
    ("unrecognized arguments", "unrecognized"),
)


def by_argparse(words: Sequence[str], version: str) -> dict[str, Any] | str:
    """What argparse stores for the options that are written, or the kind of its error."""
    parser = real_parser(version)
    empty = argparse.Namespace(**{action.dest: None for action in parser._actions})
    try:
        stored = vars(parser.parse_args(list(words), empty))
    except RefusedError as refused:
        return str(refused)
    except SystemExit:
        return "help"
    return {dest: value for dest, value in stored.items() if value is not None}


def by_speclint(words: Sequence[str], version: str) -> dict[str, Any] | str:
    release = catalog.release(version)
    parsed = argv.parse([Word(text) for text in words], release)
    problem = argv.verdict(parsed)
    if problem is not None:
        return "unrecognized" if problem.kind in ("unknown", "positional") else problem.kind
    if parsed.help:
        return "help"
    return {dest: stored(use) for dest, use in parsed.last.items() if use.option.deprecated != "ignored"}


def stored(use: argv.Use) -> Any:
    option = use.option
    if option.action == "bool_optional":
        return not use.spelling.startswith("--no-")
    if option.nargs == 0 or option.action == "store_const":
        return option.const
    converter = CONVERTERS[option.type] or str
    values = [converter(value) for value in use.values]
    if option.nargs in ("+", "*"):
        return values
    return values[0] if values else option.const


def plain(answer: dict[str, Any] | str) -> str:
    """An answer as text, in which a NaN equals itself."""
    return answer if isinstance(answer, str) else repr(sorted(answer.items()))


VALUES = ("1", "0", "-1", "-1.5", "-.5", "1.5", "", "x", "a b", "-x", "--", "-", "01", "1e3", "nan", "true", "None", "8k", "1.5Ki",
          "{}", "[1]", "{", '{"a": 1}', "/m", "=", "--x y", " 7 ")  # fmt: skip


@st.composite
def written_words(draw: st.DrawFn, release: Release) -> list[str]:
    names = sorted(release.options)
    words: list[str] = draw(st.sampled_from([["--model-path", "m"], []]))
    for _ in range(draw(st.integers(0, 6))):
        name = draw(st.sampled_from(names))
        option = release.options[name]
        if draw(st.booleans()):
            name = name[: draw(st.integers(3, len(name)))] if len(name) > 3 else name
        pool = st.sampled_from([*VALUES, *(option.choices or ())])
        shape = draw(st.sampled_from(("fit", "fit", "fit", "alone", "inline", "value", "mangled")))
        if shape == "fit":
            count = {0: 0, None: 1, "?": draw(st.integers(0, 1))}.get(option.nargs, draw(st.integers(0, 3)))
            words += [name, *(draw(pool) for _ in range(count))]
        elif shape == "inline":
            words.append(f"{name}={draw(pool)}")
        elif shape == "value":
            words.append(draw(pool))
        else:
            words.append(name if shape == "alone" else name.replace("-", "_").replace("__", "--", 1))
    return words


FITTING: dict[str | None, tuple[str, ...]] = {
    "int": ("1", "-1", "07"), "float": ("1", "-.5", "1e3"), "human_int": ("8", "8k", "1Ki"), "json": ("{}", "[1]"),
    "json_list": ("[1]",), "cuda_graph_config": ("{}",),
}  # fmt: skip


@st.composite
def accepted_words(draw: st.DrawFn, release: Release) -> list[str]:
    names = [
        name
        for name, option in sorted(release.options.items())
        if option.deprecated != "refused" and option.dest != "help"
    ]
    words = []
    for name in ["--model-path", *draw(st.lists(st.sampled_from(names), max_size=6))]:
        option = release.options[name]
        pool = st.sampled_from(option.choices or FITTING.get(option.type, ("x", "a b", "1", "-1", "")))
        least, most = {0: (0, 0), None: (1, 1), "?": (0, 1), "*": (0, 3)}.get(option.nargs, (1, 3))
        values = draw(st.lists(pool, min_size=least, max_size=most))
        words += [f"{name}={values[0]}"] if len(values) == 1 and draw(st.booleans()) else [name, *values]
    return words


def comparable(words: Sequence[str], version: str) -> bool:
    # A merged --config is not argparse's business; "--", alone or as a value, is read differently by Python's releases.
    options = catalog.release(version).options
    unique = [
        {options[name].dest for name in options if name.startswith(word.partition("=")[0])}
        for word in words
        if word[:2] == "--"
    ]
    return {"config"} not in unique and not any(word == "--" or word.endswith("=--") for word in words)


@pytest.mark.parametrize("version", VERSIONS)
def test_agrees_with_argparse(version: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(written_words(catalog.release(version)))
    def agrees(words: list[str]) -> None:
        assume(comparable(words, version))
        assert plain(by_speclint(words, version)) == plain(by_argparse(words, version))

    agrees()


@pytest.mark.parametrize("version", VERSIONS)
def test_what_is_accepted_stays_accepted_when_words_are_not_known(version: str) -> None:
    release = catalog.release(version)

    @settings(max_examples=60, deadline=None)
    @given(accepted_words(release), st.data())
    def silent(words: list[str], data: st.DataObject) -> None:
        assume(comparable(words, version))
        assert not isinstance(by_argparse(words, version), str)
        masked: list[Word] = []
        at = 0
        while at < len(words):
            how = data.draw(st.sampled_from(("known", "known", "unknown", "many", "begun")))
            if how == "many":
                masked.append(Word(None, many=True))
                at += data.draw(st.integers(0, 3))
                continue
            known = data.draw(st.integers(0, len(words[at]))) if how == "begun" else 0
            masked.append(Word(words[at]) if how == "known" else Word(None, words[at][:known]))
            at += 1
        assert argv.parse(masked, release).problems == ()

    silent()
