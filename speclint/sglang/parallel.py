"""Parallel sizes as SGLang resolves them: attention data parallelism, replicas, expert parallelism.

Up to 0.5.21 ``--enable-dp-attention`` makes ``--dp-size`` the width of attention data parallelism; from 0.5.22 on
``--attn-dp-size`` is that width, ``--dp-size`` counts replicas, and the old pair is rewritten
(arg_groups/parallel_hook.py:39). Expert parallelism takes all of ``--tp-size`` under an all-to-all backend
(arg_groups/overrides.py:1611; up to 0.5.12.post1 ``ServerArgs._handle_a2a_moe`` or ``__post_init__``).
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived, as_parsed
from speclint.sglang.setting import Setting
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from speclint.sglang.resolve import View

# Context parallelism reads --dp-size in its own way or switches attention data parallelism on, by architecture.
_CONTEXT = (
    "enable_prefill_cp",
    "enable_prefill_context_parallel",
    "enable_dsa_prefill_context_parallel",
    "enable_nsa_prefill_context_parallel",
)
# Releases in which DeepSeek V3.2 gets attention data parallelism over all of tp (0.5.4 server_args.py:1018).
_V32_ALWAYS = ">=0.5.3rc2,<0.5.6"
# Backends that spread experts over all of tp, with the first release in which each does.
SPANNING: Mapping[str, str] = {
    "deepep": "0.4.10.post2",
    "mooncake": "0.5.3.post2",
    "ascend_fuseep": "0.5.6",
    "flashinfer": "0.5.9",
    "mori": "0.5.9",
    "nixl": "0.5.10rc0",
    "megamoe": "0.5.12",
    "pplx": "0.5.17",
    "deepep_v2": "0.5.19",
    "flashinfer_megamoe": "0.5.20",
}


def _given(view: View, dests: Iterable[str]) -> Unknown | None:
    """A doubt for the first of some options that decide in ways which are not followed here; None without any."""
    for dest in dests:
        there = view.setting(dest, foreign=True) if view.options.written(dest) else None
        if there is not None:
            return there if isinstance(there, Unknown) else Unknown(f"`{view.flag(dest)}` decides it")
    return None


def _layout(view: View) -> Unknown | None:
    """Why the data-parallel layout does not follow from the data-parallel options alone; None where it does."""
    doubt = _given(view, _CONTEXT)
    if doubt is not None:
        return doubt
    if view.in_release(_V32_ALWAYS):
        model = view.model()
        if isinstance(model, Unknown):
            return model
        if model.architecture == "DeepseekV32ForCausalLM":
            return Unknown("DeepSeek V3.2 gets attention data parallelism by itself")
    return None


def _attn_dp(view: View) -> Derived:
    """The width of attention data parallelism, 1 where there is none."""
    doubt = _layout(view)
    if doubt is not None:
        return Derived(doubt)
    for dest in ("dwdp_size", "attn_dp_size"):
        own = as_parsed(view, dest)
        if isinstance(own.value, Unknown):
            return Derived(own.value, "", (dest,))
        if isinstance(own.value, int) and own.value != 1:
            return own
    switch = view.value("enable_dp_attention")
    if isinstance(switch, Unknown):
        return Derived(switch, "", ("enable_dp_attention",))
    return as_parsed(view, "dp_size") if switch else Derived(1, "attention data parallelism is off")


def _replicas(view: View) -> Derived:
    """How many copies of the model are served."""
    doubt = _layout(view)
    if doubt is not None:
        return Derived(doubt)
    moved = view.value("enable_dp_attention")
    if isinstance(moved, Unknown):
        return Derived(moved, "", ("enable_dp_attention",))
    dwdp = view.value("dwdp_size")
    if isinstance(dwdp, Unknown):
        return Derived(dwdp, "", ("dwdp_size",))
    if isinstance(dwdp, int) and dwdp > 1:
        return Derived(1, f"`{view.flag('dwdp_size')}` sets it to 1", ("dwdp_size",))
    attention = view.value("attn_dp_size")
    if moved and not (isinstance(attention, int) and attention != 1):
        return Derived(attention if isinstance(attention, Unknown) else 1, "", ("dp_size",))
    return as_parsed(view, "dp_size")


def _a2a(view: View) -> Derived:
    """The all-to-all backend, "none" where there is none.

    A removed option counts as what it meant: that it is gone is told elsewhere, and nothing should follow from it.
    """
    if isinstance(view.setting("enable_deepep_moe", foreign=True), Setting):
        return Derived("deepep", f"`{view.flag('enable_deepep_moe')}`", ("enable_deepep_moe",))
    own = as_parsed(view, "moe_a2a_backend")
    doubt = _given(view, (*_CONTEXT, "enable_waterfill", "enable_deepep_waterfill", "dwdp_size"))
    if doubt is not None:
        return Derived(doubt)
    runner = view.value("moe_runner_backend")
    if runner == "megamoe":
        return Derived("megamoe", f"`{view.flag('moe_runner_backend')} megamoe`", ("moe_runner_backend",))
    if own.value is None:
        return Derived("none", own.note, own.origins)
    return own


def _ep(view: View) -> Derived:
    """The width of expert parallelism."""
    backend = view.derived("moe_a2a_backend")
    if isinstance(backend.value, Unknown):
        return Derived(backend.value, "", ("moe_a2a_backend",))
    first = SPANNING.get(str(backend.value))
    old = "enable_deepep_moe" in backend.origins
    if backend.value != "none" and (old or (first is not None and view.in_release(f">={first}"))):
        return Derived(view.value("tp_size"), f"`{backend.value}` spreads experts over all of tp", backend.origins)
    if isinstance(view.setting("enable_ep_moe", foreign=True), Setting):
        return Derived(view.value("tp_size"), f"`{view.flag('enable_ep_moe')}`", ("enable_ep_moe",))
    return as_parsed(view, "ep_size")


_PARALLEL = "sglang/srt/arg_groups/parallel_hook.py"
_OVERRIDES = "sglang/srt/arg_groups/overrides.py"
DERIVATIONS: Mapping[str, Derivation] = {
    derivation.name: derivation
    for derivation in (
        Derivation("attn_dp_size", _attn_dp, ("0.5.23", _PARALLEL, 39)),
        Derivation("dp_size", _replicas, ("0.5.23", _PARALLEL, 39)),
        Derivation("moe_a2a_backend", _a2a, ("0.5.23", _OVERRIDES, 1596)),
        Derivation("ep_size", _ep, ("0.5.23", _OVERRIDES, 1611)),
    )
}
