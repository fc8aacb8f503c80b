"""``--add-ignore``: comments where the language lets them stand, and nothing else changed."""

from __future__ import annotations

from typing import Any

import pytest

Cli = Any
LAUNCH = "python -m sglang.launch_server --model-path inclusionAI/Ring-2.5-1T --speculative-algorithm NGRAM"
FORMS = {
    "plain.sh": f"set -e\n{LAUNCH}\n",
    "crlf.ps.sh": f"set -e\r\n{LAUNCH}\r\n",
    "inner.sh": f"if true; then\n\texport A=1\n\t{LAUNCH} \\\n\t  --tp-size 8\nfi\n",
    "wrapped.sh": f"docker run --gpus all \\\n  lmsysorg/sglang:v0.5.18 \\\n  {LAUNCH}\n",
    "and.sh": f"cd /srv && {LAUNCH}",
    "call.py": f'import os\n\ndef main():\n    os.system("{LAUNCH}")\n',
    "list.py": "import subprocess\n\nsubprocess.run([\n" + "".join(f'    "{w}",\n' for w in LAUNCH.split()) + "])\n",
    "pod.yaml": "kind: Pod\nspec:\n  containers:\n    - name: a\n      command:\n"
    + "".join(f"        - {word}\n" for word in LAUNCH.split()),
    "script.yaml": f"kind: Pod\nspec:\n  containers:\n    - command: [bash, -c]\n      args:\n        - |\n          {LAUNCH}\n",
    "Dockerfile": f"FROM lmsysorg/sglang:v0.5.18\nCMD {LAUNCH}\n",
    "page.md": f"# Serve\n\n```sh\n{LAUNCH}\n```\n",
}


@pytest.mark.parametrize("name", FORMS)
def test_comment_is_added_and_is_of_use(cli: Cli, name: str) -> None:
    text = FORMS[name]
    cli.write(name, text)
    assert cli.check("--select=SGL201,SGL0", name).codes == ["SGL201"]
    ran = cli("--select", "SGL201", "--add-ignore", "--reason", "until the next release", name)
    assert (ran.status, ran.out, ran.err) == (0, "Ignored 1 finding.\n", "")
    assert cli.check("--select=SGL201,SGL0", name).codes == []
    written = (cli.folder / name).read_bytes().decode()
    assert "# speclint: ignore[SGL201] until the next release" in written
    rest = [line.split("  # speclint:")[0] for line in written.splitlines() if not line.lstrip().startswith("# speclint")]
    assert rest == text.splitlines()
    assert ("\r\n" in written) is ("\r\n" in text)
    assert written.count("\n") == written.count("\r\n") or "\r" not in written


def test_language_without_comments(cli: Cli) -> None:
    words = ", ".join(f'"{word}"' for word in LAUNCH.split())
    text = f'{{"command": [{words}]}}\n'
    cli.write("pod.json", text)
    if not cli.check("--select", "SGL201", "pod.json").codes:
        pytest.skip("launches in JSON are not read")
    ran = cli("--select", "SGL201", "--add-ignore", "pod.json")
    assert ran.out == "Ignored 0 findings.\n"
    assert "SGL201 is not ignored: no comment can stand here" in ran.err
    assert (cli.folder / "pod.json").read_text() == text


def test_several_launches(cli: Cli, sources: dict[str, str]) -> None:
    cli.write("all.sh", f"{LAUNCH}\n{sources['clean.sh']}{LAUNCH}\n")
    assert cli("--select", "SGL201", "--add-ignore", "all.sh").out == "Ignored 2 findings.\n"
    assert cli.check("--select", "SGL201,SGL0", "all.sh").codes == []
    assert (cli.folder / "all.sh").read_text().count("speclint: ignore[SGL201]\n") == 2
