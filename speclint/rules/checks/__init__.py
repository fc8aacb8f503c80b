"""Rules that data cannot say: functions that a rule file names by ``check:``.

A check is ``def name(view: View) -> object``: it stands in the place of ``when`` and answers with True, False or an
Unknown for one launch in one world. Everything else, from the summary to the examples, is data as for any rule.
"""

from __future__ import annotations

from speclint.lean import module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from speclint.sglang.resolve import View


def function(name: str) -> Callable[[View], Any]:
    """A function here, by ``module.function``."""
    where, _, rest = name.rpartition(".")
    found: Callable[[View], Any] = getattr(module(f"{__name__}.{where}"), rest)
    return found
