"""The attention backends that serve the two phases, as far as the options tell.

Every release lets ``--attention-backend`` be overridden for a phase (``attention_backends_of``, before 0.5.16
``ServerArgs.get_attention_backends``), and takes one that both phases name for the common one. Where no option tells,
SGLang chooses by device and model: that is not known.
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived, as_parsed
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

COMMON = "attention_backend"
PREFILL = "prefill_attention_backend"
DECODE = "decode_attention_backend"
# Words of older releases, with the release that replaces them by another (0.5.23 arg_groups/serving_hook.py:297).
_RENAMED = {"compressed": ("0.5.23", "dsv4"), "tokenspeed_mla": ("0.5.23", "cutedsl_mla")}
_CHOSEN = Unknown("SGLang chooses the attention backend by device and model")


def _common(view: View) -> Derived:
    prefill, decode = as_parsed(view, PREFILL), as_parsed(view, DECODE)
    for part in (prefill, decode):
        if isinstance(part.value, Unknown):
            return Derived(part.value, "", (COMMON,))
    if prefill.value is not None and prefill.value == decode.value:
        return _replaced(view, Derived(prefill.value, f"both phases name it, {prefill.note}", (PREFILL, DECODE)))
    return _replaced(view, _or_chosen(as_parsed(view, COMMON)))


def _prefill(view: View) -> Derived:
    return _of_phase(view, PREFILL)


def _decode(view: View) -> Derived:
    return _of_phase(view, DECODE)


def _of_phase(view: View, name: str) -> Derived:
    own = as_parsed(view, name)
    return own if own.value is not None else _replaced(view, _or_chosen(as_parsed(view, COMMON)))


def _replaced(view: View, named: Derived) -> Derived:
    """What SGLang takes in place of a backend that is named."""
    since, other = _RENAMED.get(named.value, ("", "")) if isinstance(named.value, str) else ("", "")
    if since and view.in_release(f">={since}"):
        return Derived(other, f"SGLang's name of {named.value}, {named.note}", named.origins)
    if named.value != "fa3" or view.in_release("<0.4.9"):
        return named
    cache = view.value("kv_cache_dtype")
    if isinstance(cache, Unknown):
        return Derived(cache, "", named.origins)
    if cache != "fp8_e5m2":
        return named
    return Derived("triton", f"SGLang takes it in place of fa3 for an fp8_e5m2 cache, {named.note}", named.origins)


def _or_chosen(parsed: Derived) -> Derived:
    return parsed if parsed.value is not None else Derived(_CHOSEN, "", parsed.origins)


_PHASES = "sglang/srt/arg_groups/model_override_base.py"
DERIVATIONS: Mapping[str, Derivation] = {
    derivation.name: derivation
    for derivation in (
        Derivation(COMMON, _common, ("0.5.23", "sglang/srt/arg_groups/overrides.py", 1127)),
        Derivation(PREFILL, _prefill, ("0.5.23", _PHASES, 138)),
        Derivation(DECODE, _decode, ("0.5.23", _PHASES, 138)),
    )
}
