"""The YAML host: streams, errors, unknown schemas, and inputs that are meant to hurt."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import yaml as host
from speclint.launch import find
from speclint.source import SourceError, SourceFile

if TYPE_CHECKING:
    from speclint.launch import Launch

LAUNCH = "run: sglang serve --tp 2\n"


def read(text: str | bytes, problems: list[SourceError] | None = None) -> list[Launch]:
    """The launches in a YAML text."""
    raw = text.encode() if isinstance(text, str) else text
    return [x for x in map(find, host.read(SourceFile("x.yaml", raw), problems)) if x is not None]


def texts(text: str) -> list[list[str | None]]:
    """The words of each launch."""
    return [[w.text for w in launch.words] for launch in read(text)]


def error_of(text: str | bytes) -> SourceError | None:
    """The error that a text raises; nothing else may be raised."""
    try:
        launches = read(text, [])
    except SourceError as error:
        return error
    assert all(launch.span.start <= launch.span.end for launch in launches)
    return None


class TestStreams:
    """Documents of a file."""

    def test_only_documents_with_a_launch_are_parsed(self) -> None:
        """A broken document that has nothing to do with SGLang is no concern."""
        problems: list[SourceError] = []
        (launch,) = read("a: [\n---\n" + LAUNCH + "--- # more\n}\n", problems)
        assert not problems
        assert launch.file.location(launch.span.start) == (3, 6)

    def test_a_broken_document_hides_no_other(self) -> None:
        """It is told beside them, with its place."""
        problems: list[SourceError] = []
        assert len(read(LAUNCH + "---\nsglang.launch_server: [\n---\n" + LAUNCH, problems)) == 2
        (problem,) = problems
        assert problem.row in (3, 4)
        assert problem.column is not None

    def test_nothing_readable(self) -> None:
        """The first error is raised, with row and column."""
        with pytest.raises(SourceError) as caught:
            read("a: 1\nb: sglang.launch_server\n c: 2\n")
        assert (caught.value.row, caught.value.column) == (3, 3)

    def test_directives(self) -> None:
        """They belong to the document after them."""
        assert texts("%TAG ! tag:x,2000:\n---\na: !y 1\n" + LAUNCH) == [["--tp", "2"]]

    def test_document_line_in_a_scalar(self) -> None:
        """A line that looks like the start of a document, but is indented, is text."""
        assert texts("run: |\n  cat <<X\n  ---\n  X\n  sglang serve --tp 2\n") == [["--tp", "2"]]

    def test_bytes_that_are_no_utf8(self) -> None:
        """They are read over; nothing is fixed in such a file."""
        (launch,) = read(b"# caf\xe9\n" + LAUNCH.encode())
        assert launch.file.location(launch.span.start) == (2, 6)
        assert not launch.command.fixable

    def test_control_characters(self) -> None:
        """They are told with their place."""
        with pytest.raises(SourceError, match=r"U\+0001") as caught:
            read("a: 1\nb: \x01 sglang.launch_server\n")
        assert (caught.value.row, caught.value.column) == (2, 4)

    def test_byte_order_mark(self) -> None:
        """It moves nothing."""
        (launch,) = read(b"\xef\xbb\xbf" + LAUNCH.encode())
        assert launch.file.location(launch.span.start) == (1, 6)


class TestUnknownSchemas:
    """Strings and lists under keys that nobody told us about."""

    @pytest.mark.parametrize(
        "text",
        ["description: use sglang serve --tp 2\n", "a: sglang.launch_server\n", "a: python -m sglang.launch_server\n",
         "- name: run sglang serve --tp 2\n", "prompt: |\n  sglang serve --tp 2\n", "a: pkill -f 'sglang serve --tp'\n",
         "a: |\n  ```py\n  x('sglang serve --tp 2')\n  ```\n", "run.py: |\n  x('sglang serve --tp 2')\n", "# sglang serve --tp 2\n",
         "a: |\n  | x | y |\n  |---|---|\n  | pass `--tp 2` to `sglang serve` | z |\n", "a: |\n  echo '```'; sglang serve --tp 2\n",
         "a: |\n  #!/usr/bin/env python3\n  x = 'sglang serve --tp 2'\n", "args: [sglang, --tp, '2']\n",
         "on: {sglang.x: [a, b]}\n", "a: what dynamo.sglang --tp 2 does\n", "a: give it --sglang-tp 2\n"],
    )  # fmt: skip
    def test_no_launch(self, text: str) -> None:
        """Prose, mentions and other languages."""
        assert texts(text) == []

    @pytest.mark.parametrize(
        "text",
        ["run: sglang serve --tp 2\n", "- sglang serve --tp 2\n", "a: {b: [x, {c: 'sglang serve --tp 2'}]}\n",
         "commands:\n- T=2\n- sglang serve --tp $T\n", "x: [sglang, serve, --tp, 2]\n",
         "x: [sglang, # a, b\n  serve, --tp, 2]\n", "x:\n- sglang\n\n# a\n  # b: 'c'\n- serve\n- --tp\n- 2\n",
         "start: sh -c 'exec python -m sglang.launch_server --tp 2'\n", "env: {T: 2}\nscript: sglang serve --tp $T\n",
         "a:\n- - [python, -m, sglang.launch_server, --tp, '2']\n", "config: |\n  ---\n  run: sglang serve --tp 2\n",
         "write_files:\n- path: s\n  content: |\n    [Unit]\n    [Service]\n    ExecStart=/usr/bin/sglang serve --tp 2\n",
         "run: python3 -m dynamo.sglang --tp 2\n", "run: docker run --gpus all lmsysorg/sglang:v0.5.9 --tp 2\n",
         "run: |\n  docker run lmsysorg/sglang:v0.5.9 sglang \\\n    serve --tp 2\n",
         "run.sh: |\n  case $1 in -h|--help) exit ;; esac\n  sglang serve --tp 2\n",
         "a: |\n  # Run it\n\n  ```bash\n  sglang serve --tp 2\n  ```\n", "a.md: |\n  ```\n  sglang serve --tp 2\n  ```\n"],
    )  # fmt: skip
    def test_launch(self, text: str) -> None:
        """Shell text, lists of words, lists of statements, YAML in YAML."""
        assert texts(text) == [["--tp", "2"]]

    def test_options_that_a_script_hands_on(self) -> None:
        """The program that takes them may be anything."""
        script = "  A=(\n    --sglang-tp-size 2\n    --sglang-mem-fraction-static 0.7\n  )\n  python3 train.py ${A[@]}\n"
        (words,) = texts(f"run.sh: |\n{script}")
        assert words[:2] == ["--sglang-tp-size", "2"]

    def test_places_through_two_layers(self) -> None:
        """A word in shell text in YAML in YAML has its own place."""
        text = 'x.yaml: |\n  a:\n    run: "sglang serve \\\n      --tp 23"\n'
        (launch,) = read(text)
        word = launch.words[1]
        assert word.span is not None
        assert word.span.start == text.index("23")


class TestHostileInput:
    """Nothing takes long, nothing raises but SourceError."""

    @settings(max_examples=400, deadline=None)
    @given(st.binary(max_size=60).map(lambda b: b"sglang.launch_server " + b))
    def test_any_bytes(self, raw: bytes) -> None:
        """Bytes of any kind."""
        assert error_of(raw) is None or str(error_of(raw))

    @settings(max_examples=400, deadline=None)
    @given(st.lists(st.sampled_from(
        ["command: ", "args: ", "image: x/sglang", "containers:", "\n", "\n  ", "\n- ", "[", "]", "{", "}", ", ", "--tp", "&a ",
         "*a", "<<: *a", "python3", "-m", "sglang.launch_server", "kind: Pod", "apiVersion: v1", "env: ", "name: n", "value: v",
         "$(n)", "${n:-1}", "services:", "entrypoint: ", "|\n  ", "? ", ": ", "!x ", "'", '"']), max_size=24).map("".join))  # fmt: skip
    def test_any_mixture(self, text: str) -> None:
        """Anchors, merges and parts in shapes that no schema has."""
        error = error_of(text + "\nz: sglang.launch_server\n")
        assert error is None or error.row is not None

    @pytest.mark.parametrize("size", [5, 17, 40, 99, 160])
    def test_half_a_file(self, size: int) -> None:
        """A manifest cut off in the middle."""
        text = "image: x/sglang\ncommand: ['python3', \"-m\", sglang.launch_server]\nargs:\n- --tp\n- &x |\n  2\n- *x\nx: {a: [1"
        error = error_of(text[:size])
        assert error is None or (error.row is not None and error.column is not None)

    @pytest.mark.parametrize(
        "text",
        [
            "a: &a [x]\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)} [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(24)),
            "a: &a {k: v}\n" + "".join(f"{chr(98 + i)}: &{chr(98 + i)}\n  <<: [{', '.join(['*' + chr(97 + i)] * 9)}]\n" for i in range(24)),
            "a: &a [*a]\n", "a: &a\n  <<: *a\n  image: x/sglang\n  command: *a\n", "a: " + "[" * 50_000, "- " * 50_000,
            "{{" * 50_000, "a: 'x" + " " * 500_000 + "'", "{{ if x }}\n" * 5_000, "".join(" " * i + "a:\n" for i in range(1500)),
            "image: x/sglang\ncommand: [python3, -m, sglang.launch_server" + ", --x" * 5_000 + "]\n",
        ],
        ids=["aliases", "merges", "self", "self-merge", "deep", "deep-block", "braces", "blanks", "conditions", "indents", "words"],
    )  # fmt: skip
    @pytest.mark.usefixtures("soon")
    def test_bombs(self, text: str) -> None:
        """Small files that are costly for those who follow every path."""
        with contextlib.suppress(SourceError):
            read(text + "\nz: sglang.launch_server\n")

    def test_without_the_c_library(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """PyYAML's own parser gives the same, and its limits are told as errors."""
        monkeypatch.delattr("yaml.CSafeLoader", raising=False)
        assert texts("# é\nrun: |\n  sglang serve \\\n    --tp 2\n") == [["--tp", "2"]]
        deep = error_of("a: " + "[" * 5_000 + " sglang.launch_server")
        assert deep is not None
        assert deep.row == 1
        assert error_of("a: 1\nb: sglang.launch_server\n c: 2\n") is not None

    @pytest.mark.usefixtures("soon")
    def test_many_documents(self) -> None:
        """Those without a launch cost next to nothing."""
        other = "a: [" + "x, " * 300 + "x]\n---\n"
        (launch,) = read(other * 10_000 + LAUNCH)
        assert launch.file.location(launch.span.start) == (20_001, 6)


def test_a_version_of_a_backend_with_its_entry_point(find) -> None:
    text = "backend_name: SGLang\nversion_configs:\n  custom:\n    image_name: lmsysorg/sglang:v0.5.10\n"
    text += "    entrypoint: sglang serve\n    run_command: '--model-path {{model_path}} --tp 2'\n"
    (launch,) = find("yaml", text)
    assert (launch.words, launch.image) == (["--model-path", "…", "--tp", "2"], "lmsysorg/sglang:v0.5.10")


@pytest.mark.parametrize(
    "key",
    ["image", "base_image", "container", "container_image", "container-image", "docker_image", "dockerImage", "imageName",
     "runtime_image", "ImageUri"],
)  # fmt: skip
def test_the_image_beside_a_command(find, key: str) -> None:
    (launch,) = find("yaml", f"a:\n  {key}: lmsysorg/sglang:v0.5.11\n  run: sglang serve --model-path m\n")
    assert launch.image == "lmsysorg/sglang:v0.5.11"


def test_the_image_beside_the_path_of_the_model(find) -> None:
    text = 'model: {path: m, container: "lmsysorg/sglang:v0.5.8"}\nbackend:\n  sglang_config:\n    prefill: {tp-size: 2, mem-fraction-static: 0.8}\n'
    (launch,) = find("yaml", text)
    assert launch.image == "lmsysorg/sglang:v0.5.8"


def test_the_variables_of_a_part_of_a_recipe(find) -> None:
    """They are told beside the options, under the name of the part; what is filled in is not known."""
    text = """environment: {A: "1", B: "1"}
backend:
  prefill_environment: {B: "2", C: "{node_id}", D: $X}
  decode_environment: {B: "3"}
  sglang_config:
    prefill: {tp-size: 2, mem-fraction-static: 0.8}
    decode: {tp-size: 4, mem-fraction-static: 0.8}
    aggregated: {tp-size: 8, mem-fraction-static: 0.8}
"""
    assert [launch.env for launch in find("yaml", text)] == [
        {"A": "1", "B": "2", "C": None, "D": None},
        {"A": "1", "B": "3"},
        {"A": "1", "B": "1"},
    ]


CLOUD = """\
ContainerDefinitions:
  - Name: s
    Image: lmsysorg/sglang:v0.5.14
    EntryPoint: [sh, -c]
    Command: ["sglang serve --model-path m --tp $TP"]
    Environment: [{Name: TP, Value: "2"}]
  - Image: lmsysorg/sglang:v0.5.14
    Command: [sglang, serve, --model-path, m, --tp, "2"]
  - ImageUri: lmsysorg/sglang:v0.5.14
    ContainerEntrypoint: [sglang, serve]
    ContainerArguments: [--model-path, m, --tp, "2"]
"""


def test_containers_as_clouds_write_them(find) -> None:
    found = find("yaml", CLOUD)
    assert [(each.words, each.image) for each in found] == [
        (["--model-path", "m", "--tp", "2"], "lmsysorg/sglang:v0.5.14")
    ] * 3
    assert found[0].env == {"TP": "2"}


def test_the_arguments_of_a_program_stand_elsewhere(find) -> None:
    found = find("yaml", "a: {exe: [python3, -m, sglang.launch_server], more: [--tp, '2']}\nb: {exe: [/x/sglang, serve]}\n")
    assert [launch.words for launch in found] == [["…"], ["…"]]


WORKFLOW = """\
env: {M: a/b, TP: 2}
jobs:
  x:
    env: {PORT: "30001", OTHER: "${{ vars.X }}"}
    steps:
    - run: |
        sglang serve --model-path ${{ env.M }} --tp ${{env.TP}} --port "${{ env.PORT }}" ${{ env.ARGS }} --a ${{ env.NONE }} \\
          --b ${{ env.OTHER }} --c ${{ matrix.M }}
      env: {TP: 4, ARGS: --x --y}
"""


def test_what_a_workflow_puts_in(find) -> None:
    (launch,) = find("yaml", WORKFLOW)
    assert launch.words == [
        *("--model-path", "a/b", "--tp", "4", "--port", "30001", "--x", "--y", "--a", "…", "--b", "…", "--c", "…"),
    ]
    assert not launch.fixable
    (launch,) = find("yaml", WORKFLOW + '    - run: echo "TP=8" >> $GITHUB_ENV\n')
    assert launch.words[:4] == ["--model-path", "…", "--tp", "…"]


def test_a_job_of_gitlab(find) -> None:
    text = "variables: {TP: '2', A: '1'}\nserve:\n  image: {name: 'lmsysorg/sglang:v0.5.11', entrypoint: ['']}\n"
    text += "  parallel: {matrix: [{TP: ['2', '4']}, {B: x}]}\n  script: sglang serve --model-path m --tp $TP\n"
    (launch,) = find("yaml", text)
    assert (launch.words, launch.image) == (["--model-path", "m", "--tp", "…"], "lmsysorg/sglang:v0.5.11")
    assert launch.env == {"TP": None, "A": "1", "B": None}


SWAP = """macros:
  sg: >
    docker run --rm --gpus all -p ${PORT}:30000
    lmsysorg/sglang:v0.5.10
    python3 -m sglang.launch_server --port 30000
  ctx: 8192
models:
  qwen:
    cmd: |
      # of which no part is run
      docker run --rm --gpus all -p ${PORT}:30000
        lmsysorg/sglang:v0.5.10
        python3 -m sglang.launch_server \\
        --model-path a/b
        --json-model-override-args '{"a": 1}'
  glm:
    macros: {tp: 4}
    cmd: ${sg} --model-path c/${MODEL_ID} --context-length ${ctx} --tp ${tp} --dist-init-addr ${env.ADDRESS}
  plain:
    proxy: http://localhost:1
    cmd: |
      sglang serve
      --model-path d
"""


def test_what_llama_swap_starts(find) -> None:
    """Its commands go on over lines, and are put together from parts that run nothing by themselves."""
    qwen, glm, plain = find("yaml", SWAP)
    assert qwen.image == glm.image == "lmsysorg/sglang:v0.5.10"
    assert qwen.words == ["--model-path", "a/b", "--json-model-override-args", '{"a": 1}']
    words = ["--port", "30000", "--model-path", "c/glm", "--context-length", "8192", "--tp", "4"]
    assert glm.words == [*words, "--dist-init-addr", "…"]
    assert plain.words == ["--model-path", "d"]


def test_models_that_something_else_starts(find) -> None:
    """Where nothing tells of llama-swap, lines are those of a script."""
    (launch,) = find("yaml", "models:\n  a:\n    cmd: |\n      cd /srv\n      sglang serve --model-path m\n")
    assert launch.words == ["--model-path", "m"]


def test_macros_that_hold_each_other(find) -> None:
    macros = "".join(f"  m{i}: {f'${{m{i + 1}}} ' * 50}\n" for i in range(40))
    text = f"macros:\n{macros}models:\n  a:\n    cmd: sglang serve --model-path m ${{m0}}\n"
    (launch,) = find("yaml", text)
    assert launch.words[:2] == ["--model-path", "m"]


def test_values_of_a_chart_in_an_application(find) -> None:
    """Argo CD takes them as text."""
    values = "image:\n  repository: lmsysorg/sglang\n  tag: v0.5.9\nextra: [--tp, '2', --mem-fraction-static, '0.8']\n"
    indented = "".join(f"        {line}\n" for line in values.splitlines())
    head = "apiVersion: argoproj.io/v1alpha1\nkind: Application\nspec:\n  source:\n    helm:\n      values: |\n"
    (launch,) = find("yaml", head + indented)
    assert (launch.image, launch.words[:2]) == ("lmsysorg/sglang:v0.5.9", ["--tp", "2"])


PYTHON = 'import subprocess\nsubprocess.run(["python3", "-m", "sglang.launch_server", "--model-path", "m", "--tp", "2"])\n'


@pytest.mark.parametrize(
    "head",
    [
        "data:\n  serve.py: |\n",
        "data:\n  serve: |\n    #!/usr/bin/env python3\n",
        "steps:\n- shell: python\n  run: |\n",
        "steps:\n- shell: python {0}\n  run: |\n",
        "script:\n  command: [python3]\n  source: |\n",
    ],
)
def test_python_in_a_string(find, head: str) -> None:
    """By the name of the file that it becomes, by its first line, or by what runs it."""
    text = head + "".join(f"    {line}\n" for line in PYTHON.splitlines())
    (launch,) = find("yaml", text)
    assert launch.words == ["--model-path", "m", "--tp", "2"]
    assert launch.fixable


@pytest.mark.parametrize("head", ["steps:\n- run: |\n", "script:\n  command: [bash]\n  source: |\n", "note: |\n"])
def test_a_string_that_nothing_tells_to_be_python(find, head: str) -> None:
    assert not find("yaml", head + "".join(f"    {line}\n" for line in PYTHON.splitlines()))
