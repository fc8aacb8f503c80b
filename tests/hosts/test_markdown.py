"""Markdown, MDX and reStructuredText: what is a launch in a document, and what only looks like one."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from speclint.hosts import blocks, markdown
from speclint.source import SourceFile

RUN = "python -m sglang.launch_server --model-path m --tp 2"
WORDS = ["--model-path", "m", "--tp", "2"]


@pytest.mark.parametrize(
    ("text", "row", "column"),
    [
        (f"```bash\n{RUN}\n```\n", 2, 8),
        (f"~~~sh\n{RUN}\n~~~\n", 2, 8),
        (f"```\n{RUN}\n```\n", 2, 8),
        (f"```text\n{RUN}\n```\n", 2, 8),
        (f"```bash Command\n{RUN}\n```\n", 2, 8),
        (f'```bash title="x" hl_lines="1"\n{RUN}\n```\n', 2, 8),
        (f"```{{.bash .annotate}}\n{RUN}\n```\n", 2, 8),
        (f"```{{code-block}} bash\n{RUN}\n```\n", 2, 8),
        (f"- item\n\n  ```bash\n  {RUN}\n  ```\n", 4, 10),
        (f"1. ```bash\n   {RUN}\n   ```\n", 2, 11),
        (f"> quote\n> ```bash\n> {RUN}\n> ```\n", 3, 10),
        (f"!!! note\n    ```bash\n    {RUN}\n    ```\n", 3, 12),
        (f"<details>\n<summary>x</summary>\n\n```bash\n{RUN}\n```\n</details>\n", 5, 8),
        (f"````markdown\n```bash\n{RUN}\n```\n````\n", 3, 8),
        (f"````{{note}}\n```bash\n{RUN}\n```\n````\n", 3, 8),
        (f"```{{eval-rst}}\n.. code-block:: bash\n\n   {RUN}\n```\n", 4, 11),
        (f"text\n\n    {RUN}\n\ntext\n", 3, 12),
        (f"```bash\n{RUN}\n", 2, 8),
        (f"```bash\r\n{RUN}\r\n```\r\n", 2, 8),
        (f"Run `{RUN}` now.\n", 1, 13),
        (f"| x | `{RUN}` |\n", 1, 15),
        (f"<Tabs>\n  <Tab>\n  ```bash\n  {RUN}\n  ```\n  </Tab>\n</Tabs>\n", 4, 10),
        (f"```console\n$ {RUN}\nINFO: it's up\n```\n", 2, 10),
        (f"```bash\n(venv) me@host:~/x$ {RUN}\nok\n```\n", 2, 28),
        (f"```console\n# {RUN}\n```\n", 2, 10),
        (f"```\nexport A=1\n\ndrun sglang-rocm:main \\\n  {RUN}\n```\n", 5, 10),
        (f"```diff\n-{RUN} --x\n+{RUN}\n```\n", 3, 9),
        (f"```yaml\ncommands:\n  - |\n    {RUN}\n```\n", 4, 12),
        (f"```dockerfile\nFROM x\nCMD {RUN}\n```\n", 3, 12),
        (f"```cpp\n{RUN}\n```\n", 2, 8),
        (f"```nginx\n\n{RUN}\n```\n", 3, 8),
        (f"```powershell\n$env:X = 'a'\n{RUN.replace(' --tp', ' `%  --tp')}\n```\n".replace("%", "\n"), 3, 8),
        (f"```pwsh\r\n{RUN.replace(' --tp', ' `%  --tp')}\r\n```\r\n".replace("%", "\r\n"), 2, 8),
        (f"```bat\nset X=a\n{RUN.replace(' --tp', ' ^%  --tp')}\n```\n".replace("%", "\n"), 3, 8),
    ],
)
def test_found(find, text: str, row: int, column: int) -> None:
    (launch,) = find("markdown", text)
    assert (launch.entry, launch.words) == ("sglang.launch_server", WORDS)
    assert (launch.row, launch.column) in ((row, column), (row, column + 3))
    assert launch.places == WORDS


@pytest.mark.parametrize(
    "text",
    [
        f"<!--\n```bash\n{RUN}\n```\n-->\n",
        f"{{/*\n```bash\n{RUN}\n```\n*/}}\n",
        f"```bash\n# {RUN}\n```\n",
        f"```js\nlet cmd = `{RUN}`;\n```\n",
        f"```log\nINFO: {RUN}\n```\n",
        f"```js\n// {RUN}\n{RUN}\n```\n",
        f"---\ndescription: {RUN}\n---\n",
        "```bash\npkill -f sglang.launch_server --x\n```\n",
        "```bash\npython -m sglang.launch_server --help\n```\n",
        "```bash\npython -m sglang_router.launch_router --worker-urls x\n```\n",
        "```bash\npython -m sgl_jax.launch_server --model-path m\n```\n",
        f"```text\n[2025-01-01] Command: {RUN}\n```\n",
        "```text\npython -m sglang.launch_server is what starts it\n```\n",
        "Use `python -m sglang.launch_server` or `--tp 2`, or echo `sglang serve`.\n",
        f"{RUN}\n",
        "```python\np.add_argument('--tp', default=2)\n```\n",
    ],
)
def test_not_found(find, text: str) -> None:
    assert find("markdown", text) == []


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("--model-path <your model>", ["--model-path", None]),
        ("--model-path {model}", ["--model-path", None]),
        ("--model-path {{ model }}", ["--model-path", None]),
        ("--model-path /models/<name>/x", ["--model-path", None]),
        ("--tp N", ["--tp", None]),
        ("--node-rank <0|1> --disaggregation-mode <prefill|decode>", ["--node-rank", None, "--disaggregation-mode", None]),
        ("--tp 2 <log", ["--tp", "2"]),
        ("--port=PORT", [None]),
        ("--dist-init-addr HOST:PORT", ["--dist-init-addr", None]),
        ("--host 'your prefill ip'", ["--host", None]),
        ("--model-path 'tcp://your prefill ip:80'", ["--model-path", None]),
        ("--model-path m ...", ["--model-path", "m", "…"]),
        ("--model-path m [OPTIONS]", ["--model-path", "m", "…"]),
        ("--model-path m ... other options --tp 2", ["--model-path", "m", "…", "--tp", "2"]),
        ("--speculative-algorithm NEXTN", ["--speculative-algorithm", "NEXTN"]),
        ("--quantization FP8", ["--quantization", "FP8"]),
        ("--x '{\"a\": [1, 2]}'", ["--x", '{"a": [1, 2]}']),
        ("--model-path a,...,b", ["--model-path", "a,...,b"]),
        ("--model-path <模型路径> --tp <卡数> --port 30000", ["--model-path", None, "--tp", None, "--port", "30000"]),
        ("--dist-init-addr <主节点 IP>:5000 --tp 2", ["--dist-init-addr", None, "--tp", "2"]),
        ("--tp {GPU数} --port 30000", ["--tp", None, "--port", "30000"]),
        ("--mem-fraction-static <0.8~0.9> --tp 2", ["--mem-fraction-static", None, "--tp", "2"]),
        ("--node-rank [0|1] --tp 2", ["--node-rank", None, "--tp", "2"]),
    ],
)
def test_placeholders(find, written: str, words: list[str | None]) -> None:
    (launch,) = find("markdown", f"```bash\nsglang serve {written}\n```\n")
    assert launch.words == words


def test_a_block_ends_with_its_fence(find) -> None:
    text = f"```bash\n{RUN} \\\n```\n\n```bash\n{RUN}\n```\n"
    assert [launch.words for launch in find("markdown", text)] == [WORDS, WORDS]


def test_prose_tells_only_a_part(find) -> None:
    (part,) = find("markdown", "Add it: `python -m sglang.launch_server --tp 2`.\n")
    assert part.words == ["--tp", "2", "…"]
    assert not part.fixable


def test_variables_hold_within_a_block(find) -> None:
    text = "```bash\nM=a/b\nsglang serve --model-path $M\n```\n```bash\nsglang serve --model-path $M\n```\n"
    assert [launch.words[1] for launch in find("markdown", text)] == ["a/b", "…"]


def test_apostrophes_in_output_hide_nothing(find) -> None:
    text = f"```bash\n$ {RUN}\nit's up\n$ {RUN}\n```\n```\nDon't:\n{RUN}\n```\n"
    assert [launch.row for launch in find("markdown", text)] == [2, 4, 8]


def test_python_blocks(find) -> None:
    text = "```python\nimport sglang as sgl\n```\n\n```python\nllm = sgl.Engine(model_path='m', tp_size=2)\n```\n"
    (launch,) = find("markdown", text)
    assert (launch.entry, launch.row, launch.host) == ("sglang.Engine", 6, "markdown")


@pytest.mark.parametrize("mark", ["", "bash", "text", "shell"])
def test_python_under_another_name(find, mark: str) -> None:
    """Its first line tells; what has no launch as Python is a script of a shell that begins so."""
    code = f'# serve.py\n\nfrom sglang.utils import launch_server_cmd\n\nlaunch_server_cmd("{RUN}")  # it\'s up\n'
    (launch,) = find("markdown", f"```{mark}\n{code}```\n")
    assert (launch.row, launch.words) == (6, [*WORDS, "--port", None])
    (launch,) = find("markdown", f"```{mark}\nimport x.png\n{RUN}\n```\n")
    assert (launch.row, launch.words) == (3, WORDS)


def test_a_quote_is_not_edited(find) -> None:
    (launch,) = find("markdown", f"> ```bash\n> {RUN}\n> ```\n")
    assert not launch.fixable


RST = f"""\
Title
=====

.. comment
   {RUN}

.. tab:: x

   .. code-block:: bash
      :linenos:

      {RUN}

Like so::

    {RUN}

or ``{RUN}``.

.. code-block:: python

   import sglang as sgl
   sgl.Engine(model_path="m")
"""


def test_rst(find) -> None:
    found = find("rst", RST)
    assert [launch.row for launch in found] == [12, 16, 18, 23]
    assert [launch.words for launch in found[:3]] == [WORDS] * 3
    assert {launch.host for launch in found} == {"rst"}


TEXT = f"""\
How to run it (don't forget the model):

1. CUDA_VISIBLE_DEVICES=0 {RUN}
CUDA_VISIBLE_DEVICES=0 {RUN} \\
   --port 1
Log: {RUN}
"""


def test_plain_text(find) -> None:
    (launch,) = find("text", TEXT)
    assert (launch.row, launch.words) == (4, [*WORDS, "--port", "1"])
    assert launch.env == {"CUDA_VISIBLE_DEVICES": "0"}


class TestSkipping:
    """Lines that cannot matter are not looked at: what is found is the same as if each were."""

    PARTS = (
        "text\n", "\n", "    code\n", "\tmore\n", "> quoted\n", ">     deep\n", "- item\n", "```bash\n", "```\n", "~~~\n",
        "  ```sh\n", "> ```bash\n", "> ```\n", "````\n", "<!-- hidden\n", "hidden -->\n", "{/* a\n", "b */}\n", "---\n",
        "  ```\n", "\r\n", "x\r", "`sglang serve --tp 1`\n", "about sglang\n", "```cpp\n",
        "sglang serve --model-path a/b --tp 1\n", "    sglang serve --model-path a/b\n", "> sglang serve --tp 2\r\n",
        "\tsglang serve --model-path c \\\n", "  --tp 3\n",
    )  # fmt: skip

    @staticmethod
    def told(text: str) -> list[tuple[int, int, list[str | None]]]:
        file = SourceFile("x.md", text.encode())
        return [(c.span.start, c.span.end, [w.text for w in c.words]) for c in markdown.read(file)]

    @settings(max_examples=300, deadline=None)
    @given(st.lists(st.sampled_from(PARTS), max_size=24))
    def test_what_is_found_is_the_same_as_line_by_line(self, parts: list[str]) -> None:
        text = "".join(parts)
        found = self.told(text)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(markdown._Reader, "_skipped", lambda _, at: at)
            patch.setattr(markdown._Reader, "_fenced", _line_by_line)
            assert self.told(text) == found

    @given(st.text("a\r\n", max_size=12), st.integers(0, 11))
    def test_bounds_of_a_line(self, text: str, at: int) -> None:
        bounds = [found.span() for found in re.finditer(r"[^\r\n]*(?:\r\n|[\r\n])|[^\r\n]+", text)]
        assert list(blocks.lines(text)) == bounds
        for start, end in bounds:
            if start <= at < end:
                assert (blocks.line_start(text, at), blocks.line_end(text, at)) == (start, end)


@pytest.mark.parametrize("part", ["\n", "    code\n", "about sglang\n", "> \n", "```\nsglang\n```\n", "\n    sglang\n"])
def test_each_line_is_looked_at_a_few_times(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    def line_start(*of: Any) -> int:
        nonlocal looked
        looked += 1
        return found(*of)

    found = blocks.line_start
    monkeypatch.setattr(blocks, "line_start", line_start)
    markdown.read(SourceFile("x.md", ("text\n" + part * 500 + "sglang\n").encode()))
    assert looked <= 1600


def _line_by_line(reader: Any, at: int) -> int:
    text, fence = reader.text.text, reader.fence
    end = blocks.line_end(text, at)
    line = text[at:end]
    if fence.closes(line):
        reader._end_fence()
        reader.blank = True
    else:
        fence.lines.append((at + reader._cut(line, fence.indent), end))
    return end
