"""The form of envs.json: change points over the releases (see change_points.py).

releases   the releases in order, parted by blanks; everything below counts them from 0
converts   [release, release, …]: from the first to before the second, and so on, SGL_NAME is taken for SGLANG_NAME too
classes    kind -> [release, text, release, text, …]: words that are true | words that are false | what any other text
           comes to: default, false or raises
records    what a variable is: kind | default | flags | new, cut behind the last that is not empty
names      the variables, parted by blanks; one that ends in _ is how names begin that are put together
points     for each name how many numbers follow, and then release, record, release, record, …; record -1: not there

kind       bool, int, float, str, tuple, json: a field of the registry; get_bool, get_int: by the functions of these
           names; int!, float!: by int() and float() alone; =a,b: compared with these words, =~a,b: after it was made
           lower case; empty: read in several ways or in one that is not known
default    JSON
flags      r read, t by tests only, d in the registry, n a notice says that it is deprecated, x it stops the launch,
           m its name stands somewhere, c its value is copied to that of new, C after it was changed
new        the variable that takes its place, or an option with its value
"""

from __future__ import annotations

import json
import os
import re
from typing import TYPE_CHECKING, Any

import catalog_file
import change_points

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from env_reads import Use

_FLAGS = {"declared": "d", "told": "n", "refused": "x", "mentioned": "m"}


def release(found: Sequence[Use], converts: bool, classes: dict[str, str]) -> dict[str, Any]:
    """One release as the file knows it, made of what was found in its wheel."""
    inside = {use.name for use in found if use.role == "inside"}
    by_name: dict[str, list[Use]] = {}
    for use in found:
        if use.role != "inside":
            by_name.setdefault(use.name, []).append(use)
    for text in sorted(inside):
        name = next((name for name in sorted(by_name, key=len, reverse=True) if text.startswith(name)), None)
        by_name.setdefault(name or text, []).append(_read(name or text))
    variables = {name: _record(by_name[name]) for name in sorted(by_name)}
    return {"variables": variables, "converts": converts, "classes": classes}


def _read(name: str) -> Use:
    from env_reads import Use

    return Use(name, "read", "main", "?")


def _record(uses: Sequence[Use]) -> str:
    reads = [use for use in uses if use.role == "read"]
    server = [use for use in reads if use.scope != "test"]
    flags = {flag for use in uses if (flag := _FLAGS.get(use.role))}
    flags.update("r" if server else "t" if reads else "")
    if server or not any(use.role == "refused" and use.scope == "main" for use in uses):
        flags.discard("x")
    successor = next((use for use in uses if use.role == "copied"), None)
    if successor is not None:
        flags.add("C" if successor.changed else "c")
    notice = successor or next((use for use in uses if use.role == "told" and use.new), None)
    kind, default = _kind(uses)
    cells = (kind, "" if default is None else json.dumps(default), "".join(sorted(flags)), notice.new if notice else "")
    if any("|" in cell for cell in cells):
        raise ValueError(f"{uses[0].name}: a value with | needs another form: {cells}")
    return "|".join(cells).rstrip("|")


def _kind(uses: Sequence[Use]) -> tuple[str, Any]:
    """How the text is read, and the default, where that is one way; that of the server counts before any other."""
    for scope in ("main", "side"):
        seen = [use for use in uses if use.scope == scope and use.kind]
        if seen:
            kinds = {re.sub("^!", "=", use.kind) for use in seen}
            defaults = {json.dumps(use.default) for use in seen}
            kind = kinds.pop() if len(kinds) == 1 else "?"
            return ("", None) if kind == "?" else (kind, seen[0].default if len(defaults) == 1 else None)
    return "", None


def load(path: str) -> dict[str, Any]:
    """The releases of the file as ``release`` gives them; empty where there is no file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        stored = json.load(file)
    versions = stored["releases"].split()
    tables = change_points.unpack(stored["names"], stored["points"], stored["records"], len(versions))
    return {
        version: {
            "variables": tables[at],
            "converts": sum(edge <= at for edge in stored["converts"]) % 2 == 1,
            "classes": {kind: text for kind, points in stored["classes"].items() if (text := _text(points, at))},
        }
        for at, version in enumerate(versions)
    }


def save(path: str, releases: dict[str, Any]) -> None:
    """Writes the file; the same releases give the same bytes."""
    ordered = [releases[version] for version in sorted(releases, key=catalog_file.key)]
    records: list[str] = []
    names, points = change_points.pack([one["variables"] for one in ordered], records)
    converts = [one["converts"] for one in ordered]
    stored = {
        "releases": " ".join(sorted(releases, key=catalog_file.key)),
        "converts": [at for at, now in enumerate(converts) if now != (at > 0 and converts[at - 1])],
        "classes": {
            kind: list(_edges([one["classes"].get(kind, "") for one in ordered]))
            for kind in sorted({kind for one in ordered for kind in one["classes"]})
        },
        "records": records,
        "names": names,
        "points": points,
    }
    lines = [f'"{part}":{json.dumps(value, separators=(",", ":"))}' for part, value in stored.items()]
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("{" + ",\n".join(lines) + "}\n")


def _edges(texts: Sequence[str]) -> Iterable[int | str]:
    for at, text in enumerate(texts):
        if text != (texts[at - 1] if at else ""):
            yield from (at, text)


def _text(points: Sequence[Any], at: int) -> str:
    return next((points[edge + 1] for edge in range(len(points) - 2, -1, -2) if points[edge] <= at), "")


def print_changes(releases: dict[str, Any], version: str) -> None:
    """Says what a release changed against the one before it."""
    ordered = sorted(releases, key=catalog_file.key)
    at = ordered.index(version)
    empty: dict[str, Any] = {"variables": {}, "converts": False, "classes": {}}
    before, now = releases[ordered[at - 1]] if at else empty, releases[version]
    print(f"{version}{f' against {ordered[at - 1]}' if at else ''}")
    if before["converts"] != now["converts"]:
        print(f"  {'+' if now['converts'] else '-'} SGL_ is taken for SGLANG_")
    for table in ("classes", "variables"):
        old, new = before[table], now[table]
        for name in sorted({*old, *new}):
            if name not in old or name not in new:
                print(f"  {'-' if name in old else '+'} {name}  {new.get(name) or old[name]}")
            elif old[name] != new[name]:
                print(f"  ~ {name}: {old[name]} -> {new[name]}")
