"""Programs that run other programs: the command inside is found, with the image and environment that they give it."""

from __future__ import annotations

import pytest

RUN = "python3 -m sglang.launch_server --model-path m --tp 8"
WORDS = ["--model-path", "m", "--tp", "8"]


@pytest.mark.parametrize(
    "text",
    [
        f"ssh user@host 'cd /x && {RUN}'",
        f"ssh -p 22 -i key host {RUN}",
        f"ssh host <<E\n{RUN}\nE",
        f"ssh host bash -s <<'E'\n{RUN}\nE",
        f"bsub -q gpu <<E\n#BSUB -n 1\n{RUN}\nE",
        f"qsub -v A=1 <<'E'\n{RUN}\nE",
        f"bash <<< '{RUN}'",
        f"pdsh -w a,b '{RUN}'",
        f"parallel-ssh -h hosts -i '{RUN}'",
        f"kubectl exec -it pod -c c -- bash -lc '{RUN}'",
        f"kubectl exec pod -- {RUN}",
        f"oc exec pod -- {RUN}",
        f"tmux send-keys -t s:0 '{RUN}' C-m",
        f"tmux send-keys -t 'a longer name than all the rest of it is put together' '{RUN[:-7]}' Space '--tp ' 8 Enter",
        f"tmux send-keys -t s C-c 'cd x; source v/bin/activate || exit 1' Enter '{RUN}' KPEnter",
        f"tmux send -lt s '{RUN}'",
        f"tmux new-session -d -s s \\; send-keys 'cd x' Enter '{RUN}' Enter \\; attach",
        f"tmux new-session -d -s s '{RUN}'",
        f"sudo tmux new -d '{RUN}'",
        f"pm2 start '{RUN}' --name 'of the model'",
        f"pm2 start --name x '{RUN}'",
        f"screen -dmS x bash -c '{RUN}'",
        f"screen -S s -X stuff '{RUN}\\n'",
        f"screen -S s -X stuff $'{RUN}\\n'",
        f"ray job submit --address=http://a:1 --runtime-env-json='{{\"a\": 1}}' -- {RUN}",
        f"ray job submit -- bash -c '{RUN}'",
        f"srun --nodes=2 --ntasks=2 bash -c '{RUN}'",
        f"sbatch --wrap='{RUN}'",
        f"sbatch -N 2 --wrap 'srun {RUN}'",
        f"su - user -c '{RUN}'",
        f"script -q -c '{RUN}' log",
        f"script -qc '{RUN}' log",
        f"su -lc '{RUN}' user",
        f"flock /tmp/lock -c '{RUN}'",
        f"gcloud compute ssh vm --zone z --command='{RUN}'",
        f"gcloud compute tpus tpu-vm ssh vm --command '{RUN}'",
        f"watch -n 5 '{RUN}'",
        f"python -m bench --server-cmd '{RUN}' --model m",
        f"./bench --launch_command='{RUN}'",
        f'CMD="{RUN}"\npython bench.py --n 2 --cmd "$CMD"',
        f'case "$1" in a) C="{RUN}" ;; *) C="vllm serve m" ;; esac\npython bench.py --server-cmd "$C"',
        f"timeout 60 bash -c '{RUN}'",
        f"parallel -j2 '{RUN}' ::: a b",
        f"docker run --rm --entrypoint bash image -c '{RUN}'",
        f"docker exec -d name bash -c '{RUN}'",
        f"torchrun --nproc-per-node 8 {RUN.removeprefix('python3 ')}",
    ],
)
def test_command_inside(find, text: str) -> None:
    (launch,) = find("shell", text + "\n")
    assert launch.words == WORDS


@pytest.mark.parametrize(
    "text",
    [
        f"echo ssh host '{RUN}'",
        f"git commit -m '{RUN}'",
        f"log '{RUN}'",
        "su - user",
        "screen -r",
        "pm2 start 'app.js' --name 'sglang serve'",
        f"sbatch --job-name='{RUN}' job.sh",
        f"grep -c '{RUN}' f",
        f"printf '%s' '{RUN}'",
        f"echo --server-cmd '{RUN}'",
        f"./bench --note '{RUN}'",
        "./bench --server-cmd 'vllm serve m'",
        f"./bench --cmdline '{RUN}'",
    ],
)
def test_no_command_inside(find, text: str) -> None:
    assert find("shell", text + "\n") == []


@pytest.mark.parametrize(
    ("before", "image", "env"),
    [
        ("docker run -e A=1 --env B=2 img:1", "img:1", {"A": "1", "B": "2"}),
        ("env -u X A=1 docker run -e A -e B=2 img:1", "img:1", {"A": "1", "B": "2"}),
        ("srun -N 1 --container-image=img:1 --export=ALL,A=1,B=2", "img:1", {"A": "1", "B": "2"}),
        ("srun --container-image org/sglang:1 --export=A=1", "org/sglang:1", {"A": "1"}),
        ("apptainer exec --nv --env A=1 docker://img:1", "img:1", {"A": "1"}),
        ("mpirun -np 2 -x A=1 -x PATH", None, {"A": "1"}),
        ("kubectl run x --image=img:1 --env=A=1 --", "img:1", {"A": "1"}),
        ("A=1 sudo -E env B=2", None, {"A": "1", "B": "2"}),
    ],
)
def test_surroundings(find, before: str, image: str | None, env: dict[str, str]) -> None:
    (launch,) = find("shell", f"{before} {RUN}\n")
    assert (launch.words, launch.image, launch.env) == (WORDS, image, env)


def test_what_is_put_in_is_not_known(find) -> None:
    (first,) = find("shell", "ls | xargs -I{} python3 -m sglang.launch_server --model-path {} --tp 2\n")
    (second,) = find("shell", "parallel 'python3 -m sglang.launch_server --model-path {1} --tp 2' ::: a\n")
    assert first.words == ["--model-path", None, "--tp", "2"]
    assert second.words == ["--model-path", "…", "--tp", "2"]


def test_a_container_that_is_not_known(find) -> None:
    for text in (f"docker exec $NAME bash -c '{RUN}'", f"docker run $OPTIONS $IMAGE {RUN}"):
        (launch,) = find("shell", text + "\n")
        assert launch.words == WORDS
        assert launch.image is None


def test_text_for_a_program_that_is_not_known(find) -> None:
    (launch,) = find("shell", f'run() {{ eval "$1"; }}\ncmd="$DOCKER \\"${{PRE}}{RUN}\\""\nrun "$cmd"\n')
    assert launch.words == WORDS
    (launch,) = find("shell", f'$SSH "cd /x && A=1 {RUN}"\n')
    assert launch.words == WORDS
    assert find("shell", f'$LOG "starting: {RUN}"\n$LOG x "{RUN}" "a b"\n') == []


@pytest.mark.parametrize(
    "before", ["docker run --gpus all reg/own:sglang", "podman run -p 1:1 img", "docker run -d $IMAGE"]
)
def test_what_an_image_runs_may_be_python(find, before: str) -> None:
    (launch,) = find("shell", f"{before} -m sglang.launch_server --model-path m --tp 2")
    assert launch.words == ["--model-path", "m", "--tp", "2"]
    # Without a container nothing runs it.
    assert find("shell", "-m sglang.launch_server --model-path m --tp 2") == []


@pytest.mark.parametrize(
    ("image", "rest"),
    [("lmsysorg/sglang:v0.5.9", []), ("docker.io/lmsysorg/sglang:latest", []), ("team.io/a/sglang:server", ["…"])],
)
def test_entry_point_of_an_image(find, image: str, rest: list[str]) -> None:
    """Options behind an image that brings the server go to it; somebody's own image may add to them."""
    text = f"docker run --gpus all -p 1:1 {image} \\\n  --model-path m --tp 8\n"
    for host, written in (("shell", text), ("markdown", f"```bash\n{text}```\n")):
        (launch,) = find(host, written)
        assert (launch.entry, launch.words, launch.image) == ("sglang.launch_server", [*WORDS, *rest], image)


@pytest.mark.parametrize(
    "text",
    [
        "docker run lmsysorg/sglang-router:1 --model-path m --tp 8",
        "docker run x/sglang-frontend:1 --model-path m",
        "docker run --entrypoint x lmsysorg/sglang:v0.5.9 --model-path m --tp 8",
        "docker run lmsysorg/sglang:v0.5.9 --backend x",
        "docker run vllm/vllm-openai:v0.9 --model m --tp 8  # not lmsysorg/sglang:v0.5.9 --tp 8",
        "docker pull lmsysorg/sglang:v0.5.9 --model-path m",
        "echo lmsysorg/sglang:v0.5.9 --model-path m",
    ],
)
def test_no_entry_point(find, text: str) -> None:
    assert find("shell", text + "\n") == []


@pytest.mark.parametrize(
    "writes",
    [
        "cat > /etc/systemd/system/s.service <<EOF",
        "tee s.service <<EOF",
        "sudo tee s > /dev/null <<EOF",
        "sudo -n -u me tee s.service <<EOF",
        "sudo bash -c 'cat > /x/s.service' <<EOF",
        'ssh host "sudo tee /x/s.service" <<EOF',
    ],
)
def test_a_unit_that_is_written_is_a_launch(find, writes: str) -> None:
    """It is no script: nothing is edited there."""
    text = f"T=8\n{writes}\n[Unit]\nDescription=x\n[Service]\nExecStart=/x/python -m sglang.launch_server --tp $T\nEOF\n"
    found = [(launch.words, launch.fixable) for launch in find("shell", text)]
    assert found == [(["--tp", "8"], False)]


@pytest.mark.parametrize(
    "text",
    [
        f"docker run -d --name srv --gpus all \\\n  -v /a:/b i:1 sleep infinity\ndocker exec srv {RUN}",
        f"docker create --name=srv i:1\ndocker start srv\ndocker exec -it srv bash -c '{RUN}'",
        f'NAME=srv\nI=${{I:-i:1}}\npodman run -d --name "$NAME" "$I" bash\npodman exec "${{NAME}}" {RUN}',
        f"C=$(docker run -d i:1 sleep infinity)\ndocker exec $C {RUN}",
        f"docker tag i:1 other\ndocker run other {RUN}",
        f"docker build -t other - <<D\nFROM i:0 AS a\nFROM i:1\nRUN true\nD\ndocker run other {RUN}",
        f"enroot import -o i.sqsh docker://i:1\nsrun --container-image=./i.sqsh {RUN}",
        f"apptainer build i.sif docker://i:1\napptainer exec --nv i.sif {RUN}",
        f"#!/bin/bash\n#SBATCH --container-image=i:1\nsrun {RUN}",
    ],
)
def test_an_image_that_is_called_by_a_name(find, text: str) -> None:
    (launch,) = find("shell", text + "\n")
    assert (launch.words, launch.image) == (WORDS, "i:1")


@pytest.mark.parametrize(
    ("text", "image"),
    [
        (f"docker exec srv {RUN}", None),
        (f"docker run -d --name other i:1 sleep 9\ndocker exec srv {RUN}", None),
        (f"docker run -d --name srv i:1 sleep 9\ndocker run -d --name srv i:2 sleep 9\ndocker exec srv {RUN}", None),
        (f"# docker run -d --name srv i:1\ndocker exec srv {RUN}", None),
        (f"docker tag i:1 other\ndocker run mine {RUN}", "mine"),
        (f"docker tag a b\ndocker tag b a\ndocker run a {RUN}", "a"),
        (f"#SBATCH --container-image=i:1\nsrun --container-image=i:2 {RUN}", "i:2"),
    ],
)
def test_an_image_that_no_name_tells(find, text: str, image: str | None) -> None:
    (launch,) = find("shell", text + "\n")
    assert launch.image == image


@pytest.mark.parametrize(
    ("head", "runs"),
    [
        ("sudo bash", True),
        ("sudo -u me bash", True),
        ("sudo -s", True),
        ("sudo su", True),
        ("ssh host", True),
        ("sudo tee x.sh", True),
        ("sudo tee x.txt", False),
        ("ssh host 'cat > x.sh'", True),
        ("ssh host 'cat > x.txt'", False),
        ("sudo sh -c 'cat > x.txt'", False),
    ],
)
def test_who_reads_a_here_document(find, head: str, runs: bool) -> None:
    found = find("shell", f"{head} <<EOF\n{RUN}\nEOF\n")
    assert [launch.words for launch in found] == ([WORDS] if runs else [])


@pytest.mark.parametrize(
    "unit",
    [
        "[Container]\nImage=x:1\nEnvironment=A=1\nExec=python -m sglang.launch_server --tp $T\n",
        "[program:s]\ncommand=python -m sglang.launch_server --tp $T\nenvironment=A=1\n",
    ],
)
def test_a_container_or_a_program_that_is_written_is_a_launch(find, unit: str) -> None:
    (launch,) = find("shell", f"T=8\ncat > /etc/x <<EOF\n{unit}EOF\n")
    assert (launch.words, launch.env.get("A"), launch.fixable) == (["--tp", "8"], "1", False)
    (launch,) = find("yaml", "content: |\n" + "".join(f"  {line}\n" for line in unit.replace("$T", "8").splitlines()))
    assert (launch.words, launch.env.get("A"), launch.fixable) == (["--tp", "8"], "1", False)
    content = "".join(f"  {line}\n" for line in f"T=8\ncat > /etc/x <<EOF\n{unit}EOF\nsglang serve --tp 4".splitlines())
    assert [launch.words for launch in find("yaml", f"content: |\n{content}")] == [["--tp", "8"], ["--tp", "4"]]
