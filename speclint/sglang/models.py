"""What is known of a model before anything is downloaded: its architecture, its kind of attention, its head counts.

Three places tell, the nearest first: a ``config.json`` on disk, the user's ``models`` table, and the table of public
models that is shipped with speclint. A model that none of them knows gives None, never a guess.
"""

from __future__ import annotations

from speclint.lean import NamedTuple
from speclint.sglang import versions

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_LARGEST_CONFIG = 1 << 20  # bytes; real ones stay below 100 kB, so a larger file is not a model's config

# model_type → (kind, first release that builds this backend). SGLang decides by the class of the loaded config, which
# its registry picks by model_type; see linear_backend for the places in its source.
_LINEAR = {
    "bailing_hybrid": ("lightning", "0.5.9"),
    "minicpm_sala": ("lightning", "0.5.19"),
    "falcon_h1": ("mamba", "0.5.3.post1"),
    "falcon_mamba": ("mamba", "0.5.20"),
    "glm5_next": ("kda", "0.5.20"),
    "granitemoehybrid": ("mamba", "0.5.9"),
    "intern_s2_preview": ("gdn", "0.5.12"),
    "jet_nemotron": ("gdn", "0.5.5.post1"),
    "jet_vlm": ("gdn", "0.5.6"),
    "kimi_k3": ("kda", "0.5.17"),
    "kimi_linear": ("kda", "0.5.4.post2"),
    "lfm2": ("mamba", "0.5.9"),
    "lfm2_moe": ("mamba", "0.5.9"),
    "lfm2_vl": ("mamba", "0.5.10"),
    "mamba2": ("mamba", "0.5.20"),
    "nemotron_h": ("mamba", "0.5.3.post1"),
    "NemotronH_Nano_VL_V2": ("mamba", "0.5.6"),
    "qwen3_5": ("gdn", "0.5.9"),
    "qwen3_5_moe": ("gdn", "0.5.9"),
    "qwen3_next": ("gdn", "0.5.2"),
    "zaya": ("mamba", "0.5.14"),
}
_BAILING_KDA = "0.5.19"
_BY_LAYERS = frozenset(("granitemoehybrid", "minicpm_sala"))  # a config without such layers gets no such backend
_BLOCK = 128  # rows that share a scale in Qwen's own FP8 checkpoints, as their model cards say


class Model(NamedTuple):
    """A model: ``architecture`` is the class name that SGLang looks up, ``model_type`` that of its config.json.

    ``traits`` are words such as "moe", "mla", "mha", "swa", "dsa", "hybrid", "lightning", "kda", "gdn", "mamba",
    "multimodal", "audio", "mtp", "draft", "embedding", "reward", "dllm", and those of _told_traits. ``heads`` and
    ``kv_heads`` count attention heads, ``context`` is the longest context in tokens; each is None where it is not
    known. ``quantization`` is the method that the checkpoint names for its weights. ``expert_width`` is the width of an
    expert's inner layer and ``expert_block`` the rows that share a scale there, of experts that are stored so.
    ``vocab`` counts tokens, as a config.json tells.
    """

    architecture: str
    model_type: str | None
    traits: frozenset[str]
    heads: int | None = None
    kv_heads: int | None = None
    context: int | None = None
    quantization: str | None = None
    expert_width: int | None = None
    expert_block: int | None = None
    vocab: int | None = None


def lookup(model: str, table: Mapping[str, str] | None = None, base: str | None = None) -> Model | None:
    """What is known of the model that a launch passes to ``--model-path``; None if nothing is.

    ``table`` maps model ids and paths to architectures or to public models (the ``models`` setting). ``base`` is the
    folder from which a relative path counts. Never raises: a config.json that cannot be read tells nothing, and then
    the model's name does not tell either, only the table.
    """
    name = model.strip()
    if not name:
        return None
    found, config = _on_disk(name, base)
    if found and config is not None:
        return config
    architecture = _in_table(name, table or {})
    if architecture is not None:
        known = architecture in _architectures()
        return of_architecture(architecture) if known else _public(architecture) or of_architecture(architecture)
    return None if found else _public(name)


def of_architecture(architecture: str) -> Model:
    """The usual model of an architecture, without traits where the architecture is not known."""
    model_type, traits = _architectures().get(architecture, (None, frozenset()))
    return Model(architecture, model_type, traits)


def linear_backend(model: Model, version: str) -> str | None:
    """The linear-attention backend that serves a model in a release; None where there is none or it is not known.

    "lightning" (seg_la), "kda", "gdn" or "mamba" (Mamba-2 and short convolutions). Sources, all under ``srt/``: the
    branches of ``attn_backend_wrapper`` (0.5.23 layers/attention/attention_registry.py:350), which ask
    ``hybrid_lightning_config`` and its like (0.5.9 model_executor/model_runner.py:1571, 0.5.18
    configs/hybrid_arch.py:41, 0.5.23 configs/hybrid_arch.py:46). Up to 0.5.18 every ``bailing_hybrid`` is Lightning;
    from 0.5.19 one whose config has ``short_conv_kernel_size`` is KDA (0.5.19 configs/bailing_hybrid.py:150), and
    ``minicpm_sala`` is Lightning if a Lightning layer is among its ``mixer_types`` (0.5.19 configs/minicpm.py:27).
    ``--linear-attn-backend`` picks kernels within a backend and leads to no other one.
    """
    kind, first = _LINEAR.get(model.model_type or "", (None, ""))
    if kind is None or not versions.satisfies(version, f">={first}"):
        return None
    if model.model_type == "bailing_hybrid":
        kda = "kda" in model.traits and versions.satisfies(version, f">={_BAILING_KDA}")
        return "kda" if kda else kind
    if model.model_type in _BY_LAYERS and kind not in model.traits:
        return None
    return kind


def _on_disk(name: str, base: str | None) -> tuple[bool, Model | None]:
    """Whether a config.json lies where the path points to, and the model it describes."""
    import os

    folder = os.path.join(base, name) if base is not None else name
    if base is None and not os.path.isabs(name):
        return False, None
    path = os.path.join(folder, "config.json")
    try:
        if not os.path.isfile(path):
            return False, None
        if os.path.getsize(path) > _LARGEST_CONFIG:
            return True, None
        from speclint.sglang import modelconfig

        with open(path, "rb") as file:
            return True, modelconfig.read(file.read(_LARGEST_CONFIG))
    except (OSError, ValueError):
        return True, None


def _in_table(name: str, table: Mapping[str, str]) -> str | None:
    if name in table:
        return table[name]
    wanted = name.rstrip("/").lower()
    for key, architecture in table.items():
        if key.strip().rstrip("/").lower() == wanted:
            return architecture
    return None


def _public(name: str) -> Model | None:
    """The public model that a hub id names, or a path that ends in one, or a copy of it; each looked up once."""
    if len(name) > _LONGEST_NAME:
        return _look_up(name)
    if name not in _known_names:
        if len(_known_names) >= _MOST_NAMES:
            _known_names.clear()
        _known_names[name] = _look_up(name)
    return _known_names[name]


def _look_up(name: str) -> Model | None:
    from speclint.sglang import modelnames

    model_id = modelnames.hub_id(name)
    origin = None if model_id is None else modelnames.origin(model_id, _models())
    if origin is None:
        return None
    model = _model(_models()[origin.model_id])
    # A copy by another owner may come without the MTP layers, a variant with another context length.
    traits = model.traits if origin.same_owner else model.traits - {"mtp"}
    method, width = modelnames.stored(model_id or "")
    return model._replace(
        traits=traits,
        context=None if origin.variant else model.context,
        quantization=method,
        expert_width=width,
        expert_block=None if width is None else _BLOCK,
    )


def _model(entry: tuple[str, ...]) -> Model:
    """A row of models.tsv: id, architecture, further traits, attention heads, key-value heads, context."""
    _, architecture, traits, *numbers = (*entry, "-", "-", "-", "-")[:6]
    usual = of_architecture(architecture)
    more = frozenset(traits.split(",")) if traits != "-" else frozenset[str]()
    heads, kv_heads, context = (int(text) if text != "-" else None for text in numbers)
    return Model(architecture, usual.model_type, usual.traits | more, heads, kv_heads, context)


_known_architectures: dict[str, tuple[str | None, frozenset[str]]] = {}
_known_models: dict[str, tuple[str, ...]] = {}
_known_names: dict[str, Model | None] = {}
_MOST_NAMES = 1000
_LONGEST_NAME = 200


def _architectures() -> dict[str, tuple[str | None, frozenset[str]]]:
    if not _known_architectures:
        for name, kind, traits in _rows("architectures.tsv"):
            told = frozenset(traits.split(",")) if traits != "-" else frozenset()
            _known_architectures[name] = (None if kind == "-" else kind, told)
    return _known_architectures


def _models() -> dict[str, tuple[str, ...]]:
    if not _known_models:
        _known_models.update((row[0].lower(), row) for row in _rows("models.tsv"))
    return _known_models


def _rows(name: str) -> list[tuple[str, ...]]:
    import os

    with open(os.path.join(os.path.dirname(__file__), "data", name), encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [tuple(line.split("\t")) for line in lines if line and not line.startswith("#")]
