"""Files as people write them, one for each form that was once read wrong: what is found in them, and what is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from speclint.source import SourceFile

if TYPE_CHECKING:
    from tests.conftest import Cli

Launch = tuple[int, list[Any]]
IMAGE = "image: lmsysorg/sglang:v0.5.10\n    shm_size: 1g"
M = "--model-path"


def found(cli: Cli, name: str, text: str) -> tuple[list[Launch], list[tuple[str, int]]]:
    """Row and words of each launch; code and row of each finding."""
    cli.write(name, text)
    launches = cli("launches", "--isolated", "--output-format=json", name).json
    told = cli("check", "--isolated", "--output-format=json", name).json
    return (
        [(one["location"]["row"], one["argv"]) for one in launches],
        [(one["code"], one["location"]["row"]) for one in told],
    )


COMPOSE = f"""\
services:
  a:
    {IMAGE}
    command: |
      python3 -m sglang.launch_server
      --model-path a/b

      --tp ${{TP:-2}}
  b:
    {IMAGE}
    entrypoint: ["python3", "-m", "sglang.launch_server"]
    command: |
      --model-path a/b
      --json-model-override-args '{{"a":
       1}}'
"""


def test_compose_takes_a_line_break_for_a_blank(cli: Cli) -> None:
    words = [M, "a/b", "--json-model-override-args", '{"a":\n 1}']
    assert found(cli, "docker-compose.yml", COMPOSE) == ([(6, [M, "a/b", "--tp", "2"]), (13, words)], [])


@pytest.mark.parametrize(
    "adds",
    [
        'CMD="$CMD --api-key $KEY"',
        'CMD+=" --api-key $KEY"',
        'MORE="--api-key $KEY"; CMD="$CMD $MORE"',
        'MORE=(--api-key "$KEY"); CMD="$CMD ${MORE[*]}"',
    ],
)
def test_text_that_a_branch_makes_has_the_values_of_the_branch(cli: Cli, adds: str) -> None:
    text = f'KEY="${{KEY:-}}"\nCMD="sglang serve {M} a/b"\nif [ -n "$KEY" ]; then\n  {adds}\nfi\nexec $CMD\n'
    assert found(cli, "a.sh", text) == ([(2, [M, "a/b", "--api-key", None])], [])


UNIT = f"ExecStart=/opt/v/bin/python -m sglang.launch_server \\\n    {M} a/b \\\n    --port 1\nRestart=always\n"


@pytest.mark.parametrize("head", ["ini\n", "\n", "\n# /etc/systemd/system/a.service\n", "systemd\nUser=a\n\n"])
def test_a_page_shows_the_line_of_a_unit_that_starts_it(cli: Cli, head: str) -> None:
    launches, told = found(cli, "a.md", f"Edit:\n\n```{head}{UNIT}```\n")
    assert [words for _, words in launches] == [[M, "a/b", "--port", "1"]]
    assert not told


def test_a_script_that_writes_a_unit_is_a_script(cli: Cli) -> None:
    text = f"```\nmkdir a\ncat > a.service <<E\n[Service]\n{UNIT}E\nsglang serve {M} c/d\n```\n"
    launches, _ = found(cli, "a.md", text)
    assert (10, [M, "c/d"]) in launches


POD = f"""\
apiVersion: v1
kind: Pod
metadata: {{name: a}}
spec:
  containers:
  - name: a
    image: lmsysorg/sglang:v0.5.10
    command: [python3, -m, sglang.launch_server]
    args: [{M}, a/b, --port, "$PORT"]
"""
SERVICE = f"services:\n  a:\n    {IMAGE}\n    command: >\n      sglang serve\n      {M} a/b\n      --port 1\n"
DOCKERFILE = f'FROM lmsysorg/sglang:v0.5.10\nCMD ["sglang", "serve", "{M}", "a/b", "--port", "1"]\n'
CODE = f'import subprocess\nsubprocess.run(["python", "-m", "sglang.launch_server", "{M}", "a/b", "--port", "1"])\n'


@pytest.mark.parametrize("name", ["a.sh", "a.md"])
@pytest.mark.parametrize(
    ("command", "text"),
    [
        ("kubectl apply -f - <<'E'", POD),
        ("cat <<E | kubectl -n a apply -f-", POD),
        ("sudo tee /opt/pod.yaml > /dev/null << E", POD),
        ("cat > docker-compose.yml << 'E'", SERVICE),
        ("docker compose -f - up -d <<E", SERVICE),
        ("cat <<'E' >Dockerfile.gpu", DOCKERFILE),
        ("docker build -t a - <<E", DOCKERFILE),
        ("cat > 'run.py' <<-E", CODE),
        ("python3 - a <<E", CODE),
    ],
)
def test_a_here_document_is_a_file_of_its_own_kind(cli: Cli, name: str, command: str, text: str) -> None:
    fence = ("```bash\n", "```\n") if name.endswith(".md") else ("", "")
    launches, told = found(cli, name, f"{fence[0]}cd a\n{command}\n{text}E\n{fence[1]}")
    assert [[word or "1" for word in words] for _, words in launches] == [[M, "a/b", "--port", "1"]]
    assert not told


def test_a_here_document_of_another_kind_is_not_edited(cli: Cli) -> None:
    text = f"cat > a.yaml << 'E'\n{POD.replace('a/b,', 'a/b, --disable-mla,')}E\n"
    assert found(cli, "a.sh", text)[1] == [("SGL102", 10)]
    assert cli("check", "--isolated", "--fix", "a.sh").status == 1
    assert cli.folder.joinpath("a.sh").read_text() == text


def test_a_here_document_that_is_shown_starts_nothing(cli: Cli) -> None:
    assert found(cli, "a.sh", f"cat <<E\n{POD}E\ngit commit -F - <<E\n{POD}E\n") == ([], [])


RUN = f"sglang serve {M} a/b"
CLONE = "```\ngit clone -b v0.5.10 https://github.com/sgl-project/sglang\n```\n\n"


@pytest.mark.parametrize(
    ("name", "text", "release"),
    [
        ("a.yaml", f"resources:\n  image_id: docker:lmsysorg/sglang:v0.5.10\nrun: |\n  {RUN}\n", "0.5.10"),
        ("a.sh", f"srun --container-image=/a/lmsysorg+sglang+v0.5.9-cu126.sqsh {RUN}\n", "0.5.9"),
        ("a.sh", f"SIF=/a/sglang_v0.5.6.post2.sif\napptainer exec --nv -B /a:/b $SIF {RUN}\n", "0.5.6.post2"),
        ("a.sh", f"apptainer exec --nv docker://lmsysorg/sglang:v0.5.9 {RUN}\n", "0.5.9"),
        ("a.sh", f"apptainer exec --nv /a/sglang-router_v0.5.9.sif {RUN}\n", None),
        ("a.md", f"{CLONE}```\n{RUN}\n```\n", "0.5.10"),
        ("a.md", f"{CLONE}```\ndocker run --gpus all lmsysorg/sglang:latest {RUN}\n```\n", None),
        ("a.md", f"{CLONE}```\ndocker run --gpus all mine/sglang:latest {RUN}\n```\n", "0.5.10"),
        (
            "a.md",
            f"```dockerfile\nFROM lmsysorg/sglang:latest\nRUN pip install sglang==0.5.8\nCMD {RUN}\n```\n",
            "0.5.8",
        ),
    ],
)
def test_the_release_that_a_place_names(cli: Cli, name: str, text: str, release: str | None) -> None:
    cli.write(name, text)
    (launch,) = cli("launches", "--isolated", "--output-format=json", name).json
    assert (launch["sglang_version"] if launch["version_source"] != "newest" else None) == release


@pytest.mark.parametrize(
    "before",
    [
        "ps aux | grep sglang | awk '{print $2}' | xargs kill -9",
        "ps aux | grep sglang | grep -v grep  # none of ours",
        "ps aux \\\n  | grep sglang \\\n  | wc -l",
        "a | b | c\nexport A=b\n\nd | e |\nf",
        "a | b | awk '\n{ print }\n' \"x\ny\"",
    ],
)
def test_a_launch_behind_a_pipeline_is_a_command_of_its_own(cli: Cli, before: str) -> None:
    row = before.count("\n") + 2
    for name, fence in (("a.sh", 0), ("a.md", 1)):
        text = f"{before}\nnohup {RUN} --tp-size 2 > log 2>&1 &\necho $!\n"
        launches, _ = found(cli, name, f"```bash\n{text}```\n" if fence else text)
        assert launches == [(row + fence, [M, "a/b", "--tp-size", "2"])]


def test_how_many_elements_an_array_has_that_is_read_is_not_known(cli: Cli) -> None:
    for reads in ('IFS=, read -r -a A <<< "$1"', "mapfile -t A < a.txt"):
        text = f'{reads}\nif [[ ${{#A[@]}} -ne 2 ]]; then exit 1; fi\n{RUN} --port "${{A[1]}}"\n'
        assert found(cli, "a.sh", text) == ([(3, [M, "a/b", "--port", None])], [])


def test_a_launch_with_options_of_ktransformers_runs_its_build(cli: Cli) -> None:
    assert found(cli, "a.sh", f"{RUN} --kt-method AMXINT4 --kt-numa-nodes 0 1\n")[1] == []
    assert found(cli, "a.sh", f"{RUN} --kv-numa-nodes 0 1\n")[1] == [("SGL101", 1)]


NOTES = (
    f"1. the cards\n(env) me@host:~/a$ nvidia-smi topo -m\n        GPU0 GPU1\n\n2. the server\n{RUN} \\\n  --port 1\n"
)


@pytest.mark.parametrize("name", ["a.txt", "a.md"])
def test_notes_show_a_session_and_commands_without_a_prompt(cli: Cli, name: str) -> None:
    text = f"```\n{NOTES}```\n" if name.endswith(".md") else NOTES
    typed = text.replace("nvidia-smi topo -m", f"{RUN} --tp 2")
    server = [M, "a/b", "--port", "1"]
    assert [words for _, words in found(cli, name, text)[0]] == [server]
    assert [words for _, words in found(cli, name, typed)[0]] == [[M, "a/b", "--tp", "2"], server]


def test_what_a_program_prints_in_a_session_is_not_run(cli: Cli) -> None:
    text = f"```console\n$ ./build.sh\n{RUN} --port 1\n$ ps aux\nroot 1 {RUN} --port 2\n```\n"
    assert found(cli, "a.md", text) == ([], [])


PLAY = f"""\
- hosts: gpu
  vars:
    # The server.
    model: a/b
    tp: 2
    image: "lmsysorg/sglang:{{{{ tag }}}}"

    quick: true
  tasks:
    - community.docker.docker_container:
        name: a
        image: "{{{{ image }}}}"
        command: "sglang serve {M} {{{{ model }}}} --tp {{{{ tp }}}} --dp {{{{ dp | default(1) }}}} --port {{{{ port }}}}"
"""


def test_the_variables_of_a_play_stand_in_its_tasks(cli: Cli) -> None:
    words = [M, "a/b", "--tp", "2", "--dp", "1", "--port", None]
    assert found(cli, "play.yml", PLAY) == ([(13, words)], [])
    once = PLAY.replace("    - community", "    - vars:\n        tp: 4\n      community")
    assert [words[3] for _, words in found(cli, "play.yml", once)[0]] == [None]
    path = cli.write("play.yml", PLAY)
    cli("check", "--isolated", "--fix", "--unsafe-fixes", "play.yml")
    assert path.read_text() == PLAY


def test_the_defaults_of_a_role_stand_in_its_tasks(cli: Cli) -> None:
    cli.write("roles/a/defaults/main.yml", "---\nmodel: a/b\nports: [1, 2]\n")
    task = f"- shell: sglang serve {M} {{{{ model }}}} --port {{{{ ports }}}}\n"
    assert found(cli, "roles/a/tasks/main.yml", task) == ([(1, [M, "a/b", "--port", None])], [])
    assert found(cli, "roles/b/tasks/main.yml", task) == ([(1, [M, None, "--port", None])], [])


@pytest.mark.parametrize(
    ("image", "codes"),
    [
        ("a/sglang:cu130", []),
        ("lmsysorg/sglang:qwen38-27b", []),
        ("registry.local/mine@sha256:0", []),
        ("lmsysorg/sglang:latest", ["SGL101", "SGL109"]),
        ("lmsysorg/sglang", ["SGL101", "SGL109"]),
        ("a/sglang:v0.5.20-cu130", ["SGL101", "SGL109"]),
        ("${IMAGE}", ["SGL101", "SGL109"]),
    ],
)
def test_an_image_that_somebody_built_may_have_what_no_release_has(cli: Cli, image: str, codes: list[str]) -> None:
    options = "--enable-some-oneshot --fp4-gemm-backend b12x"
    text = f"services:\n  a:\n    image: {image}\n    command: {RUN} {options}\n"
    assert [code for code, _ in found(cli, "compose.yaml", text)[1]] == codes
    # A name that is nearly one of SGLang's, and one that it had, are told.
    gone = text.replace("some-oneshot", "metrisc --disable-mla")
    assert [code for code, _ in found(cli, "compose.yaml", gone)[1]][:2] == ["SGL101", "SGL102"]


def test_an_abbreviation_of_what_is_deprecated_is_told_in_full(cli: Cli) -> None:
    cli.write("a.sh", f"{RUN} --enable-flashinfer\n")
    (told,) = cli("check", "--isolated", "--sglang-version=0.5.23", "--output-format=json", "a.sh").json
    assert told["code"] == "SGL104"
    assert "`--enable-flashinfer` (short for `--enable-flashinfer-allreduce-fusion`) is deprecated" in told["message"]


@pytest.mark.usefixtures("soon")
@pytest.mark.parametrize(
    "text",
    [
        f"a {'| b ' * 60_000}{RUN}",
        f"cat {'<<E | kubectl ' * 9_000}\n{RUN}\nE\n",
        f"srun --container-image=/a/{'sglang-1.1.1-' * 3_000}.sif {RUN}\n",
    ],
)
def test_what_is_written_to_take_for_ever_does_not(text: str) -> None:
    from speclint.hosts import shell
    from speclint.launch import launches
    from speclint.sglang.images import build
    from speclint.worlds import default_text

    for launch in launches(shell.read(SourceFile("a.sh", text.encode()))):
        image = launch.command.image
        build((default_text(image) or "") if image is not None else "")
