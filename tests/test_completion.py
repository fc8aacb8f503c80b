"""Shell completion, asked of the shells themselves."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from select import select
from shlex import quote
from typing import Any

import pytest

Cli = Any
# Seconds after which a shell is taken to hang, on however busy a machine.
PATIENCE = 600

LINES = {
    "speclint lau": ["launches"],
    "speclint --output-for": ["--output-format"],
    "speclint --output-format sar": ["sarif"],
    "speclint launches --output-format js": ["json"],
    "speclint --fail-on nev": ["never"],
    "speclint --sglang-version 0.5.10.p": ["0.5.10.post1"],
    "speclint --select lightning-t": ["lightning-topk"],
    "speclint rule SGL20": ["SGL201", "SGL202"],
    "speclint generate-shell-completion fi": ["fish"],
    "speclint --config spec": ["speclint.toml"],
    "speclint check se": ["serve.sh"],
    "speclint se": ["serve.sh", "server"],
}


def needs(shell: str) -> Any:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell}")


@pytest.fixture
def script(cli: Cli) -> Any:
    def write(shell: str) -> Path:
        ran = cli("generate-shell-completion", shell)
        assert (ran.status, ran.err) == (0, "")
        cli.write("serve.sh", "")
        cli.write("speclint.toml", "")
        return Path(cli.write(f"completion.{shell}", ran.out))

    return write


@needs("bash")
def test_bash(script: Any) -> None:
    path = script("bash")
    asked = {**LINES, "speclint --output-format=sar": ["sarif"], "speclint --select SGL1,SGL20": ["SGL1,SGL201"]}
    # compopt may only be called by readline; -o default is what brings the files.
    text = f"compopt() {{ :; }}; source {quote(str(path))}\n" + "".join(
        f"COMP_WORDS=({line.replace('=', ' = ')}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 )); COMPREPLY=(); _speclint\n"
        'echo "${COMPREPLY[*]:-$(compgen -f -- "${COMP_WORDS[COMP_CWORD]}")}"\n'
        for line in asked
    )
    done = subprocess.run(["bash", "-c", text], cwd=path.parent, capture_output=True, text=True, check=False)
    assert done.stderr == ""
    for (line, expected), told in zip(asked.items(), done.stdout.splitlines(), strict=True):
        if line == "speclint se":  # readline adds the files by itself
            expected = ["server"]
        assert set(expected) <= set(told.split()), (line, told)
        assert all(word.startswith(line.split()[-1].split("=")[-1]) for word in told.split()), (line, told)


@needs("fish")
def test_fish(script: Any) -> None:
    path = script("fish")
    for line, expected in {**LINES, "speclint --output-format=sar": ["--output-format=sarif"]}.items():
        done = subprocess.run(
            ["fish", "--no-config", "-c", f"source {path.name}; complete -C '{line}'"],
            cwd=path.parent, capture_output=True, text=True, check=False,
            env={**os.environ, "HOME": str(path.parent), "LC_ALL": "C.UTF-8", "XDG_CONFIG_HOME": "", "XDG_DATA_HOME": ""},
        )  # fmt: skip
        assert done.stderr == "", done.stderr
        told = [row.split("\t")[0] for row in done.stdout.splitlines()]
        assert set(expected) <= set(told), (line, told)


@needs("zsh")
def test_zsh(script: Any) -> None:
    """zsh completes only where somebody types."""
    import pty

    path = script("zsh")
    terminal, theirs = pty.openpty()
    env = {"HOME": str(path.parent), "TERM": "dumb", "PATH": os.environ["PATH"], "PS1": "> ", "LC_ALL": "C"}
    zsh = subprocess.Popen(
        ["zsh", "-f", "-i"], stdin=theirs, stdout=theirs, stderr=theirs, cwd=path.parent, env=env, start_new_session=True
    )
    os.close(theirs)

    def read(until: str) -> str:
        seen = ""
        while until not in seen:
            assert select([terminal], [], [], PATIENCE)[0], f"zsh says no more: {seen}"
            seen += os.read(terminal, 4096).decode(errors="replace")
        return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]|[\r\x07]", "", seen)

    try:
        os.write(terminal, b"autoload -U compinit; compinit -u -D; unsetopt zle_bracketed_paste; zstyle ':completion:*' "
                           b"menu no; setopt no_always_last_prompt; source completion.zsh; echo REA''DY\n")  # fmt: skip
        assert "READY" in read("READY")
        for line, expected in LINES.items():
            if len(expected) > 1:  # a list is shown only on a better terminal
                continue
            os.write(terminal, f"{line}\tEN''D\x01echo \n".encode())
            assert expected[0] in read("END\r\n"), line
    finally:
        os.close(terminal)
        zsh.kill()
        zsh.wait()


def test_another_shell(cli: Cli) -> None:
    ran = cli("generate-shell-completion", "tcsh")
    assert ran.status == 2
    assert "choose from 'bash', 'fish', 'zsh'" in ran.err


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_every_option_is_there(script: Any, shell: str) -> None:
    from speclint.parsers import BUILD

    text = script(shell).read_text("utf-8")
    for build in BUILD.values():
        for action in build()._actions:
            for string in action.option_strings:
                if string.startswith("--") and string != "--stdio":
                    assert (f"-l {string[2:]} " if shell == "fish" else string) in text
