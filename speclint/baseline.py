"""Findings that are known already: a file that lists them, so that only new ones are told.

An entry names a finding without line numbers (see identity), with how often it occurs, so that text that moves keeps
it; paths are relative to the folder of the file.
"""

from __future__ import annotations

import os

from speclint import identity
from speclint.identity import Identity
from speclint.settings import ConfigError, relative_to

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from speclint.analysis import Analysis, Outcome

_VERSION = 1


class Baseline:
    """The entries of one file, with how often each occurs."""

    def __init__(self, path: str, counts: dict[Identity, int]) -> None:
        self.path = path
        self.root = os.path.dirname(os.path.abspath(path))
        self.counts = counts

    def apply(self, analysis: Analysis) -> None:
        """Take the known findings out of an analysis, and note in it which these are."""
        left = dict(self.counts)
        kept = []
        for finding in analysis.findings:
            found = identity.of(finding, relative_to(self.root, analysis.file.path))
            if left.get(found, 0):
                left[found] -= 1
                analysis.known.append(found)
            else:
                kept.append(finding)
        analysis.findings = kept

    def stale(self, known: Iterable[Identity], paths: Sequence[str]) -> list[Identity]:
        """The entries for files below ``paths`` (without paths: the current folder) that nothing was found for."""
        left = dict(self.counts)
        for found in known:
            left[found] = left.get(found, 0) - 1
        tops = [os.path.abspath(path) for path in paths or (os.curdir,)]
        return [entry for entry, count in left.items() if count > 0 and self._below(entry.file, tops)]

    def _below(self, name: str, tops: Sequence[str]) -> bool:
        path = os.path.normpath(os.path.join(self.root, name))
        return any(path == top or path.startswith(os.path.join(top, "")) for top in tops)


def load(path: str) -> Baseline:
    """Read a file. Raises ConfigError where it is none."""
    import json

    try:
        with open(path, encoding="utf-8") as stream:
            data = json.load(stream)
    except OSError as error:
        raise ConfigError(f"baseline: {path}: {error.strerror}") from None
    except ValueError as error:
        raise ConfigError(f"baseline: {path}: {error}") from None
    try:
        if data["version"] != _VERSION:
            raise ConfigError(f"baseline: {path}: its version {data['version']!r} is not known; write it anew")
        counts: dict[Identity, int] = {}
        for entry in data["findings"]:
            found = Identity(*(str(entry[field]) for field in Identity._fields))
            counts[found] = counts.get(found, 0) + int(entry["count"])
    except (KeyError, TypeError, ValueError):
        raise ConfigError(f"baseline: {path}: it is none of speclint's; write it with --write-baseline") from None
    return Baseline(path, counts)


def write(path: str, outcome: Outcome) -> int:
    """List the findings of an outcome in a file; how many there are. Raises ConfigError where it cannot be written."""
    import json

    root = os.path.dirname(os.path.abspath(path))
    counts: dict[Identity, int] = {}
    for finding in outcome.findings:
        found = identity.of(finding, relative_to(root, finding.span.file.path))
        counts[found] = counts.get(found, 0) + 1
    entries: list[dict[str, Any]] = [{**entry._asdict(), "count": counts[entry]} for entry in sorted(counts)]
    text = json.dumps({"version": _VERSION, "findings": entries}, indent=2) + "\n"
    try:
        with open(path, "w", encoding="utf-8", newline="") as stream:
            stream.write(text)
    except OSError as error:
        raise ConfigError(f"--write-baseline: {path}: {error.strerror}") from None
    return sum(counts.values())


def told(baseline: Baseline, stale: Sequence[Identity]) -> list[str]:
    """The stale entries, for people."""
    if not stale:
        return []
    written = [" ".join(dict.fromkeys(filter(None, (entry.flag, entry.value)))) for entry in stale]
    lines = [f"  {entry.code} in {entry.file}: `{text}`" for entry, text in zip(stale, written, strict=True)]
    number = "1 entry occurs" if len(stale) == 1 else f"{len(stale)} entries occur"
    return [f"{baseline.path}: {number} no more; --write-baseline takes out:", *lines]
