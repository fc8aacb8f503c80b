"""What the models' own code can do, by release: parts of a pipeline, an encoder that is served apart.

The table is made by ``tools/abilities.py`` from the wheels. A model whose code was not understood has no row, and
neither has one that a release does not have.
"""

from __future__ import annotations

from speclint.sglang import versions
from speclint.sglang.resolve import Derivation, Derived
from speclint.value import Unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from speclint.sglang.resolve import View

# Options and a variable by which other code serves the model than the architecture tells.
_OTHER_CODE = ("json_model_override_args", "is_embedding")
_OUTSIDE = "SGLANG_EXTERNAL_MODEL_PACKAGE"
_ENCODERS_SINCE = ">=0.5.10rc0"


def holds(what: str, architecture: str, version: str) -> bool:
    """Whether a line of the table holds for an architecture in a release."""
    spans = _table().get((what, architecture), ())
    return any(versions.satisfies(version, f">={first}{f',<{last}' if last != '-' else ''}") for first, last in spans)


def _pipeline(view: View) -> Derived:
    """False where the model's code is known to take no part of a pipeline."""
    model = view.model()
    if isinstance(model, Unknown):
        return Derived(model, "", ("model_path",))
    chosen = view.value("model_impl")
    if isinstance(chosen, Unknown):
        return Derived(chosen, "", ("model_impl",))
    other = any(view.options.written(dest) for dest in _OTHER_CODE) or _OUTSIDE in view.options.launch.command.env
    if chosen not in (None, "auto", "sglang") or other:
        return Derived(Unknown("other code serves the model"))
    without = holds("no-pipeline", model.architecture, view.release)
    return Derived(not without if without else Unknown("its code may"), "", ("model_path",))


def _encoder(view: View) -> Derived:
    """Whether the model's encoder can be served apart."""
    model = view.model()
    if isinstance(model, Unknown):
        return Derived(model, "", ("model_path",))
    if not view.in_release(_ENCODERS_SINCE) or view.options.written("json_model_override_args"):
        return Derived(Unknown("no list tells"))
    return Derived(holds("encoder", model.architecture, view.release), "", ("model_path",))


_read: dict[tuple[str, str], list[tuple[str, str]]] = {}


def _table() -> dict[tuple[str, str], list[tuple[str, str]]]:
    if _read:
        return _read
    import os

    with open(os.path.join(os.path.dirname(__file__), "data", "abilities.tsv"), encoding="utf-8") as file:
        for line in file.read().splitlines():
            if not line.startswith("#"):
                what, architecture, first, last = line.split("\t")
                _read.setdefault((what, architecture), []).append((first, last))
    return _read


DERIVATIONS: Mapping[str, Derivation] = {
    "pipeline": Derivation("pipeline", _pipeline, ("0.5.23", "sglang/srt/model_executor/model_runner.py", 509)),
    "encoder_apart": Derivation(
        "encoder_apart", _encoder, ("0.5.23", "sglang/srt/arg_groups/pd_disaggregation_hook.py", 352)
    ),
}
