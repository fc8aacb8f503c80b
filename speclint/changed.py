"""The lines that a change touches, as git tells them."""

from __future__ import annotations

import os

from speclint.lean import pattern

TYPE_CHECKING = False
if TYPE_CHECKING:
    from speclint.text import Span

_HUNK = pattern(r"@@ -\S+ \+(\d+)(?:,(\d+))? @@")


class Changed:
    """Changed rows by the real path of their file."""

    def __init__(self, rows: dict[str, list[range]]) -> None:
        self._rows = rows

    def touches(self, span: Span) -> bool:
        """Whether any row of a span was changed."""
        rows = self._rows.get(os.path.realpath(span.file.path), ())
        first = span.file.location(span.start)[0]
        last = span.file.location(max(span.start, span.end - 1))[0]
        return any(first < part.stop and part.start <= last for part in rows)


def since(revision: str) -> Changed:
    """What changed since a revision of the repository around the current folder. Raises ValueError, for people."""
    top = _git("rev-parse", "--show-toplevel").rstrip("\n")
    shown = ("--no-color", "--no-ext-diff", "--no-textconv", "--unified=0", "--src-prefix=a/", "--dst-prefix=b/")
    return Changed(_read(_git("-c", "core.quotePath=false", "diff", *shown, "--end-of-options", revision, "--"), top))


def _git(*words: str) -> str:
    import subprocess

    try:
        done = subprocess.run(("git", *words), capture_output=True, check=False, timeout=120)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise ValueError(f"git cannot be run: {error}") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ValueError(said[-1] if said else f"git ended with {done.returncode}")
    return done.stdout.decode("utf-8", "surrogateescape")


def _read(diff: str, top: str) -> dict[str, list[range]]:
    rows: dict[str, list[range]] = {}
    here: list[range] = []
    left = 0  # lines of the hunk that are still to come: one of them could look like a header
    for line in diff.split("\n"):
        if left and line[:1] in "+-\\":
            left -= line[:1] != "\\"
            continue
        if line.startswith("+++ "):
            name = line[4:].rstrip("\t")
            here = rows.setdefault(os.path.realpath(os.path.join(top, name[2:])), []) if name != "/dev/null" else []
            continue
        found = _HUNK.match(line)
        if found:
            size = int(found[2] or 1)
            here.append(range(int(found[1]), int(found[1]) + size))
            removed = line.split(" ")[1].partition(",")[2]
            left = size + int(removed or 1)
    return rows
