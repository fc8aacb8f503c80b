"""What a change to speclint does to its findings in public repositories: two revisions, side by side, as Markdown.

    python tools/ecosystem.py [--repositories FILE] [--mirror DIR] [--only NAME] [--jobs N] BASE HEAD

BASE and HEAD are revisions of this repository; each is laid out in a folder of its own and run with this interpreter,
whose packages both use. FILE lists the repositories (tools/ecosystem.json: owner, name, commit, and paths where not all
of it is looked at). Each is fetched by git at its commit, unless DIR holds a copy as ``owner+name``. Prints how many
findings came and went, by rule and by place, and what one revision could not read; exit 1 if one of them breaks.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LIST = Path(__file__).with_suffix(".json")
MOST_SHOWN = 50


class Repository(NamedTuple):
    """A public repository at one commit; ``paths`` are what is looked at."""

    owner: str
    name: str
    commit: str
    paths: tuple[str, ...] = (".",)

    @property
    def title(self) -> str:
        return f"{self.owner}/{self.name}"


class Ran(NamedTuple):
    """What a revision said of a repository: each finding by place, lines of errors, and whether it broke."""

    findings: Counter[tuple[str, int, str, str, str]]
    errors: frozenset[str]
    broke: str


def repositories(path: Path, only: str) -> list[Repository]:
    listed = json.loads(path.read_text(encoding="utf-8"))
    found = [Repository(r["owner"], r["name"], r["commit"], tuple(r.get("paths", (".",)))) for r in listed]
    return [repository for repository in found if only in repository.title]


def lay_out(revision: str, folder: Path) -> Path:
    """The tree of a revision, and its rules compiled as a build would have them."""
    target = folder / revision.replace("/", "_")
    target.mkdir()
    archive = subprocess.run(["git", "-C", str(ROOT), "archive", revision], capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(target)], input=archive.stdout, check=True)
    return target


def fetched(repository: Repository, mirror: Path | None, folder: Path) -> Path:
    """A work tree of a repository at its commit."""
    if mirror is not None:
        local = mirror / f"{repository.owner}+{repository.name}"
        if local.is_dir():
            return local
    target = folder / f"{repository.owner}+{repository.name}"
    if not target.exists():
        git = ["git", "-C", str(target), "-c", "advice.detachedHead=false"]
        subprocess.run(["git", "init", "-q", str(target)], check=True)
        url = f"https://github.com/{repository.title}.git"
        subprocess.run([*git, "fetch", "-q", "--depth", "1", url, repository.commit], check=True)
        subprocess.run([*git, "checkout", "-q", "FETCH_HEAD"], check=True)
    return target


def run(tree: Path, where: Path, repository: Repository, jobs: int) -> Ran:
    """One revision on one repository."""
    env = {**os.environ, "PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1"}
    env.pop("GITHUB_ACTIONS", None)
    words = ["check", "--isolated", "--output-format", "json", "--jobs", str(jobs), *repository.paths]
    done = subprocess.run(
        [sys.executable, "-m", "speclint", *words], cwd=where, env=env, capture_output=True, text=True, check=False
    )
    errors = frozenset(line for line in done.stderr.splitlines() if line.strip())
    try:
        told: list[dict[str, Any]] = json.loads(done.stdout)
    except ValueError:
        return Ran(Counter(), errors, done.stderr.strip()[-2000:] or "no JSON")
    places = ((f["filename"], f["location"]["row"], f["code"], f["level"], f["message"]) for f in told)
    broke = next((line for line in errors if "internal error" in line or "Traceback" in line), "")
    return Ran(Counter(places), errors, broke)


# -- what is told


def report(results: list[tuple[Repository, Ran, Ran]], base: str, head: str) -> str:
    """The comparison as Markdown."""
    rows, details = [], []
    for repository, old, new in results:
        added, removed = new.findings - old.findings, old.findings - new.findings
        rows.append(
            f"| {repository.title} | {old.findings.total()} | {new.findings.total()} "
            f"| +{added.total()} | -{removed.total()} | {'broke' if old.broke or new.broke else ''} |"
        )
        details.extend(_details(repository, old, new, added, removed))
    head_lines = [
        f"## Findings in public repositories: {base} to {head}",
        "",
        "| repository | before | after | added | removed | |",
        "|---|---:|---:|---:|---:|---|",
        *rows,
    ]
    return "\n".join([*head_lines, "", *(details or ["No finding came or went."])])


def _details(repository: Repository, old: Ran, new: Ran, added: Counter[Any], removed: Counter[Any]) -> list[str]:
    broken = [f"- {name} broke: `{ran.broke[:300]}`" for name, ran in (("before", old), ("after", new)) if ran.broke]
    errors = [
        *(f"+ {e}" for e in sorted(new.errors - old.errors)),
        *(f"- {e}" for e in sorted(old.errors - new.errors)),
    ]
    if not added and not removed and not errors and not broken:
        return []
    codes = Counter[str]()
    for found, sign in ((added, 1), (removed, -1)):
        for (_, _, code, _, _), count in found.items():
            codes[code] += sign * count
    told = (
        ", ".join(f"{code} {count:+}" for code, count in sorted(codes.items()) if count) or "no rule more or less often"
    )
    lines = [f"<details><summary>{repository.title}: {told}</summary>", "", *broken, "", "```diff"]
    changes = [("+", f) for f in added.elements()] + [("-", f) for f in removed.elements()]
    for sign, (path, row, code, level, message) in sorted(changes, key=lambda c: (c[1], c[0]))[:MOST_SHOWN]:
        lines.append(f"{sign} {path}:{row}: {code} [{level}] {message}")
    if len(changes) > MOST_SHOWN:
        lines.append(f"  … and {len(changes) - MOST_SHOWN} more")
    return [*lines, *errors[:MOST_SHOWN], "```", "", "</details>", ""]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("base", metavar="BASE")
    parser.add_argument("head", metavar="HEAD")
    parser.add_argument("--repositories", type=Path, default=LIST)
    parser.add_argument("--mirror", type=Path, help="a folder that holds copies")
    parser.add_argument("--only", default="", help="repositories whose name holds this")
    parser.add_argument("--jobs", type=int, default=0)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        base, head = (lay_out(revision, folder) for revision in (arguments.base, arguments.head))
        results = []
        for repository in repositories(arguments.repositories, arguments.only):
            where = fetched(repository, arguments.mirror, folder)
            old, new = (run(tree, where, repository, arguments.jobs) for tree in (base, head))
            results.append((repository, old, new))
    print(report(results, arguments.base, arguments.head))
    return int(any(new.broke for _, _, new in results))


if __name__ == "__main__":
    sys.exit(main())
