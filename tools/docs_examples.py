"""Run the examples of the documentation: docs/*.md, each page in a folder of its own.

    python tools/docs_examples.py [--write] [PAGE ...]

A block with a title is a file; in a block marked ``console``, lines behind ``$ `` are commands and what follows them
is what they print. ``--write`` puts what they print into the pages; without it, exit status 1 where that is something
else.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
_BLOCK = re.compile(r'^```(?P<kind>\w+)(?: title="(?P<title>[^"\n]+)")?\n(?P<text>.*?)^```$', re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    return sorted((ROOT / "docs").glob("*.md"))


def run(command: str, folder: str) -> str:
    """What a command prints on both streams, as a terminal would show it without colours."""
    plain = {key: value for key, value in os.environ.items() if key not in ("GITHUB_ACTIONS", "FORCE_COLOR", "CI")}
    path = os.pathsep.join((str(Path(sys.executable).parent), plain.get("PATH", "")))
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, env={**plain, "PATH": path, "COLUMNS": "100"}, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120, check=False,
    )  # fmt: skip
    return done.stdout.decode("utf-8", "replace")


def renewed(page: str) -> str:
    """A page with what its commands print now."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, ".git").mkdir()  # no configuration from above

        def block(found: re.Match[str]) -> str:
            if found["title"]:
                path = Path(folder, found["title"])
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(found["text"], "utf-8")
            if found["kind"] != "console":
                return found[0]
            commands = [line[2:] for line in found["text"].splitlines() if line.startswith("$ ")]
            told = "".join(f"$ {command}\n{_ended(run(command, folder))}" for command in commands)
            return f"```console\n{told}```"

        return _BLOCK.sub(block, page)


def _ended(text: str) -> str:
    return text if not text or text.endswith("\n") else text + "\n"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="put what commands print into the pages")
    parser.add_argument("pages", nargs="*", type=Path)
    arguments = parser.parse_args()
    stale = False
    for path in arguments.pages or pages():
        before = path.read_text("utf-8")
        after = renewed(before)
        if before != after:
            stale = True
            print(path)
            if arguments.write:
                path.write_text(after, "utf-8")
    return int(stale and not arguments.write)


if __name__ == "__main__":
    sys.exit(main())
