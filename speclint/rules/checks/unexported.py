"""Variables that a shell script sets and does not export, so that the launch never gets them."""

from __future__ import annotations

from speclint.finding import Edit
from speclint.lean import pattern, re
from speclint.rules.found import Found
from speclint.sglang import envs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from speclint.sglang.resolve import View
    from speclint.text import Span
    from speclint.value import Value

# What SGLang's images export themselves: there the shell hands on what a script sets (docker/rocm.Dockerfile,
# docker/xeon.Dockerfile).
_IMAGES = frozenset(
    (
        "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN",
        "SGLANG_DISABLE_CUDNN_CHECK",
        "SGLANG_INT4_WEIGHT",
        "SGLANG_MOE_PADDING",
        "SGLANG_ROCM_DISABLE_LINEARQUANT",
        "SGLANG_ROCM_FUSED_DECODE_MLA",
        "SGLANG_SET_CPU_AFFINITY",
        "SGLANG_USE_AITER",
        "SGLANG_USE_CPU_ENGINE",
        "SGLANG_USE_ROCM700A",
    )
)
# Names that are not written out, of which some may be exported.
_ALL = pattern(r"SGL(?:ANG)?_?[@*]|\bcompgen\b|\bset\s+-\w*a|\ballexport\b")
_HANDED_ON = pattern(r"\b(?:export|declare|typeset|env)\b")


def variables(view: View) -> Iterator[Found]:
    """What the release would read and does not get."""
    launch = view.options.launch
    seen = {name for other in launch.beside for name in other.command.env}
    for name, value in launch.command.kept.items():
        if name in seen or name in _IMAGES or envs.meaning(name, view.release).kind not in ("read", "deprecated"):
            continue
        span = _place(name, value)
        if span is None or span.file is not launch.file or span.text != name:
            continue
        text = span.file.text
        if _is_used(name, text) or _ALL.search(text):
            continue
        edits = (Edit(span, f"export {name}"),) if _is_alone(span) else ()
        yield Found(span, None, {"variable": name, "fix": bool(edits)}, edits=edits)


def _place(name: str, value: Value) -> Span | None:
    """Where a variable is set, if that is in one place."""
    for step in reversed(getattr(value, "steps", ())):
        if step.definition is not None and step.definition.name == name:
            place: Span | None = step.definition.name_span
            return place
    return None


def _is_used(name: str, text: str) -> bool:
    """Whether a file says the name other than to set it: the script itself reads it, or something hands it on."""
    lines = [line.partition(" #")[0] for line in text.split("\n") if name in line and not line.lstrip().startswith("#")]
    return any(_HANDED_ON.search(line) or re.search(rf"\b{name}\b(?!\+?=)", line) for line in lines)


def _is_alone(span: Span) -> bool:
    """Whether ``export`` can be put before it: it begins its line, and no backslash joins that to another one."""
    text = span.file.text
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    line, above = text[start : end if end >= 0 else len(text)], text[: max(start - 1, 0)]
    return not text[start : span.start].strip(" \t") and not line.rstrip("\r").endswith("\\") and above[-1:] != "\\"
