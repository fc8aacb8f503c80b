"""Names of models: hub ids in paths, and copies that are known to be the same model in another storage format."""

from __future__ import annotations

from speclint.lean import NamedTuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection

# Copies by these owners keep the architecture of the model that they are named after.
_REQUANTIZERS = frozenset(
    ("amd", "casperhansen", "cpatonn", "cyankiwi", "eco-tech", "hugging-quants", "intel", "modelcloud", "neuralmagic",
     "nvidia", "quanttrio", "redhatai", "stelterlab", "thebloke", "unsloth", "vllm-ascend")
)  # fmt: skip
_MIRRORS = frozenset(("ai-modelscope", "llm-research", "nousresearch", "unsloth"))

# Words at the end of a copy's name: the format it is stored in, and what only comes together with a format.
_FORMATS = frozenset(
    ("4bit", "8bit", "autoround", "awq", "bf16", "fp16", "fp4", "fp8", "gptq", "int4", "int8", "mxfp4", "mxfp8",
     "nvfp4", "w4a16", "w4a8", "w4afp8", "w8a16", "w8a8")
)  # fmt: skip
_QUALIFIERS = frozenset(
    ("128g", "4", "8", "bit", "block", "bnb", "channel", "dynamic", "g128", "kv", "marlin", "mixed", "mse", "preview",
     "quantized", "sym", "v2", "v3")
)  # fmt: skip
# What the makers themselves append to a base model of the same shape; a year and month or "hf" may follow.
_VARIANTS = frozenset(("base", "chat", "instruct", "thinking", "it"))


# Owners whose names tell the method that a checkpoint names for its weights, by the last word of the name.
_METHODS = {
    "qwen": (("-awq", "awq"), ("-gptq-int4", "gptq"), ("-gptq-int8", "gptq"), ("-fp8", "fp8")),
    "thebloke": (("-awq", "awq"), ("-gptq", "gptq")),
    "casperhansen": (("-awq", "awq"),),
}
# Width of an expert (``moe_intermediate_size``) of mixtures that their maker publishes in FP8 blocks too.
_EXPERTS = {
    "qwen3-235b-a22b": 1536,
    "qwen3-30b-a3b": 768,
    "qwen3-coder-30b-a3b": 768,
    "qwen3-coder-480b-a35b": 2560,
    "qwen3-next-80b-a3b": 512,
    "qwen3-vl-235b-a22b": 1536,
    "qwen3-vl-30b-a3b": 768,
}


class Origin(NamedTuple):
    """The known model that a name goes back to: its id, whether it is by the same owner, whether it is a variant."""

    model_id: str
    same_owner: bool = True
    variant: bool = False


def hub_id(name: str) -> str | None:
    """``owner/name`` in lower case, of an id, a path that ends in one, or a folder of the Hugging Face cache."""
    parts = [part for part in name.lower().replace("\\", "/").split("/") if part]
    for part in parts:
        if part.startswith("models--"):
            owner, _, repository = part.removeprefix("models--").partition("--")
            return f"{owner}/{repository}" if repository else None
    return "/".join(parts[-2:]) if len(parts) >= 2 else None


def stored(model_id: str) -> tuple[str | None, int | None]:
    """The method by which the weights are stored, and the width of an expert where it is stored in FP8 blocks."""
    owner, _, repository = model_id.partition("/")
    method = next((method for end, method in _METHODS.get(owner, ()) if repository.endswith(end)), None)
    if owner != "qwen" or method != "fp8":
        return method, None
    return method, next((width for start, width in _EXPERTS.items() if repository.startswith(f"{start}-")), None)


def origin(model_id: str, known: Collection[str]) -> Origin | None:
    """The known model that an id names or is a copy or variant of; ``known`` are ids in lower case."""
    if model_id in known:
        return Origin(model_id)
    owner, _, repository = model_id.partition("/")
    if owner in _MIRRORS:
        mirrored = _by_name(repository, known)
        if mirrored is not None:
            return Origin(mirrored)
    stripped = _without_format(repository)
    if stripped is not None:
        if f"{owner}/{stripped}" in known:
            return Origin(f"{owner}/{stripped}")
        copied = _by_name(stripped, known) if owner in _REQUANTIZERS else None
        return None if copied is None else Origin(copied, same_owner=False)
    base = _without_variant(repository)
    if base is not None and f"{owner}/{base}" in known:
        return Origin(f"{owner}/{base}", variant=True)
    return None


def _by_name(repository: str, known: Collection[str]) -> str | None:
    """The one known model of this name; None if there is none or more than one owner has it."""
    found = [model_id for model_id in known if model_id.endswith("/" + repository)]
    return found[0] if len(found) == 1 else None


def _without_format(repository: str) -> str | None:
    """The name without the words at its end that tell a storage format; None if there is no such word."""
    kept, told = repository, False
    while True:
        cut = max(kept.rfind("-"), kept.rfind("."), kept.rfind("_"))
        word = kept[cut + 1 :]
        if cut <= 0 or (word not in _FORMATS and word not in _QUALIFIERS):
            return kept if told else None
        kept, told = kept[:cut], told or word in _FORMATS


def _without_variant(repository: str) -> str | None:
    """The name of the base model in ``base-instruct-2507`` and its like; None if it is none."""
    base, _, last = repository.rpartition("-")
    if last == "hf" or (len(last) == 4 and last.isdecimal()):
        base, _, last = base.rpartition("-")
    return base if base and last in _VARIANTS else None
