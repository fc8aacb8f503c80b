"""Launches that ``srun`` starts on several nodes."""

from __future__ import annotations

from speclint.lean import pattern
from speclint.rules.found import Found, under
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.resolve import View

# What Slurm sets anew for each task; the shell of a batch script has those of the first one.
_OF_TASK = pattern(r"\$\{?(SLURM_(?:NODEID|PROCID))\}?")
_SRUN = pattern(r"\s*(?:(?:time|exec|nohup)\s+|[A-Za-z_]\w*=\S*\s+)*srun\s")
# One task, or one that is sent to a node of its own.
_SINGLE = pattern(r"\s(?:--(?:nodes|ntasks)[ =]1|-[Nn] ?1|-w|--nodelist|-r|--relative)(?![\w-])")


def rank(view: View) -> Iterator[Found]:
    """A rank that the shell of the batch script puts in, before there are tasks to differ by it."""
    launch = view.options.launch
    command = launch.command
    nodes = view.value("nnodes")
    if command.within is None or (isinstance(nodes, int) and nodes < 2):
        return
    text = command.site.text
    start = _SRUN.match(text)
    if start is None or not view.is_set("nnodes"):
        return
    outer = text[: launch.head.start - command.site.start] if launch.head.file is command.site.file else text
    if _SINGLE.search(outer):
        return
    for setting in view.options.written("node_rank"):
        span = setting.value_span
        found = _OF_TASK.search(span.text) if span is not None and isinstance(setting.value, Unknown) else None
        if found is None or _is_put_in_by_task(view, found[0]):
            continue
        yield Found(span, setting, {"variable": found[1]}, *under(setting.guard))


def _is_put_in_by_task(view: View, name: str) -> bool:
    """Whether a shell that is a task of its own reads the name: it is in that shell's text as it is written."""
    command = view.options.launch.command
    if command.within is None or command.site == command.span:
        return False
    text, start, end = command.within
    return name in text.text[start:end]
