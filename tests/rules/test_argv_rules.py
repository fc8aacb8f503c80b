"""The rules on the command line, from outside: a launch in, findings out; and what they stand on."""

from __future__ import annotations

import pathlib
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.finding import Finding
from speclint.hosts import read
from speclint.hosts.nested import commands
from speclint.launch import Launch, launches
from speclint.rules import evaluate, load
from speclint.rules.checks import words
from speclint.rules.checks.placeholder import is_no_name, is_offered, is_placeholder
from speclint.rules.rule import Rule
from speclint.sglang import argv, catalog, spelling
from speclint.sglang.options import Options
from speclint.source import SourceFile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from tests.conftest import Cli

NEWEST = catalog.newest()
RULES = [rule for rule in load.rules() if rule.code.startswith("SGL1")]
DATA = pathlib.Path(spelling.__file__).parent / "data"


def check(
    text: str, host: str = "shell", release: str = NEWEST, entrypoint: str | None = None, rules: Sequence[Rule] = ()
) -> list[Finding]:
    file = SourceFile("x", text.encode())
    found: list[Finding] = []
    for launch in launches(inner for outer in read(file, host) for inner in commands(outer)):
        if entrypoint is not None:
            launch = Launch(launch.command, entrypoint, launch.words, launch.head)
        options = Options.read(launch, catalog.release(release, launch.entrypoint))
        found.extend(evaluate.check(launch, options, rules or RULES))
    return found


def told(words: str, **more: str) -> list[tuple[str, str, str | None, str]]:
    """(code, level, flag, blamed text) for words behind the server and its model."""
    text = f"python3 -m sglang.launch_server --model-path a/b {words}"
    return [(f.code, f.level, f.flag, f.span.text) for f in check(text, **more)]


def fixed(words: str, **more: str) -> list[tuple[str, str]]:
    """(applicability, what the words become) of each first fix."""
    start = "python3 -m sglang.launch_server --model-path a/b "
    found = []
    for finding in check(start + words, **more):
        if finding.fix is not None:
            text = start + words
            for edit in reversed(finding.fix.edits):
                text = text[: edit.span.start] + edit.content + text[edit.span.end :]
            found.append((finding.fix.applicability, text.removeprefix(start)))
    return found


@pytest.mark.parametrize(
    ("line", "code", "becomes"),
    [
        ("--enable_metrics", "SGL101", ("safe", "--enable-metrics")),
        ("--Enable-Metrics", "SGL101", ("safe", "--enable-metrics")),
        ("-tp 8", "SGL101", ("safe", "--tp-size 8")),
        ("--mem_frac=0.8", "SGL101", ("safe", "--mem-fraction-static=0.8")),
        ("--enable-metrcis", "SGL101", ("unsafe", "--enable-metrics")),
        ("--max-cuda-graph-bs 8", "SGL101", ("unsafe", "--cuda-graph-max-bs-decode 8")),
        ("--speculative-topk 1", "SGL101", ("unsafe", "--speculative-eagle-topk 1")),
        ("--cuda_graph_max_bs 8", "SGL103", ("safe", "--cuda-graph-max-bs-decode 8")),
        ("--stream-output", "SGL103", ("safe", "--incremental-streaming-output")),
        ("--prefill-round-robin-balance --tp 8", "SGL102", ("safe", "--tp 8")),
        ("--cuda-graph-bs 1 2 4", "SGL105", ("safe", "--cuda-graph-bs-decode 1 2 4")),
        ("--enforce-eager", "SGL116", ("unsafe", "--cuda-graph-backend-decode disabled --cuda-graph-backend-prefill disabled")),
        ("-c 4096", "SGL116", ("unsafe", "--context-length 4096")),
        ("--max_model_len 4096", "SGL116", ("unsafe", "--context-length 4096")),
        ("--tp-size 8.0", "SGL108", ("safe", "--tp-size 8")),
        ("--attention-backend Flash-Infer", "SGL109", ("safe", "--attention-backend flashinfer")),
        ("--kv-cache-dtype fp8", "SGL109", ("unsafe", "--kv-cache-dtype fp8_e4m3")),
        ("--trust-remote-code True", "SGL117", ("safe", "--trust-remote-code")),
        ("--enable-metrics=1 --tp 2", "SGL117", ("safe", "--enable-metrics --tp 2")),
        ("--tp 4 --tp 4", "SGL110", ("safe", "--tp 4")),
    ],
)  # fmt: skip
def test_what_is_wrong_and_what_to_write(line: str, code: str, becomes: tuple[str, str]) -> None:
    assert [finding[0] for finding in told(line)] == [code]
    assert fixed(line) == [becomes]


@pytest.mark.parametrize(
    "line",
    [
        "--tp 8 --trust-remote --speculative-algo NGRAM",
        "--chunked-prefill-size -1",
        "--enable-dsa-fused-indexer",
        "--json-model-override-args '{}'",
        "--port $PORT --tp ${TP} --attention-backend $(pick)",
        "--tp N --port '<port>' --context-length {length} --dist-init-addr $(HOST):5000",
        "--lora-paths a=b c=d",
        "--cuda-graph-bs-decode 1 2 4 --served-model-name x",
        "$FLAGS 3",
        "-- ",
    ],
)
def test_nothing_is_said_of_what_is_right_or_not_known(line: str) -> None:
    assert told(line) == []


def test_a_fix_that_would_lose_or_double_something_is_not_safe() -> None:
    # The new option does not take the old value, and the other one is there already with another value.
    assert fixed("--nsa-prefill-backend flashmla_prefill") == [("unsafe", "--dsa-prefill-backend flashmla_prefill")]
    assert fixed("--enable-deepep-moe --moe-a2a-backend mooncake") == [("unsafe", "--moe-a2a-backend mooncake")]
    assert fixed("--enable-deepep-moe --moe-a2a-backend deepep") == [("safe", "--moe-a2a-backend deepep")]


def test_each_word_is_blamed_by_itself() -> None:
    found = told("--tp_size 8 --enable_metrics --dtype fp16")
    assert [(code, text) for code, _, _, text in found] == [
        ("SGL101", "--tp_size"),
        ("SGL101", "--enable_metrics"),
        ("SGL109", "fp16"),
    ]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('B=""\nif [ $G ]; then B=--enable_metrics; fi\n{} $B', ("SGL101", "warning", "when `[ $G ]` holds, ")),
        ("if [ $G ]; then B=bad; else B=fp8; fi\n{} --quantization $B", ("SGL109", "warning", "when `[ $G ]` holds, ")),
        ("if [ $G ]; then B=bad; else B=worse; fi\n{} --quantization $B", ("SGL109", "error", "SGLang ")),
        ("{} --port ${{P:-ten}}", ("SGL108", "warning", "when `P` keeps its default, ")),
    ],
)
def test_what_holds_in_one_branch_is_a_warning_that_names_it(text: str, expected: tuple[str, str, str]) -> None:
    found = check(text.format("python3 -m sglang.launch_server --model-path a/b"))
    assert [(f.code, f.level) for f in found] == [expected[:2]]
    assert found[0].message.startswith(expected[2])


def test_values_of_other_branches_are_no_stray_words() -> None:
    text = (
        "if [ $A ]; then B=fp8; elif [ $C ]; then B=awq; else B=gptq; fi\n"
        "python3 -m sglang.launch_server --model-path a/b --quantization $B --trust-remote-code"
    )
    assert check(text) == []


@pytest.mark.parametrize("models", [2, 9])
def test_an_option_of_one_of_many_branches_is_told(models: int) -> None:
    lines = [
        f'{"elif" if at else "if"} model == "m{at}":\n    more, quant = "--max-num-seqs {at}", "fp8"'
        for at in range(models)
    ]
    text = "\n".join((
        "import argparse, subprocess",
        "parser = argparse.ArgumentParser()",
        'parser.add_argument("--model", default="m")',
        'parser.add_argument("--backend", default="fa3")',
        'parser.add_argument("--profile", default="no")',
        "args = parser.parse_args()",
        "model, more, quant = args.model, '', 'awq'",
        *lines,
        'if args.profile == "yes":\n    more += " --enable_profiling"',
        'cmd = ["python", "-m", "sglang.launch_server", "--model", "a/b", "--quantization", quant]',
        'cmd += ["--attention-backend", args.backend]',
        "if more:\n    cmd.extend(more.split())",
        "subprocess.run(cmd)",
    ))  # fmt: skip
    found = check(text, "python")
    assert [f.span.text for f in found] == ["--max-num-seqs"] * models + ["--enable_profiling"]
    assert {f.level for f in found} == {"warning"}
    assert all(f'`model == "m{at}"` holds, ' in f.message for at, f in enumerate(found[:models]))
    assert '`args.profile == "yes"` holds, ' in found[-1].message


@pytest.mark.parametrize("head", ["--tp ", "--"])
def test_what_is_always_there_and_hangs_on_more_branches_than_are_followed_is_not_told(head: str) -> None:
    branches = "".join(f"if [ $C{at} ]; then V{at}=1; else V{at}=2; fi\n" for at in range(8))
    value = "".join(f"$V{at}" for at in range(8))
    text = f"{branches}python3 -m sglang.launch_server --model-path a/b {head}{value}x --max-num-seqs 3\n"
    assert [f.code for f in check(text)] == ["SGL116"]


def test_what_is_left_without_an_option_of_one_branch_is_read_with_what_stands_before_it() -> None:
    start = "python3 -m sglang.launch_server --model-path a/b"
    for both in ("B=--port", "B=--dtype; else B=--port", 'B="--enable-metrics --port"; else B=--dtype'):
        assert [f.code for f in check(f"if [ $A ]; then {both}; fi\n{start} $B auto")] == ["SGL108"]


@pytest.mark.parametrize(
    ("condition", "count"),
    [
        ('"cuda_graph_bs" in fields', 0),
        ('hasattr(ServerArgs, "cuda_graph_bs")', 0),
        ('"cuda_graph_bs" in inspect.signature(ServerArgs).parameters', 0),
        ('sglang.__version__ < "0.5.14"', 0),
        ('version("sglang") < "0.5.14"', 0),
        ("torch.version.cuda", 1),
        ("args.cuda_graph_bs", 1),
        ('"cuda_graph_bs" in config', 1),
        ('"tp_size" in fields', 1),
    ],
)
def test_an_option_that_is_asked_for_before_is_not_told_to_be_gone(condition: str, count: int) -> None:
    text = f"import sglang\nkw = {{'model_path': 'm'}}\nif {condition}:\n    kw['cuda_graph_bs'] = [1]\nsglang.Engine(**kw)\n"
    assert [f.code for f in check(text, "python")] == ["SGL103"] * count


FIELDS = "import dataclasses, inspect, sglang\nfrom sglang.srt.server_args import ServerArgs\n"
GONE = "model_path='m', cuda_graph_bs=[1]"


@pytest.mark.parametrize(
    ("text", "levels"),
    [
        # What is kept of options is what the release has.
        ("kw = dict({gone})\nkw = {{k: v for k, v in kw.items() if k in ServerArgs.__dataclass_fields__}}\nE(**kw)", []),
        ("kw = {{}}\nfor k, v in dict({gone}).items():\n    if hasattr(ServerArgs, k):\n        kw[k] = v\nE(**kw)", []),
        ("kw = dict({gone})\nfor k in list(kw):\n    if k not in known:\n        kw.pop(k)\nE(**kw)", []),
        # The call stands where its options were asked for, or others were not found.
        ("if 'cuda_graph_bs' in known:\n    E({gone})", []),
        ("if hasattr(ServerArgs, 'cuda_graph_bs'):\n    E({gone})\nelse:\n    E(model_path='m')", []),
        ("if 'cuda_graph_bs' in inspect.signature(ServerArgs).parameters:\n    E({gone})", []),
        ("kw = dict({gone}) if 'cuda_graph_bs' in known else dict(model_path='m')\nE(**kw)", []),
        ("if 'cuda_graph_bs_decode' in known:\n    E(model_path='m')\nelse:\n    E({gone})", []),
        ("if 'tp_size' in known:\n    E({gone})", ["error"]),
        ("if 'cuda_graph_bs' in config:\n    E({gone})", ["warning"]),
        ("if 'cuda' in config:\n    E(model_path='m')\nelse:\n    E({gone})", ["error"]),
    ],
)
def test_an_option_that_is_given_where_the_release_has_it(text: str, levels: list[str]) -> None:
    known = "known = {f.name for f in dataclasses.fields(ServerArgs)}\n"
    text = FIELDS + known + text.format(gone=GONE).replace("E(", "sglang.Engine(")
    assert [f.level for f in check(text, "python") if f.code == "SGL103"] == levels


def test_what_help_lists_is_not_told_to_be_gone() -> None:
    run = "python3 -m sglang.launch_server"
    text = f"A=()\nif {run} --help | grep -q -- --cuda-graph-max-bs; then A+=(--cuda-graph-max-bs 8); fi\n{run} --model-path m "
    assert check(text + '"${A[@]}"\n') == []
    assert [f.code for f in check(text.replace("--help", "--model-path x") + '"${A[@]}"\n')] == ["SGL105"]


def test_a_default_that_somebody_fills_in_is_not_told() -> None:
    text = """
import subprocess
class Base:
    backend = ""
    def run(self, port=None):
        subprocess.run(["sglang", "serve", "--model-path", "a/b", "--attention-backend", self.backend, "--port", str(port)])
"""
    assert check(text, "python") == []


@pytest.mark.parametrize("entrypoint", ["dynamo.sglang", "sglang_router.launch_server", "somebody.else"])
def test_wrappers_are_judged_by_what_sglang_once_had(entrypoint: str) -> None:
    found = told(
        "--own-option 3 stray --max-model-len 8 --enable-ep-moe --attention-backend mine", entrypoint=entrypoint
    )
    assert [(code, flag) for code, _, flag, _ in found] == [("SGL102", "--enable-ep-moe")]
    assert told("--attention-backend dual_chunk_flash_attn", entrypoint=entrypoint)[0][0] == "SGL109"


def test_prefixed_options() -> None:
    line = (
        "--rollout 8 --attention-backend flash --sglang-config x --sglang-enable-deepep-moe --sglang-own x"
        " --sglang-cuda-graph-max-bs 8"
    )
    found = told(line, entrypoint="slime")
    assert [(code, flag) for code, _, flag, _ in found] == [
        ("SGL103", "--sglang-enable-deepep-moe"),
        ("SGL105", "--sglang-cuda-graph-max-bs"),
    ]
    assert (
        "--attention-backend flash --sglang-config x --sglang-moe-a2a-backend deepep"
        in fixed(line, entrypoint="slime")[0][1]
    )
    (finding, *_) = check(f"python3 -m sglang.launch_server {line}", entrypoint="slime")
    assert "(SGLang's `--enable-deepep-moe`)" in finding.message


def test_diffusion_models_have_another_parser() -> None:
    for line in ("--vae-path x", "--component-paths.vae x", "--num-gpus 2 --no-such"):
        assert check(f"sglang serve --model-path a/b {line}") == []
    assert [f.code for f in check("sglang serve --model-path Qwen/Qwen3-8B --no-such-thing")] == ["SGL101"]


def test_rules_on_language_models_say_nothing_of_diffusion_models() -> None:
    """That the ranks spread over the nodes; of a diffusion model ``--num-gpus`` tells how many there are."""
    every = load.rules()
    nodes = "--nnodes 2 --node-rank 0 --dist-init-addr a:1"
    assert [f.code for f in check(f"sglang serve --model-path Qwen/Qwen3-8B {nodes}", rules=every)] == ["SGL402"]
    for line in (
        f"a/b --num-gpus 2 {nodes}",
        f"MiniMax/MiniMax-H3 {nodes}",
        "Wan-AI/Wan2.2-T2V-A14B --dp-size 3 --tp 2",
    ):
        assert check(f"sglang serve --model-path {line}", rules=every) == []


@pytest.mark.parametrize(
    ("call", "code", "flag"),
    [
        ("sglang.Engine(model_path='a', tp=8)", "SGL101", "tp"),
        ("sglang.Engine(model_path='a', enable_metrcis=True)", "SGL101", "enable_metrcis"),
        ("sglang.Engine(model_path='a', disable_piecewise_cuda_graph=True)", "SGL103", "disable_piecewise_cuda_graph"),
        ("sglang.Engine(model_path='a', enable_double_sparsity=True)", "SGL102", "enable_double_sparsity"),
        ("sglang.Engine(model_path='a', max_model_len=4)", "SGL116", "max_model_len"),
        ("sglang.Engine(tp_size=4)", "SGL114", None),
        ("sglang.Runtime(model_path='a', launch_timeout=3, tp_size=2)", None, None),
        ("sglang.Engine(server_args=args)", None, None),
        ("sglang.Engine(**kwargs)", None, None),
    ],
)
def test_keywords(call: str, code: str | None, flag: str | None) -> None:
    found = check(f"import sglang\nllm = {call}\n", "python")
    assert [(f.code, f.flag) for f in found] == ([(code, flag)] if code is not None else [])


def test_a_keyword_is_judged_by_the_fields_and_not_by_the_options() -> None:
    text = "import sglang\nllm = sglang.Engine(model_path='a', disable_piecewise_cuda_graph=True)\n"
    assert [f.code for f in check(text, "python", "0.5.18")] == ["SGL103"]
    assert told("--disable-piecewise-cuda-graph", release="0.5.18")[0][:2] == ("SGL104", "warning")
    text = "import sglang\nllm = sglang.Engine(model_path='a', cuda_graph_backend_prefill='disabled')\n"
    assert [f.code for f in check(text, "python", "0.5.9")] == ["SGL115"]


def test_keys_of_a_dict_that_somebody_changes_are_not_judged() -> None:
    text = """
import sglang
kwargs = {"model_path": "a", "enable_double_sparsity": True}
for key in odd():
    kwargs.pop(key)
llm = sglang.Engine(**kwargs)
"""
    assert check(text, "python") == []


@pytest.mark.parametrize(
    ("release", "expected"),
    [("0.5.9", []), ("0.5.14", ["SGL104"]), ("0.5.19", ["SGL104"]), ("0.5.20", ["SGL105"]), (NEWEST, ["SGL105"])],
)
def test_one_option_through_its_life(release: str, expected: list[str]) -> None:
    assert [code for code, *_ in told("--cuda-graph-max-bs 8", release=release)] == expected


def test_what_ends_the_parser_is_found_and_what_it_takes_is_not() -> None:
    """The rules speak of an error exactly where argv says that the parser stops."""
    refused = {
        "SGL101",
        "SGL102",
        "SGL103",
        "SGL105",
        "SGL107",
        "SGL108",
        "SGL109",
        "SGL111",
        "SGL112",
        "SGL115",
        "SGL116",
        "SGL117",
    }
    release = catalog.release(NEWEST)
    names = [
        *list(release.options)[::9],
        "--cuda-graph-bs",
        "--no-such",
        "--tp_size",
        "--impl",
        "--enable-ep-moe",
        "--ctx-size",
        "-x",
    ]
    for name in names:
        for rest in ("", " 1", " true", " stray y"):
            line = f"--model-path a/b {name}{rest}"
            verdict = argv.verdict(argv.parse([argv.Word(word) for word in line.split()], release))
            errors = {f.code for f in check(f"python3 -m sglang.launch_server {line}") if f.level == "error"}
            if verdict is None:
                assert not errors & refused, line
            elif verdict.option is None or verdict.option.type not in ("json", "json_list", "cuda_graph_config"):
                assert errors, line


WORDS = st.lists(
    st.sampled_from(
        ["--tp", "--tp=", "8", "x", "--enable-metrics", "--cuda-graph-bs", "--nsa-prefill", "-tp", "--", "-", "\"\"", "$X",
         "${Y:-bad}", "\"--dp 2\"", "--json-model-override-args", "{\"a\":1}", "'{'", "–tp", "...", "--config", "--config=a"],
    ),
    max_size=7,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(WORDS)
def test_no_word_list_is_too_odd(line: list[str]) -> None:
    for finding in check(f"python3 -m sglang.launch_server --model-path a/b {' '.join(line)}"):
        assert "?" not in finding.message
        assert "None" not in finding.message
        assert not finding.message.endswith(".")


def test_runs_of_words_are_read_as_the_whole() -> None:
    text = "python3 -m sglang.launch_server a --tp_size 8 9 --port --dtype x --enable-metrics y --cuda-graph-bs 1 2 3 -z --tp 1 2"
    (launch,) = launches(inner for outer in read(SourceFile("x", text.encode()), "shell") for inner in commands(outer))
    options = Options.read(launch, catalog.release(NEWEST))
    assert options.parsed is not None
    kinds = [(p.kind, options.words[p.index]) for p in options.parsed.problems if p.index is not None]
    found = words.met(options, *{kind for kind, _ in kinds})
    assert [(one.problem.kind, one.word) for one in found] == kinds


# -- spelling


@pytest.mark.parametrize(
    ("name", "kind", "new"),
    [
        ("--tp_size", "written", "--tp-size"),
        ("--chunked-prefil-size", "like", "--chunked-prefill-size"),
        ("--enable-radix-cache", "opposite", "--disable-radix-cache"),
        ("--mamba-scheduler", "like", "--mamba-radix-cache-strategy"),
        ("--disable-metrics", "unknown", None),
        ("--xp-size", "unknown", None),
        ("--max-num-seqs", "engine", "--max-running-requests"),
        ("--swap-space", "engine", None),
        ("--nsa-prefill", "removed", "--dsa-prefill-backend"),
    ],
)
def test_meaning(name: str, kind: str, new: str | None) -> None:
    found = spelling.meaning(name, catalog.release(NEWEST))
    assert (found.kind, found.new) == (kind, new)


def test_what_is_offered_is_there_in_the_release() -> None:
    for release in ("0.4.6.post5", "0.5.9", NEWEST):
        known = catalog.release(release)
        for line in (DATA / "engines.tsv").read_text(encoding="utf-8").splitlines():
            found = spelling.meaning(line.split("\t")[0], known)
            if found.kind == "engine" and found.new is not None:
                assert catalog.all_known(known, found.new)


def test_the_tables_are_sorted_and_name_options_of_sglang() -> None:
    every = {name for version in catalog.known() for name in catalog.release(version).options}
    engines = [line.split("\t") for line in (DATA / "engines.tsv").read_text(encoding="utf-8").splitlines()]
    assert [row[0] for row in engines] == sorted({row[0] for row in engines})
    for option, engine, new, how in engines:
        assert engine in ("vLLM", "TensorRT-LLM", "TGI", "llama.cpp")
        assert how in ("same", "review", "value", "default", "none")
        assert option not in every
        assert all(word in every for word in new.split() if word.startswith("--"))
    values = [line.split("\t") for line in (DATA / "values.tsv").read_text(encoding="utf-8").splitlines()]
    assert values == sorted(values)
    for option, old, new in values:
        assert catalog.choice_history(option, new) is not None, option
        assert old != new


@given(st.text("abc", max_size=6), st.text("abc", max_size=6))
def test_distance(one: str, other: str) -> None:
    apart = spelling.distance(one, other, 9)
    assert apart == spelling.distance(other, one, 9)
    assert (apart == 0) == (one == other)
    assert abs(len(one) - len(other)) <= apart <= max(len(one), len(other))
    assert spelling.distance(one, other, 1) == min(apart, 2)


@pytest.mark.parametrize(
    "text", ["<N>", "{port}", "$(TP)", "%s", "TP_SIZE", "@TP@", "...", "[model]", "xx", "{{ .Values.tp }}"]
)
def test_placeholders(text: str) -> None:
    assert is_placeholder(text)


@pytest.mark.parametrize(
    ("text", "choices", "stands"),
    [
        ("0/1", (), True),
        ("4|8", (), True),
        ("0.8-0.9", (), True),
        ("4k~8k", (), True),
        ("n", (), True),
        ("卡数", (), True),
        ("8（H100）", (), True),
        ("fa3/triton", ("fa3", "triton"), True),
        ("fa3/trtion", ("fa3", "triton"), False),
        ("8，", (), False),
        ("“8”", (), False),
        ("8x", (), False),
        ("-1", (), False),
        ("a", ("fa3",), False),
    ],
)
def test_what_documents_offer_is_no_value(text: str, choices: tuple[str, ...], stands: bool) -> None:
    assert is_offered(text, choices, "markdown") is stands


@pytest.mark.parametrize(("words", "told"), [("--tp 4/8", 1), ("--attention-backend fa3/triton", 1), ("--port 端口", 0)])
def test_a_script_offers_nothing_and_a_document_does(words: str, told: int) -> None:
    line = f"python3 -m sglang.launch_server --model-path a/b {words}\n"
    assert len(check(line)) == told
    assert check(f"```bash\n{line}```\n", "markdown") == []


@pytest.mark.parametrize(
    ("text", "stands"), [("SPEC_ALGO", True), ("<algo>", True), ("METHOD", True), ("MEDUSA", False), ("EAGLE3", False)]
)
def test_names_in_capitals(text: str, stands: bool) -> None:
    assert is_no_name(text) is stands


def test_an_old_option_brings_what_it_chose_unless_another_says_it() -> None:
    old, new = "--enable-dsa-prefill-context-parallel", "--enable-prefill-cp --cp-strategy interleave"
    assert fixed(old, release="0.5.18") == [("safe", new)]
    assert fixed(old, release=NEWEST) == [("safe", new)]
    for other in ("--cp-strategy zigzag", "--nsa-prefill-cp-mode=in-seq-split"):
        assert not [words for _, words in fixed(f"{other} {old}", release="0.5.18") if old not in words]


@pytest.mark.parametrize("text", ["{}", "[1]", '{"a": 1}', "fa3", "8", "two", "", "-1"])
def test_no_placeholders(text: str) -> None:
    assert not is_placeholder(text)


@pytest.mark.parametrize(
    ("other", "codes"),
    [('["other", "serve"]', ["SGL103"]), ('["python3", "-m", "sglang.launch_server"]', ["SGL101", "SGL103"])],
)
def test_an_option_that_may_be_another_programs_is_not_told_to_be_unknown(other: str, codes: list[str]) -> None:
    """What is added under a condition, where a branch decides which program it is added to."""
    text = f"""
import subprocess
def start(backend, m, conf):
    if backend == "other":
        cmd = {other}
    else:
        cmd = ["python", "-m", "sglang.launch_server"]
    cmd += ["--model-path", m]
    if conf.get("proxy"):
        cmd += ["--of-other", "--disable-piecewise-cuda-graph"]
    subprocess.run(cmd)
"""
    assert sorted({f.code for f in check(text, "python")}) == codes


def test_an_argument_that_every_call_gives_leaves_no_option_without_a_value() -> None:
    """The default of a field is empty where nothing else can be meant; a script may well be run without a variable."""
    text = (
        "from dataclasses import dataclass\n@dataclass\nclass Config:\n    model: str = ''\n    def command(self):\n"
        "        return f'sglang serve --model-path {self.model} --tp 2'\n"
    )
    assert check(text, "python") == []
    assert [f.code for f in check(text.replace("--tp 2", "--tp --dp 2"), "python")] == ["SGL107"]
    assert [f.code for f in check("sglang serve --model-path m --tp ${TP:-}")] == ["SGL107"]


@pytest.mark.parametrize(
    ("text", "advice"),
    [
        ('X="--tp 8"\nsglang serve a/b "$X"', "without the quotes it would be several"),
        (
            'f() { echo --tp 8; }\nmapfile -t A < <(f)\nsglang serve a/b "${A[@]}"',
            "write each part as a word of its own",
        ),
    ],
)
def test_what_makes_one_word_of_several_is_told(text: str, advice: str) -> None:
    (finding,) = check(text)
    assert finding.code == "SGL112"
    assert finding.message == f"`--tp 8` reaches SGLang as one word; {advice}"


@pytest.mark.parametrize(
    ("name", "text", "codes"),
    [
        ("a.py", 'cmd = ["python", "-m", "sglang.launch_server", "--model-path", "m", "--port", "$PORT"]\nrun(" ".join(cmd))\n', []),
        ("a.py", 'cmd = ["python", "-m", "sglang.launch_server", "--model-path", "m", "--port", "ten"]\nrun(" ".join(cmd))\n', ["SGL108"]),
        ("a.sh", "python -m sglang.launch_server --model-path m --port '$PORT'\n", ["SGL108"]),
    ],
)  # fmt: skip
def test_a_variable_of_a_script_that_a_module_writes_is_not_known(
    cli: Cli, name: str, text: str, codes: list[str]
) -> None:
    cli.write(name, text)
    found = cli("--isolated", "--output-format", "json", name).json
    assert [one["code"] for one in found] == codes


def test_of_many_options_that_a_letter_is_short_for_some_are_told() -> None:
    (finding,) = [f for f in check("sglang serve --model-path x --s 1\n") if f.code == "SGL105"]
    assert finding.message.count("`--") == 13
    assert ", …; write the one that is meant in full" in finding.message


@pytest.mark.parametrize(
    "tests",
    [
        ("if v is True", "elif v is False"),
        ("if isinstance(v, bool) and v", "elif isinstance(v, bool)"),
        ("if v is True", "elif v is not None and isinstance(v, bool)"),
    ],
)
def test_an_option_is_not_told_to_lack_its_value_where_that_is_not_known_and_may_be_a_boolean(
    tests: tuple[str, str],
) -> None:
    text = (
        "import subprocess\ndef go(config):\n"
        '    cmd = ["python3", "-m", "sglang.launch_server", "--model-path", "a/b"]\n'
        '    more = {"dp-size": config.dp, "enable-metrics": config.metrics, "max-num-seqs": config.most}\n'
        "    if config.tp > 1:\n        more['tp-size'] = config.tp\n"
        "    for k, v in more.items():\n"
        '        %s:\n            cmd.append(f"--{k}")\n'
        '        %s:\n            cmd.append(f"--no-{k}")\n'
        '        else:\n            cmd += [f"--{k}", str(v)]\n'
        "    subprocess.run(cmd)\n"
    )
    assert {f.flag for f in check(text % tests, "python")} == {"--max-num-seqs"}
    written = 'cmd = ["python3", "-m", "sglang.launch_server", "--model-path", "a/b"]\nif x is True:\n    cmd.append("--port")\n'
    assert [f.code for f in check(f"import subprocess\n{written}subprocess.run(cmd)\n", "python")] == ["SGL107"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--port", "but nothing follows"),
        ("--port --trust-remote-code", "but the next word is `--trust-remote-code`"),
        ("--port $P --trust-remote-code", "but the next word is `--trust-remote-code`"),
    ],
)
def test_what_stands_where_a_value_should(words: str, told: str) -> None:
    (found,) = check(f"if [ $A ]; then P=3; else P=; fi\npython3 -m sglang.launch_server --model-path a/b {words}")
    assert found.code == "SGL107"
    assert found.message.endswith(told)


@pytest.mark.parametrize(("last", "codes"), [("} else if (q === 'fp4') {", []), ("} else {", ["SGL107"])])
def test_a_page_asks_for_each_value_that_it_lets_choose(last: str, codes: list[str]) -> None:
    text = (
        "let path = '';\nif (q === 'fp8') {\n  path = 'a/b';\n" + last + "\n"
        + ("  path = '';\n" if codes else "  path = 'a/c';\n")
        + "}\nlet cmd = 'python3 -m sglang.launch_server';\ncmd += ` --model-path ${path} --trust-remote-code`;\n"
    )  # fmt: skip
    assert [f.code for f in check(text, "javascript")] == codes
