"""The snippets of docs/editors.md, in the editors that are installed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Cli = Any
NEOVIM = """
vim.cmd("edit serve.sh")
vim.cmd("set filetype=sh")
vim.wait(600000, function() return #vim.diagnostic.get(0) > 0 end)
for _, d in ipairs(vim.diagnostic.get(0)) do print("FOUND", d.lnum + 1, d.col + 1, d.code) end
local params = vim.lsp.util.make_range_params()
params.range = { start = { line = 4, character = 28 }, ["end"] = { line = 4, character = 28 } }
params.context = { diagnostics = {} }
local answers, why = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 600000)
if not answers then print("NO ANSWER", why) end
for _, answer in pairs(answers or {}) do
  vim.lsp.util.apply_workspace_edit(answer.result[1].edit, "utf-16")
end
vim.cmd("write")
vim.cmd("qa!")
"""
EMACS = """
(setq eglot-sync-connect 600)
(find-file "serve.sh")
(sh-mode)
(call-interactively 'eglot)
(let ((n 0))
  (while (and (< n 3000) (null (flymake-diagnostics)))
    (flymake-start) (accept-process-output nil 0.2) (setq n (1+ n))))
(dolist (d (flymake-diagnostics))
  (message "FOUND %s %s" (line-number-at-pos (flymake-diagnostic-beg d)) (flymake-diagnostic-text d)))
(goto-char (point-min))
(search-forward "$T")
(eglot--apply-workspace-edit (plist-get (car (append (eglot-code-actions (point) (point) nil) nil)) :edit))
(save-buffer)
(kill-emacs)
"""
VIM = """
edit serve.sh
silent make
redir! > out.txt
for d in getqflist() | echo 'FOUND' d.valid d.lnum d.col d.text | endfor
redir END
qa!
"""


def snippet(repository: Path, language: str) -> str:
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", (repository / "docs/editors.md").read_text("utf-8"), re.M | re.S)
    return str(found)


@pytest.fixture
def run(cli: Cli, sources: dict[str, str], repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    tools = tmp_path_factory.mktemp("bin")
    script = tools / "speclint"
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{repository}" exec "{sys.executable}" -m speclint "$@"\n')
    script.chmod(0o755)
    cli.write("serve.sh", sources["serve.sh"])
    cli.write("speclint.toml", 'select = ["SGL201"]\n')

    def run(*words: str) -> str:
        if shutil.which(words[0]) is None:
            pytest.skip(f"{words[0]} is not installed")
        # Nothing of what a user has set up for himself.
        plain = {name: value for name, value in os.environ.items() if not name.startswith(("XDG_", "NVIM", "VIM", "EMACS"))}
        env = {**plain, "HOME": str(tools), "LC_ALL": "C.UTF-8", "PATH": f"{tools}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(
            words, cwd=cli.folder, env=env, capture_output=True, text=True, errors="replace", timeout=900, check=False
        )
        return done.stdout + done.stderr

    return run


def test_neovim(cli: Cli, run: Any, repository: Path) -> None:
    cli.write("init.lua", snippet(repository, "lua"))
    cli.write("try.lua", NEOVIM)
    told = run("nvim", "--headless", "-u", "init.lua", "-c", "luafile try.lua")
    assert "FOUND 5 28 SGL201" in told
    assert "NO ANSWER" not in told
    assert "TOPK=1" in (cli.folder / "serve.sh").read_text()


def test_emacs(cli: Cli, run: Any, repository: Path) -> None:
    cli.write("init.el", "(package-initialize)\n(require 'eglot nil t)\n" + snippet(repository, "elisp") + EMACS)
    told = run("emacs", "--batch", "-l", "init.el")
    if "eglot" not in told:
        pytest.skip("Emacs has no eglot")
    assert re.search(r"FOUND 5 speclint \[SGL201\]", told), told
    assert "TOPK=1" in (cli.folder / "serve.sh").read_text()


def test_vim(cli: Cli, run: Any, repository: Path) -> None:
    cli.write("try.vim", snippet(repository, "vim") + VIM)
    run("vim", "-es", "-u", "NONE", "-N", "-S", "try.vim")
    assert "FOUND 1 5 28 SGL201 [error]" in (cli.folder / "out.txt").read_text()
