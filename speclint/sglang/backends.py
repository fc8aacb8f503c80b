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
_CHOSEN = Unknown("SGLang chooses the attention backend by device and model")


def _common(view: View) -> Derived:
    prefill, decode = as_parsed(view, PREFILL), as_parsed(view, DECODE)
    for part in (prefill, decode):
        if isinstance(part.value, Unknown):
            return Derived(part.value, "", (COMMON,))
    if prefill.value is not None and prefill.value == decode.value:
        return Derived(prefill.value, f"both phases name it, {prefill.note}", (PREFILL, DECODE))
    return _or_chosen(as_parsed(view, COMMON))


def _prefill(view: View) -> Derived:
    return _of_phase(view, PREFILL)


def _decode(view: View) -> Derived:
    return _of_phase(view, DECODE)


def _of_phase(view: View, name: str) -> Derived:
    own = as_parsed(view, name)
    return own if own.value is not None else _or_chosen(as_parsed(view, COMMON))


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
