"""The model that drafts, beside the one that is served: how many tokens each knows, where their config.json tell."""

from __future__ import annotations

from speclint.sglang.resolve import Derivation, Derived
from speclint.sglang.setting import Unsettled
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

_DRAFT = "speculative_draft_model_path"
_NOT_TOLD = Unknown("no config.json tells how many tokens it knows")


def _vocab(view: View) -> Derived:
    model = view.model()
    if isinstance(model, Unknown):
        return Derived(model, "", ("model_path",))
    return Derived(_NOT_TOLD if model.vocab is None else model.vocab, "", ("model_path",))


def _draft_vocab(view: View) -> Derived:
    path = view.value(_DRAFT)
    if isinstance(path, Unsettled) or not isinstance(path, str):
        return Derived(path if isinstance(path, Unknown) else Unknown("no draft model is named"), "", (_DRAFT,))
    model = view.find_model(path)
    return Derived(_NOT_TOLD if model is None or model.vocab is None else model.vocab, "", (_DRAFT,))


_WORKER = "sglang/srt/speculative/standalone_worker_v2.py"
DERIVATIONS: Mapping[str, Derivation] = {
    "vocab": Derivation("vocab", _vocab, ("0.5.23", _WORKER, 193)),
    "draft_vocab": Derivation("draft_vocab", _draft_vocab, ("0.5.23", _WORKER, 193)),
}
