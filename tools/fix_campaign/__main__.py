"""Makes every fix that can be made in many files and has each judged by other means than speclint's own.

    python tools/fix_campaign [--per-launch N] [--per-file N] [--variants] [--jobs N] [--coverage FILE] PATH ...

In every file below PATH that holds a launch, each intent (set a value, rename, remove, add, split, replace) is made at
every option, one at a time and through the real way of a fix. Then: the bytes outside the edits are the same, bash,
Python, ruamel.yaml and json still read the file, comments and newlines are kept, the launch has the words that were
meant and every other launch its own. Besides: the rules' own fixes twice are once, and rule by rule in any order give
the same. Prints what was tried and every promise that was broken; exit 1 if there is any. ``--coverage`` lists how
often each intent had a fix, by host and manner of writing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import random
import sys
import time
import traceback
from collections import Counter
from typing import TYPE_CHECKING

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import judges
from trials import NEW_VALUE, QUOTED, Trial, shapes, trials

from speclint import discover, needle
from speclint.config import Configs
from speclint.finding import Finding
from speclint.fix.apply import fix_file
from speclint.run import Linter
from speclint.source import SourceError, SourceFile
from speclint.value import Known

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from speclint.analysis import Analysis
    from speclint.launch import Launch

_LANGUAGE = {"python": "python", "shell": "shell", "notebook": "notebook", "json": "json", "toml": "toml"}
_NO_JUDGE = frozenset(("markdown", "rst", "text", "makefile", "justfile", "units", "template", "dockerfile", "jsonc"))


class Tally:
    """What was counted, and what was broken; ``broken`` are lines for people."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.coverage: Counter[tuple[str, str, str]] = Counter()
        self.places: dict[tuple[str, str, str], str] = {}
        self.broken: list[str] = []

    def merge(self, other: Tally) -> None:
        """Add another tally."""
        self.counts += other.counts
        self.coverage += other.coverage
        self.places = {**other.places, **self.places}
        self.broken += other.broken


class Campaign:
    """The trials on one file after another."""

    def __init__(self, per_launch: int, per_file: int, with_variants: bool, rules: bool) -> None:
        self.per_launch = per_launch
        self.per_file = per_file
        self.with_variants = with_variants
        self.rules = rules
        configs = Configs(isolated=True)
        self.silent = Linter(configs, ask=False)
        self.linter = Linter(configs)
        self.settings = configs.for_file("x")
        self.tally = Tally()

    def file(self, path: str) -> None:
        """Everything about one file; whatever goes wrong is counted."""
        try:
            with open(path, "rb") as stream:
                raw = stream.read()
        except OSError:
            return
        host = discover.host_of(path) or discover.host_by_content(raw)
        if host is None or not needle.holds_needle(raw):
            return
        shown = list(judges.variants(raw, host)) if self.with_variants else [("as it is", raw)]
        for name, content in shown:
            try:
                self._variant(path, name, host, content)
            except SourceError:
                self.tally.counts["files that cannot be read"] += 1
                return
            except Exception:
                self.tally.counts["crashes"] += 1
                self.tally.broken.append(f"{path} ({name}): {traceback.format_exc()}")

    def _variant(self, path: str, name: str, host: str, raw: bytes) -> None:
        file = SourceFile(path, raw)
        if not file.clean:
            return
        analysis = self.silent.analyse(file, host, self.settings)
        if not analysis.launches:
            return
        self.tally.counts["files"] += 1
        self.tally.counts["launches"] += len(analysis.launches)
        chance = random.Random(path)
        every = [(number, list(trials(options))) for number, options in enumerate(analysis.options)]
        made = [(number, trial) for number, some in every for trial in self._some(some, chance, self.per_launch)]
        for number, trial in self._some(made, chance, self.per_file):
            self._trial(analysis, number, trial, f"{path}:{file.location(trial.place)[0]} ({name})")
        if self.rules:
            self._rules(file, host, f"{path} ({name})")

    @staticmethod
    def _some(items: list, chance: random.Random, most: int) -> list:
        return items if len(items) <= most or not most else chance.sample(items, most)

    # -- one intent

    def _trial(self, before: Analysis, number: int, trial: Trial, where: str) -> None:
        counts = self.tally.counts
        counts["intents"] += 1
        grade = trial.fixes[0].applicability if trial.fixes else "none"
        if not trial.fixes or grade == "display":
            self._seen(trial, grade, where)
            return
        launch = before.launches[number]
        finding = Finding("ZZZ", "trial", "error", trial.intent, launch.head, launch=launch, fix=trial.fixes[0])
        # A finding speaks for every launch that has its words, as those of rules do.
        finding.sharers = [other for other in before.launches if other is not launch and _has(other, trial)]
        first = _with(before, [finding])

        def analyse(text: str) -> Analysis:
            file = SourceFile(before.file.path, before.file.encode(text))
            return self.silent.analyse(file, before.host, self.settings)

        result = fix_file(before.file, analyse, "unsafe", first)
        if result.error is not None:
            self._told(f"{where}: {trial.intent}: {result.error}")
        if not result.applied:
            reason = result.dropped[0][1] if result.dropped else "not tried"
            self._seen(trial, f"dropped: {reason[:60]}", where)
            counts["fixes dropped"] += 1
            return
        self._seen(trial, grade, where)
        counts["fixes applied"] += 1
        shared = {before.launches.index(other) for other in (launch, *finding.sharers)}
        fault = self._judge(before, result.remaining, number, trial, result.text, shared)
        if fault is not None:
            shown = [(edit.span.text, edit.content) for edit in trial.fixes[0].edits]
            self._told(f"{where}: {trial.intent} in {trial.context}: {fault}: {shown}")

    def _judge(
        self, before: Analysis, after: Analysis, number: int, trial: Trial, text: str, shared: set[int]
    ) -> str | None:
        edits = [(e.span.start, e.span.end, e.content) for e in trial.fixes[0].edits]
        if before.file.encode(text) != judges.expected_bytes(before.file.raw, edits):
            return "bytes outside the edits changed"
        language = _LANGUAGE.get(before.host, "text" if before.host in _NO_JUDGE else "yaml")
        fault = judges.broken(language, before.file.text, text)
        if fault is not None:
            return fault
        if len(before.launches) != len(after.launches):
            return f"{len(before.launches)} launches, then {len(after.launches)}"
        for index, (old, new) in enumerate(zip(before.launches, after.launches, strict=True)):
            if index not in shared and (shapes(old) != shapes(new) or _env(old) != _env(new)):
                return f"launch {index} changed too"
        new = after.launches[number]
        got = shapes(new)
        if not _env_as_meant(_env(before.launches[number]), _env(new), trial):
            return "its environment changed"
        if trial.expected is not None and got != trial.expected:
            return f"words {_difference(trial.expected, got)}"
        renamed = trial.expected is None and trial.intent in ("rename", "split", "replace")
        if renamed and not any(trial.new.lstrip("-") in (text or "").replace("_", "-") for text, _ in got):
            return "the new option is not there"
        return None

    def _seen(self, trial: Trial, outcome: str, where: str) -> None:
        key = (trial.context, trial.intent, outcome)
        self.tally.coverage[key] += 1
        self.tally.places.setdefault(key, where)

    # -- the rules' own fixes

    def _rules(self, file: SourceFile, host: str, where: str) -> None:
        def analyse(text: str) -> Analysis:
            return self.linter.analyse(SourceFile(file.path, file.encode(text)), host, self.settings)

        first = analyse(file.text)
        if not any(f.fix is not None for f in first.findings):
            return
        for allow in ("safe", "unsafe"):
            once = fix_file(file, analyse, allow, first)
            self.tally.counts[f"rule fixes ({allow})"] += len(once.applied)
            if once.error is not None:
                self._told(f"{where}: {once.error}")
            for finding, promise in once.dropped:
                self.tally.counts[f"rule fixes dropped: {finding.code}: {promise}"] += 1
            if once.text == file.text:
                continue
            fixed = SourceFile(file.path, file.encode(once.text))
            again = fix_file(fixed, analyse, allow)
            if again.text != once.text:
                self._told(f"{where}: --fix twice ({allow}) is not once: {[f.code for f in again.applied]}")
            codes = sorted({f.code for f in (*first.findings, *once.applied)})
            for order in (codes, codes[::-1]):
                self._steps(file, host, allow, order, once.text, where)

    def _steps(self, file: SourceFile, host: str, allow: str, order: Sequence[str], goal: str, where: str) -> None:
        """One rule after another until none finds anything to do leads where all at once lead."""
        text = file.text
        for _ in range(10):
            begun = text
            for code in order:

                def analyse(new: str, code: str = code) -> Analysis:
                    found = self.linter.analyse(SourceFile(file.path, file.encode(new)), host, self.settings)
                    found.unasked = [f for f in found.findings if f.code != code]
                    found.findings = [f for f in found.findings if f.code == code]
                    return found

                text = fix_file(SourceFile(file.path, file.encode(text)), analyse, allow).text
            if text == begun:
                break
        self.tally.counts["fixed rule by rule"] += 1
        if text != goal:
            self._told(f"{where}: rule by rule ({allow}, {order[0]} first) is not all at once: {_lines(goal, text)}")

    def _told(self, text: str) -> None:
        self.tally.counts["promises broken"] += 1
        self.tally.broken.append(text)


def _has(launch: Launch, trial: Trial) -> bool:
    """Whether a launch has a word, or a keyword, that stands at the place of a trial."""
    items = (*launch.words, *(launch.command.keywords or ()))
    spans = [span for item in items for span in (item.span, getattr(item, "name_span", None)) if span is not None]
    return any(span.start <= trial.place < span.end for span in spans)


def _with(analysis: Analysis, findings: list[Finding]) -> Analysis:
    from copy import copy

    found = copy(analysis)
    found.findings = findings
    return found


def _env(launch: Launch) -> dict[str, str | None]:
    return {name: v.text.text if isinstance(v, Known) else None for name, v in launch.command.env.items()}


def _env_as_meant(old: dict[str, str | None], new: dict[str, str | None], trial: Trial) -> bool:
    """Whether variables are the same but those that hold what was edited: the value may be written there."""
    edits = [(edit.span.text, edit.content) for edit in trial.fixes[0].edits]
    return old.keys() == new.keys() and all(
        new[name] == value
        or any(b in (new[name] or "") and a in (value or "") for a, b in edits)
        or (trial.intent.startswith("set") and any(text in (new[name] or "") for text in (NEW_VALUE, QUOTED)))
        for name, value in old.items()
    )


def _difference(expected: list, got: list) -> str:
    at = next((i for i, (a, b) in enumerate(zip(expected, got, strict=False)) if a != b), min(len(expected), len(got)))
    return f"{expected[at : at + 3]} expected, {got[at : at + 3]} seen"


def _lines(a: str, b: str) -> str:
    pairs = zip(a.splitlines(), b.splitlines(), strict=False)
    return next((f"{x.strip()[:100]!r} / {y.strip()[:100]!r}" for x, y in pairs if x != y), "at the end")


def files(paths: Sequence[str]) -> Iterator[str]:
    """Every file below the paths, in order."""
    for path in paths:
        if os.path.isfile(path):
            yield path
        for folder, folders, names in os.walk(path):
            folders[:] = sorted(name for name in folders if name != ".git")
            yield from (os.path.join(folder, name) for name in sorted(names))


def _share(job: tuple[list[str], dict]) -> Tally:
    paths, options = job
    campaign = Campaign(**options)
    for path in paths:
        campaign.file(path)
    return campaign.tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+")
    parser.add_argument("--per-launch", type=int, default=12, help="trials of a launch, 0 for all")
    parser.add_argument("--per-file", type=int, default=40, help="trials of a file, 0 for all")
    parser.add_argument("--variants", action="store_true", help="also with CRLF, a byte order mark, tabs …")
    parser.add_argument("--no-rules", action="store_true", help="leave out the fixes of the rules")
    parser.add_argument("--every", type=int, default=1, help="look at one of so many files")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--coverage", help="where to write how often each intent had a fix")
    arguments = parser.parse_args()
    started = time.monotonic()
    every = [path for path in files(arguments.paths) if _holds(path)][:: arguments.every]
    options = {
        "per_launch": arguments.per_launch, "per_file": arguments.per_file, "with_variants": arguments.variants,
        "rules": not arguments.no_rules,
    }  # fmt: skip
    shares = [(every[at : at + 10], options) for at in range(0, len(every), 10)]
    tally = Tally()
    with multiprocessing.Pool(arguments.jobs) as pool:
        for done, one in enumerate(pool.imap_unordered(_share, shares), 1):
            tally.merge(one)
            for line in one.broken:
                print(line, flush=True)
            if done % 20 == 0:
                print(f"{done}/{len(shares)} {time.monotonic() - started:.0f} s", file=sys.stderr, flush=True)
    for name, count in sorted(tally.counts.items()):
        print(f"{count:8} {name}")
    print(f"{time.monotonic() - started:8.0f} seconds")
    if arguments.coverage:
        with open(arguments.coverage, "w", encoding="utf-8") as stream:
            for (context, intent, grade), count in sorted(tally.coverage.items()):
                place = "" if grade in ("safe", "unsafe") else tally.places[context, intent, grade]
                stream.write(f"{count:7} {context:60} {intent:12} {grade:10} {place}\n")
    return int(bool(tally.broken))


def _holds(path: str) -> bool:
    try:
        with open(path, "rb") as stream:
            return b"sglang" in stream.read(1 << 22)
    except OSError:
        return False


if __name__ == "__main__":
    sys.exit(main())
