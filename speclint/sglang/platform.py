"""The hardware that a launch runs on, as far as its file tells: by ``--device``, the image, or the GPUs it asks for.

``resolved.platform`` is "cuda" (NVIDIA), "rocm", "npu", "xpu" or "cpu", ``resolved.generation`` of an NVIDIA GPU
"hopper" or "blackwell". SGLang itself asks the machine (0.5.23 srt/platforms/__init__.py); where the file does not tell
of it, both are not known. ``--device cuda`` tells nothing, since AMD GPUs go by that name too.
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
    ("cpu", pattern(r"(?:^|[/:_.-])(?:cpu|xeon)(?=$|[/:_.-])")),
    ("cuda", pattern(r"(?:^|[/:_.-])(?:cu1[1-9]\d?|blackwell|hopper|g?b[23]00|h[12]00)(?=$|[/:_.-])")),
)
_GENERATIONS: Sequence[tuple[str, re.Pattern[str]]] = (
    ("blackwell", pattern(r"(?:^|[/:_.-])(?:blackwell|g?b[23]00)(?=$|[/:_.-])")),
    ("hopper", pattern(r"(?:^|[/:_.-])(?:hopper|h[12]00)(?=$|[/:_.-])")),
)
# Resources of Kubernetes, and options of container engines, that only one kind of hardware has.
_RESOURCES = (("amd.com/", "rocm"), ("nvidia.com/", "cuda"), ("huawei.com/", "npu"), ("gpu.intel.com/", "xpu"))
_DEVICES = frozenset(("cpu", "npu", "xpu", "hpu", "mps", "musa"))


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
    return Derived(told, f"it asks for {by}") if told is not None else Derived(_NOT_TOLD)


def _generation(view: View) -> Derived:
    return _by_image(view, _GENERATIONS) or Derived(_NOT_TOLD)


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
}
