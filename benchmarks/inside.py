"""What is measured within a process: the work of the language server between an edit and its answer."""

from __future__ import annotations

import random
import statistics
import time

from benchmarks import trees


def editing(times: int) -> dict[str, float]:
    """The median of milliseconds from a changed text of 1,000 lines to its diagnostics, by language."""
    try:
        from speclint import editor
    except ImportError:
        return {}
    from speclint.config import Configs
    from speclint.run import Linter

    linter = Linter(Configs(isolated=True))
    found = {}
    for suffix, make in trees.KINDS.items():
        text = _long(make)
        host = editor.host_of(f"a{suffix}", text)
        taken = []
        for number in range(times + 1):
            changed = text.replace("30000", str(30001 + number), 1)
            start = time.process_time()
            editor.look(linter, f"a{suffix}", changed, host)
            taken.append((time.process_time() - start) * 1000)
        found[suffix] = statistics.median(taken[1:])
    return found


def _long(make) -> str:
    """Text of 1,000 lines: one launch, and what stands around it."""
    text = make(random.Random(1))
    lines = text.count("\n")
    if make is trees.manifest:
        return text + "".join(f"---\nkind: ConfigMap\nmetadata:\n  name: n{n}\n" for n in range((1000 - lines) // 4))
    if make is trees.module:
        return text + "".join(f"def f{n}(a):\n    b = a + {n}\n    return b\n\n\n" for n in range((1000 - lines) // 5))
    if make is trees.page:
        return text + "One more line.\n" * (1000 - lines)
    return text + "".join(f'A{n}="$LOG.{n}"\necho "$A{n}"\n' for n in range((1000 - lines) // 2))
