"""The hardware that a launch runs on, as far as its file tells: by ``--device``, the image, its GPUs or its nodes.

``resolved.platform`` is "cuda" (NVIDIA), "rocm", "npu", "xpu", "musa", "mps", "hpu" or "cpu". ``resolved.generation``
of an NVIDIA GPU is "ampere", "ada", "hopper", "blackwell" (of data centres) or "rtx" (Blackwell of workstations and
games), ``resolved.sm`` its class as SGLang tells them apart: 80, 86, 89, 90, 100 (also of B300) or 120;
``resolved.hardware`` has words for the closest of these, and ``resolved.cuda`` is the first part of CUDA's release in
the image. SGLang itself asks the machine (0.5.23 srt/platforms/__init__.py); where the file does not tell of it, none
is known. ``--device cuda`` tells nothing, since AMD GPUs go by that name too.
"""

from __future__ import annotations

from speclint.lean import pattern
from speclint.sglang.resolve import Derivation, Derived
from speclint.sglang.setting import Unsettled
from speclint.value import Unknown
from speclint.worlds import choices, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Mapping, Sequence

    from speclint.sglang.resolve import View

_NOT_TOLD = Unknown("the file does not tell the hardware")
# Words in the name or the tag of an image, as SGLang's own images and those of vendors have them.
_IMAGES: Sequence[tuple[str, re.Pattern[str]]] = (
    ("rocm", pattern(r"(?:^|[/:_.-])(?:rocm\d*|mi3[05]x|mi300x?|mi35\dx?)(?=$|[/:_.-])")),
    ("npu", pattern(r"(?:^|[/:_.-])(?:npu|cann[\d.]*|910b|ascend)(?=$|[/:_.-])")),
    ("xpu", pattern(r"(?:^|[/:_.-])xpu(?=$|[/:_.-])")),
    ("musa", pattern(r"(?:^|[/:_.-])musa(?=$|[/:_.-])")),
    ("cpu", pattern(r"(?:^|[/:_.-])(?:cpu|xeon)(?=$|[/:_.-])")),
    ("cuda", pattern(r"(?:^|[/:_.-])(?:cu1[1-9]\d?|blackwell|hopper|g?b[23]00|h[12]00|a100|l40s|rtx\w*)(?=$|[/:_.-])")),
)
_BLACKWELL = (("blackwell", pattern(r"(?:^|[/:_.-])blackwell(?=$|[/:_.-])")),)
_GPUS: Sequence[tuple[str, re.Pattern[str]]] = (
    ("blackwell", pattern(r"(?:^|[/:_.-])g?b[23]00(?=$|[/:_.-])")),
    ("hopper", pattern(r"(?:^|[/:_.-])(?:hopper|h[12]00)(?=$|[/:_.-])")),
    ("ampere", pattern(r"(?:^|[/:_.-])a100(?=$|[/:_.-])")),
    ("ada", pattern(r"(?:^|[/:_.-])l40s(?=$|[/:_.-])")),
    ("rtx", pattern(r"(?:^|[/:_.-])rtx-?(?:5090|pro-?6000)(?=$|[/:_.-])")),
)
# The class of a GPU by a word of its name: what NVIDIA lists as its compute capability, B300 with B200 as SGLang does.
_CLASSES = {
    80: ("a100", "a800", "a30"),
    86: ("a10", "a10g", "a40"),
    89: ("l4", "l20", "l40", "l40s", "4090"),
    90: ("h100", "h200", "h800", "h20", "gh200"),
    100: ("b200", "gb200", "b300", "gb300"),
    120: ("5090",),
}
_CUDA = tuple((number, pattern(rf"(?:^|[/:_.-])cu(?:da)?{number}\.?\d*(?=$|[/:_.-])")) for number in ("12", "13"))
_RTX_PRO = ("rtx", "pro", "6000")
_NAMES = {80: "ampere", 86: "ampere", 89: "ada", 90: "hopper", 100: "blackwell", 120: "rtx"}
_OF_GENERATION = {"ampere": 80, "ada": 89, "hopper": 90, "blackwell": 100, "rtx": 120}
# Resources of Kubernetes, and options of container engines, that only one kind of hardware has.
_RESOURCES = (("amd.com/", "rocm"), ("nvidia.com/", "cuda"), ("huawei.com/", "npu"), ("gpu.intel.com/", "xpu"))
_WORDS = {
    "ampere": "Ampere GPUs", "ada": "Ada GPUs", "hopper": "Hopper GPUs", "blackwell": "Blackwell GPUs",
    "rtx": "RTX Blackwell GPUs", "cuda": "NVIDIA GPUs", "rocm": "AMD GPUs", "npu": "Ascend NPUs", "xpu": "Intel GPUs",
    "musa": "MUSA GPUs", "mps": "Apple GPUs", "hpu": "Gaudi", "cpu": "CPUs",
}  # fmt: skip
_DEVICES = frozenset(("cpu", "npu", "xpu", "hpu", "mps", "musa"))
# Labels of nodes, and what they tell of; GKE names GPUs of NVIDIA only there.
_LABELS = (("amd.com/", "rocm"), ("nvidia.com/", "cuda"), ("cloud.google.com/", "cuda"))


def _platform(view: View) -> Derived:
    device = view.value("device")
    if isinstance(device, Unsettled):
        return Derived(device, "", ("device",))
    if isinstance(device, str) and device in _DEVICES:
        return Derived(device, f"`{view.flag('device')} {device}`", ("device",))
    found = _by_image(view, _IMAGES)
    if found is not None:
        return found
    pod = view.options.launch.pod
    by = pod.gpus_by if pod is not None and pod.gpus is not None else ""
    told = next((name for resource, name in _RESOURCES if resource in by), None)
    if told is not None:
        return Derived(told, f"it asks for {by}")
    label, values = (pod.nodes if pod is not None else None) or ("", ())
    told = next((name for start, name in _LABELS if label.startswith(start)), None)
    return Derived(told, _chosen(label, values)) if told is not None else Derived(_NOT_TOLD)


def _generation(view: View) -> Derived:
    told = view.derived("sm")
    if isinstance(told.value, int):
        return Derived(_NAMES[told.value], told.note)
    return _by_image(view, _BLACKWELL) or told


def _sm(view: View) -> Derived:
    pod = view.options.launch.pod
    if pod is not None and pod.nodes is not None:
        label, values = pod.nodes
        found = {_class(value) for value in values}
        told = found.pop() if len(found) == 1 else None
        return Derived(told, _chosen(label, values)) if told is not None else Derived(_NOT_TOLD)
    known = _by_image(view, _GPUS)
    if known is None or not isinstance(known.value, str):
        return known or Derived(_NOT_TOLD)
    return Derived(_OF_GENERATION[known.value], known.note)


def _cuda(view: View) -> Derived:
    known = _by_image(view, _CUDA)
    if known is None or not isinstance(known.value, str):
        return known or Derived(_NOT_TOLD)
    return Derived(int(known.value), known.note)


def _hardware(view: View) -> Derived:
    """The hardware in words."""
    generation = view.derived("generation")
    if isinstance(generation.value, str):
        return Derived(_WORDS[generation.value], generation.note)
    found = view.derived("platform")
    return Derived(_WORDS[found.value], found.note) if isinstance(found.value, str) else found


def _class(name: str) -> int | None:
    words = name.lower().replace("_", "-").split("-")
    found = {number for number, known in _CLASSES.items() if any(word in known for word in words)}
    if all(word in words for word in _RTX_PRO) and "ada" not in words:
        found.add(120)
    return found.pop() if len(found) == 1 else None


def _chosen(label: str, values: tuple[str, ...]) -> str:
    return f"its nodes have `{label}` {' or '.join(values)}"


def _by_image(view: View, words: Sequence[tuple[str, re.Pattern[str]]]) -> Derived | None:
    image = view.options.launch.command.image
    if image is None:
        return None
    got = resolve(image, view.world)
    if isinstance(got, Unknown):
        point = next((point for point in choices(image) if point not in view.world), None)
        return Derived(Unsettled(point)) if point is not None else None
    text = got.text.text
    told = next((name for name, pattern in words if pattern.search(text.lower())), None)
    return Derived(told, f"the image is `{text}`") if told is not None else None


_SOURCE = ("0.5.23", "sglang/srt/platforms/__init__.py", 37)
DERIVATIONS: Mapping[str, Derivation] = {
    "platform": Derivation("platform", _platform, _SOURCE),
    "generation": Derivation("generation", _generation, _SOURCE),
    "sm": Derivation("sm", _sm, _SOURCE),
    "cuda": Derivation("cuda", _cuda, _SOURCE),
    "hardware": Derivation("hardware", _hardware, _SOURCE),
}
