"""Tries every regular expression of speclint, as it is used, on text that is made to be hard for it.

    python tools/hard_patterns.py [MODULE …]

A pattern that takes long must take about twice as long for twice the text, and no more. This measures time, so it is no
test; it runs beside them.
"""

from __future__ import annotations

import re
import signal
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from patterns import Pattern, patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PACKAGE = Path(__file__).resolve().parents[1] / "speclint"
SIZE = 10_000
# Seconds of processor time; what takes longer must at least take twice as long for twice the text, and no more.
LIMIT = 0.2
RUNS = [
    *" \t\n\\'\"-=:{[(,.#$%`<a0A_@/&|;!*+?]})>\r\u00e9",
    "--a ", "a=", "a.", "\\\n", "- ", " #", "a:", "{{", "${a", "$(", "''", '\\"', "a,", "0.", "a b ", "\r\n", "> ",
    "<a", "```", "a=b ", "[a", "0-", "-0",
]  # fmt: skip
# What patterns want to see before they look for more.
LONGER = ("speclint.dev/ignore:", "a@a", "{{ ", "$ ", "--model-path ", "# speclint: ignore[")
HEADS = [
    *LONGER,
    *["", '"', "'", "--a", "- ", "${", "{{", "#", "FROM ", "a=", "a: ", "\n", "0", "@", "-0"],
]


class _TooLongError(Exception):
    pass


def hard(pattern: Pattern) -> str | None:
    """Text that takes too long, shown; None if none does."""
    compiled = re.compile(pattern.source, pattern.flags)
    for run in RUNS:
        for head in HEADS:
            text = head + run * (SIZE // len(run)) + "\0"
            for use in _uses(compiled, pattern.methods):
                taken = _seconds(use, text)
                if taken < LIMIT:
                    continue
                if taken >= LIMIT * 10 or _seconds(use, text + text[len(head) :]) > taken * 2.8:
                    return f"{use.__name__} in {head!r} + {run!r} * n"
    return None


def _uses(compiled: re.Pattern[str], methods: frozenset[str]) -> Iterator[Callable[[str], object]]:
    if methods & {"match", "split", "compile"}:
        yield compiled.match
    if "fullmatch" in methods:
        yield compiled.fullmatch
    if methods & {"search", "finditer", "findall", "sub", "subn"}:
        yield compiled.search


def _seconds(use: Callable[[str], object], text: str) -> float:
    """The processor time that it takes, cut off where it is beyond question."""

    def stop(*_: object) -> None:
        raise _TooLongError

    old = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, LIMIT * 10)
    started = time.process_time()
    try:
        use(text)
    except _TooLongError:
        return LIMIT * 10
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, old)
    return time.process_time() - started


def main() -> int:
    """Tries every pattern, or those of the modules whose names are given; exit 1 if one is too slow."""
    for source in (r"(a+)+$", r"\s*\s*=$", r"(?:a|a)*b"):
        if hard(Pattern("", source, 0, frozenset(("search", "match", "fullmatch")))) is None:
            sys.exit(f"{source} blows up, and this was not noticed")
    every = {(p.source, p.flags, p.methods): p for p in patterns(PACKAGE)}.values()
    status = 0
    for pattern in every:
        if not sys.argv[1:] or any(name in pattern.place for name in sys.argv[1:]):
            found = hard(pattern)
            if found is not None:
                print(f"{pattern.place}: {pattern.source!r} takes too long: {found}")
                status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
