"""How sure a fix is, and fixes made of edits."""

from __future__ import annotations

from speclint.finding import APPLICABILITIES, Fix

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from speclint.finding import Edit
    from speclint.value import Choice

Fixes = tuple[Fix, ...]


def made(applicability: str, message: str, *edits: Edit | None) -> Fixes:
    """The fix that makes the edits; none where one of them cannot be made."""
    found = {edit.key(): edit for edit in edits if edit is not None}
    if not edits or len(found) < len({None if e is None else e.key() for e in edits}):
        return ()
    clean = all(edit.span.file.clean for edit in found.values())
    return (Fix(applicability if clean else "display", message, found.values()),)


def least(*applicabilities: str) -> str:
    """The least sure of several."""
    return min(applicabilities, key=APPLICABILITIES.index)


def cap(points: Iterable[Choice], certain: bool) -> str:
    """What hangs on a choice may be right as it is: the conditions of branches are not all understood."""
    kinds = {point.kind for point in points}
    return "display" if "loop" in kinds else "unsafe" if kinds or not certain else "safe"
