"""Prefill and decode servers of one file, or of one kustomization, that do not fit each other.

What a decode server compares is read off ``srt/disaggregation``: the page size (0.5.8 common/conn.py:279), the type of
the KV cache (0.5.10 common/conn.py:237), the pipeline (0.5.6.post1 common/conn.py); and what the senders of a prefill
server refuse for models with sliding windows (0.5.16 nixl/conn.py:2060, mooncake/conn.py:1049, mori/conn.py:1221).
"""

from __future__ import annotations

from speclint.rules.found import Found
from speclint.sglang import catalog, versions
from speclint.sglang.options import Options
from speclint.sglang.resolve import View
from speclint.sglang.setting import Setting
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from speclint.launch import Launch

    Values = tuple[object, object]

# Transfer backends, and the releases whose prefill side refuses another attention tp for sliding windows.
_SAME_TP = {"mooncake": ">=0.5.9,<0.5.22", "ascend": ">=0.5.9,<0.5.22", "nixl": ">=0.5.9,<0.5.22", "mori": ">=0.5.12"}
# Models whose windows have a cache of their own, with the first release of which that is known here
# (0.5.9 configs/model_config.py:1320, 0.5.12 :1660).
_WINDOWS = {
    "GptOssForCausalLM": "0.5.9",
    "Llama4ForConditionalGeneration": "0.5.9",
    "MiMoV2FlashForCausalLM": "0.5.9",
    "Step3p5ForCausalLM": "0.5.9",
    "Gemma4ForCausalLM": "0.5.12",
    "Gemma4ForConditionalGeneration": "0.5.12",
}


def mismatch(view: View) -> Iterator[Found]:
    """What a decode server has otherwise than every prefill server of the same model in its file or kustomization."""
    if view.value("disaggregation_mode") != "decode":
        return
    launch, model = view.options.launch, view.value("model_path")
    if isinstance(model, Unknown):
        return
    others = (_view(other, view) for other in launch.beside if other is not launch and _may_pair(other, launch))
    prefills = [other for other in others if _serves(other, model)]
    if not prefills:
        from speclint.rules.checks import elsewhere

        others = (_view(other, view) for other in elsewhere.applied_with(launch))
        prefills = [other for other in others if _serves(other, model)]
    if not prefills:
        return
    for kind, compare in _COMPARED.items():
        pairs = [compare(prefill, view) for prefill in prefills]
        if all(pair is not None for pair in pairs) and pairs[0] is not None:
            yield _found(view, prefills[0], kind, pairs[0])


def _serves(other: View, model: object) -> bool:
    return other.value("disaggregation_mode") == "prefill" and other.value("model_path") == model


def _may_pair(other: Launch, launch: Launch) -> bool:
    return other.command.keywords is None and launch.command.host == other.command.host


def _view(launch: Launch, view: View) -> View:
    """Another launch, taken to be of the same release."""
    release = catalog.release(view.release, launch.entrypoint)
    return View(Options.read(launch, release), {}, view.find_model)


def _found(view: View, prefill: View, kind: str, pair: Values) -> Found:
    dest = _BLAMED[kind]
    setting, other = view.setting(dest), prefill.setting(dest)
    facts = {"kind": kind, "prefill": pair[0], "decode": pair[1], "flag": view.flag(dest)}
    related = []
    if isinstance(other, Setting) and other.value_span is not None:
        related.append((f"the prefill server has {pair[0]}", other.value_span))
    elif not isinstance(other, Unknown):
        related.append((f"the prefill server has {pair[0]}", prefill.options.launch.head))
    written = setting if isinstance(setting, Setting) else None
    return Found(written.value_span if written is not None else None, written, facts, related=related)


def _page_size(prefill: View, decode: View) -> Values | None:
    if not decode.in_release(">=0.5.8"):
        return None
    # What is not written may be set by an attention backend or a model.
    if not all(v.is_set("page_size") is True for v in (prefill, decode)):
        return None
    one, other = prefill.value("page_size"), decode.value("page_size")
    return (one, other) if isinstance(one, int) and isinstance(other, int) and one != other else None


def _kv_type(prefill: View, decode: View) -> Values | None:
    if not decode.in_release(">=0.5.10rc0"):
        return None
    names = {"bf16": "bfloat16"}
    one, other = (names.get(str(v), str(v)) for v in (prefill.value("kv_cache_dtype"), decode.value("kv_cache_dtype")))
    unsure = any(isinstance(v.value("kv_cache_dtype"), Unknown) for v in (prefill, decode))
    return None if unsure or "auto" in (one, other) or "None" in (one, other) or one == other else (one, other)


def _pipeline(prefill: View, decode: View) -> Values | None:
    if not decode.in_release(">=0.5.6.post1"):
        return None
    one, other = prefill.value("pp_size"), decode.value("pp_size")
    known = isinstance(one, int) and isinstance(other, int)
    return (one, other) if known and other != 1 and one != other else None


def _backend(prefill: View, decode: View) -> Values | None:
    one, other = (v.value("disaggregation_transfer_backend") for v in (prefill, decode))
    known = isinstance(one, str) and isinstance(other, str)
    return (one, other) if known and one != other and "fake" not in (one, other) else None


def _tensor(prefill: View, decode: View) -> Values | None:
    model, backend = decode.model(), decode.value("disaggregation_transfer_backend")
    if isinstance(model, Unknown) or not isinstance(backend, str):
        return None
    first, releases = _WINDOWS.get(model.architecture), _SAME_TP.get(backend)
    if first is None or releases is None or not versions.satisfies(decode.release, f"{releases},>={first}"):
        return None
    if any(v.value("disable_hybrid_swa_memory") not in (None, False) for v in (prefill, decode)):
        return None
    one, other = _attention_tp(prefill), _attention_tp(decode)
    return (one, other) if one is not None and other is not None and one != other else None


def _attention_tp(view: View) -> int | None:
    tp, dp, cp = view.value("tp_size"), view.derived("attn_dp_size").value, view.value("attn_cp_size")
    if not isinstance(tp, int) or not isinstance(dp, int) or isinstance(cp, Unknown) or dp < 1:
        return None
    return tp // dp // (cp if isinstance(cp, int) and cp > 0 else 1)


_COMPARED: dict[str, Callable[[View, View], Values | None]] = {
    "backend": _backend,
    "page": _page_size,
    "kv": _kv_type,
    "pp": _pipeline,
    "tp": _tensor,
}
_BLAMED = {
    "backend": "disaggregation_transfer_backend",
    "page": "page_size",
    "kv": "kv_cache_dtype",
    "pp": "pp_size",
    "tp": "tp_size",
}
