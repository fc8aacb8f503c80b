"""What speclint does to the machine while it reads hostile files: nothing but read."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
# Runs speclint with every audited act of the interpreter written down, and tells them on standard error.
WATCHED = """\
import json, os, sys
seen = []
def hook(event, args):
    if event == "open":
        mode = args[1] if isinstance(args[1], str) else ""
        writing = bool(set(mode) & set("wax+")) or bool((args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))
        seen.append([event, str(args[0]), writing])
    elif event in ("os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.fork", "os.remove", "os.rename", "os.mkdir",
                   "os.link", "os.symlink", "os.truncate", "os.chmod", "shutil.rmtree", "subprocess.Popen", "exec",
                   "ctypes.dlopen", "pickle.find_class", "code.__new__") or event.startswith(("socket.", "urllib.", "ftplib.")):
        what = args[0] if args else ""
        what = getattr(what, "co_filename", what)
        seen.append([event, str(what), False])
    elif event in ("os.listdir", "os.scandir"):
        seen.append([event, str(args[0]), False])
sys.addaudithook(hook)
from speclint.cli import main
status = main(sys.argv[1:])
print(json.dumps(seen), file=sys.stderr)
sys.exit(status)
"""
MARK = "PWNED"
FILES = {
    "tag.yaml": f"""\
apiVersion: v1
kind: Pod
x: !!python/object/apply:os.system ["touch {MARK}"]
y: !!python/name:os.system
z: !!python/module:antigravity
spec:
  containers:
    - name: a
      command: [python3, -m, sglang.launch_server, --model-path, !!python/object/new:os.system ["touch {MARK}"]]
""",
    "run.sh": f"""\
touch {MARK}
source ../outside.sh
. /etc/passwd
X=$(touch {MARK})
python -m sglang.launch_server --model-path "$(touch {MARK})" --tp `touch {MARK}` --port $(curl http://192.0.2.1/)
python -m sglang.launch_server --model-path https://192.0.2.1/m --config ../outside.yaml --chat-template ../outside.sh
""",
    "run.py": f"""\
import os, sglang
from outside import secret
os.system("touch {MARK}")
TP = eval("__import__('os').system('touch {MARK}')")
exec("open('{MARK}', 'w')")
sglang.Engine(model_path=os.popen("touch {MARK}").read(), tp_size=(lambda: open("{MARK}", "w"))())
""",
    "Dockerfile": f"""\
FROM http://192.0.2.1/image
RUN touch {MARK}
ADD http://192.0.2.1/x /x
CMD python3 -m sglang.launch_server --model-path $(touch {MARK})
""",
    "book.ipynb": json.dumps(
        {
            "cells": [
                {"cell_type": "code", "source": [f"!touch {MARK}\n", "!python -m sglang.launch_server --model-path m"]}
            ]
        }
    ),
    "helm.yaml": 'args: ["python3", "-m", "sglang.launch_server", "--tp", "{{ tpl (.Files.Get "../outside.sh") . }}"]\n',
    "Makefile": f"X := $(shell touch {MARK})\nrun:\n\tpython -m sglang.launch_server --model-path $(X) --tp $(shell touch {MARK})\n",
}  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    for name, content in FILES.items():
        (folder / name).write_text(content)
    for name in ("outside.sh", "outside.yaml", "outside.py"):
        (tmp_path / name).write_text("TOKEN=sglang.launch_server\n")
    (folder / "link.sh").symlink_to(tmp_path / "outside.sh")
    return folder


def watched(folder: Path, *words: str) -> tuple[int, list[list[Any]]]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "HOME": str(folder.parent), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *words],
        cwd=folder, env=env, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr, done.stderr
    return done.returncode, json.loads(done.stderr.splitlines()[-1])


def own(path: str) -> bool:
    """Whether a path belongs to the interpreter or to speclint."""
    roots = [sys.prefix, sys.base_prefix, sys.exec_prefix, str(ROOT), *map(str, sys.path)]
    return any(root and path.startswith(root) for root in roots)


# In one process: what others do is not written down here.
ONE = ("--jobs", "1")
COMMANDS = [
    ("check", *ONE),
    ("check", "--fix", "--unsafe-fixes", *ONE),
    ("launches", *ONE),
    ("check", "--diff", *ONE),
    ("explain", "run.sh:5"),
]


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_is_run_and_no_network_is_used(project: Path, words: tuple[str, ...]) -> None:
    before = {path.name for path in project.parent.rglob("*")}
    _, seen = watched(project, *words)
    made = [what for what in seen if what[0] not in ("open", "os.listdir", "os.scandir", "exec", "code.__new__")]
    written_beside = {"os.rename", "os.chmod", "os.remove"} if "--fix" in words else set()
    assert [what for what in made if what[0] not in written_beside] == []
    # ``exec`` is how modules are imported, and how named tuples are made; no file of the project is among them.
    assert [
        what
        for what in seen
        if what[0] == "exec"
        and str(project) in os.path.join(project, what[1])
        and os.path.exists(os.path.join(project, what[1]))
    ] == []
    assert {path.name for path in project.parent.rglob("*")} == before


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_outside_of_the_project_is_read(project: Path, words: tuple[str, ...]) -> None:
    _, seen = watched(project, *words)
    paths = [os.path.normpath(os.path.join(project, str(what[1]))) for what in seen if what[0] == "open"]
    outside = [path for path in paths if not path.startswith(str(project)) and not own(path)]
    # Configuration is looked for above the project; a name that is tried is no secret that is read.
    assert [path for path in outside if os.path.basename(path).startswith("outside") or path == "/etc/passwd"] == []
    assert [
        path for path in outside if os.path.exists(path) and not path.startswith(("/proc/", "/sys/", "/dev/"))
    ] == []


def test_nothing_is_written_without_being_asked(project: Path) -> None:
    before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
    for words in (*(words for words in COMMANDS if "--fix" not in words), ("rule",)):
        _, seen = watched(project, *words)
        assert [what for what in seen if what[0] == "open" and what[2]] == [], words
    assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before


def test_file_that_is_named_may_lie_anywhere(project: Path) -> None:
    _, seen = watched(project, "check", "../outside.sh")
    assert any(what[0] == "open" and what[1].endswith("outside.sh") for what in seen)


RULE = """\
code: SGL999
name: own-rule
level: warning
summary: A rule of this repository.
why: It is here to be tried.
evidence: [{{sglang: ">=0.5.0", at: {{sglang: "0.5.23", file: a.py, line: 1}}, what: nothing, kind: ignored}}]
{asks}
blame: model_path
message: found
examples:
  bad: [{{host: shell, text: x, at: [1, 1]}}]
  good: [{{host: shell, text: x}}]
  unknown: [{{host: shell, text: x}}]
"""


def with_rule(project: Path, asks: str) -> None:
    (project / "pyproject.toml").write_text('[tool.speclint]\nrules = ["rules"]\n')
    (project / "rules").mkdir()
    (project / "rules/SGL999-own-rule.yaml").write_text(RULE.format(asks=asks))


def test_rule_of_the_project_is_asked(project: Path) -> None:
    with_rule(project, "when: set(model_path)")
    status, _ = watched(project, "check", "--select", "SGL999", "run.sh")
    assert status == 1


@pytest.mark.parametrize(
    "name",
    ["os.system", "..os.system", "values.importlib", "values.re", "json_text.json", "env.os", "env.import_module"],
)
def test_configuration_names_no_code_but_the_checks(project: Path, name: str) -> None:
    with_rule(project, f"check: {name}")
    done = subprocess.run(
        [sys.executable, "-m", "speclint", "check", "run.sh"],
        cwd=project, env={**os.environ, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, timeout=900, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "SGL999-own-rule.yaml: " in done.stderr
    assert "internal error" not in done.stderr


@pytest.mark.parametrize(
    "when",
    [
        '__import__("os").system("touch PWNED")',
        "model_path.__class__.__mro__",
        "(lambda: 1)()",
        "[x for x in (1,)]",
        'open("PWNED", "w")',
        'f"{model_path}"',
        'matches(model_path, "(")',
    ],
)
def test_conditions_of_a_configuration_are_no_code(project: Path, when: str) -> None:
    with_rule(project, f"when: {json.dumps(when)}")
    status, seen = watched(project, "check", "run.sh")
    assert status == 2
    assert [what for what in seen if what[0] == "open" and what[2]] == []
    assert not (project / MARK).exists()


def test_modules_of_the_project_are_not_imported(project: Path) -> None:
    for name in ("yaml", "tree_sitter", "speclint", "tomllib", "ast", "json", "setuptools", "sitecustomize"):
        (project / f"{name}.py").write_text(f"open({MARK!r}, 'w')\n")
    (project / "pyproject.toml").write_text('[tool.speclint]\nplugins = ["yaml"]\n')
    (project / "setup.cfg").write_text("[speclint]\nselect = SGL\n")
    script = Path(sys.prefix) / "bin" / "speclint"
    if not script.exists():
        pytest.skip("speclint is not installed")
    subprocess.run([script, "check"], cwd=project, capture_output=True, timeout=900, check=False)
    assert not (project / MARK).exists()
