"""Containers of manifests and compose files: what they run, from where each word comes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from speclint.hosts import yaml as host
from speclint.launch import find
from speclint.source import SourceFile
from speclint.value import Joined, Known, OneOf

if TYPE_CHECKING:
    from speclint.launch import Launch
    from speclint.words import Word

FIXTURES = Path(__file__).parents[2] / "fixtures" / "kubernetes"


def launches(text: str) -> list[Launch]:
    """The launches in a YAML text."""
    commands = host.read(SourceFile("x.yaml", text.encode()))
    return [launch for launch in map(find, commands) if launch is not None]


def written(word: Word) -> Any:
    """A word as text; what is not known as null, alternatives as a list."""
    if word.many:
        return "…"
    value: Any = None
    if isinstance(word.value, Known):
        value = word.value.text.text
    elif isinstance(word.value, OneOf):
        value = [arm.text.text if isinstance(arm, Known) else None for arm in word.value.arms]
    elif isinstance(word.value, Joined):
        value = [part.text.text if isinstance(part, Known) else None for part in word.value.parts]
    return {choice.labels[arm]: value for choice, arm in word.guard} if word.guard else value


def described(launch: Launch) -> dict[str, Any]:
    """What there is to tell of a launch."""
    command, file = launch.command, launch.file
    image = command.image
    return {
        "rows": [file.location(launch.span.start)[0], file.location(launch.span.end)[0]],
        "entrypoint": launch.entrypoint,
        "host": command.host,
        "object": command.object,
        "image": image.text.text if isinstance(image, Known) else None,
        "env": {name: v.text.text if isinstance(v, Known) else None for name, v in command.env.items()},
        "fixable": command.fixable,
        "run": command.run,
        "words": [written(word) for word in launch.words],
        "places": [file.location(w.span.start) if w.span else None for w in launch.words],
    }


@pytest.mark.parametrize("path", sorted(FIXTURES.glob("*.yaml")), ids=lambda path: path.stem)
def test_fixtures(path: Path) -> None:
    """Each manifest in fixtures/ gives the launches in the JSON file beside it."""
    found = json.loads(json.dumps([described(launch) for launch in launches(path.read_text("utf-8"))]))
    assert found == json.loads(path.with_suffix(".json").read_text("utf-8"))


POD = """\
apiVersion: v1
kind: Pod
metadata: {{name: p}}
spec:
  containers:
  - name: c
    image: {image}
    env:
{env}
    command: [python3, -m, sglang.launch_server]
    args: {args}
"""


def pod(args: str, env: str = "", image: str = "lmsysorg/sglang:v0.5.9") -> Launch:
    """The launch of a pod."""
    text = POD.format(args=args, env="\n".join("    " + line for line in env.splitlines()), image=image)
    (launch,) = launches(text)
    return launch


def text_of(launch: Launch) -> str:
    return launch.file.text


class TestEnvironment:
    """``$(NAME)``."""

    def test_definition_and_use(self) -> None:
        """The value stands at the definition, the word where it is used; the definition counts its uses."""
        launch = pod('["--tp", "$(TP)", "--dp=$(TP)"]', '- {name: TP, value: "8"}')
        word = launch.words[1]
        assert isinstance(word.value, Known)
        assert word.value.text.text == "8"
        assert word.span is not None
        assert word.span.text == '"$(TP)"'
        where = word.value.text.exact()
        assert where is not None
        assert text_of(launch)[where.start - 1 : where.end + 1] == '"8"'
        place = word.value.text.place()
        assert place is not None
        assert place.text == "$(TP)"
        (definition,) = [s.definition for s in word.value.steps if s.definition]
        assert (definition.name, definition.uses) == ("TP", 2)
        assert launch.words[2].text == "--dp=8"

    def test_reads_in_the_container_count(self) -> None:
        """A name read once is told so."""
        launch = pod('["--tp", "$(TP)"]', '- {name: TP, value: "8"}\n- {name: OTHER, value: "$TP"}')
        value = launch.words[1].value
        assert isinstance(value, Known)
        assert [s.definition.uses for s in value.steps if s.definition] == [2]

    @pytest.mark.parametrize(
        ("written_as", "expected"),
        [("$(NOPE)", None), ("$$(TP)", "$(TP)"), ("$(TP)x", "8x"), ("$(bad name)", "$(bad name)"), ("a$", "a$"),
         ("${TP}", None), ("$TP", None), ("$(LATER)", None), ("$(ONE)$(TP)", "18")],
    )  # fmt: skip
    def test_references(self, written_as: str, expected: str | None) -> None:
        """What Kubernetes makes of it, or nothing certain."""
        env = '- {name: ONE, value: "1"}\n- {name: TP, value: "8"}\n- {name: LATER, valueFrom: {}}'
        assert pod(f'["--x", "{written_as}"]', env).words[1].text == expected

    def test_names_that_double(self) -> None:
        """A value that doubles with each name is given up."""
        env = '- {name: A0, value: "xx"}\n' + "".join(
            f'- {{name: A{i + 1}, value: "$(A{i})$(A{i})"}}\n' for i in range(60)
        )
        assert pod('["--x", "$(A60)", "--y", "$(A3)"]', env).words[1].text is None

    def test_unquoted_numbers_are_text(self) -> None:
        """A number or a boolean is the text that was written."""
        assert [w.text for w in pod("[--a, 1.50, --b, yes, --c, 010]").words[1::2]] == ["1.50", "yes", "010"]


class TestShapes:
    """Which mappings are containers, and what their parts come to."""

    def test_args_before_command(self) -> None:
        """The command comes first whatever the order in the file."""
        text = "name: c\nargs: [--tp, '2']\ncommand: [python3, -m, sglang.launch_server]\n"
        (launch,) = launches(text)
        assert [w.text for w in launch.words] == ["--tp", "2"]
        assert launch.span.text == text[text.index("args") :].rstrip()

    def test_one_string_is_one_word(self) -> None:
        """In a pod nothing splits a string: what was meant is read, and that it is not run is noted."""
        text = POD.format(args='["--tp 2 --dp 2"]', env="", image="lmsysorg/sglang")
        assert [w.text for w in launches(text)[0].words] == ["--tp 2 --dp 2"]
        whole = POD.replace("[python3, -m, sglang.launch_server]", "[bash]")
        found = launches(whole.format(args="[python3 -m sglang.launch_server --tp 2]", env="", image="x/sglang"))
        assert [w.text for w in found[0].words] == ["--tp", "2"]
        flaw = found[0].command.flaw
        assert flaw is not None
        assert (flaw[0], flaw[1].text) == ("shell", "bash")

    def test_key_written_twice(self) -> None:
        """The last holds."""
        (launch,) = launches("name: c\nargs: [--a]\ncommand: [python3, -m, sglang.launch_server]\nargs: [--b]\n")
        assert [w.text for w in launch.words] == ["--b"]

    @pytest.mark.parametrize(
        ("image", "args", "expected"),
        [("lmsysorg/sglang", "[--model-path, m]", 1), ("h:5000/m/sglang@sha256:0", "[--tp=2]", 1),
         ("x/ome/sglang-cu12:v1", "[--model, m]", 1), ("lmsysorg/sglang", "[--help-me]", 0),
         ("lmsysorg/sglang-router", "[--model-path, m]", 0), ("vllm/vllm", "[--model, sglang]", 0),
         ("lmsysorg/sglang", "[serve, --model, m]", 0)],
    )  # fmt: skip
    def test_entry_point_of_the_image(self, image: str, args: str, expected: int) -> None:
        """Options alone are a launch where the image is SGLang's server."""
        found = launches(f"apiVersion: v1\nkind: Pod\nspec:\n  containers:\n  - image: {image}\n    args: {args}\n")
        assert len(found) == expected
        for launch in found:
            assert launch.head.text == "args"

    def test_nothing_is_told_twice(self) -> None:
        """An alias of a whole container, of its list, and a merge with nothing new are told at the anchor."""
        text = """\
a: &a
  image: x/sglang
  command: [python3, -m, sglang.launch_server, --tp, "2"]
b: *a
c: {<<: *a}
d: &list [python3, -m, sglang.launch_server, --tp, "3"]
e: *list
"""
        found = launches(text)
        assert [launch.file.location(launch.span.start)[0] for launch in found] == [3, 6]
        value = found[1].words[1].value
        assert isinstance(value, Known)
        (definition,) = [s.definition for s in value.steps if s.definition]
        assert (definition.name, definition.uses) == ("list", 2)

    def test_merged_parts_make_launches_of_their_own(self) -> None:
        """The same launcher with other options is another launch; the base alone is none."""
        text = """\
base: &base
  image: x/sglang
  command: [python3, -m, sglang.launch_server]
one: {<<: *base, args: [--tp, "1"]}
two: {<<: [*base], args: [--tp, "2"]}
"""
        assert [[w.text for w in launch.words] for launch in launches(text)] == [["--tp", "1"], ["--tp", "2"]]

    def test_windows_line_ends(self) -> None:
        """Places hold."""
        text = POD.format(args='["--tp", "2"]', env="", image="x/sglang").replace("\n", "\r\n")
        (launch,) = launches(text)
        assert launch.words[1].span is not None
        assert launch.words[1].span.text == '"2"'


def test_what_a_pod_tells_of_itself_is_always_set(find) -> None:
    """A default that a shell has for it never stands; a variable of a secret may be empty."""
    text = """apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: s
    image: lmsysorg/sglang:v0.5.9
    env:
    - {name: RANK, valueFrom: {fieldRef: {fieldPath: "metadata.labels['x']"}}}
    - {name: PORT, valueFrom: {secretKeyRef: {name: a, key: b}}}
    command: [bash, -c]
    args: ['sglang serve --model-path m --node-rank "${RANK:-0}" --port "${PORT:-1}" --tp "$(RANK)"']
"""
    (launch,) = find("yaml", text)
    assert launch.words == ["--model-path", "m", "--node-rank", None, "--port", ["1", None], "--tp", None]


@pytest.mark.parametrize(
    ("reference", "container", "image"),
    [("base", "engine", "lmsysorg/sglang:v0.5.9"), ("other", "engine", None), ("base", "sidecar", None)],
)
def test_a_patch_runs_in_the_image_of_the_template(find, reference: str, container: str, image: str | None) -> None:
    text = f"""apiVersion: workloads.x-k8s.io/v1alpha2
kind: RoleBasedGroup
metadata: {{name: x}}
spec:
  roleTemplates:
  - name: base
    template: {{spec: {{containers: [{{name: engine, image: "lmsysorg/sglang:v0.5.9"}}]}}}}
  - name: other
    template: {{}}
  roles:
  - name: prefill
    standalonePattern:
      templateRef:
        name: {reference}
        patch:
          spec:
            containers:
            - name: {container}
              command: [python3, -m, sglang.launch_server, --model-path, m]
"""
    (launch,) = find("yaml", text)
    assert (launch.words, launch.image) == (["--model-path", "m"], image)


PATCHED = """apiVersion: workloads.x-k8s.io/v1alpha1
kind: RoleBasedGroup
metadata: {name: x}
spec:
  roleTemplates: [{name: base, template: TEMPLATE}]
  roles:
  - name: prefill
    HOLDER:
      PATCH:
        spec:
          containers:
          - name: CONTAINER
            command: [python3, -m, sglang.launch_server, --model-path, m]
            env: [{name: B, value: "2"}]
REST
"""
TEMPLATE = (
    '{spec: {containers: [{name: engine, image: "lmsysorg/sglang:v0.5.9", '
    'env: [{name: A, value: "1"}, {name: B, value: "1"}]}]}}'
)


@pytest.mark.parametrize(
    ("holder", "patch", "rest"),
    [
        ("leaderWorkerSet", "patchLeaderTemplate", f"    template: {TEMPLATE}"),
        ("leaderWorkerSet", "patchWorkerTemplate", "    templateRef: {name: base}"),
        ("leaderWorkerPattern", "leaderTemplatePatch", f"      template: {TEMPLATE}"),
        ("leaderWorkerPattern", "workerTemplatePatch", "      templateRef: {name: base}"),
        ("leaderWorkerPattern", "workerTemplatePatch", f"      templateRef: {{name: other, patch: {TEMPLATE}}}"),
    ],
)
def test_a_patch_for_the_leader_or_the_workers(find, holder: str, patch: str, rest: str) -> None:
    """What the role says of all of its pods holds but for what the patch says itself, for the container of its name."""
    text = PATCHED.replace("HOLDER", holder).replace("PATCH", patch).replace("REST", rest)
    text = text.replace("TEMPLATE", TEMPLATE)
    (launch,) = find("yaml", text.replace("CONTAINER", "engine"))
    assert (launch.image, launch.env) == ("lmsysorg/sglang:v0.5.9", {"A": "1", "B": "2"})
    (launch,) = find("yaml", text.replace("CONTAINER", "sidecar"))
    assert (launch.image, launch.env) == (None, {"B": "2"})


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("ServingRuntime", ["--port=1", "…"]),
        ("ClusterServingRuntime", ["--port=1", "…"]),
        ("InferenceService", ["--port=1"]),
    ],
)
def test_what_is_served_by_a_runtime_adds_to_it(find, kind: str, words: list[str]) -> None:
    text = f"""apiVersion: serving.kserve.io/v1alpha1
kind: {kind}
metadata: {{name: x}}
spec:
  containers:
  - name: kserve-container
    image: lmsysorg/sglang:v0.5.9
    command: [python3, -m, sglang.launch_server]
    args: [--port=1]
"""
    (launch,) = find("yaml", text)
    assert (launch.words, launch.fixable) == (words, True)
    script = text.replace("[python3, -m, sglang.launch_server]", "[sh, -c]")
    (launch,) = find("yaml", script.replace("[--port=1]", "['sglang serve --port=1 $@', --]"))
    assert launch.words == words
    (launch,) = find("yaml", script.replace("[--port=1]", "['sglang serve --port=1', --]"))
    assert launch.words == ["--port=1"]


KUSTOMIZED = """apiVersion: v1
kind: Pod
metadata: {name: x}
spec:
  containers:
  - name: x
    IMAGE
    command: [python3, -m, sglang.launch_server, --model-path, m]
"""
SGLANG = "images: [{name: lmsysorg/sglang, newTag: v0.5.9}]"
PLACEHOLDER = "images: [{name: SERVER, newName: lmsysorg/sglang, newTag: v0.5.7}, {name: SIDE, newName: other/x}]"
MIRRORED = "images: [{name: lmsysorg/sglang, newName: r.io/sglang, newTag: v0.5.8}]"


@pytest.mark.parametrize(
    ("files", "given", "image"),
    [
        ({"a/kustomization.yaml": f"resources: [pod.yaml]\n{SGLANG}"}, "lmsysorg/sglang:latest", "lmsysorg/sglang:v0.5.9"),
        ({"a/kustomization.yml": f"resources: [./pod.yaml]\n{SGLANG}"}, "lmsysorg/sglang", "lmsysorg/sglang:v0.5.9"),
        ({"a/kustomization.yaml": f"resources: [pod.yaml]\n{SGLANG}"}, "r.io/sglang:v0.5.6", "r.io/sglang:v0.5.6"),
        ({"a/kustomization.yaml": f"resources: [other.yaml]\n{SGLANG}"}, "lmsysorg/sglang", "lmsysorg/sglang"),
        ({"b/kustomization.yaml": f"resources: [pod.yaml]\n{SGLANG}"}, "lmsysorg/sglang", "lmsysorg/sglang"),
        ({"a/kustomization.yaml": "images: ["}, "lmsysorg/sglang", "lmsysorg/sglang"),
        ({"a/kustomization.yaml": f"patches: [{{path: pod.yaml}}]\n{PLACEHOLDER}"}, "", "lmsysorg/sglang:v0.5.7"),
        ({"a/kustomization.yaml": f"patches: [{{path: pod.yaml}}]\n{SGLANG}"}, "", None),
        (
            {
                "a/kustomization.yaml": f"resources: [../b]\npatches: [{{path: pod.yaml}}]\n{MIRRORED}",
                "b/kustomization.yaml": "components: [../c]\nresources: [../a]",
                "c/kustomization.yaml": PLACEHOLDER,
            },
            "",
            "r.io/sglang:v0.5.8",
        ),
        (
            {
                "a/kustomization.yaml": "components: [../b, ../c]\npatches: [{path: pod.yaml}]",
                "b/kustomization.yaml": PLACEHOLDER,
                "c/kustomization.yaml": PLACEHOLDER.replace("lmsysorg", "other"),
            },
            "",
            None,
        ),
        (
            # What a patch names is put in after the components had their turn, what is listed before.
            {"a/kustomization.yaml": "components: [../c]\npatches: [{path: pod.yaml}]", "c/kustomization.yaml": SGLANG},
            "lmsysorg/sglang:v0.5.6",
            "lmsysorg/sglang:v0.5.6",
        ),
        (
            {"a/kustomization.yaml": "components: [../c]\nresources: [pod.yaml]", "c/kustomization.yaml": SGLANG},
            "lmsysorg/sglang:v0.5.6",
            "lmsysorg/sglang:v0.5.9",
        ),
        (
            # It was built on its own, and has no part in what is listed beside it.
            {"a/kustomization.yaml": "resources: [../c, pod.yaml]", "c/kustomization.yaml": SGLANG},
            "lmsysorg/sglang:v0.5.6",
            "lmsysorg/sglang:v0.5.6",
        ),
        (
            {"a/kustomization.yaml": "resources: [pod.yaml]\nimages: [{name: lmsysorg/sglang, digest: 'sha256:1'}]"},
            "lmsysorg/sglang:v0.5.9",
            "lmsysorg/sglang@sha256:1",
        ),
    ],
)
def test_images_that_a_kustomization_puts_in(tmp_path: Path, files: dict[str, str], given: str, image: str | None) -> None:
    """A patch names none: it is that of the one server whose image is put in, if there is one only."""
    (tmp_path / ".git").mkdir()
    text = KUSTOMIZED.replace("IMAGE", f"image: {given}" if given else "env: []")
    for name, content in {"a/pod.yaml": text, **files}.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(content)
    (command,) = host.read(SourceFile(str(tmp_path / "a/pod.yaml"), text.encode()))
    assert (command.image.text.text if isinstance(command.image, Known) else command.image) == image


ADDED = """\
services:
  sglang:
    volumes: [/models:/models]
    command:
      - --model-path
      - m
      - --tp=2
"""


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("compose.local.yaml", ADDED, ["--model-path", "m", "--tp=2", "…"]),
        ("docker-compose.override.yml", ADDED.replace("sglang", "qwen-sglang"), ["--model-path", "m", "--tp=2", "…"]),
        ("compose.yaml", ADDED.replace("sglang", "sglang-router"), None),
        ("compose.yaml", ADDED.replace("sglang", "vllm"), None),
        ("compose.yaml", ADDED.replace("volumes:", "build: .\n    volumes:"), None),
        ("compose.yaml", ADDED.replace("volumes:", "image: other/x\n    volumes:"), None),
        ("values.yaml", ADDED, None),
    ],
)
def test_a_compose_file_that_is_added_to_another(name: str, text: str, expected: list[str] | None) -> None:
    """The service is told by its name, and what stands in the other file is not known."""
    found = [launch for launch in map(find, host.read(SourceFile(name, text.encode()))) if launch is not None]
    assert [[written(word) for word in launch.words] for launch in found] == ([expected] if expected else [])


def test_the_version_of_the_image_of_a_resource(find) -> None:
    text = """apiVersion: example.org/v1
kind: Runtime
metadata: {name: a}
spec:
  image: lmsysorg/sglang
  version: v0.5.9
  command: [python3, -m, sglang.launch_server, --model-path, m]
"""
    (launch,) = find("yaml", text)
    assert launch.image == "lmsysorg/sglang:v0.5.9"
