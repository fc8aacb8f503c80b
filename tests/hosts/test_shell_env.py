"""The environment of launches in scripts: what reaches a program, and what differs from run to run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from speclint import hosts
from speclint.hosts.nested import commands
from speclint.launch import launches
from speclint.source import SourceFile
from tests.hosts.conftest import shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.hosts.conftest import Found

RUN = "python3 -m sglang.launch_server --model-path m"


@pytest.mark.parametrize(
    "body",
    [
        f"X=$1 {RUN}",
        f"local gpus=$1\n  X=$gpus {RUN}",
        f"env X=$1 {RUN}",
        f"export X=$1\n  {RUN}",
        f"docker run -e X=$1 lmsysorg/sglang {RUN}",
    ],
)
@pytest.mark.parametrize("sizes", [(1, 2), (1, 1)])
def test_what_each_call_of_a_function_sets(find: Callable[..., list[Found]], body: str, sizes: tuple[int, int]) -> None:
    one, two = sizes
    (launch,) = find("shell", f"run() {{\n  {body} --tp $2\n}}\nrun 0 {one}\nrun 1,2 {two}\n")
    assert launch.env == {"X": ["0", "1,2"]}
    assert launch.words[3] == (["1", "2"] if one != two else "1")


def test_what_is_set_anew_between_calls(find: Callable[..., list[Found]]) -> None:
    (launch,) = find("shell", f"run() {{ X=$G Y=a {RUN}; }}\nG=0\nrun\nG=0,1\nrun\n")
    assert launch.env == {"X": ["0", "0,1"], "Y": "a"}
    (launch,) = find("shell", f"run() {{ {RUN} $1; }}\nrun --a\nexport X=1\nrun --b\n")
    assert launch.env == {"X": [None, "1"]}


def test_the_image_and_the_container_of_each_call(find: Callable[..., list[Found]]) -> None:
    body = f'docker run --gpus "device=$1" -p 80:$2 --rm $3 i/x:$4 {RUN} --port $2'
    (launch,) = find("shell", f"run() {{ {body}; }}\nrun 0 3000 --rm 1\nrun 1,2 3001 --ipc=host 2\n")
    assert launch.image == ["i/x:1", "i/x:2"]
    pod = launch.launch.pod
    assert pod is not None
    assert pod.gpus is not None
    assert (pod.gpus.number, pod.shared_memory, pod.host_network) == (None, None, False)
    assert [port.number.text for port in pod.ports] == [None]
    (launch,) = find("shell", f"run() {{ {body}; }}\nrun 0 3000 --rm 1\nrun 1 3000 --rm 1\n")
    assert launch.image == "i/x:1"
    pod = launch.launch.pod
    assert pod is not None
    assert pod.gpus is not None
    assert (pod.gpus.number, pod.shared_memory, [port.number.text for port in pod.ports]) == (1, False, ["3000"])


@pytest.mark.parametrize(
    ("line", "env"),
    [
        ("nohup", {"X": "1", "Y": "2"}),
        ("docker run --gpus all i/x", {}),
        ("docker run -e Y -e Z=3 --env W i/x", {"Y": "2", "Z": "3"}),
        ("docker run i/x env Z=3", {"Z": "3"}),
        ("sudo -E docker run --gpus all i/x", {}),
        ("docker exec -it box", {}),
        ("docker exec -e X box", {"X": "1"}),
        ("podman run --env-host -e X=3 --gpus all i/x", {"X": "3", "Y": "2"}),
        ("nerdctl run i/x", {}),
        ("kubectl exec pod --", {}),
        ("kubectl exec pod -- env Z=3", {"Z": "3"}),
        ("kubectl run x --image i/x --env=Z=3 --", {"Z": "3"}),
        ("ssh -p 22 host", {}),
        ("ssh host Z=3 nohup", {"Z": "3"}),
        ("pdsh -w a,b", {}),
        ("env -i Z=3", {"Z": "3"}),
        ("env - Z=3", {"Z": "3"}),
        ("env Z=3 -u X", {"Y": "2", "Z": "3"}),
        ("env --unset=X -uY Z=3", {"Z": "3"}),
        ("env -C /x Z=3", {"X": "1", "Y": "2", "Z": "3"}),
        ("sudo", {}),
        ("sudo -u me Z=3 W=4", {"Z": "3", "W": "4"}),
        ("sudo -nE Z=3", {"X": "1", "Y": "2", "Z": "3"}),
        ("sudo --preserve-env", {"X": "1", "Y": "2"}),
        ("sudo --preserve-env=Y,Z -n", {"Y": "2"}),
        ("sudo -u E", {}),
        ("srun -n 1", {"X": "1", "Y": "2"}),
        ("srun --export=ALL,Z=3", {"X": "1", "Y": "2", "Z": "3"}),
        ("srun --export=NONE", {}),
        ("srun --export=X,Z=3 -n 1", {"X": "1", "Z": "3"}),
        ("srun --export=$WHAT", {}),
        ("apptainer exec --nv x.sif", {"X": "1", "Y": "2"}),
        ("apptainer exec --cleanenv --nv --env Z=3 x.sif", {"Z": "3"}),
        ("singularity exec --env Z=3,W=4 x.sif", {"X": "1", "Y": "2", "Z": "3", "W": "4"}),
        ("apptainer run -C --env Z=a,b x.sif", {"Z": "a,b"}),
        ("docker compose exec -T box", {}),
        ("docker compose -f x run --rm -T --no-deps --service-ports -e Z=3 box", {"Z": "3"}),
    ],
)
def test_what_a_program_hands_on(find: Callable[..., list[Found]], line: str, env: dict[str, str]) -> None:
    for before in (f"export X=1\nY=2 {line}", f"export X=1; export Y=2\n{line}"):
        # Of the words that ssh is given the shell there sees no quotes.
        for run in (RUN, f"'{RUN}'" if line.startswith(("ssh", "pdsh")) else f"bash -c '{RUN}'"):
            (launch,) = find("shell", f"{before} {run}\n")
            assert launch.env == env


def test_variables_that_do_not_reach_a_text_are_not_known_in_it(find: Callable[..., list[Found]]) -> None:
    head = "export A=1 B=2\n"
    (launch,) = find("shell", f"{head}docker run -e A i/x bash -c '{RUN} --tp $A --dp $B'\n")
    assert launch.words[2:] == ["--tp", "1", "--dp", "…"]
    (launch,) = find("shell", f'{head}ssh host "{RUN} --tp $A --dp \\$B"\n')
    assert launch.words[2:] == ["--tp", "1", "--dp", "…"]


@pytest.mark.parametrize(
    ("head", "env"),
    [
        ("set -a\nX=1\nset +a\nY=2", {"X": "1"}),
        ("set -euao pipefail\nX=1\nY=2", {"X": "1", "Y": "2"}),
        ("set -eo allexport\nX=1\nset +o allexport\nX=2; Y=2", {"X": "2"}),
        ("set -eo pipefail\nX=1\nset -- -a\nX=1", {}),
        ("(set -a; X=1)\nX=1", {}),
        ("if x; then set -a; fi\nX=1", {}),
        ("if x; then set -a; X=1; set +a; fi\nY=1", {"X": ["1", None]}),
        ("read_env() { set -a; X=1; set +a; }\nread_env\nY=1", {"X": "1"}),
    ],
)
@pytest.mark.parametrize("size", [0, 200])
def test_all_that_is_set_is_exported(
    find: Callable[..., list[Found]], head: str, env: dict[str, object], size: int
) -> None:
    """In a short script, and in one of which only what matters is followed."""
    more = "".join(f"log() {{ echo {i}; }}\n" for i in range(size))
    (launch,) = find("shell", f"{more}{head}\n{RUN}\n")
    assert launch.env == env


@pytest.mark.parametrize(
    ("options", "env"),
    [
        ("--env-file .env", {"A": "1", "B": None, "C": "x # y", "H": "0"}),
        ("-e A=2 --env-file=.env -e D=$A", {"A": "2", "B": None, "C": "x # y", "H": "0", "D": None}),
        ("--env-file .env --env-file more/.env", {"A": "3", "B": None, "C": "x # y", "H": "0"}),
        ("--env-file $FILE", {}),
        ("--env-file none", {}),
        ("--env-file ../.env", {}),
    ],
)
def test_files_of_variables(tmp_path: Path, options: str, env: dict[str, str | None]) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "more").mkdir()
    (tmp_path / ".env").write_bytes(b"# of the server\r\nA=1\r\nB='quoted'\r\n\r\nC=x # y\r\nG\r\nH\r\nno line=1\r\n")
    (tmp_path / "more" / ".env").write_text("A=3\n")
    path = tmp_path / "run.sh"
    path.write_text(f"export H=0 I=1\ndocker run {options} i/x {RUN}\n")
    read = hosts.read(SourceFile(str(path), path.read_bytes()), "shell", [])
    (launch,) = launches(inner for outer in read for inner in commands(outer))
    found = {name: shown(value) for name, value in launch.command.env.items()}
    assert found == env


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (f'export "X=1"\n{RUN}', {"X": "1"}),
        (f'V=X; export "$V=1"\n{RUN}', {"X": "1"}),
        (f'V=(X=1 Y=2); export "${{V[@]}}"\n{RUN}', {"X": "1", "Y": "2"}),
        (f'V="X=1 Y=2"; export $V\n{RUN}', {"X": "1", "Y": "2"}),
        (f'declare "X=1"\n{RUN}', {}),
        (f"export X=1 Y=2; export -n X; declare +x Y\n{RUN}", {}),
        (f"run() {{ {RUN}; }}\nX=1 run", {"X": "1"}),
    ],
)
def test_what_is_handed_on(find: Callable[..., list[Found]], text: str, env: dict[str, str]) -> None:
    (launch,) = find("shell", text + "\n")
    assert {name: value for name, value in launch.env.items() if name in "XY"} == env


@pytest.mark.parametrize(
    ("line", "env"),
    [
        ("apptainer exec --nv x.sif", {"A": "1", "X": "2", "Y": "0"}),
        ("apptainer exec -e --env X=3 x.sif", {"A": "1", "X": "3"}),
        ("singularity exec x.sif", {"APPTAINERENV_A": "1", "X": "2", "Y": "0"}),
    ],
)
def test_names_that_are_meant_for_a_container(find: Callable[..., list[Found]], line: str, env: dict[str, str]) -> None:
    before = "export APPTAINERENV_A=1 SINGULARITYENV_X=2 X=0 Y=0"
    (launch,) = find("shell", f"{before}\n{line} {RUN}\n")
    assert launch.env == env


@pytest.mark.parametrize(
    ("line", "image", "env"),
    [
        ("bash", None, {"X": "1"}),
        ("Z=3 bash -s", None, {"X": "1", "Z": "3"}),
        ("ssh host bash", None, {}),
        ("docker run -i -e Z=3 i/x:1 bash", "i/x:1", {"Z": "3"}),
        ("docker exec -i -e X box bash -s", "i/x:2", {"X": "1"}),
        ("srun --container-image=i/x:3 --export=ALL,Z=3 bash", "i/x:3", {"X": "1", "Z": "3"}),
    ],
)
def test_where_a_shell_runs_what_it_reads(
    find: Callable[..., list[Found]], line: str, image: str | None, env: dict[str, str]
) -> None:
    before = "docker run -d --name box i/x:2 sleep 9\nexport X=1"
    run = f"{RUN} --tp ${{Z:-2}}"
    for text in (f"{line} <<'E'\n{run}\nE\n", f"cat <<'E' | {line}\n{run}\nE\n", f"echo '{run}' | {line}\n"):
        (launch,) = find("shell", f"{before}\n{text}")
        assert (launch.image, launch.env) == (image, env)
        if "Z" in env:
            assert launch.words[-1] == "3"


@pytest.mark.parametrize(
    ("text", "env"),
    [
        (f"run() {{ {RUN}; }}\nX=1 Y=2 run\n", {"X": "1", "Y": "2"}),
        (f"run() {{ {RUN}; }}\nX=1 true\nX=2\nrun\n", {}),
        (f"export X Y\nX=1\n{RUN}\n", {"X": "1"}),
        (f"export \"X=1\" 'Y'=2\n{RUN}\n", {"X": "1", "Y": "2"}),
        (f'N=1\nexport "X=a$N"\n{RUN}\n', {"X": "a1"}),
        (f'export "X=$N"\n{RUN}\n', {"X": None}),
        (f"X=1 Y=${{X:-9}} {RUN}\n", {"X": "1", "Y": "1"}),
        (f"X=0\nX=1 Y=$X {RUN} --tp $X\n", {"X": "1", "Y": "1"}),
    ],
)
def test_what_is_handed_on_by_other_ways(
    find: Callable[..., list[Found]], text: str, env: dict[str, str | None]
) -> None:
    (launch,) = find("shell", text)
    assert launch.env == env
    assert launch.words[2:] in ([], ["--tp", "0"])


def test_a_function_keeps_nothing_of_what_was_set_for_a_call(find: Callable[..., list[Found]]) -> None:
    first, second = find("shell", f"run() {{ true; {RUN} --a; }}\nX=1 run\n{RUN} --b $X\n")
    assert (first.env, second.env, second.words[-1]) == ({"X": "1"}, {}, "…")


def test_an_empty_line_behind_a_backslash_ends_what_is_set(find: Callable[..., list[Found]]) -> None:
    (launch,) = find("shell", f"A=1 \\\nB=2 \\\n\n{RUN}\n")
    assert launch.env == {}
    (launch,) = find("shell", f"export B=0\nA=1 B=2 \\\n  \nC=3 {RUN}\n")
    assert launch.env == {"B": "2", "C": "3"}, "what is exported already is handed on with its new value"
    (launch,) = find("shell", f"A=1 \\\n  B=$A \\\n  {RUN}\n")
    assert launch.env == {"A": "1", "B": "1"}
