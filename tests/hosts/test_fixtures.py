"""Each file in fixtures/HOST gives the launches in the ``.expected`` file beside it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from speclint import hosts

FIXTURES = Path(__file__).parents[2] / "fixtures"
HOSTS = (
    "markdown",
    "rst",
    "asciidoc",
    "notebook",
    "text",
    "dockerfile",
    "makefile",
    "justfile",
    "units",
    "json",
    "toml",
    "template",
    "yaml",
    "javascript",
)
FILES = [path for host in HOSTS for path in sorted((FIXTURES / host).iterdir()) if path.suffix != ".expected"]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_fixture(find, path: Path) -> None:
    assert hosts.of_name(path.name) == path.parent.name
    found: list[dict[str, Any]] = []
    for launch in find(path.parent.name, path.read_text("utf-8"), path.name):
        told = {"row": launch.row, "entry": launch.entry, "host": launch.host, "words": launch.words}
        keywords = launch.launch.command.keywords
        if keywords is not None:
            told["words"] = [f"{k.name}={k.span.text}" for k in keywords]
        for name in ("env", "image", "object"):
            if getattr(launch, name):
                told[name] = getattr(launch, name)
        found.append(told)
    expected = json.loads(path.with_name(path.name + ".expected").read_text("utf-8"))
    assert found == expected


def test_every_host_has_fixtures() -> None:
    assert {path.parent.name for path in FILES} == set(HOSTS)


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("Dockerfile", "dockerfile"),
        ("Dockerfile.gpu", "dockerfile"),
        ("dockerfile", "dockerfile"),
        ("serve.Dockerfile", "dockerfile"),
        ("Makefile", "makefile"),
        ("rules.mk", "makefile"),
        ("justfile", "justfile"),
        (".justfile", "justfile"),
        ("Procfile.dev", "units"),
        ("serve.asciidoc", "asciidoc"),
        ("sglang.service", "units"),
        ("devcontainer.json", "json"),
        ("README.MD", "markdown"),
        ("run.sh.j2", "template"),
        ("Dockerfile.j2", "template"),
        ("serve.sh", "shell"),
        ("index.mjs", "javascript"),
        ("Page.jsx", "javascript"),
        ("page.ts", None),
        ("x.sh.bak", None),
        ("Dockerfiles", None),
        ("serve", None),
    ],
)
def test_names(name: str, host: str | None) -> None:
    assert hosts.of_name(name) == host
