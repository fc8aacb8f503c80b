"""Notebooks: cells of code and prose, lines for the shell, and edits that leave the JSON as it is."""

from __future__ import annotations

import json

import pytest

from speclint.source import SourceError, SourceFile

RUN = "python -m sglang.launch_server --model-path m --tp 2"
WORDS = ["--model-path", "m", "--tp", "2"]


def notebook(*cells: str, kind: str = "code", joined: bool = False, **metadata: object) -> str:
    made = [
        {"cell_type": kind, "source": text if joined else text.splitlines(keepends=True), "outputs": []}
        for text in cells
    ]
    return json.dumps({"cells": made, "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}, indent=1)


@pytest.mark.parametrize("joined", [False, True])
@pytest.mark.parametrize(
    "cell",
    [
        f"!{RUN}",
        f"import os\n!{RUN}\nprint(1)",
        f"%%bash\n{RUN}\n",
        f"%%bash --bg\n{RUN} &\n",
        f"%%script bash\n{RUN}\n",
        f"%%writefile serve.sh\n{RUN}\n",
        f"x = !{RUN}",
        f"import os\n%time\nos.system('{RUN}')",
        f'import os\nos.system("""\n{RUN}\n""")',
        "!python -m sglang.launch_server \\\n  --model-path m \\\n  --tp 2",
    ],
)
def test_cells(find, cell: str, joined: bool) -> None:
    (launch,) = find("notebook", notebook("x = 1", cell, joined=joined))
    assert (launch.words, launch.host, launch.object) == (WORDS, "notebook", "cell 2")
    assert launch.places == WORDS


def test_prose(find) -> None:
    assert [f.words for f in find("notebook", notebook(f"# x\n```bash\n{RUN}\n```\n", kind="markdown"))] == [WORDS]


@pytest.mark.parametrize("cell", [f"%%html\n{RUN}", f"# !{RUN}", f"!echo {RUN}", "!pkill -f sglang.launch_server"])
def test_not_found(find, cell: str) -> None:
    assert find("notebook", notebook(cell)) == []


def test_cells_share_their_names(find) -> None:
    cells = (
        "MODEL = 'a/b'",
        "this is ! no Python",
        f"import sglang as sgl\n!{RUN}",
        "e = sgl.Engine(model_path=MODEL)",
    )
    found = find("notebook", notebook(*cells))
    assert [f.object for f in found] == ["cell 3", "cell 4"]
    assert [k.value.text.text for k in found[1].launch.command.keywords] == ["a/b"]


def test_values_of_the_notebook_are_unknown_to_the_shell(find) -> None:
    (launch,) = find("notebook", notebook("!sglang serve --model-path {model} --port=$port --x '{\"a\": 1}'"))
    assert launch.words == ["--model-path", "…", None, "--x", '{"a": 1}']


def test_a_shell_notebook(find) -> None:
    text = notebook(RUN, kernelspec={"name": "bash", "language": "bash"})
    assert [launch.words for launch in find("notebook", text)] == [WORDS]


def test_version_three(find) -> None:
    sheet = {"cells": [{"cell_type": "code", "input": [f"!{RUN}"], "language": "python"}]}
    assert [f.words for f in find("notebook", json.dumps({"nbformat": 3, "worksheets": [sheet]}))] == [WORDS]


@pytest.mark.parametrize("text", ["{", '{"cells": [}', '{"cells": ["a\nb"]}', "", "[1] 2", '{"a" 1}', '{"a": tru}'])
def test_what_is_no_json_is_told(text: str) -> None:
    from speclint.hosts import notebook as host

    with pytest.raises(SourceError, match="no JSON"):
        host.read(SourceFile("x.ipynb", text.encode()))


@pytest.mark.parametrize("ascii_only", [True, False])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_a_fix_changes_nothing_else(cli, ascii_only: bool, newline: str) -> None:
    flags = "--speculative-algorithm NEXTN --speculative-num-steps 3 --speculative-num-draft-tokens 4"
    line = f"!sglang serve --model-path inclusionAI/Ring-2.5-1T {flags} --speculative-eagle-topk 4"
    cells = ["s = '\"é\\t😀'\n", line]
    made = {"cells": [{"cell_type": "code", "source": cells}], "metadata": {}, "nbformat": 4}
    text = json.dumps(made, indent=1, ensure_ascii=ascii_only).replace("\n", newline)
    path = cli.write("a.ipynb", text)
    assert [f["location"]["row"] for f in cli.check("a.ipynb").json] == [7]
    assert cli.check("--fix", "a.ipynb").status == 0
    assert path.read_bytes().decode() == text.replace("topk 4", "topk 1")
