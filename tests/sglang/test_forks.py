"""Builds of SGLang that are no release: how they are told, and what is not told of them."""

from __future__ import annotations

from typing import Any

import pytest

from speclint.sglang import forks

Cli = Any
URL = "https://github.com/sgl-project/sglang"


@pytest.mark.parametrize(
    "text",
    [
        f'uv pip install "sglang[all] @ git+{URL}.git@refs/pull/20615/head#subdirectory=python"',
        f"pip install git+{URL}@main-fix",
        f"pip install 'git+{URL}.git@0ab12cd'",
        f"git clone -b my_branch {URL}.git",
        f"git clone --depth 1 --branch=feature {URL}",
        f"git fetch {URL}.git pull/34365/head:pr-34365",
        f"git clone {URL}\ncd sglang\ngit fetch origin pull/1/head:x",
        "git clone https://github.com/team/sglang.git",
        "git clone -b x git@github.com:team/sglang.git",
        "pip install git+https://github.com/team/sglang#subdirectory=python",
        "pip install sglang==0.5.6.post2.dev8005+pr.15207.g39d5bd57a",
        "pip install kt-kernel sglang-kt",
    ],
)
def test_no_release(text: str) -> None:
    assert forks.is_installed(text)


@pytest.mark.parametrize(
    "text",
    [
        f"git clone {URL}.git",
        f"git clone -b v0.5.9 {URL}.git",
        f"git clone --branch 0.5.9 {URL}",
        f"git clone -b main {URL}",
        f"git clone -b $TAG {URL}",
        f"pip install git+{URL}@v0.5.9",
        f"pip install git+{URL}",
        f"see {URL}/pull/20615 and {URL}/issues/1",
        "git clone https://github.com/<your_user_name>/sglang.git",
        "git clone https://github.com/YOUR_USERNAME/sglang.git",
        "git clone https://github.com/sgl-project/sglang-jax",
        "git clone https://github.com/team/sglang-tools.git",
        "pip install sglang==0.5.9 sglang-router",
        "https://github.com/team/sglang",
    ],
)
def test_a_release(text: str) -> None:
    assert not forks.is_installed(text)


def test_what_such_a_build_may_have_is_not_told(cli: Cli) -> None:
    """Names that no release has, or none of today; a misspelt one is one in any build."""
    words = "--new-thing 1 --cuda-graph-max-bs 8 --disable-cuda-graph --tool-call-parser new --enable_metrics"
    launch = f"python -m sglang.launch_server --model-path m {words}\n"
    cli.write("a.sh", launch)
    told = [finding["code"] for finding in cli("check", "--output-format", "json", "a.sh").json]
    assert sorted(told) == ["SGL101", "SGL101", "SGL104", "SGL105", "SGL109"]
    cli.write("a.sh", f"git clone https://github.com/team/sglang\n{launch}")
    (finding,) = cli("check", "--output-format", "json", "a.sh").json
    assert finding["flag"] == "--enable_metrics"


@pytest.mark.parametrize(
    "text",
    [
        "git apply /opt/patches/sglang/v0.5.14/capture.patch",
        "patch -p1 < sglang.patch",
        '"$ROOT/scripts/apply_sglang_spec_capture_patch.sh"',
    ],
)
def test_what_a_patch_may_add_is_not_told(cli: Cli, text: str) -> None:
    """A name that no release has; it is the release that it was all the same."""
    words = "--new-thing 1 --disable-cuda-graph --tool-call-parser new --enable_metrics"
    cli.write("a.sh", f"{text}\npython -m sglang.launch_server --model-path m {words}\n")
    told = [finding["flag"] for finding in cli("check", "--output-format", "json", "a.sh").json]
    assert sorted(told) == ["--disable-cuda-graph", "--enable_metrics"]


@pytest.mark.parametrize(
    "text",
    [
        "from unittest.mock import patch\nwith patch('sglang.srt.server_args.x'): pass",
        "kubectl patch deployment sglang --patch-file x.yaml",
        "docker/patch/latest/megatron-sglang-aligned.patch",
    ],
)
def test_what_is_no_patch(text: str) -> None:
    assert not forks.is_patched(text)


def test_an_image_says_what_runs(cli: Cli) -> None:
    cli.write(
        "a.sh",
        "git clone https://github.com/team/sglang\n"
        "docker run --ipc=host lmsysorg/sglang:v0.5.9 python3 -m sglang.launch_server --model-path m --new-thing 1\n",
    )
    (finding,) = cli("check", "--output-format", "json", "a.sh").json
    assert finding["flag"] == "--new-thing"


@pytest.mark.parametrize(
    "lines",
    [
        'docker run lmsysorg/sglang:v0.5.9 bash -c "GETS; RUNS"',
        "docker run -d --name srv lmsysorg/sglang:v0.5.9 sleep 9\ndocker exec srv GETS\ndocker exec srv RUNS",
    ],
)
def test_what_is_installed_in_a_container_runs(cli: Cli, lines: str) -> None:
    runs = "python3 -m sglang.launch_server --model-path m --new-thing 1"
    text = lines.replace("GETS", "pip install git+https://github.com/team/sglang").replace("RUNS", runs)
    cli.write("a.sh", text + "\n")
    assert cli("check", "--select", "SGL1", "--output-format", "json", "a.sh").json == []


def test_arguments_of_a_call(cli: Cli) -> None:
    text = "import sglang\nsglang.Engine(model_path='m', new_thing=1)\n"
    cli.write("a.py", text)
    assert [finding["code"] for finding in cli("check", "--output-format", "json", "a.py").json] == ["SGL101"]
    cli.write("a.py", f"# pip install git+https://github.com/team/sglang\n{text}")
    assert cli("check", "--output-format", "json", "a.py").json == []


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ("FROM nvidia/cuda:12.9\nRUN pip install sglang==0.5.9", True),
        ('FROM ubuntu\nRUN apt-get update && \\\n    uv pip install --system "sglang[all]" ninja', True),
        ("FROM team/sglang:v1", False),
        ("FROM team/sglang:v1\n# RUN pip install sglang==0.5.9", False),
        ("FROM ubuntu\nRUN pip install sglang-router", False),
        ("FROM ubuntu\nRUN pip install sglang && pip install git+https://github.com/team/sglang.git", False),
    ],
)
def test_a_dockerfile_says_what_it_puts_into_its_image(cli: Cli, steps: str, told: bool) -> None:
    """A release from the index of packages is one in any image; of one that is built elsewhere nothing is known."""
    cli.write("Dockerfile", f'{steps}\nCMD ["sglang", "serve", "--model-path", "m", "--new-thing"]\n')
    found = [finding["flag"] for finding in cli("check", "--output-format", "json", "Dockerfile").json]
    assert found == (["--new-thing"] if told else [])
