"""Rules on the surroundings, from a file to what is told of it and what a fix makes of it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.config import Configs
from speclint.fix.apply import fix_file
from speclint.run import Linter
from speclint.source import SourceError, SourceFile

if TYPE_CHECKING:
    from speclint.analysis import Analysis
    from speclint.finding import Finding

LINTER = Linter(Configs(isolated=True))
SERVE = "python3 -m sglang.launch_server --model-path a/b --host 0.0.0.0"


def analysed(text: str, host: str) -> Analysis:
    file = SourceFile("x", text.encode())
    return LINTER.analyse(file, host, LINTER.configs.for_file("x"))


def told(text: str, host: str = "yaml", slow: bool = False) -> list[Finding]:
    """What is told of the surroundings; ``slow``: only that a probe waits too little, which is said of most."""
    found = [finding for finding in analysed(text, host).findings if finding.code.startswith("SGL8")]
    return [finding for finding in found if (finding.code == "SGL811") is slow]


def places(text: str, host: str = "yaml") -> list[tuple[str, int]]:
    """Codes and rows."""
    return [(finding.code, finding.span.file.location(finding.span.start)[0]) for finding in told(text, host)]


def fixed(text: str, host: str = "yaml", allow: str = "safe") -> str:
    """The text after every fix, which is checked to be one that holds its promises."""
    file = SourceFile("x", text.encode())
    result = fix_file(file, lambda new: analysed(new, host), allow)
    assert result.error is None
    assert not result.dropped, result.dropped
    return result.text


def pod(args: str, *more: str, spec: str = "") -> str:
    """A pod with one container; ``more`` are lines of the container, ``spec`` those of the pod."""
    lines = "".join(f"    {line}\n" for line in more)
    return (
        "apiVersion: v1\nkind: Pod\nmetadata: {name: llm}\nspec:\n"
        f"{spec}  containers:\n  - name: sglang\n    image: lmsysorg/sglang:v0.5.23\n"
        f"    command: [python3, -m, sglang.launch_server]\n    args: [--model-path, a/b, {args}]\n{lines}"
    )


HOST = "--host, 0.0.0.0"
SHM = ("volumeMounts: [{name: dshm, mountPath: /dev/shm}]",)


@pytest.mark.parametrize(
    ("args", "gpus", "wrong"),
    [
        ('--tp, "8"', "4", True),
        ('--tp, "8"', "8", False),
        ('--tp, "4", --pp-size, "2"', "8", False),
        ('--tp, "4", --pp-size, "2"', "4", True),
        ('--tp, "2", --dp-size, "4"', "8", False),
        ('--tp, "2", --dp-size, "4"', "4", True),
        ('--tp, "8", --dp-size, "8", --enable-dp-attention', "8", False),
        ('--tp, "8", --attn-dp-size, "8"', "8", False),
        ('--tp, "16", --nnodes, "2", --node-rank, "0", --dist-init-addr, "a:1"', "8", False),
        ('--tp, "16", --nnodes, "2", --node-rank, "0", --dist-init-addr, "a:1"', "4", True),
        ('--tp, "8", --pp-size, "2", --nnodes, "2", --node-rank, "0", --dist-init-addr, "a:1"', "8", False),
        ('--tp, "4", --base-gpu-id, "4"', "8", False),
        ('--tp, "4", --base-gpu-id, "4"', "4", True),
        ('--tp, "4", --gpu-id-step, "2"', "4", True),
        ('--tp, "$(TP)"', "1", False),
        ('--tp, "8", --device, cpu', "1", False),
    ],
)
def test_gpus_are_counted_as_sglang_places_its_processes(args: str, gpus: str, wrong: bool) -> None:
    text = pod(f"{args}, {HOST}", f"resources: {{limits: {{nvidia.com/gpu: {gpus}}}}}", *SHM)
    assert ("SGL801" in [code for code, _ in places(text)]) is wrong


def test_replicas_become_attention_data_parallelism() -> None:
    text = pod(f'--tp, "8", --dp-size, "8", {HOST}', "resources: {limits: {nvidia.com/gpu: 8}}", *SHM)
    assert fixed(text) == text  # it is a guess
    assert fixed(text, allow="unsafe") == text.replace("--dp-size", "--attn-dp-size")


@pytest.mark.parametrize(
    ("line", "codes"),
    [
        (f"CUDA_VISIBLE_DEVICES=0,1 {SERVE} --tp 4", ["SGL801"]),
        (f"CUDA_VISIBLE_DEVICES=0,1,2,3 {SERVE} --tp 4", []),
        (f"export CUDA_VISIBLE_DEVICES=0; {SERVE} --tp 2", ["SGL801"]),
        (f"docker run --gpus 2 --ipc=host lmsysorg/sglang {SERVE} --tp 4", ["SGL801"]),
        (f"docker run --gpus '\"device=0,1,2,3\"' --ipc=host lmsysorg/sglang {SERVE} --tp 4", []),
        (f"docker run --gpus all -e CUDA_VISIBLE_DEVICES=1 --ipc=host lmsysorg/sglang {SERVE} --tp 2", ["SGL801"]),
        (f"run() {{ CUDA_VISIBLE_DEVICES=$1 {SERVE} --tp $2; }}; run 0 1; run 1,2 2", []),
        (f"run() {{ CUDA_VISIBLE_DEVICES=$1 {SERVE} --tp $2; }}; run 0 1; run 1,2 4", ["SGL801"]),
        (f"run() {{ docker run --gpus device=$1 --ipc host i {SERVE} --tp $2; }}; run 0 1; run 1,2 2", []),
        (f"export CUDA_VISIBLE_DEVICES=0; docker run --gpus all --ipc host lmsysorg/sglang {SERVE} --tp 2", []),
        (f"CUDA_VISIBLE_DEVICES=0 ssh host {SERVE} --tp 2", []),
        (f"docker run --gpus all lmsysorg/sglang {SERVE} --tp 2", ["SGL803"]),
        (f"docker run --gpus all lmsysorg/sglang bash -c '{SERVE} --tp 2'", ["SGL803"]),
        (f"docker run -v ~/.cache:/cache -v $X:/x lmsysorg/sglang {SERVE} --tp 2", ["SGL803"]),
        (f"docker run --shm-size=32g lmsysorg/sglang {SERVE} --tp 2", []),
        (f"docker run --ipc host lmsysorg/sglang {SERVE} --tp 2", []),
        (f"docker run --mount type=tmpfs,destination=/dev/shm lmsysorg/sglang {SERVE} --tp 2", []),
        (f'docker run "${{ARGS[@]}}" lmsysorg/sglang {SERVE} --tp 2', []),
        (f"docker exec box {SERVE} --tp 2", []),
        (f"docker run -p 8000:8000 lmsysorg/sglang {SERVE} --port 30000", ["SGL805"]),
        (f"docker run -p 127.0.0.1:8000:30000/tcp lmsysorg/sglang {SERVE} --port 30000", []),
        (f"docker run -p $P:30000 lmsysorg/sglang {SERVE} --port 30001", ["SGL805"]),
        (f"docker run -p 8000-8010:8000-8010 lmsysorg/sglang {SERVE} --port 30000", []),
        (f"docker run --network=host -p 8000:8000 lmsysorg/sglang {SERVE} --port 30000", []),
        ("docker run -p 30000:30000 lmsysorg/sglang sglang serve --model-path a/b", ["SGL804"]),
        ("docker run -p 30000:30000 lmsysorg/sglang sglang serve --model-path a/b --host ::1", ["SGL804"]),
        ("docker run --net host lmsysorg/sglang sglang serve --model-path a/b", []),
        ("docker run -p 30000:30000 lmsysorg/sglang sglang serve", []),
        ("docker run -p 30000:30000 lmsysorg/sglang sglang serve <use args below>", []),
    ],
)
def test_commands_and_containers_of_the_shell(line: str, codes: list[str]) -> None:
    assert [code for code, _ in places(f"{line}\n", "shell")] == codes


def test_docker_run_gets_shared_memory_and_ports() -> None:
    text = f"docker run -p 8000:8000 \\\n  lmsysorg/sglang \\\n  {SERVE} --tp 2 --port 30000\n"
    wanted = text.replace("docker run", "docker run --shm-size 32g").replace("8000:8000", "8000:30000")
    assert fixed(text, "shell", "unsafe") == wanted


def test_a_list_of_python_is_not_broken() -> None:
    text = (
        "import subprocess\n"
        'subprocess.run(["docker", "run", "-p", "8000:8000", "lmsysorg/sglang", "sglang", "serve", "--model-path", "m", '
        '"--tp", "2"])\n'
    )
    assert [code for code, _ in places(text, "python")] == ["SGL803", "SGL804", "SGL805"]
    assert fixed(text, "python", "unsafe") == text.replace(
        '"--tp", "2"', '"--tp", "2", "--host", "0.0.0.0", "--port", "8000"'
    )


# -- shared memory of pods

TP = f'--tp, "8", {HOST}'


def test_memory_is_mounted_where_nothing_is() -> None:
    text = pod(TP, "ports:", "- containerPort: 30000  # http")
    assert places(text) == [("SGL803", 9)]
    wanted = text + (
        "    volumeMounts:\n    - name: dshm\n      mountPath: /dev/shm\n"
        "  volumes:\n  - name: dshm\n    emptyDir:\n      medium: Memory\n"
    )
    assert fixed(text, allow="unsafe") == wanted
    assert places(wanted) == []


def test_a_declared_volume_is_mounted() -> None:
    volumes = "  volumes:\n  - name: dshm\n    emptyDir: {medium: Memory}\n"
    text = pod(TP, "volumeMounts:", "- mountPath: /models", "  name: models", spec=volumes)
    assert places(text) == [("SGL803", 6)]
    wanted = text + "    - name: dshm\n      mountPath: /dev/shm\n"
    assert fixed(text) == wanted
    assert places(wanted) == []


@pytest.mark.parametrize(
    "text",
    [
        pod(TP, *SHM),
        pod(TP, "volumeMounts: [{name: x, mountPath: /dev/shm/}]"),
        pod(TP, spec="  hostIPC: true\n"),
        pod(f'--tp, "1", {HOST}'),
        pod(TP, "volumeMounts:", "{{- toYaml .Values.mounts | nindent 4 }}"),
        pod(TP, "env: [{name: NCCL_SHM_DISABLE, value: '1'}]"),
        pod(TP, "resources: {limits: {huawei.com/Ascend910: 8}}"),
        pod(TP).replace("    image: lmsysorg/sglang:v0.5.23\n", ""),  # a patch says a part only
        pod(TP).replace("kind: Pod", "kind: Something"),
    ],
)
def test_memory_that_is_given_or_may_be(text: str) -> None:
    assert "SGL803" not in [code for code, _ in places(text)]


def test_services_of_akash_are_told_what_they_run_on_elsewhere() -> None:
    """They look like those of compose, but their variables are the shell's, and their memory is no key of theirs."""
    service = f"    image: lmsysorg/sglang\n    env: [TP=4]\n    command: [bash, -c]\n    args: ['{SERVE} --tp $TP']\n"
    text = f"services:\n  sglang:\n{service}"
    assert places(text + "profiles:\n  compute: {sglang: {resources: {gpu: {units: 4}}}}\n") == []
    assert places(text.replace("env:", "environment:").replace("$TP", "4")) == [("SGL803", 6)]


# -- ports and addresses of pods


def deployment(args: str, *more: str, service: str = "") -> str:
    lines = "".join(f"        {line}\n" for line in more)
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: llm}\nspec:\n"
        "  selector: {matchLabels: {app: llm}}\n  template:\n    metadata: {labels: {app: llm, tier: gpu}}\n    spec:\n"
        "      containers:\n      - name: sglang\n        image: lmsysorg/sglang:v0.5.23\n"
        f"        command: [python3, -m, sglang.launch_server]\n        args: [--model-path, a/b, {args}]\n{lines}"
    )
    if service:
        text += f"---\napiVersion: v1\nkind: Service\nmetadata: {{name: llm}}\nspec:\n{service}"
    return text


SELECT = "  selector: {app: llm}\n  ports:\n  - port: 80\n    targetPort: %s\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (pod(HOST, "readinessProbe: {httpGet: {path: /health, port: 30000}}"), []),
        (pod(f'{HOST}, --port, "40000"', "readinessProbe: {tcpSocket: {port: 30000}}"), [("SGL805", 10)]),
        (
            pod(f'{HOST}, --port, "40000"', "ports: [{name: http, containerPort: 40000}]",
                "startupProbe: {httpGet: {path: /health, port: http}, failureThreshold: 90}"),
            [],
        ),
        (pod(f'{HOST}, --port, "8000"', "readinessProbe: {exec: {command: [curl, http://localhost:30000/health]}}"),
         [("SGL805", 10)]),
        (pod(HOST, "ports: [{containerPort: 8000}]", "readinessProbe: {tcpSocket: {port: 8000}}"), [("SGL805", 8)]),
        (pod(f'{HOST}, --port, "30000"', "ports: [{containerPort: 8000}]", "readinessProbe: {tcpSocket: {port: 8000}}"),
         [("SGL805", 9)]),
        (pod(f'{HOST}, --port, "30000"', "ports: [{containerPort: 8000}, {containerPort: 30000}]"), []),
        (pod(f'{HOST}, --port, "$(PORT)"', "ports: [{containerPort: 8000}]"), []),
        (pod(f'{HOST}, --grpc-port, "8000"', "readinessProbe: {tcpSocket: {port: 8000}}"), []),
        (deployment(f'{HOST}, --port, "8000"', service=SELECT % 30000), [("SGL805", 22)]),
        (deployment(f'{HOST}, --port, "8000"', service=SELECT % 8000), []),
        (deployment(f'{HOST}, --port, "8000"', service=(SELECT % 30000).replace("app: llm", "app: other")), []),
        (deployment(f'{HOST}, --port, "8000"', "ports: [{name: web, containerPort: 8000}]", service=SELECT % "web"), []),
        (deployment("--trust-remote-code", service=SELECT % 30000), [("SGL804", 12)]),
        (pod("--trust-remote-code", "ports: [{containerPort: 30000}]"), [("SGL804", 8)]),
        (pod("--host, localhost", "readinessProbe: {httpGet: {path: /health, port: 30000}}"), [("SGL804", 9)]),
        (pod("--host, localhost", "readinessProbe: {httpGet: {host: 127.0.0.1, path: /health, port: 30000}}"), []),
        (pod("--host, localhost"), []),
    ],
)  # fmt: skip
def test_ports_and_addresses(text: str, expected: list[tuple[str, int]]) -> None:
    assert places(text) == expected


def test_what_a_probe_asks_in_vain_is_an_error() -> None:
    text = pod("--trust-remote-code", "readinessProbe: {httpGet: {path: /health, port: 30000}}")
    assert [finding.level for finding in told(text)] == ["error"]
    assert fixed(text) == text.replace("remote-code]", 'remote-code, --host, "0.0.0.0"]')
    only = pod("--trust-remote-code", "ports: [{containerPort: 30000}]")
    assert [finding.level for finding in told(only)] == ["warning"]


def test_every_probe_is_mended() -> None:
    probes = [
        f"{kind}: {{tcpSocket: {{port: 30000}}, failureThreshold: 90}}" for kind in ("livenessProbe", "readinessProbe")
    ]
    text = pod(f'{HOST}, --port, "40000"', "ports: [{containerPort: 40000}]", *probes)
    assert fixed(text) == text.replace("port: 30000", "port: 40000")


def test_the_port_that_everything_else_names_is_added() -> None:
    text = deployment(HOST, "ports: [{containerPort: 8000}]", service=SELECT % 8000)
    assert places(text) == [("SGL805", 12)]
    assert fixed(text) == text.replace("0.0.0.0]", '0.0.0.0, --port, "8000"]')


# -- groups


def group(size: int, args: str, leader: bool = False) -> str:
    one = (
        "      spec:\n        containers:\n        - name: sglang\n          image: lmsysorg/sglang:v0.5.23\n"
        "          command: [sglang, serve, --model-path, a/b, --dist-init-addr, '$(LWS_LEADER_ADDRESS):1']\n"
        "          args: [%s]\n"
    )
    parts = "    leaderTemplate:\n" + one % '--tp, "2", --nnodes, "%d", --node-rank, "0"' % size if leader else ""
    return (
        "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: llm}\nspec:\n"
        f"  leaderWorkerTemplate:\n    size: {size}\n{parts}    workerTemplate:\n{one % args}"
    )


INDEX = "--node-rank, $(LWS_WORKER_INDEX)"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        (group(2, f'--tp, "2", --nnodes, "2", {INDEX}'), []),
        (group(2, f'--tp, "2", --nnodes, $(LWS_GROUP_SIZE), {INDEX}'), []),
        (group(2, f'--tp, "4", --nnodes, "4", {INDEX}'), ["SGL806"]),
        (group(4, f'--tp, "4", --nnodes, "2", {INDEX}'), ["SGL803", "SGL806"]),
        (group(2, '--tp, "2", --nnodes, "2", --node-rank, "1"'), ["SGL807"]),
        (group(2, '--tp, "2", --nnodes, "2", --node-rank, "1"', leader=True), []),
        (group(3, '--tp, "3", --nnodes, $(LWS_GROUP_SIZE), --node-rank, "1"', leader=True), ["SGL807"]),
    ],
)
def test_groups(text: str, codes: list[str]) -> None:
    assert sorted({code for code, _ in places(text)}) == codes


def test_the_rank_becomes_the_index() -> None:
    text = group(3, "--tp=3, --nnodes=3, --node-rank=1")
    assert fixed(text) == text.replace("--node-rank=1", "--node-rank=$(LWS_WORKER_INDEX)")


@pytest.mark.parametrize(
    ("probe", "seconds"),
    [
        ("livenessProbe: {tcpSocket: {port: 30000}}", 30),
        ("livenessProbe: {tcpSocket: {port: 30000}, initialDelaySeconds: 29}", 59),
        ("livenessProbe: {tcpSocket: {port: 30000}, initialDelaySeconds: 30}", None),
        ("livenessProbe: {tcpSocket: {port: 30000}, periodSeconds: 60}", None),
        ("startupProbe: {tcpSocket: {port: 30000}}", 30),
        ("readinessProbe: {tcpSocket: {port: 30000}}", None),
    ],
)
def test_probes_that_do_not_wait(probe: str, seconds: int | None) -> None:
    found = told(pod(HOST, probe))
    assert [f.code for f in found] == (["SGL808"] if seconds is not None else [])
    assert all(f"after {seconds} seconds" in finding.message for finding in found)


@pytest.mark.parametrize(
    ("probe", "quick"),
    [
        ("httpGet: {path: /health, port: 30000}", True),
        ("httpGet: {path: /health_generate, port: 30000}", True),
        ("httpGet: {path: /v1/models, port: 30000}", False),
        ("tcpSocket: {port: 30000}", False),
        ("httpGet: {path: /health, port: 30000}, timeoutSeconds: 5", False),
    ],
)
def test_probes_that_wait_less_than_the_health_check_takes(probe: str, quick: bool) -> None:
    text = pod(HOST, f"readinessProbe: {{{probe}}}")
    assert bool(told(text, slow=True)) is quick
    old = text.replace("v0.5.23", "v0.4.6.post5")
    assert bool(told(old, slow=True)) is (quick and "generate" in probe)


@pytest.mark.parametrize(
    ("args", "path", "release", "code"),
    [
        (HOST, "/healthz", "0.5.23", "SGL813"),
        (HOST, "/health", "0.5.23", None),
        (HOST, "/ready", "0.5.23", None),
        (HOST, "/ready", "0.5.9", "SGL813"),
        (HOST, "/v1/models", "0.5.23", None),
        (f"{HOST}, --api-key, $(KEY)", "/v1/models", "0.5.23", "SGL813"),
        (f"{HOST}, --api-key, $(KEY)", "/health_generate", "0.5.23", None),
        (f"{HOST}, --port, $(PORT)", "/healthz", "0.5.23", None),
    ],
)
def test_paths_of_probes(args: str, path: str, release: str, code: str | None) -> None:
    probe = f"readinessProbe: {{httpGet: {{path: {path}, port: 30000}}, timeoutSeconds: 5}}"
    text = pod(args, probe).replace("v0.5.23", f"v{release}")
    assert [found.code for found in told(text)] == ([code] if code else [])
    assert fixed(text) == (text.replace(path, "/health") if code else text)


def test_pods_do_not_meet_at_a_loopback_address() -> None:
    text = group(2, f'--tp, "2", --nnodes, "2", {INDEX}')
    assert places(text) == []
    assert places(text.replace("$(LWS_LEADER_ADDRESS):1", "127.0.0.1:5000")) == [("SGL812", 12)]


def test_nodes_behind_the_first_need_no_address() -> None:
    script = 'if [ "$RANK" = 0 ]; then %s --host 0.0.0.0; else %s; fi' % (
        ("sglang serve --model-path a/b --tp 2 --nnodes 2 --node-rank $RANK --dist-init-addr a:1",) * 2
    )
    text = deployment(HOST, "ports: [{containerPort: 30000}]").replace("sglang.launch_server", "x")
    text = text.replace("command: [python3, -m, x]", "command: [bash, -c]")
    text = text.replace(f"args: [--model-path, a/b, {HOST}]", f"args: ['{script}']")
    assert len(analysed(text, "yaml").launches) == 2
    assert told(text) == []


# -- compose

COMPOSE = """\
services:
  llm:
    image: lmsysorg/sglang:v0.5.23
    entrypoint: python3 -m sglang.launch_server
    command: --model-path a/b {args}
    {more}
"""


@pytest.mark.parametrize(
    ("args", "more", "codes"),
    [
        ("--host 0.0.0.0 --tp 2", "restart: always", ["SGL803"]),
        ("--host 0.0.0.0 --tp 2", "shm_size: 16gb", []),
        ("--host 0.0.0.0 --tp 2", "ipc: host", []),
        ("--host 0.0.0.0 --tp 2", "volumes: [/dev/shm:/dev/shm]", []),
        ("--host 0.0.0.0 --tp 2", "extends: {file: a.yaml, service: b}", []),
        ("--port 30000", "ports: ['8000:30000']", ["SGL804"]),
        ("--port 30000", "network_mode: host", []),
        ("--host 0.0.0.0 --port 30000", "ports: ['8000:8000']", ["SGL805"]),
        ("--host 0.0.0.0 --port 30000", "ports: [{published: 8000, target: 8000}]", ["SGL805"]),
        ("--host 0.0.0.0 --port 30000", "ports: ['${PORT:-8000}:30000']", []),
        ("--host 0.0.0.0 --port 8000", "healthcheck: {test: curl -f http://localhost:30000/health}", ["SGL805"]),
    ],
)
def test_compose(args: str, more: str, codes: list[str]) -> None:
    assert [code for code, _ in places(COMPOSE.format(args=args, more=more))] == codes


def test_devices_of_compose() -> None:
    for devices, codes in (("count: 2", ["SGL801"]), ("count: all", []), ("device_ids: ['0']", ["SGL801"])):
        more = f"shm_size: 1g\n    deploy: {{resources: {{reservations: {{devices: [{{{devices}}}]}}}}}}"
        assert [code for code, _ in places(COMPOSE.format(args="--host 0.0.0.0 --tp 4", more=more))] == codes


# -- whatever stands there

KEYS = ("resources", "ports", "volumeMounts", "livenessProbe", "readinessProbe", "startupProbe", "env")
NODES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 70000) | st.text("ab:/$({ -", max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(("limits", "nvidia.com/gpu", "containerPort", "port", "httpGet", "tcpSocket", "exec", "name",
                             "command", "mountPath", "failureThreshold", "target", "host")),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)  # fmt: skip


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_path_in_quotes_is_mended_within_them(quote: str) -> None:
    path = f"{quote}/healthz{quote}"
    text = pod(HOST, f"readinessProbe: {{httpGet: {{path: {path}, port: 30000}}, timeoutSeconds: 5}}")
    assert fixed(text) == text.replace("/healthz", "/health")


SET = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: llm}
spec:
  replicas: 2
  template:
    metadata: {labels: {app: llm}}
    spec:
      containers:
        - name: sglang
          image: lmsysorg/sglang:v0.5.9
          command: [python3, -m, sglang.launch_server, --model-path, a/b, --host, 0.0.0.0, --port, "8000"]
          args: [--tp-size, "1", --nnodes, "2", --node-rank, "0", --dist-init-addr, "llm-0.llm:5000"]
"""
SERVICE = """\
apiVersion: v1
kind: Service
metadata: {name: llm}
spec:
  selector: {app: llm}
  ports: [{port: 80, targetPort: 30000}]
"""


def listed(*objects: str) -> str:
    """Objects in one of the kind List."""
    items = "".join(f"  - {one.replace(chr(10), chr(10) + '    ').rstrip(' ')}" for one in objects)
    return f"apiVersion: v1\nkind: List\nitems:\n{items}"


def as_json(*objects: str) -> str:
    """Objects in one of the kind List, in JSON, which is YAML as well."""
    import json

    import yaml

    return json.dumps({"apiVersion": "v1", "kind": "List", "items": [yaml.safe_load(one) for one in objects]})


@pytest.mark.parametrize(
    "text",
    [
        f"{SET}---\n{SERVICE}",
        f"{SERVICE}---\n{SET}",
        f"{SET}---\n{SERVICE}".replace("\n", "\r\n"),
        f"{SET}---\n{SERVICE}".replace("kind: Service", '"kind": "Service" # a note'),
        f"%YAML 1.1\n---\n{SET}---\n{SERVICE}",
        listed(SET, SERVICE),
        listed(SERVICE, SET),
        f"{SET}---\n{listed(SERVICE)}",
        as_json(SET, SERVICE),
    ],
)
def test_objects_stand_beside_each_other_in_any_form(text: str) -> None:
    """Documents, items of a list, whatever ends their lines: the Service and the number of pods are the same."""
    assert sorted(found.code for found in told(text)) == ["SGL805", "SGL807"]


@given(st.dictionaries(st.sampled_from(KEYS), NODES, max_size=4), NODES, NODES)
def test_odd_objects_do_no_harm(container: dict[str, object], volumes: object, size: object) -> None:
    import json

    text = json.dumps(
        {
            "apiVersion": "leaderworkerset.x-k8s.io/v1",
            "kind": "LeaderWorkerSet",
            "spec": {
                "leaderWorkerTemplate": {
                    "size": size,
                    "workerTemplate": {
                        "spec": {
                            "volumes": volumes,
                            "containers": [{
                                "image": "lmsysorg/sglang:v0.5.9",
                                "command": ["python3", "-m", "sglang.launch_server", "--model-path", "a/b", "--tp", "2"],
                                **container,
                            }],
                        }
                    },
                }
            },
        }
    )  # fmt: skip
    with contextlib.suppress(SourceError):
        told(text)


def test_of_runs_that_are_called_alike_no_condition_is_told() -> None:
    text = f"run() {{ CUDA_VISIBLE_DEVICES=$G {SERVE} --tp 2; }}\nG=0\nrun %s\nG=0,1\nrun %s\n"
    assert [f.message.partition(",")[0] for f in told(text % ("a", "b"), "shell")] == ["when `run a` calls it"]
    assert [f.message.partition(",")[0] for f in told(text % ("", ""), "shell")] == ["the launch needs 2 GPUs"]
