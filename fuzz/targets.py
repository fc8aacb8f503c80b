"""What is fuzzed: every host, and the fixer. Each target takes bytes and must not raise whatever they are.

Run ``python fuzz/run.py TARGET`` (see there); each function is also an entry for atheris.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from speclint.analysis import Outcome
from speclint.config import Configs
from speclint.fix.apply import fix_file
from speclint.hosts import HOSTS
from speclint.run import Linter
from speclint.source import SourceError, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from speclint.analysis import Analysis

_SUFFIX = {
    "shell": ".sh", "python": ".py", "yaml": ".yaml", "markdown": ".md", "rst": ".rst", "notebook": ".ipynb",
    "text": ".txt", "dockerfile": ".dockerfile", "makefile": ".mk", "justfile": ".just", "units": ".service",
    "json": ".json", "toml": ".toml", "template": ".j2", "javascript": ".mjs",
}  # fmt: skip
_configs = Configs(isolated=True)
_linter = Linter(_configs)


class BrokenError(Exception):
    """What must not happen."""


def of_host(host: str) -> Callable[[bytes], None]:
    """The target that lints bytes as a file of a host."""
    path = f"fuzz{_SUFFIX.get(host, '')}"

    def target(data: bytes) -> None:
        outcome = Outcome()
        analysis = _linter.content(path, data, host, True, outcome)
        told = [line for line in outcome.errors if "internal error" in line]
        if told:
            raise BrokenError(told[0])
        for finding in analysis.findings if analysis is not None else ():
            span = finding.span
            if not 0 <= span.start <= span.end <= len(span.file.text):
                raise BrokenError(f"{finding.code} stands outside of the file: {span}")

    return target


def fixer(data: bytes) -> None:
    """Fixes bytes as a shell, Python or YAML file, told by the first of them: twice is once, and only edits change."""
    host = ("shell", "python", "yaml")[data[0] % 3] if data else "shell"
    raw = data[1:]
    settings = _configs.for_file("fuzz")
    path = f"fuzz{_SUFFIX[host]}"
    try:
        file = SourceFile(path, raw)
    except SourceError:
        return

    def analyse(text: str) -> Analysis:
        return _linter.analyse(SourceFile(path, file.encode(text)), host, settings)

    try:
        once = fix_file(file, analyse, "unsafe")
    except SourceError:
        return
    if once.error is not None:
        raise BrokenError(once.error)
    twice = fix_file(SourceFile(path, file.encode(once.text)), analyse, "unsafe")
    if twice.text != once.text:
        raise BrokenError(f"fixed twice is not once: {[f.code for f in twice.applied]}")
    if not once.applied and once.text != file.text:
        raise BrokenError("the text changed without a fix")


TARGETS: dict[str, Callable[[bytes], None]] = {**{host: of_host(host) for host in HOSTS}, "fixer": fixer}
