"""Whether a launch keeps the states of a hybrid (Mamba, linear attention) model in the radix cache.

Read from ``_handle_mamba_radix_cache`` (``server_args.py``, 0.5.10 to 0.5.17) and ``_mamba_radix_cache_resolution``
(``arg_groups/overrides.py``, from 0.5.18 on), and from what switches the radix cache off before them.
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

# Architectures that do so, and the release from which on; of others and of earlier releases it is not known.
_SINCE = {
    "BailingMoeV2_5ForCausalLM": "0.5.13",
    "FalconH1ForCausalLM": "0.5.10rc0",
    "JetNemotronForCausalLM": "0.5.10rc0",
    "JetVLMForConditionalGeneration": "0.5.10rc0",
    "KimiLinearForCausalLM": "0.5.14",
    "Lfm2ForCausalLM": "0.5.10rc0",
    "NemotronHForCausalLM": "0.5.10rc0",
    "Qwen3NextForCausalLM": "0.5.10rc0",
    "Qwen3_5ForConditionalGeneration": "0.5.10rc0",
    "Qwen3_5MoeForConditionalGeneration": "0.5.10rc0",
}
# Options each of which switches the radix cache off.
_WITHOUT_CACHE = ("disable_radix_cache", "enable_mis", "encoder_only", "dllm_algorithm")


def _states_cached(view: View) -> Derived:
    model = view.model()
    if isinstance(model, Unknown):
        return Derived(model, "", ("model_path",))
    if "hybrid" not in model.traits:
        return Derived(False, "", ("model_path",))
    since = _SINCE.get(model.architecture)
    if since is None or view.in_release(f"<{since}"):
        return Derived(Unknown(f"how {model.architecture} caches its states is not known"), "", ("model_path",))
    off = [view.value(name) for name in _WITHOUT_CACHE]
    role = view.value("disaggregation_mode")
    if any(value is not None and not isinstance(value, Unknown) and value is not False for value in off):
        return Derived(False)
    if role == "decode":
        return Derived(Unknown("the decode role switches the radix cache off unless told otherwise"))
    doubt = next((value for value in (*off, role) if isinstance(value, Unknown)), None)
    if doubt is not None:
        return Derived(doubt, "", ("model_path",))
    return Derived(True, f"{model.architecture} caches its states", ("model_path",))


DERIVATIONS: Mapping[str, Derivation] = {
    "states_cached": Derivation("states_cached", _states_cached, ("0.5.23", "sglang/srt/arg_groups/overrides.py", 454)),
}
