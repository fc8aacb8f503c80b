"""Sizes and switches that other options decide: pages, the chunk of a prefill, the radix cache, the overlap schedule.

What SGLang takes from the GPU's memory, or from a backend that it chooses itself, is not known here.
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived, as_parsed
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

PAGE = "page_size"
CHUNK = "chunked_prefill_size"
# Backends that run with pages of some sizes only, and take 64 in place of any other.
_PAGES: Mapping[str, tuple[int, ...]] = {
    "flashmla": (64,),
    "trtllm_mla": (32, 64),
    "cutedsl_mla": (32, 64),
    "trtllm_mha": (16, 32, 64, 128),
    "hpc_ops": (64,),
}
_NOT_TOLD = Unknown("the model and the device may decide it as well")
# Releases in which a decode server runs without a radix cache unless it is told otherwise.
_DECODES_WITHOUT = ">=0.5.9"


def _page(view: View) -> Derived:
    own = as_parsed(view, PAGE)
    if isinstance(own.value, Unknown):
        return own
    for name in ("decode_attention_backend", "prefill_attention_backend"):
        backend = view.derived(name)
        sizes = _PAGES.get(backend.value) if isinstance(backend.value, str) else None
        if sizes is not None and own.value not in sizes:
            return Derived(64, f"{backend.value} runs with pages of {_any(sizes)}, {backend.note}", backend.origins)
    return Derived(_NOT_TOLD, "", own.origins)


def _any(sizes: tuple[int, ...]) -> str:
    return " or ".join(map(str, sizes))


def _chunk(view: View) -> Derived:
    own = as_parsed(view, CHUNK)
    if not own.origins or not isinstance(own.value, int) or own.value <= 0:
        return own if own.origins else Derived(Unknown("SGLang takes it from the GPU's memory"), "", own.origins)
    groups = view.derived("attn_dp_size")
    width = groups.value
    if isinstance(width, Unknown):
        return Derived(width, "", own.origins)
    if not isinstance(width, int) or width <= 1:
        return own
    note = f"{own.value} by {width} groups of attention data parallelism, {groups.note}"
    return Derived(own.value // width, note, (CHUNK, *groups.origins))


def _no_radix(view: View) -> Derived:
    own = as_parsed(view, "disable_radix_cache")
    if own.value is True or isinstance(own.value, Unknown):
        return own
    role, kept = view.value("disaggregation_mode"), view.value("disaggregation_decode_enable_radix_cache")
    if role == "decode" and not kept and view.in_release(_DECODES_WITHOUT):
        return Derived(True, "a decode server switches it off", ("disaggregation_mode",))
    return Derived(_NOT_TOLD)


def _no_overlap(view: View) -> Derived:
    own = as_parsed(view, "disable_overlap_schedule")
    stages = view.value("pp_size")
    if own.value is True or isinstance(own.value, Unknown):
        return own
    if isinstance(stages, int) and stages > 1:
        return Derived(True, f"`{view.flag('pp_size')}` above 1 switches it off", ("pp_size",))
    return Derived(stages if isinstance(stages, Unknown) else _NOT_TOLD)


_HOOKS = "sglang/srt/arg_groups"
DERIVATIONS: Mapping[str, Derivation] = {
    derivation.name: derivation
    for derivation in (
        Derivation(PAGE, _page, ("0.5.23", f"{_HOOKS}/overrides.py", 1150)),
        Derivation(CHUNK, _chunk, ("0.5.23", f"{_HOOKS}/parallel_hook.py", 329)),
        Derivation("disable_radix_cache", _no_radix, ("0.5.23", f"{_HOOKS}/pd_disaggregation_hook.py", 128)),
        Derivation("disable_overlap_schedule", _no_overlap, ("0.5.23", f"{_HOOKS}/overrides.py", 1626)),
    )
}
