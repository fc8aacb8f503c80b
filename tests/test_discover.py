"""Which files are linted, by walking real folders."""

from __future__ import annotations

import os
import subprocess
from typing import Any

import pytest

from speclint.config import Configs
from speclint.discover import candidates, host_by_content
from speclint.globs import Globs
from speclint.needle import holds_needle

Cli = Any


def names(cli: Cli, *words: str) -> list[str]:
    """The files in which ``launches`` finds a launch, in the order in which they are told."""
    ran = cli("launches", "--output-format", "json", *words)
    assert ran.err == "", ran.err
    return [launch["filename"] for launch in ran.json]


@pytest.fixture
def tree(cli: Cli, sources: dict[str, str]) -> Cli:
    for name in ("b.sh", "a.sh", "sub/c.sh", "sub/deep/d.sh", ".github/e.sh", "f.rtf", "g.patch"):
        cli.write(name, sources["clean.sh"])
    return cli


def test_walk_is_sorted_and_names_are_joined(tree: Cli) -> None:
    expected = [".github/e.sh", "a.sh", "b.sh", "sub/c.sh", "sub/deep/d.sh"]
    assert names(tree) == expected
    assert names(tree, ".") == [f"./{name}" for name in expected]
    assert names(tree, "sub/") == ["sub/c.sh", "sub/deep/d.sh"]
    assert names(tree, "sub", "a.sh") == ["sub/c.sh", "sub/deep/d.sh", "a.sh"]
    absolute = str(tree.folder / "sub")
    assert names(tree, absolute) == [f"{absolute}/c.sh", f"{absolute}/deep/d.sh"]


def test_no_file_twice(tree: Cli) -> None:
    assert names(tree, "a.sh", "./a.sh", ".", "sub") == ["a.sh", "./.github/e.sh", "./b.sh", "./sub/c.sh", "./sub/deep/d.sh"]


def test_language_by_name_and_first_line(cli: Cli, sources: dict[str, str]) -> None:
    launch = sources["clean.sh"]
    for name in ("a.sh", "b.bash", "c.zsh", "d.sbatch", "e.slurm", "f.SH", "g.y.sh", "h.sh.tpl", "i.sh.tftpl"):
        cli.write(name, launch)
    cli.write("main.tf", f'resource "x" "y" {{\n  user_data = <<-EOF\n{launch}  EOF\n}}\n')
    cli.write("script", "#!/usr/bin/env -S bash -e\n" + launch)
    cli.write("tool", "#!/usr/bin/python3\n" + sources["serve.py"])
    cli.write("notes", launch)
    cli.write("perl", "#!/usr/bin/perl\n" + launch)
    cli.write(".sh", launch)
    assert names(cli) == [
        ".sh", "a.sh", "b.bash", "c.zsh", "d.sbatch", "e.slurm", "f.SH", "g.y.sh", "h.sh.tpl", "i.sh.tftpl", "main.tf",
        "script", "tool",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "host"),
    [
        (b"#!/bin/sh", "shell"),
        (b"#!/usr/bin/env bash", "shell"),
        (b"#! /bin/zsh -f\r", "shell"),
        (b"#!/usr/bin/env FOO=1 python3.12", "python"),
        (b"#!/usr/bin/env node", "javascript"),
        (b"#!/usr/bin/perl", None),
        (b"#!", None),
        (b"echo", None),
        (b"\xef\xbb\xbf#!/bin/sh", "shell"),
    ],
)
def test_first_line(line: bytes, host: str | None) -> None:
    assert host_by_content(line + b"\nx") == host


class TestIgnored:
    def test_gitignore(self, tree: Cli) -> None:
        tree.write(".gitignore", "b.sh\n/sub/deep/\n")
        assert names(tree) == [".github/e.sh", "a.sh", "sub/c.sh"]
        assert names(tree, "--no-respect-gitignore") == [".github/e.sh", "a.sh", "b.sh", "sub/c.sh", "sub/deep/d.sh"]

    def test_nested_and_taken_back(self, tree: Cli) -> None:
        tree.write(".gitignore", "*.sh\n")
        tree.write("sub/.gitignore", "!c.sh\n")
        assert names(tree) == ["sub/c.sh"]

    def test_above_the_folder_given_up_to_the_repository(self, tree: Cli) -> None:
        tree.write(".gitignore", "c.sh\n")
        assert names(tree, "sub") == ["sub/c.sh", "sub/deep/d.sh"]
        subprocess.run(["git", "init", "-q"], cwd=tree.folder, check=True)
        assert names(tree, "sub") == ["sub/deep/d.sh"]
        tree.write(".git/info/exclude", "deep\n")
        assert names(tree, "sub") == []
        tree.write("sub/.gitignore", "!c.sh\n")
        assert names(tree, "sub") == ["sub/c.sh"]

    def test_as_git_lists(self, tree: Cli) -> None:
        subprocess.run(["git", "init", "-q"], cwd=tree.folder, check=True)
        tree.write(".gitignore", "*.sh\n!/a.sh\n!sub/\n")
        tree.write("sub/.gitignore", "!*.sh\n/deep/*\n!deep/d.sh\n")
        done = subprocess.run(
            ["git", "ls-files", "-co", "--exclude-standard"], cwd=tree.folder, capture_output=True, text=True, check=True
        )
        assert names(tree) == sorted(name for name in done.stdout.split() if name.endswith(".sh"))

    def test_named_file_is_linted_all_the_same(self, tree: Cli) -> None:
        tree.write(".gitignore", "a.sh\n")
        assert names(tree, "--exclude", "a.sh", "a.sh") == ["a.sh"]
        assert names(tree, "--exclude", "a.sh", "--force-exclude", "a.sh") == []
        assert names(tree, "--exclude", "sub", "--force-exclude", "./sub/c.sh") == []
        assert names(tree, "--exclude", ".github", "--force-exclude", ".github/e.sh") == []
        assert names(tree, "--exclude", "github", "--force-exclude", ".github/e.sh") == [".github/e.sh"]

    @pytest.mark.parametrize(
        ("pattern", "left"),
        [
            ("sub", [".github/e.sh", "a.sh", "b.sh"]),
            ("sub/deep", [".github/e.sh", "a.sh", "b.sh", "sub/c.sh"]),
            ("*.sh", []),
            ("a.sh,b.sh", [".github/e.sh", "sub/c.sh", "sub/deep/d.sh"]),
            ("**/d.sh", [".github/e.sh", "a.sh", "b.sh", "sub/c.sh"]),
        ],
    )
    def test_exclude(self, tree: Cli, pattern: str, left: list[str]) -> None:
        assert names(tree, "--exclude", pattern) == left
        assert names(tree, "--extend-exclude", pattern) == left

    def test_folders_that_hold_no_text_of_the_users(self, cli: Cli, sources: dict[str, str]) -> None:
        for name in (".git", "node_modules", ".venv", "venv", "__pycache__", "site-packages"):
            cli.write(f"{name}/a.sh", sources["clean.sh"])
        assert names(cli) == []
        assert names(cli, "node_modules") == ["node_modules/a.sh"]
        assert names(cli, "--exclude", ".git") != []

    def test_configuration_below_holds_for_its_folder(self, tree: Cli) -> None:
        tree.write("sub/speclint.toml", 'extend-exclude = ["/deep"]\n')
        tree.write("deep/x.sh", (tree.folder / "a.sh").read_text())
        assert names(tree) == [".github/e.sh", "a.sh", "b.sh", "deep/x.sh", "sub/c.sh"]


    def test_patterns_of_a_folder_beside_the_one_that_is_walked(self, tree: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
        (tree.folder / "other").mkdir()
        monkeypatch.chdir(tree.folder / "other")
        found = candidates(["../sub"], Configs({"exclude": ("d.sh",)}), lambda path, message: None)
        assert [path for _, path, _, _ in found] == ["../sub/c.sh"]
        found = candidates(["../sub"], Configs({"exclude": ("/deep",)}), lambda path, message: None)
        assert len(found) == 2


@pytest.mark.parametrize(
    "pattern",
    [
        "a.sh", "*.sh", "a*", "*a.sh", "*.py[cod]", "*.s[hx]", "*[hx]", "b?sh", "[ab].sh", "sub/*.sh", "sub/**", "/sub",
        "**/deep", "s*/c.sh", "sub/[c-d].sh", "*", "**", "*b*", "\\a.sh", "*\\.sh", "deep/", "!*.sh", "*.b.sh", "*~", "*$x.sh",
    ],
)  # fmt: skip
def test_each_kind_of_pattern_leaves_out_what_it_fits(tree: Cli, pattern: str) -> None:
    for name in ("a.b.sh", "sub/x$x.sh", "sub/e.zsh"):
        tree.write(name, (tree.folder / "a.sh").read_text())
    tree.write(".gitignore", f"{pattern}\n")
    every = names(tree, "--no-respect-gitignore")
    assert names(tree) == [name for name in every if not Globs([pattern]).covers(name)]


class TestLinks:
    def test_loop_of_folders(self, tree: Cli) -> None:
        (tree.folder / "sub/loop").symlink_to("..")
        (tree.folder / "self").symlink_to(".")
        assert names(tree) == [".github/e.sh", "a.sh", "b.sh", "sub/c.sh", "sub/deep/d.sh"]

    def test_link_to_a_file_met_elsewhere_is_not_read_twice(self, tree: Cli) -> None:
        (tree.folder / "sub/link.sh").symlink_to("c.sh")
        assert names(tree, "sub") == ["sub/c.sh", "sub/deep/d.sh"]
        (tree.folder / "sub/out.sh").symlink_to("../a.sh")
        assert names(tree, "sub") == ["sub/c.sh", "sub/deep/d.sh", "sub/out.sh"]

    def test_link_to_nothing(self, tree: Cli) -> None:
        (tree.folder / "none.sh").symlink_to("nowhere")
        (tree.folder / "circle.sh").symlink_to("circle.sh")
        assert "none.sh" not in names(tree)
        ran = tree("none.sh")
        assert ran.status == 2
        assert "none.sh: cannot be read" in ran.err

    def test_link_that_leads_out_of_the_project_is_not_followed(self, tree: Cli) -> None:
        outside = tree.folder.parent / f"{tree.folder.name}-outside.sh"
        outside.write_text("python -m sglang.launch_server --model-path m\n")
        (tree.folder / "sub/out.sh").symlink_to(outside)
        assert "sub/out.sh" not in names(tree)
        assert names(tree, "sub/out.sh") == ["sub/out.sh"]

    def test_link_that_is_given(self, tree: Cli) -> None:
        (tree.folder / "link").symlink_to("sub")
        assert names(tree, "link") == ["link/c.sh", "link/deep/d.sh"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with names here")
def test_pipe_is_not_waited_for_but_one_that_is_given_is_read(tree: Cli) -> None:
    os.mkfifo(tree.folder / "pipe.sh")
    assert "pipe.sh" not in names(tree)


def test_folder_that_cannot_be_listed(tree: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def scandir(path: str) -> Any:
        if str(path).endswith("deep"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    told: list[tuple[str, str]] = []
    monkeypatch.chdir(tree.folder)
    found = candidates(["sub"], Configs(isolated=True), lambda path, message: told.append((path, message)))
    assert [path for _, path, _, _ in found] == ["sub/c.sh"]
    assert told == [("sub/deep", "cannot be listed: Permission denied")]


def test_file_without_the_word_is_not_decoded(cli: Cli) -> None:
    cli.write("a.sh", b"\xff\xfe\0\0")
    cli.write("b.py", b"def (\0")
    cli.write("c.yaml", b"a: [")
    ran = cli("a.sh", "b.py", "c.yaml")
    assert (ran.status, ran.err) == (0, "")


def test_needle() -> None:
    assert holds_needle(b"x sglang")
    assert holds_needle(b"backend: SGLang")
    assert holds_needle("x sglang".encode("utf-16"))
    assert holds_needle("x sglang".encode("utf-32"))
    assert not holds_needle(b"sgl ang")


def test_large_file(cli: Cli, sources: dict[str, str]) -> None:
    cli.write("big.sh", sources["serve.sh"] + "# " + "x" * 50_000_000 + "\n")
    assert cli.check("big.sh").codes == ["SGL201"]


@pytest.mark.parametrize("start", ["pipeline {", "node('gpu') {", "@Library('x') _\npipeline {"])
def test_a_pipeline_of_jenkins_is_no_script(start: str) -> None:
    """There `sh` is a step that is given text to run, no shell."""
    text = f"// Serve\n{start}\n  sh 'sglang serve --model-path m'\n}}\n"
    assert host_by_content(text.encode(), certain=False) is None
    assert host_by_content(b"sglang serve --model-path m\n", certain=False) == "shell"
