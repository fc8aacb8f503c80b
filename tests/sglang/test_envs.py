"""The catalogue of environment variables: what a name and a value come to, release by release."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest

from speclint.sglang import catalog, envs, envvalues

TOOLS = os.path.join(os.path.dirname(__file__), "..", "..", "tools")
DATA = os.path.join(os.path.dirname(envs.__file__), "data", "envs.json")


@pytest.mark.parametrize(
    ("name", "release", "kind", "new"),
    [
        ("SGLANG_ENABLE_SPEC_V2", "0.5.9", "read", ""),
        ("SGLANG_ENABLE_SPEC_V2", "0.5.14", "unread", ""),
        ("SGLANG_ENABLE_SPEC_V2", "0.5.23", "unread", ""),
        ("SGLANG_GC_LOG", "0.5.3", "read", ""),
        ("SGLANG_GC_LOG", "0.5.9", "deprecated", "SGLANG_LOG_GC"),
        ("SGLANG_GC_LOG", "0.5.23", "renamed", "SGLANG_LOG_GC"),
        ("SGLANG_LOG_GC", "0.5.3", "newer", ""),
        ("SGL_ENABLE_JIT_DEEPGEMM", "0.4.6", "read", ""),
        ("SGL_ENABLE_JIT_DEEPGEMM", "0.5.20", "deprecated", "SGLANG_ENABLE_JIT_DEEPGEMM"),
        ("SGLANG_CHUNKED_PREFIX_CACHE_THRESHOLD", "0.5.5.post3", "renamed", "SGL_CHUNKED_PREFIX_CACHE_THRESHOLD"),
        ("SGLANG_ENABLE_FLASHINFER_GEMM", "0.5.23", "unread", "--fp8-gemm-backend=flashinfer_trtllm"),
        ("SGLANG_PREFILL_DELAYER_MAX_DELAY_PASSES", "0.5.23", "deprecated", "--prefill-delayer-max-delay-passes"),
        ("SGLANG_DISAGGREGATION_SAMPLING_MASK_MAX_TOKENS", "0.5.23", "refused", ""),
        ("SGLANG_ENABLE_EPLB_BALANCEDNESS_METRIC", "0.5.18", "refused", ""),
        ("SGLANG_USE_MODELSCOP", "0.5.23", "like", "SGLANG_USE_MODELSCOPE"),
        # A rename that turns the meaning round is told and never sure.
        ("SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK", "0.5.23", "renamed", "SGLANG_ENABLE_TP_MEMORY_INBALANCE_CHECK"),
        # Of these nothing is known: other packages, tests of SGLang, names that are put together from parts.
        ("SGLANG_ROUTER_LOG_LEVEL", "0.5.23", "", ""),
        ("SGLANG_CACHE_DIT_NAME", "0.5.23", "", ""),
        ("SGLANG_ENBLE_TORCH_COMILE", "0.5.23", "", ""),
        ("SGLANG_X", "0.5.23", "", ""),
    ],
)
def test_a_name(name: str, release: str, kind: str, new: str) -> None:
    found = envs.meaning(name, release)
    assert (found.kind, found.new) == (kind, new)


def test_only_a_copy_that_says_the_same_is_sure() -> None:
    assert envs.meaning("SGLANG_GC_LOG", "0.5.9").sure
    assert not envs.meaning("SGL_DISABLE_TP_MEMORY_INBALANCE_CHECK", "0.5.9").sure
    # Milliseconds became seconds.
    assert not envs.meaning("SGLANG_QUEUED_TIMEOUT_MS", "0.5.9").sure


def test_releases_of_a_name() -> None:
    assert envs.meaning("SGLANG_ENABLE_SPEC_V2", "0.5.23").gone == "0.5.14"
    assert envs.meaning("SGLANG_LOG_GC", "0.5.3").since == "0.5.4.post1"


def test_names_that_differ_in_a_word_that_counts_are_not_alike() -> None:
    for name in ("SGLANG_DISABLE_TORCH_COMPILE", "SGLANG_FLASHINFER_PREFILL_SPLIT_TILE_SIZE2"):
        assert envs.meaning(name, "0.5.23").kind == ""


@pytest.mark.parametrize(
    ("name", "text", "release", "kind", "value"),
    [
        ("SGLANG_LOG_GC", "Yes", "0.5.23", "read", None),
        ("SGLANG_LOG_GC", "on", "0.5.23", "opposite", False),
        ("SGLANG_LOG_GC", "off", "0.5.23", "read", None),
        ("SGLANG_LOG_GC", "", "0.5.23", "read", None),
        ("SGLANG_LOG_GC", "maybe", "0.5.23", "other", False),
        ("SGLANG_ENABLE_JIT_DEEPGEMM", "off", "0.5.23", "opposite", True),
        ("SGLANG_RECORD_STEP_TIME", "yes", "0.4.6", "opposite", False),
        ("SGLANG_RECORD_STEP_TIME", "yes", "0.5.23", "read", None),
        ("SGLANG_SKIP_P2P_CHECK", "true", "0.5.23", "opposite", False),
        ("SGLANG_BLOCK_NONZERO_RANK_CHILDREN", "false", "0.5.23", "opposite", True),
        ("SGLANG_BLOCK_NONZERO_RANK_CHILDREN", "0", "0.5.23", "read", None),
        ("SGLANG_REQ_WAITING_TIMEOUT", "5min", "0.5.23", "other", -1),
        ("SGLANG_REQ_WAITING_TIMEOUT", "5e2", "0.5.23", "read", None),
        ("SGLANG_DETOKENIZER_MAX_STATES", "64k", "0.5.23", "raises", None),
        ("SGLANG_TORCH_PROFILER_DIR", "on", "0.5.23", "read", None),
        ("SGLANG_OF_NOBODY", "on", "0.5.23", "read", None),
    ],
)
def test_a_value(name: str, text: str, release: str, kind: str, value: object) -> None:
    found = envvalues.reading(name, text, release)
    assert (found.kind, found.value) == (kind, value)


def test_every_release_of_the_options_is_there() -> None:
    with open(DATA, encoding="utf-8") as file:
        assert tuple(json.load(file)["releases"].split()) == catalog.known()


def test_a_release_between_two_counts_as_the_older_one() -> None:
    assert envs.meaning("SGLANG_ENABLE_SPEC_V2", "0.5.13.post9").kind == "read"
    assert envs.meaning("SGLANG_ENABLE_SPEC_V2", "0.9.0").kind == "unread"


def _tool(code: str, *arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {TOOLS!r})\n{code}", *arguments],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout


def test_the_file_survives_its_tool(tmp_path: object) -> None:
    target = os.path.join(str(tmp_path), "envs.json")
    _tool("import envs_file; envs_file.save(sys.argv[2], envs_file.load(sys.argv[1]))", DATA, target)
    with open(DATA, "rb") as one, open(target, "rb") as other:
        assert one.read() == other.read()


def test_the_tool_tells_reading_from_mentioning(tmp_path: object) -> None:
    package = os.path.join(str(tmp_path), "sglang", "srt")
    os.makedirs(package)
    with open(os.path.join(package, "environ.py"), "w", encoding="utf-8") as file:
        file.write(
            "class EnvBool: pass\n"
            "class Envs:\n    SGLANG_DECLARED = EnvBool(False)\n    SGLANG_USED = EnvBool(True)\n"
            "_DEPRECATED_ENVS = {'SGLANG_OLD': _DeprecatedEnv('SGLANG_USED'),\n"
            "                    'SGLANG_FLAG': _DeprecatedEnv(note='Please use --some-flag.')}\n"
        )
    with open(os.path.join(package, "main.py"), "w", encoding="utf-8") as file:
        file.write(
            "# SGLANG_COMMENT\n"
            "envs.SGLANG_USED.get()\n"
            "raise_it('set SGLANG_MESSAGE=1')\n"
            "PARTS = int(os.getenv('SGLANG_PARTS', '3'))\n"
            "ON = os.environ.get('SGLANG_ON', '0').lower() in ('1', 'true')\n"
            "NAME = 'SGLANG_HANDED_ON'\n"
            "if 'SGLANG_STOP' in os.environ:\n    raise ValueError('no')\n"
            "if os.getenv('SGLANG_NOTICE') is not None:\n    logger.warning('it is deprecated')\n"
            "if os.getenv('SGLANG_NOT_NOW') is not None:\n    logger.warning('off on this GPU')\n"
            "os.getenv(f'SGLANG_PART_{name}')\n"
        )
    code = (
        "import envs_file, env_reads, json\n"
        "print(json.dumps(envs_file.release(env_reads.uses(sys.argv[1]), False, {})))"
    )
    found = json.loads(_tool(code, os.path.join(str(tmp_path), "sglang")))["variables"]
    assert found == {
        "SGLANG_DECLARED": "bool|false|d",
        "SGLANG_FLAG": "||n|--some-flag",
        "SGLANG_HANDED_ON": "||r",
        "SGLANG_NOTICE": "||n",
        "SGLANG_NOT_NOW": "||m",
        "SGLANG_OLD": "||c|SGLANG_USED",
        "SGLANG_ON": '=~1,true|"0"|r',
        "SGLANG_PARTS": 'int!|"3"|r',
        "SGLANG_PART_": "||r",
        "SGLANG_STOP": "||x",
        "SGLANG_USED": "bool|true|dmr",
    }
