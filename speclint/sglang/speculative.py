"""Speculative decoding as SGLang resolves it: algorithm, steps, top-k and draft tokens; and the linear backend.

Read from every release from 0.4.4.post4 on (older ones have fixed defaults and derive nothing): the branch on
``speculative_algorithm`` in ``ServerArgs.__post_init__`` up to 0.5.3.post3, ``ServerArgs._handle_speculative_decoding``
up to 0.5.12.post1, ``arg_groups/speculative_hook.py`` from 0.5.13 on. The tables below hold what differs by release.
"""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived, as_parsed
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

ALGORITHM = "speculative_algorithm"
STEPS = "speculative_num_steps"
TOPK = "speculative_eagle_topk"
TOKENS = "speculative_num_draft_tokens"
BREADTH = "speculative_ngram_max_bfs_breadth"
_DRAFT = "speculative_draft_model_path"
_SIZES = (STEPS, TOPK, TOKENS)
# From 0.5.3rc2 to 0.5.10rc0 NGRAM took its draft tokens from this option.
_WINDOW = "speculative_ngram_max_match_window_size"

# Algorithms whose three sizes SGLang chooses itself when none is written, and whose draft tokens follow from top-k 1.
FAMILY = ("EAGLE", "EAGLE3", "STANDALONE")
# Algorithms that draft a chain: a top-k other than 1 is overridden, with a log line.
CHAINS = ("DFLASH", "DSPARK")

# Steps, top-k and draft tokens that are chosen when none is written: (range of releases, architectures, sizes). The
# first row that fits counts; no architectures: all others.
_GROK = ("Grok1ForCausalLM", "Grok1VForCausalLM")
_CHOSEN: tuple[tuple[str, tuple[str, ...], tuple[int, int, int]], ...] = (
    (">=0.4.4.post4", ("LlamaForCausalLM", *_GROK), (5, 4, 8)),
    (">=0.4.4.post4,<0.4.7", (), (5, 4, 8)),
    (">=0.4.7", ("DeepseekV3ForCausalLM", "DeepseekV2ForCausalLM"), (3, 1, 4)),
    (">=0.5.1", ("GptOssForCausalLM",), (3, 1, 4)),
    (">=0.5.3rc0", ("BailingMoeForCausalLM", "BailingMoeV2ForCausalLM"), (3, 1, 4)),
    (">=0.5.3rc2", ("DeepseekV32ForCausalLM",), (3, 1, 4)),
    (
        ">=0.5.6.post1",
        ("Glm4MoeForCausalLM", "MistralLarge3ForCausalLM", "PixtralForConditionalGeneration"),
        (3, 1, 4),
    ),
    (">=0.5.7", ("MiMoV2FlashForCausalLM",), (3, 1, 4)),
    (">=0.5.8", (), (3, 1, 4)),
    (">=0.4.4.post4", (), (5, 4, 8)),
)
_LINEAR_OPTIONS = (
    "linear_attn_backend",
    "linear_attn_decode_backend",
    "linear_attn_prefill_backend",
    "linear_attn_verify_backend",
)


def _algorithm(view: View) -> Derived:
    parsed = as_parsed(view, ALGORITHM)
    if not isinstance(parsed.value, str):
        return parsed
    name = parsed.value.upper()
    if name not in ("NEXTN", "EAGLE"):
        return Derived(name, parsed.note, parsed.origins)
    if _has_assistant(view) is True:
        return Derived("FROZEN_KV_MTP", f"{name} becomes it with a Gemma 4 assistant, {parsed.note}", parsed.origins)
    return Derived("EAGLE", parsed.note if name == "EAGLE" else f"NEXTN is EAGLE, {parsed.note}", parsed.origins)


def _has_assistant(view: View) -> bool | Unknown:
    """Whether the draft is a Gemma 4 assistant, for which EAGLE becomes FROZEN_KV_MTP (from 0.5.12).

    Where neither model's name says Gemma it is taken not to be one, also if a name is not known.
    """
    draft = view.value(_DRAFT)
    names = [name.lower() for name in (draft, view.value("model_path")) if isinstance(name, str)]
    if draft is None or view.in_release("<0.5.12") or not any("gemma" in name for name in names):
        return False
    if not isinstance(draft, str):
        return draft if isinstance(draft, Unknown) else False
    model = view.find_model(draft)
    if model is not None:
        return model.architecture in ("Gemma4AssistantForCausalLM", "Gemma4UnifiedAssistantForCausalLM")
    return "assistant" in draft.lower() or Unknown(f"`{draft}` may be a Gemma 4 assistant")


def _frozen(view: View) -> Derived:
    algorithm = view.derived(ALGORITHM).value
    if algorithm == "FROZEN_KV_MTP":
        return Derived(True)
    return Derived(_has_assistant(view) if algorithm == "EAGLE" else False)


def _topk(view: View) -> Derived:
    algorithm = view.derived(ALGORITHM).value
    own = as_parsed(view, TOPK)
    if isinstance(algorithm, Unknown):
        # Hidden words are taken not to override what is written (see options); a hidden value may.
        absent = isinstance(view.setting(ALGORITHM), Unknown)
        return own if absent and own.origins else Derived(algorithm, "", (ALGORITHM,))
    if algorithm == "NGRAM":
        return _breadth(view)
    if algorithm in CHAINS:
        return Derived(1, f"{algorithm} sets it to 1", (ALGORITHM,))
    if own.origins:
        return _kept_in_pages(view, own)
    if algorithm == "UNO":
        return Derived(1, "UNO drafts a chain where no top-k is written", (ALGORITHM,))
    if algorithm in FAMILY and own.value is None:
        return _chosen(view, TOPK)
    return own


def _breadth(view: View) -> Derived:
    got = as_parsed(view, BREADTH)
    flag = view.options.spelling(BREADTH)
    if got.origins:
        return Derived(got.value, f"NGRAM takes it from {got.note}", (BREADTH, ALGORITHM))
    if got.value is None:
        return Derived(Unknown(f"SGLang {view.release} has no `{flag}`"))
    return Derived(got.value, f"NGRAM takes it from `{flag}`, default {got.value}", (ALGORITHM,))


def _kept_in_pages(view: View, own: Derived) -> Derived:
    """Up to 0.4.8.post1 a top-k above 1 becomes 1 where the page size is above 1."""
    if not isinstance(own.value, int) or own.value <= 1 or not view.in_release(">=0.4.4.post4,<0.4.9"):
        return own
    if view.value(ALGORITHM) is None:
        return own
    page = view.value("page_size")
    if isinstance(page, Unknown) or (isinstance(page, int) and page > 1):
        value = page if isinstance(page, Unknown) else 1
        return Derived(value, "SGLang sets it to 1 where `--page-size` is above 1", ("page_size", TOPK))
    paged = view.is_set("attention_backend") or view.is_set("enable_flashmla")
    return Derived(Unknown("the attention backend may set the page size")) if paged else own


def _chosen(view: View, name: str) -> Derived:
    """A size that SGLang chooses: only where none of the three is written."""
    flag = view.options.spelling(name)
    if name == TOPK and _adaptive(view) is True and any(view.is_set(size) is True for size in (STEPS, TOKENS)):
        return Derived(1, "`--speculative-adaptive` sets it to 1 where it is not written", ("speculative_adaptive",))
    for size in _SIZES:
        if view.is_set(size) is not False:
            return Derived(Unknown(f"SGLang chooses `{flag}` only where none of the three sizes is written"))
    index = _SIZES.index(name)
    if view.value(ALGORITHM) == "STANDALONE":
        return Derived((3, 1, 4)[index], "SGLang chooses it for STANDALONE", (ALGORITHM,))
    model = view.model()
    architecture = model if isinstance(model, Unknown) else model.architecture
    rows = [row for row in _CHOSEN if view.in_release(row[0])]
    if architecture is None or isinstance(architecture, Unknown):
        reason = architecture.reason if architecture is not None else "the model's architecture is not known"
        found = {sizes[index] for _, _, sizes in rows}
        return Derived(found.pop() if len(found) == 1 else Unknown(reason), "SGLang chooses it", (ALGORITHM,))
    sizes = next((row[2] for row in rows if not row[1] or architecture in row[1]), None)
    if sizes is None:
        return as_parsed(view, name)
    if _adaptive(view) is not False:
        return Derived(Unknown("`--speculative-adaptive` chooses it"))
    return Derived(sizes[index], f"SGLang chooses it for {architecture}", (ALGORITHM, "model_path"))


def _adaptive(view: View) -> bool | Unknown:
    """Whether the steps are adapted at run time: from 0.5.14 on that chooses sizes too, unless SGLang refuses."""
    if view.in_release("<0.5.14") or view.derived(ALGORITHM).value not in ("EAGLE", "EAGLE3"):
        return False
    return view.is_set("speculative_adaptive")


def _steps(view: View) -> Derived:
    algorithm = view.derived(ALGORITHM).value
    own = as_parsed(view, STEPS)
    if isinstance(algorithm, Unknown):
        return Derived(algorithm, "", (ALGORITHM,))
    if algorithm in CHAINS or (algorithm == "UNO" and view.derived(TOPK).value == 1):
        return Derived(1, f"{algorithm} sets it to 1", (ALGORITHM,))
    if own.origins or own.value is not None:
        return own
    if algorithm in FAMILY:
        return _chosen(view, STEPS)
    if algorithm == "NGRAM" and view.in_release(">=0.5.14"):
        tokens, topk = view.derived(TOKENS).value, view.derived(TOPK).value
        if isinstance(tokens, int) and isinstance(topk, int) and topk > 0:
            return Derived(tokens // topk, "NGRAM sets it to draft tokens // top-k", (ALGORITHM,))
        return Derived(Unknown("it follows from draft tokens and top-k, and these are not known"), "", (ALGORITHM,))
    return own


def _tokens(view: View) -> Derived:
    algorithm = view.derived(ALGORITHM).value
    own = as_parsed(view, TOKENS)
    if isinstance(algorithm, Unknown):
        return Derived(algorithm, "", (ALGORITHM,))
    if algorithm not in FAMILY:
        return own if own.origins or own.value is not None else _tokens_of_others(view, algorithm, own)
    if not own.origins and own.value is None and view.is_set(STEPS) is False:
        return _chosen(view, TOKENS)
    topk, steps = view.derived(TOPK).value, view.derived(STEPS).value
    for part in (topk, steps):
        if isinstance(part, Unknown):
            return Derived(part, "", own.origins)
    if topk == 1 and isinstance(steps, int) and view.in_release(">=0.4.5.post3"):
        note = f"steps + 1, `{view.options.spelling(STEPS)}` being {steps} and top-k 1"
        return Derived(steps + 1, note, (TOKENS, STEPS))
    return own


def _tokens_of_others(view: View, algorithm: object, own: Derived) -> Derived:
    """Draft tokens that are not written, of an algorithm that is not of the family."""
    if algorithm == "NGRAM":
        if view.options.release.by_dest(_WINDOW) is None:
            return Derived(12, "NGRAM sets it to 12 where it is not written", (ALGORITHM,))
        window = as_parsed(view, _WINDOW)
        note = f"NGRAM takes it from `{view.options.spelling(_WINDOW)}`"
        return Derived(window.value, note, (*window.origins, ALGORITHM))
    if algorithm in CHAINS:
        return Derived(Unknown("the draft model's config may tell it"), "", (ALGORITHM,))
    return own


def _linear_backend(view: View) -> Derived:
    """The linear-attention backend: "lightning" where an option names it, else what the model's config leads to.

    No released SGLang takes the word for its options (builds with plugins may); none of the words that it does take
    leads away from the backend of the model.
    """
    named = _named_linear_backend(view)
    if named.value == "lightning":
        return named
    from speclint.sglang import models

    model = view.model()
    if not isinstance(model, Unknown) and model.model_type is None:
        model = Unknown(f"the kind of {model.architecture} is not known")
    backend = model if isinstance(model, Unknown) else models.linear_backend(model, view.release)
    if isinstance(backend, Unknown) or backend is None:
        # Neither an unknown model nor an unknown option may pass for one that is not Lightning.
        doubt = backend if isinstance(backend, Unknown) else named.value
        return Derived(doubt if isinstance(doubt, Unknown) else None, "", ("model_path",))
    from speclint.sglang.endings import shown

    return Derived(backend, f"by which SGLang serves `{shown(view.value('model_path'))}`", ("model_path",))


def _named_linear_backend(view: View) -> Derived:
    doubt: Unknown | None = None
    for dest in _LINEAR_OPTIONS:
        value = view.value(dest, foreign=True)
        if isinstance(value, Unknown):
            doubt = doubt or value
        elif value == "lightning":
            return Derived("lightning", f"`{view.flag(dest)} lightning`", (dest,))
    return Derived(doubt)


_HOOK = "sglang/srt/arg_groups/speculative_hook.py"
_ROUTES = "sglang/srt/layers/attention/attention_registry.py"
DERIVATIONS: Mapping[str, Derivation] = {
    derivation.name: derivation
    for derivation in (
        Derivation(ALGORITHM, _algorithm, ("0.5.23", _HOOK, 81)),
        Derivation("frozen_kv_mtp", _frozen, ("0.5.23", _HOOK, 109)),
        Derivation(TOPK, _topk, ("0.5.23", _HOOK, 1160)),
        Derivation(STEPS, _steps, ("0.5.23", _HOOK, 1160)),
        Derivation(TOKENS, _tokens, ("0.5.23", _HOOK, 1256)),
        Derivation("linear_backend", _linear_backend, ("0.5.23", _ROUTES, 549)),
        Derivation("named_linear_backend", _named_linear_backend, ("0.5.23", _ROUTES, 549)),
    )
}
