"""Objects of a file of manifests that tell of each other: ConfigMaps that a container takes variables from."""

from __future__ import annotations

import pytest

MAP = """\
apiVersion: v1
kind: ConfigMap
metadata: {name: sg}
data: {TP: "4", M: a/b, "run.sh": echo}
"""
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: s
    image: lmsysorg/sglang:v0.5.9
    command: [bash, -c, 'sglang serve --model-path $M --tp "${TP:-1}" --dp $D']
    envFrom: [{configMapRef: {name: sg}}, {secretRef: {name: s}}]
"""
KEY = POD.replace("    envFrom: [{configMapRef: {name: sg}}, {secretRef: {name: s}}]\n", "") + (
    "    env:\n    - {name: M, valueFrom: {configMapKeyRef: {name: sg, key: M}}}\n"
    "    - {name: TP, valueFrom: {configMapKeyRef: {name: sg, key: TP}}}\n"
    "    - {name: D, valueFrom: {configMapKeyRef: {name: sg, key: NONE}}}\n"
)
TOLD = ["--model-path", "a/b", "--tp", "4", "--dp", "…"]


@pytest.mark.parametrize("text", [f"{MAP}---\n{POD}", f"{POD}---\n{MAP}", f"{MAP}---\n{KEY}"])
def test_variables_of_a_config_map(find, text: str) -> None:
    (launch,) = find("yaml", text)
    assert launch.words == TOLD
    assert {name: launch.env[name] for name in ("M", "TP")} == {"M": "a/b", "TP": "4"}
    assert "run.sh" not in launch.env


def test_what_a_container_sets_itself_holds(find) -> None:
    (launch,) = find("yaml", f"{MAP}---\n{POD}    env: [{{name: TP, value: '8'}}]\n")
    assert launch.words[3] == "8"


def test_variables_with_a_prefix(find) -> None:
    pod = POD.replace("{configMapRef: {name: sg}}", "{prefix: A_, configMapRef: {name: sg}}").replace("$M", "$A_M")
    (launch,) = find("yaml", f"{MAP}---\n{pod}")
    assert launch.words[:4] == ["--model-path", "a/b", "--tp", ["1", None]]


@pytest.mark.parametrize(
    ("maps", "known"),
    [
        (MAP.replace("name: sg", "name: other"), False),
        (MAP.replace("name: sg", "name: sg, namespace: a"), True),
        (f"{MAP}---\n{MAP}", False),
        (MAP.replace("data:", "{{- if .Values.x }}\ndata:") + "{{- end }}\n", False),
        (MAP + "---\nkind: ConfigMap\nx: [\n", True),
    ],
)
def test_which_config_map_it_is(find, maps: str, known: bool) -> None:
    (launch,) = find("yaml", f"{maps}---\n{POD}")
    assert (launch.words == TOLD) == known


def test_config_maps_of_other_namespaces(find) -> None:
    pod = POD.replace("name: x}", "name: x, namespace: b}")
    first, second = (MAP.replace("name: sg", f"name: sg, namespace: {name}") for name in ("a", "b"))
    (launch,) = find("yaml", f"{first}---\n{pod}")
    assert launch.words != TOLD
    (launch,) = find("yaml", f"{first}---\n{second}---\n{pod}")
    assert launch.words == TOLD
