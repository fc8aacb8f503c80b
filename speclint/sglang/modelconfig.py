"""What the ``config.json`` of a model tells of it."""

from __future__ import annotations

from speclint.sglang.models import Model, of_architecture

# The spellings of a Lightning layer in ``mixer_types`` (0.5.19 srt/configs/minicpm.py:12).
_LIGHTNING_MIXERS = frozenset(("lightning", "lightning_attn", "lightning-attn"))


def read(data: bytes) -> Model | None:
    """The model of a ``config.json``; None where its bytes do not tell one."""
    import json

    try:
        config = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(config, dict):
        return None
    names = config.get("architectures")
    if not isinstance(names, list) or not names or not isinstance(names[0], str):
        return None
    model_type = config.get("model_type")
    text = config.get("text_config")
    inner = text if isinstance(text, dict) else config
    return Model(
        names[0],
        model_type if isinstance(model_type, str) else None,
        _traits(of_architecture(names[0]).traits, model_type, config, inner),
        _count(inner, "num_attention_heads"),
        _count(inner, "num_key_value_heads"),
        _context(inner),
        *_stored(config, inner),
        _count(inner, "vocab_size"),
    )


def _traits(
    usual: frozenset[str], model_type: object, config: dict[str, object], inner: dict[str, object]
) -> frozenset[str]:
    """The traits of the architecture, corrected by what this very config says."""
    traits = set(usual)
    if model_type == "bailing_hybrid":
        traits |= {"hybrid"}
        traits -= {"lightning", "kda"}
        traits.add("lightning" if config.get("short_conv_kernel_size") is None else "kda")
    elif model_type == "minicpm_sala":
        mixers = config.get("mixer_types")
        lightning = isinstance(mixers, list) and any(isinstance(m, str) and m in _LIGHTNING_MIXERS for m in mixers)
        traits -= {"hybrid", "lightning"}
        traits |= {"hybrid", "lightning"} if lightning else set()
    elif model_type == "granitemoehybrid":
        layers = config.get("layer_types")
        traits -= {"hybrid", "mamba"}
        traits |= {"hybrid", "mamba"} if isinstance(layers, list) and "mamba" in layers else set()
    if _count(inner, "num_nextn_predict_layers") or _count(inner, "mtp_num_hidden_layers"):
        traits.add("mtp")
    return frozenset(traits | _told_traits(config))


def _told_traits(config: dict[str, object]) -> set[str]:
    """What only the config.json of a model tells of it.

    "nvfp4-experts": MXFP8 whose experts are packed in NVFP4 (0.5.23 arg_groups/model_overrides/minimax_m3.py:18).
    "w4a16-experts": a mixed checkpoint whose experts are so (…/nemotron_h.py:67). "shared-index": layers of sparse
    attention that use the indices of another (arg_groups/model_hook.py:52). "fused-qkv": projections stored for as many
    ranks as there are key-value heads (configs/model_config.py:124). "sparse-layers": configs/minicpm.py:180.
    """
    traits: set[str] = set()
    stored = config.get("quantization_config")
    quantized = stored if isinstance(stored, dict) else {}
    if quantized.get("moe_quant_format") == "nvfp4-pack-quantized" and quantized.get("quant_method") == "mxfp8":
        traits.add("nvfp4-experts")
    layers = quantized.get("quantized_layers")
    for name, layer in layers.items() if isinstance(layers, dict) else ():
        if ".experts." in name and isinstance(layer, dict) and layer.get("quant_algo") == "W4A16_NVFP4":
            traits.add("w4a16-experts")
    pattern, types, every = (config.get(key) for key in ("index_topk_pattern", "indexer_types", "index_topk_freq"))
    shared = (isinstance(pattern, str) and "S" in pattern) or (isinstance(types, list) and "shared" in types)
    if shared or (type(every) is int and every > 1):
        traits.add("shared-index")
    if config.get("attention_projection_layout") == "fused_qkv":
        traits.add("fused-qkv")
    mixers = config.get("mixer_types")
    if config.get("sparse_config") is not None and isinstance(mixers, list) and "minicpm4" in mixers:
        traits.add("sparse-layers")
    return traits


def _stored(config: dict[str, object], inner: dict[str, object]) -> tuple[str | None, int | None, int | None]:
    """How the weights are stored: method, width of an expert, rows of it that share a scale."""
    quantized = config.get("quantization_config")
    if not isinstance(quantized, dict):
        return None, None, None
    method, block = quantized.get("quant_method"), quantized.get("weight_block_size")
    rows = block[0] if isinstance(block, list) and block and type(block[0]) is int and block[0] > 0 else None
    width = _count(inner, "moe_intermediate_size") if rows is not None else None
    return (method if isinstance(method, str) else None), width, rows if width is not None else None


def _count(config: dict[str, object], key: str) -> int | None:
    value = config.get(key)
    return value if type(value) is int and value > 0 else None


def _context(config: dict[str, object]) -> int | None:
    """The longest context, as SGLang's get_context_length reads it, where rope scaling does not make it another one."""
    rope = config.get("rope_scaling")
    plain = not rope or (
        isinstance(rope, dict) and ("original_max_position_embeddings" in rope or rope.get("rope_type") == "llama3")
    )
    return _count(config, "max_position_embeddings") if plain else None
