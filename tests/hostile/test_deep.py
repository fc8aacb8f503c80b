"""Text of every host that is nested deeply or goes on for ever: told or read, in time and memory by its length.

All of it is linted by one process, so that a text that breaks is seen to hide nothing of the others.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
RUN = "python -m sglang.launch_server --model-path a/b --tp 2"
ENGINE = "sglang.Engine(model_path='m')"
GOOD = "sglang serve --model-path m --page_size 64\n"
# Seconds of one run over everything, on however busy a machine; on a quiet one it takes a few.
PATIENCE = 1800


def nested(n: int) -> dict[str, str]:
    """A file for each way to nest, ``n`` deep."""
    steps = range(n)
    return {
        "substitution.sh": f"x={'$(echo ' * n}a{')' * n}\n{RUN}\n",
        "expansion.sh": f"x={'${a:-' * n}a{'}' * n}\n{RUN}\n",
        "quotes.sh": "x=" + '"$(echo ' * n + "a" + ')"' * n + f"\n{RUN}\n",
        "groups.sh": "{ " * n + RUN + "; }" * n + "\n",
        "subshells.sh": "(" * n + RUN + ")" * n + "\n",
        "branches.sh": "if a; then\n" * n + f"{RUN}\n" + "fi\n" * n,
        "loops.sh": "for i in 1 2; do\n" * n + f"{RUN}\n" + "done\n" * n,
        "cases.sh": "case $x in\na)\n" * n + f"{RUN}\n" + ";;\nesac\n" * n,
        "functions.sh": "f() {\n" * n + f"{RUN}\n" + "}\n" * n,
        "documents.sh": "".join(f"bash <<E{i}\n" for i in steps) + RUN + "\n" + "".join(f"E{i}\n" for i in reversed(steps)),
        "substituted.sh": "".join(f"x=$(cat <<E{i}\n" for i in steps) + "".join(f"E{i}\n)\n" for i in reversed(steps)) + RUN,
        "shells.sh": "sh -c " * n + f"'{RUN}'\n",
        "wrappers.sh": "sudo env nice " * n + RUN + "\n",
        "eval.sh": "eval " * n + RUN + "\n",
        "arithmetic.sh": f"x=$(({'(' * n}1{')' * n}))\n{RUN}\n",
        "backticks.sh": "x=`" * n + f"\n{RUN}\n",
        "unclosed.sh": "$(" * n + "${" * n + '"' * n + RUN + "\n",
        "braces.sh": f"{RUN} " + "{a," * n + "b" + "}" * n + "\n",
        "chain.sh": "A0=1\n" + "".join(f"A{i + 1}=$A{i}\n" for i in steps) + f"{RUN} --port $A{n}\n",
        "doubled.sh": "A=a\n" + "A=$A$A\n" * n + f"{RUN} --port $A\n",
        "doubled_array.sh": "A=(a)\n" + 'A+=("${A[@]}")\n' * n + f'{RUN} "${{A[@]}}"\n',
        "words.sh": f"{RUN}{' a' * n} $X{' $A' * n}\n",
        "lists.py": f"import sglang\nx={'[' * n}1{']' * n}\n{ENGINE}\n",
        "calls.py": f"import sglang\nx={'f(' * n}1{')' * n}\n{ENGINE}\n",
        "attributes.py": f"import sglang\nx=a{'.b' * n}\n{ENGINE}\n",
        "sum.py": f"import sglang\nx={'1+' * n}1\n{ENGINE}\n",
        "unary.py": f"import sglang\nx={'not -' * n}1\n{ENGINE}\n",
        "lambdas.py": f"import sglang\nx={'lambda: ' * n}1\n{ENGINE}\n",
        "conditional.py": f"import sglang\nx={'a if b else ' * n}1\n{ENGINE}\n",
        "elif.py": "import sglang\nif a: pass\n" + "elif a: pass\n" * n + f"{ENGINE}\n",
        "dicts.py": f"import sglang\nx={'{1:' * n}1{'}' * n}\n{ENGINE}\n",
        "flow.yaml": f"a: {'[' * n}{']' * n}\ncommand: {RUN}\n",
        "maps.yaml": f"a: {'{a: ' * n}1{'}' * n}\ncommand: {RUN}\n",
        "items.yaml": "- " * n + f"command: {RUN}\n",
        "bomb.yaml": "a: &a0 [x]\n" + "".join(f"b{i}: &a{i + 1} [{', '.join([f'*a{i}'] * 9)}]\n" for i in range(min(n, 900)))
        + f"command: [{RUN.replace(' ', ', ')}, *a{min(n, 900)}]\n",
        "helm.yaml": "{{ if a }}\n" * n + f"command: {RUN}\n" + "{{ end }}\n" * n,
        "quotes.md": "> " * n + "```bash\n" + "> " * n + f"{RUN}\n",
        "items.md": "- " * n + "```bash\n" + "  " * n + f"{RUN}\n",
        "ticks.md": "`" * n + f" {RUN}\n" + "~" * n + f" {RUN}\n",
        "tags.md": "<div>" * n + f"\n{RUN}\n",
        "blocks.rst": ".. code-block:: bash\n\n" * n + f"   {RUN}\n",
        "lists.json": f'{{"a": {"[" * n}{"]" * n},"command": "{RUN}"}}',
        "objects.json": '{"a": ' * n + f'"{RUN}"' + "}" * n,
        "book.ipynb": f'{{"cells":[{{"cell_type":"code","source":["!{RUN}"]}}],"x":{"[" * n}{"]" * n}}}',
        "lists.toml": f'a = {"[" * n}{"]" * n}\nc = "{RUN}"\n',
        "tables.toml": f"[{'.'.join('a' * n)}]\nc = \"{RUN}\"\n",
        "inline.toml": f"a = {'{a=' * n}1{'}' * n}\nc = \"{RUN}\"\n",
        "onbuild.dockerfile": "FROM a\n" + "ONBUILD " * n + f"RUN {RUN}\n",
        "env.dockerfile": "FROM a\n" + "".join(f"ENV A{i + 1}=$A{i}\n" for i in steps) + f"CMD {RUN} --port $A{n}\n",
        "variables.mk": "".join(f"A{i + 1}=$(A{i})\n" for i in steps) + f"a:\n\t{RUN} --port $(A{n})\n",
        "references.mk": "a:\n\t" + "$(" * n + RUN + ")" * n + "\n",
        "variables.just": "".join(f"a{i + 1} := a{i}\n" for i in steps) + f"a:\n    {RUN} --port {{{{a{n}}}}}\n",
        "variables.service": "[Service]\n" + "".join(f"Environment=A{i + 1}=$A{i}\n" for i in steps) + f"ExecStart={RUN}\n",
        "blocks.sh.j2": "{% if a %}\n" * n + f"{RUN}\n" + "{% endif %}\n" * n,
        "filters.sh.j2": "{{ a" + "|b" * n + f" }}}}\n{RUN}\n",
    }  # fmt: skip


def lint(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [sys.executable, "-m", "speclint", "check", "--isolated", "--jobs", "1", "--output-format", "json", *words],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    assert "internal error" not in done.stderr
    assert "it is too large" not in done.stderr
    return done


@pytest.mark.parametrize("depth", [70, 1000, 8000])
def test_text_that_is_nested_deeply(tmp_path: Path, depth: int) -> None:
    for name, text in nested(depth).items():
        (tmp_path / name).write_text(text)
    (tmp_path / "zz.sh").write_text(GOOD)
    done = lint(tmp_path)
    assert any(finding["filename"] == "zz.sh" for finding in json.loads(done.stdout))
    # What is told of a file is told with its name, and makes the exit status 2.
    told = [line for line in done.stderr.splitlines() if line]
    assert all(line.startswith("speclint: ") and any(name in line for name in nested(1)) for line in told), told
    assert done.returncode == (2 if told else 1)


@pytest.mark.parametrize("depth", [70, 1000])
def test_nothing_is_lost_where_such_text_is_fixed(tmp_path: Path, depth: int) -> None:
    """One option of each launch is misspelt; what is written holds the same text but for it."""
    texts = {name: text.replace("--tp 2", "--page_size 2") for name, text in nested(depth).items()}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    lint(tmp_path, "--fix", "--select", "SGL101")
    for name, text in texts.items():
        assert (tmp_path / name).read_text().replace("--page-size", "--page_size") == text, name


LONG = 1 << 20
LINES = {
    "word.sh": f"{RUN} --port {'1' * LONG}\n",
    "words.sh": f"{RUN}{' a' * (LONG >> 3)}\n",
    "options.sh": f"{RUN}{' --x 1' * (LONG >> 5)}\n",
    "string.sh": f"A='{'a ' * (LONG >> 1)}'\n{RUN} $A\n",
    "string.py": f"import sglang\nx = '{'a' * LONG}'\n{ENGINE}\n",
    "list.py": f"import sglang\nx = [{'1, ' * (LONG >> 3)}]\n{ENGINE}\n",
    "scalar.yaml": f"a: {'a' * LONG}\ncommand: {RUN}\n",
    "flow.yaml": f"a: [{'a, ' * (LONG >> 4)}]\ncommand: {RUN}\n",
    "text.json": f'{{"a": "{"a" * LONG}", "command": "{RUN}"}}',
    "prose.md": f"{'a ' * (LONG >> 1)}`{RUN}`\n",
    "ticks.md": f"{'`a` ' * (LONG >> 4)}`{RUN}`\n",
    "run.dockerfile": f"FROM a\nRUN {'a ' * (LONG >> 1)}&& {RUN}\n",
    "text.txt": f"{'a' * LONG} {RUN}\n",
    "blanks.sh": f"{' ' * LONG}{RUN}{' ' * LONG}\n",
    "signs.sh": f"{'-' * LONG} {RUN}\n",
}


def test_lines_of_a_megabyte(tmp_path: Path) -> None:
    for name, text in LINES.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "zz.sh").write_text(GOOD)
    done = lint(tmp_path)
    assert done.stderr == ""
    assert any(finding["filename"] == "zz.sh" for finding in json.loads(done.stdout))
