"""The form of catalog.json: change points over the releases, every repeated thing written once.

releases   the releases in order, parted by blanks; everything below counts them from 0
features   name -> [release, release, …]: present from the first to before the second, and so on
choices    lists of choices, one text each, names parted by blanks
records    what an option is: the cells of FIELDS, parted by |, cut behind the last that is not empty. Usual values
           are empty cells: further option strings none, the destination that the first string gives, action store.
           default and const are JSON, choices a place in that list
aliased    the records with further option strings
required   the records of options that a launch must have
tables     table -> [first option strings, points]: for each option how many numbers follow, and then
           release, record, release, record, …; record -1: not there
"""

from __future__ import annotations

import json
import os
import re
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from speclint.sglang import versions

FIELDS = (
    "strings", "dest", "action", "type", "choices", "nargs", "default", "const", "required", "deprecated",
    "replacement", "unread",
)  # fmt: skip
_NAMED = r"(?P<quote>[`'\"]?)(?P<flag>--[a-z][a-z0-9-]*[a-z0-9])(?P<value>=\w+| <[\w-]+>| \w+)?(?P<end>.?)"

key = versions.parse


def load(path: str) -> dict[str, Any]:
    """The releases of the file as ``tools/catalog.py`` reads them from wheels; empty where there is no file."""
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        stored = json.load(file)
    releases: dict[str, Any] = {}
    for index, version in enumerate(stored["releases"].split()):
        tables: dict[str, list[dict[str, Any]]] = {}
        for name in stored["tables"]:
            found = [(first, _at(points, index)) for first, points in _points(stored, name)]
            records = [_unpack(stored, first, at) for first, at in found if at >= 0]
            if records:
                tables[name] = records
        features = [name for name, edges in stored["features"].items() if sum(edge <= index for edge in edges) % 2]
        releases[version] = {"tables": tables, "features": sorted(features)}
    return releases


def save(path: str, releases: dict[str, Any]) -> None:
    """Writes the file; the same releases give the same bytes."""
    ordered = sorted(releases, key=key)
    stored: dict[str, Any] = {"releases": " ".join(ordered), "features": {}, "choices": [], "records": []}
    for name in sorted({name for release in releases.values() for name in release["features"]}):
        has = [name in releases[version]["features"] for version in ordered]
        stored["features"][name] = [at for at, now in enumerate(has) if now != (at > 0 and has[at - 1])]
    stored["aliased"] = []
    stored["tables"] = {}
    for table in sorted({name for release in releases.values() for name in release["tables"]}):
        series = _series(stored, [releases[version]["tables"].get(table, []) for version in ordered])
        points = [number for one in series.values() for number in (len(one), *one)]
        stored["tables"][table] = [" ".join(series), points]
    stored["aliased"] = [at for at, record in enumerate(stored["records"]) if record.partition("|")[0]]
    required = FIELDS.index("required")
    stored["required"] = [
        at for at, record in enumerate(stored["records"]) if "".join(record.split("|")[required : required + 1])
    ]
    lines = [f'"{part}":{json.dumps(value, separators=(",", ":"))}' for part, value in stored.items()]
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write("{" + ",\n".join(lines) + "}\n")


def print_changes(releases: dict[str, Any], version: str) -> None:
    """Says what a release changed against the one before it."""
    ordered = sorted(releases, key=key)
    at = ordered.index(version)
    previous = releases[ordered[at - 1]] if at else {"tables": {}, "features": []}
    print(f"{version}{f' against {ordered[at - 1]}' if at else ''}")
    for name in sorted({*previous["features"]} ^ {*releases[version]["features"]}):
        print(f"  {'+' if name in releases[version]['features'] else '-'} feature {name}")
    for table in sorted({*previous["tables"], *releases[version]["tables"]}):
        old = {record["strings"][0]: record for record in previous["tables"].get(table, [])}
        new = {record["strings"][0]: record for record in releases[version]["tables"].get(table, [])}
        for name in sorted({*old, *new}):
            line = _change(old.get(name), new.get(name))
            if line:
                print(f"  {line}{'' if table == 'server' else f'  ({table})'}")


def replacement(told: str, own: list[str]) -> str:
    """The first other option that a deprecation notice names, with its value where it gives one."""
    for both in re.findall(r"--[a-z0-9-]*\{[a-z,]+\}[a-z0-9-]*(?:=\w+)?", told):
        head, names, tail = re.split(r"[{}]", both)
        return " ".join(f"{head}{name}{tail}" for name in names.split(","))
    for match in re.finditer(_NAMED, told):
        if match["flag"] in own:
            continue
        value = match["value"] or ""
        quoted = match["quote"] and match["quote"] == match["end"]
        return match["flag"] + (value if value.startswith(("=", " <")) or quoted else "")
    return ""


def _change(old: dict[str, Any] | None, new: dict[str, Any] | None) -> str:
    if old is None or new is None:
        record = new or old
        assert record is not None
        return f"{'+' if old is None else '-'} {' '.join(record['strings'])}"
    parts = []
    for field in FIELDS:
        was, now = old.get(field), new.get(field)
        if was == now:
            continue
        if field == "choices" and was and now:
            gained = [f"+{name}" for name in now if name not in was]
            parts.append(" ".join(["choices", *gained, *(f"-{name}" for name in was if name not in now)]))
        else:
            parts.append(f"{field} {was!r} -> {now!r}")
    return f"~ {new['strings'][0]}: {'; '.join(parts)}" if parts else ""


def _series(stored: Any, tables: list[list[dict[str, Any]]]) -> dict[str, list[int]]:
    """The change points of every option of one table; the newest release's options first, in its order."""
    series: dict[str, list[int]] = {}
    for table in reversed(tables):
        for record in table:
            series.setdefault(record["strings"][0], [])
    for index, table in enumerate(tables):
        now = {record["strings"][0]: record for record in table}
        for name, points in series.items():
            at = _pack(stored, now[name]) if name in now else -1
            if at != (points[-1] if points else -1):
                points += [index, at]
    return series


def _pack(stored: Any, record: dict[str, Any]) -> int:
    first, *further = record["strings"]
    cells = {field: str(value) for field, value in record.items()}
    cells["strings"] = " ".join(further)
    if record["dest"] == usual_dest(first):
        del cells["dest"]
    if record["action"] == "store":
        del cells["action"]
    for field in ("required", "unread"):
        if field in record:
            cells[field] = "1"
    for field in ("default", "const"):
        if field in record:
            cells[field] = json.dumps(record[field])
    if "choices" in record:
        if any(not name or " " in name for name in record["choices"]):
            raise ValueError(f"{first}: choices with blanks need another form: {record['choices']}")
        cells["choices"] = str(_intern(stored["choices"], " ".join(record["choices"])))
    if any("|" in cell for cell in cells.values()):
        raise ValueError(f"{first}: a value with | needs another form: {cells}")
    return _intern(stored["records"], "|".join(cells.get(field, "") for field in FIELDS).rstrip("|"))


def _intern(texts: list[str], text: str) -> int:
    if text not in texts:
        texts.append(text)
    return texts.index(text)


def _unpack(stored: Any, first: str, at: int) -> dict[str, Any]:
    cells = stored["records"][at].split("|")
    record: dict[str, Any] = {field: cell for field, cell in zip(FIELDS, cells, strict=False) if cell}
    record["strings"] = [first, *record.get("strings", "").split()]
    record.setdefault("dest", usual_dest(first))
    record.setdefault("action", "store")
    if "choices" in record:
        record["choices"] = stored["choices"][int(record["choices"])].split(" ")
    for field in ("default", "const"):
        if field in record:
            record[field] = json.loads(record[field])
    for field in ("required", "unread"):
        if field in record:
            record[field] = True
    if record.get("nargs", "").isdecimal():
        record["nargs"] = int(record["nargs"])
    return record


def usual_dest(first: str) -> str:
    return first.lstrip("-").replace("-", "_")


def _points(stored: Any, table: str) -> Iterator[tuple[str, list[int]]]:
    names, points = stored["tables"][table]
    end = 0
    for first in names.split(" "):
        start, end = end + 1, end + 1 + points[end]
        yield first, points[start:end]


def _at(points: list[int], index: int) -> int:
    """The record that holds in a release; -1 where the option is not there."""
    record = -1
    for edge in range(0, len(points), 2):
        if points[edge] <= index:
            record = points[edge + 1]
    return record
