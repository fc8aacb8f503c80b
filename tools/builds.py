"""Writes speclint/sglang/data/builds.tsv: what images are told apart by.

    python tools/builds.py [--check]

From the package index: the day on which each release of SGLang was uploaded, and the release of SGLang that each
release of Dynamo pins in its wheel. ``--check`` writes nothing and exits 1 if something would change. PIP_INDEX_URL
names another index.
"""

from __future__ import annotations

import io
import json
import os
import re
import sys
import urllib.request
import zipfile
from typing import Any

import catalog_file

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TARGET = os.path.join(ROOT, "speclint", "sglang", "data", "builds.tsv")
FIRST = "0.4.0"
HEAD = "# product, release, and: the day it was uploaded (sglang), the SGLang release that it pins (dynamo)\n"


def main() -> int:
    """Runs the command line; see the module's text."""
    lines = [HEAD]
    days: dict[str, str] = {}
    for file in _files("sglang"):
        version, day = _version(file["filename"]), file["upload-time"][:10]
        if version is not None and catalog_file.key(version) >= catalog_file.key(FIRST):
            days[version] = min(day, days.get(version, day))
    lines += [f"sglang\t{version}\t{days[version]}\n" for version in sorted(days, key=catalog_file.key)]
    pins = {}
    for file in _files("ai-dynamo"):
        version = _version(file["filename"])
        if version is not None and "dev" not in version:
            pin = _pin(file["url"])
            if pin is not None:
                pins[version] = pin
    lines += [f"dynamo\t{version}\t{pins[version]}\n" for version in sorted(pins, key=catalog_file.key)]
    text = "".join(lines)
    if os.path.exists(TARGET):
        with open(TARGET, encoding="utf-8") as stream:
            if stream.read() == text:
                return 0
    if "--check" in sys.argv[1:]:
        print(f"{TARGET} is not what the index says")
        return 1
    with open(TARGET, "w", encoding="utf-8") as stream:
        stream.write(text)
    return 0


def _files(project: str) -> list[dict[str, Any]]:
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    accept = {"Accept": "application/vnd.pypi.simple.v1+json"}
    listed = json.loads(_read(urllib.request.Request(f"{index}/{project}/", headers=accept)))
    return [file for file in listed["files"] if file["filename"].endswith(".whl") and not file.get("yanked")]


def _version(wheel: str) -> str | None:
    match = re.match(r"[\w.]+?-(\d[^-]*)-", wheel)
    return match[1] if match else None


def _pin(url: str) -> str | None:
    """The release of SGLang that a wheel's metadata pins."""
    with zipfile.ZipFile(io.BytesIO(_read(url))) as wheel:
        name = next(name for name in wheel.namelist() if name.endswith(".dist-info/METADATA"))
        match = re.search(r"^Requires-Dist: sglang(?:\[[\w,]+\])?==([\w.]+)", wheel.read(name).decode(), re.MULTILINE)
    return match[1] if match else None


def _read(request: str | urllib.request.Request) -> bytes:
    with urllib.request.urlopen(request, timeout=180) as answer:
        content: bytes = answer.read()
    return content


if __name__ == "__main__":
    sys.exit(main())
