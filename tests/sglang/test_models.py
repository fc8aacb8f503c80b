"""What speclint knows of a model from its name, from the user's table and from a config.json on disk."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from speclint.sglang import modelconfig, models
from speclint.sglang.models import Model, linear_backend, lookup, of_architecture

DATA = Path(models.__file__).with_name("data")
LIGHTNING = {
    "architectures": ["BailingMoeV2_5ForCausalLM"],
    "model_type": "bailing_hybrid",
    "layer_group_size": 8,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "max_position_embeddings": 131072,
    "num_nextn_predict_layers": 1,
}


def folder(where: Path, config: object) -> str:
    where.mkdir(parents=True, exist_ok=True)
    (where / "config.json").write_text(config if isinstance(config, str) else json.dumps(config))
    return str(where)


class TestNames:
    @pytest.mark.parametrize(
        "name",
        [
            "inclusionAI/Ring-2.5-1T",
            "INCLUSIONAI/ring-2.5-1t",
            "inclusionAI/Ring-2.5-1T/",
            "/models/inclusionAI/Ring-2.5-1T",
            "s3://bucket/inclusionAI/Ring-2.5-1T",
            "/home/ann/.cache/huggingface/hub/models--inclusionAI--Ring-2.5-1T/snapshots/0123abc",
            "inclusionAI/Ring-2.5-1T-FP8",
            "inclusionAI/Ling-2.6-flash-int4",
            "RedHatAI/Ring-2.5-1T-FP8-dynamic",
            "unsloth/Ling-2.6-1T",
        ],
    )
    def test_lightning_models(self, name: str) -> None:
        model = lookup(name)
        assert model is not None
        assert model.architecture == "BailingMoeV2_5ForCausalLM"
        assert model.model_type == "bailing_hybrid"
        assert {"lightning", "hybrid", "moe", "mla"} <= model.traits

    @pytest.mark.parametrize(
        ("name", "architecture"),
        [
            ("meta-llama/Llama-3.1-8B-Instruct", "LlamaForCausalLM"),
            ("nvidia/Llama-3.1-8B-Instruct-FP8", "LlamaForCausalLM"),
            ("amd/Llama-3.3-70B-Instruct-FP8-KV", "LlamaForCausalLM"),
            ("amd/DeepSeek-R1-0528-MXFP4-Preview", "DeepseekV3ForCausalLM"),
            ("nvidia/DeepSeek-R1-0528-FP4-v2", "DeepseekV3ForCausalLM"),
            ("RedHatAI/Meta-Llama-3.1-8B-Instruct-quantized.w4a16", "LlamaForCausalLM"),
            ("Qwen/Qwen3.5-397B-A17B-FP8", "Qwen3_5MoeForConditionalGeneration"),
            ("Qwen/Qwen3-30B-A3B-GPTQ-Int4", "Qwen3MoeForCausalLM"),
            ("QuantTrio/Qwen3-Coder-30B-A3B-Instruct-AWQ", "Qwen3MoeForCausalLM"),
            ("Qwen/Qwen3-8B-Base", "Qwen3ForCausalLM"),
            ("openbmb/MiniCPM-SALA", "MiniCPMSALAForCausalLM"),
        ],
    )
    def test_copies_and_variants(self, name: str, architecture: str) -> None:
        model = lookup(name)
        assert model is not None
        assert model.architecture == architecture

    @pytest.mark.parametrize(
        "name",
        [
            "",
            " ",
            "/",
            "Ring-2.5-1T",  # a name without its owner could be anybody's
            "/models/Ring-2.5-1T",
            "./Ring-2.5-1T",
            "somebody/Ring-2.5-1T",
            "somebody/Ring-2.5-1T-FP8",
            "nvidia/Ring-2.5-1T",  # the owner re-quantises, but the name tells of no format
            "inclusionAI/Ring-2.5-1T-v2",  # a qualifier without a format is another model
            "inclusionAI/Ring-2.5-1T-distilled",
            "models--inclusionAI",
            "meta-llama/Llama-3.1-8B-Instruct-LoRA",
        ],
    )
    def test_no_guess(self, name: str) -> None:
        assert lookup(name) is None

    def test_a_copy_by_another_owner_may_have_lost_its_mtp_layers(self) -> None:
        original, copy = lookup("deepseek-ai/DeepSeek-R1"), lookup("nvidia/DeepSeek-R1-FP4")
        assert original is not None
        assert copy is not None
        assert original.traits - copy.traits == {"mtp"}

    def test_a_variant_keeps_its_heads_but_may_have_another_context(self) -> None:
        model = lookup("Qwen/Qwen3-8B-Base")
        assert model is not None
        assert (model.heads, model.kv_heads, model.context) == (32, 8, None)

    @given(st.text(max_size=60))
    def test_any_text_is_a_name(self, name: str) -> None:
        result = lookup(name)
        assert result is None or result.architecture


class TestTable:
    def test_it_wins_over_the_shipped_table(self) -> None:
        model = lookup("inclusionAI/Ring-2.5-1T", {"inclusionAI/Ring-2.5-1T": "LlamaForCausalLM"})
        assert model == of_architecture("LlamaForCausalLM")

    @pytest.mark.parametrize("written", ["team/ring", "Team/Ring", "team/ring/", " team/ring "])
    def test_case_and_a_last_slash_do_not_count(self, written: str) -> None:
        model = lookup(written, {"Team/Ring": "BailingMoeV2_5ForCausalLM"})
        assert model is not None
        assert linear_backend(model, "0.5.23") == "lightning"

    def test_paths_are_keys_too(self) -> None:
        model = lookup("/srv/m1", {"/srv/m1": "MiniCPMSALAForCausalLM"})
        assert model is not None
        assert linear_backend(model, "0.5.23") == "lightning"

    def test_an_unknown_architecture_is_kept_without_traits(self) -> None:
        assert lookup("a/b", {"a/b": "OursForCausalLM"}) == Model("OursForCausalLM", None, frozenset())


class TestConfig:
    def test_it_is_read_beside_the_path(self, tmp_path: Path) -> None:
        folder(tmp_path / "models" / "ring", LIGHTNING)
        model = lookup("models/ring", base=str(tmp_path))
        assert model is not None
        assert (model.architecture, model.model_type) == ("BailingMoeV2_5ForCausalLM", "bailing_hybrid")
        assert {"lightning", "mtp"} <= model.traits
        assert (model.heads, model.kv_heads, model.context) == (64, 64, 131072)

    def test_an_absolute_path_needs_no_base(self, tmp_path: Path) -> None:
        path = folder(tmp_path / "m", LIGHTNING)
        assert lookup(path) == lookup(path, base="/elsewhere")
        assert lookup(path) is not None

    def test_a_relative_path_without_base_is_only_a_name(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        folder(tmp_path / "m" / "ring", LIGHTNING)
        monkeypatch.chdir(tmp_path)
        assert lookup("m/ring") is None

    def test_it_wins_over_both_tables(self, tmp_path: Path) -> None:
        name = "inclusionAI/Ring-2.5-1T"
        folder(tmp_path / name, {"architectures": ["Qwen3ForCausalLM"], "model_type": "qwen3"})
        model = lookup(name, {name: "LlamaForCausalLM"}, str(tmp_path))
        assert model is not None
        assert model.architecture == "Qwen3ForCausalLM"

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "{",
            "[]",
            "null",
            "{}",
            '{"architectures": []}',
            '{"architectures": "LlamaForCausalLM"}',
            '{"architectures": [1]}',
            "[" * 100_000,
            '{"architectures": ["LlamaForCausalLM"]}' + " " * (1 << 20),
        ],
    )
    def test_what_cannot_be_read_tells_nothing(self, tmp_path: Path, text: str) -> None:
        path = folder(tmp_path / "inclusionAI" / "Ring-2.5-1T", text)
        assert lookup(path) is None
        table_says = lookup(path, {path: "LlamaForCausalLM"})
        assert table_says is not None
        assert table_says.architecture == "LlamaForCausalLM"

    def test_not_utf8(self, tmp_path: Path) -> None:
        path = folder(tmp_path / "m", "x")
        (tmp_path / "m" / "config.json").write_bytes(b'{"architectures": ["\xff"]}')
        assert lookup(path) is None

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
    def test_no_permission(self, tmp_path: Path) -> None:
        path = folder(tmp_path / "m", LIGHTNING)
        (tmp_path / "m" / "config.json").chmod(0)
        assert lookup(path) is None

    def test_a_folder_or_a_pipe_of_that_name_is_no_config(self, tmp_path: Path) -> None:
        (tmp_path / "m" / "config.json").mkdir(parents=True)
        assert lookup("m", base=str(tmp_path)) is None
        (tmp_path / "p").mkdir()
        os.mkfifo(tmp_path / "p" / "config.json")
        assert lookup("p", base=str(tmp_path)) is None

    def test_heads_of_a_multimodal_model_stand_in_its_text_config(self, tmp_path: Path) -> None:
        text = {"num_attention_heads": 24, "num_key_value_heads": 4, "max_position_embeddings": 262144, "vocab_size": 9}
        path = folder(tmp_path / "m", {"architectures": ["Qwen3_5ForConditionalGeneration"], "text_config": text})
        model = lookup(path)
        assert model is not None
        assert (model.heads, model.kv_heads, model.context, model.vocab) == (24, 4, 262144, 9)

    @pytest.mark.parametrize(
        ("rope", "context"),
        [
            (None, 4096),
            ({"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}, 4096),
            ({"rope_type": "llama3", "factor": 8.0}, 4096),
            ({"rope_type": "linear", "factor": 4.0}, None),  # SGLang multiplies; not known here
        ],
    )
    def test_context_under_rope_scaling(self, tmp_path: Path, rope: object, context: int | None) -> None:
        config = {"architectures": ["LlamaForCausalLM"], "max_position_embeddings": 4096, "rope_scaling": rope}
        model = lookup(folder(tmp_path / "m", config))
        assert model is not None
        assert model.context == context

    @pytest.mark.parametrize(
        ("told", "trait"),
        [
            ({"quantization_config": {"quant_method": "mxfp8", "moe_quant_format": "nvfp4-pack-quantized"}}, True),
            ({"quantization_config": {"quant_method": "mxfp8"}}, False),
            ({"quantization_config": {"quantized_layers": {"a.experts.0": {"quant_algo": "W4A16_NVFP4"}}}}, True),
            ({"quantization_config": {"quantized_layers": {"a.mlp": {"quant_algo": "W4A16_NVFP4"}}}}, False),
            ({"index_topk_freq": 4}, True),
            ({"index_topk_freq": 1}, False),
            ({"index_topk_pattern": "FFS"}, True),
            ({"indexer_types": ["full", "shared"]}, True),
            ({"indexer_types": ["full"]}, False),
            ({"attention_projection_layout": "fused_qkv"}, True),
            ({"attention_projection_layout": "split"}, False),
            ({"mixer_types": ["minicpm4"], "sparse_config": {}}, True),
            ({"mixer_types": ["minicpm4"], "sparse_config": None}, False),
        ],
    )
    def test_what_only_a_config_tells(self, tmp_path: Path, told: dict[str, object], trait: bool) -> None:
        model = lookup(folder(tmp_path / "m", {"architectures": ["Unknown"], **told}))
        assert model is not None
        assert bool(model.traits) is trait

    @given(
        st.dictionaries(
            st.sampled_from(
                [
                    *("architectures", "model_type", "mixer_types", "text_config", "rope_scaling", "layer_types"),
                    *("quantization_config", "index_topk_pattern", "indexer_types", "index_topk_freq", "sparse_config"),
                ]
            ),
            st.recursive(
                st.none() | st.booleans() | st.integers() | st.text(max_size=9),
                lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=9), inner, max_size=3),
                max_leaves=5,
            ),
        )
    )
    def test_no_config_raises(self, config: dict[str, object]) -> None:
        model = modelconfig.read(json.dumps(config).encode())
        assert model is None or isinstance(model.architecture, str)


class TestLinearBackend:
    """Each answer was seen with the code of the release, on a processor without a GPU."""

    KDA = {**LIGHTNING, "short_conv_kernel_size": 4}
    SALA = {
        "architectures": ["MiniCPMSALAForCausalLM"],
        "model_type": "minicpm_sala",
        "mixer_types": ["minicpm4", "lightning-attn"],
    }

    @pytest.mark.parametrize(
        ("config", "version", "kind"),
        [
            (LIGHTNING, "0.5.8.post1", None),
            (LIGHTNING, "0.5.9", "lightning"),
            (LIGHTNING, "0.5.12.post1", "lightning"),
            (LIGHTNING, "0.5.18", "lightning"),
            (LIGHTNING, "0.5.23", "lightning"),
            ({**LIGHTNING, "short_conv_kernel_size": None}, "0.5.23", "lightning"),
            ({**LIGHTNING, "layer_group_size": 1}, "0.5.23", "lightning"),
            (KDA, "0.5.18", "lightning"),
            (KDA, "0.5.19", "kda"),
            (KDA, "0.5.23", "kda"),
            ({**LIGHTNING, "architectures": ["LlamaForCausalLM"]}, "0.5.23", "lightning"),
            ({**LIGHTNING, "model_type": "llama"}, "0.5.23", None),
            (SALA, "0.5.18", None),
            (SALA, "0.5.19", "lightning"),
            ({**SALA, "mixer_types": ["minicpm4", "lightning"]}, "0.5.23", "lightning"),
            ({**SALA, "mixer_types": ["minicpm4", "lightning_attn"]}, "0.5.23", "lightning"),
            ({**SALA, "mixer_types": ["minicpm4"]}, "0.5.23", None),
            ({**SALA, "mixer_types": None}, "0.5.23", None),
            ({**SALA, "architectures": ["MiniCPMForCausalLM"]}, "0.5.23", "lightning"),
            ({"architectures": ["MiniCPMForCausalLM"], "model_type": "minicpm"}, "0.5.23", None),
            ({"architectures": ["Qwen3NextForCausalLM"], "model_type": "qwen3_next"}, "0.5.23", "gdn"),
            ({"architectures": ["KimiLinearForCausalLM"], "model_type": "kimi_linear"}, "0.5.23", "kda"),
            ({"architectures": ["GraniteMoeHybridForCausalLM"], "model_type": "granitemoehybrid"}, "0.5.23", None),
            (
                {
                    "architectures": ["GraniteMoeHybridForCausalLM"],
                    "model_type": "granitemoehybrid",
                    "layer_types": ["mamba", "attention"],
                },
                "0.5.23",
                "mamba",
            ),
        ],
    )
    def test_by_config(self, tmp_path: Path, config: dict[str, object], version: str, kind: str | None) -> None:
        model = lookup(folder(tmp_path / "m", config))
        assert model is not None
        assert linear_backend(model, version) == kind

    @pytest.mark.parametrize(
        ("architecture", "version", "kind"),
        [
            ("BailingMoeV2_5ForCausalLM", "0.5.23", "lightning"),
            ("BailingMoeV2_5ForCausalLM", "0.5.9", "lightning"),
            ("BailingMoeV3ForCausalLM", "0.5.23", "kda"),
            ("MiniCPMSALAForCausalLM", "0.5.19", "lightning"),
            ("MiniCPMSALAForCausalLM", "0.5.18", None),
            ("BailingMoeV2ForCausalLM", "0.5.23", None),
            ("LlamaForCausalLM", "0.5.23", None),
            ("Qwen3_5MoeForConditionalGeneration", "0.5.9", "gdn"),
            ("NemotronHForCausalLM", "0.5.23", "mamba"),
            ("OursForCausalLM", "0.5.23", None),
        ],
    )
    def test_by_architecture(self, architecture: str, version: str, kind: str | None) -> None:
        assert linear_backend(of_architecture(architecture), version) == kind


class TestData:
    def test_rows_are_sorted_unique_and_complete(self) -> None:
        rows = [line.split("\t") for line in (DATA / "models.tsv").read_text().splitlines()[1:]]
        ids = [row[0].lower() for row in rows]
        assert ids == sorted(set(ids))
        architectures = {line.split("\t")[0] for line in (DATA / "architectures.tsv").read_text().splitlines()}
        for row in rows:
            assert re.fullmatch(r"[\w.-]+/[\w.-]+", row[0]), row
            assert row[1] in architectures, row
            assert 2 <= len(row) <= 6, row

    def test_every_row_is_found(self) -> None:
        for line in (DATA / "models.tsv").read_text().splitlines()[1:]:
            name, architecture = line.split("\t")[:2]
            model = lookup(name)
            assert model is not None
            assert model.architecture == architecture

    def test_architectures_that_have_linear_layers_say_which(self) -> None:
        for name, (model_type, traits) in models._architectures().items():
            kind = linear_backend(of_architecture(name), "0.5.23")
            assert (kind is not None) == ("hybrid" in traits), name
            assert kind is None or kind in traits, (name, model_type)


@pytest.mark.parametrize(
    ("name", "stored"),
    [
        ("Qwen/Qwen3-235B-A22B-FP8", ("fp8", 1536, 128)),
        ("/models/Qwen/Qwen3-30B-A3B-Instruct-2507-FP8", ("fp8", 768, 128)),
        ("Qwen/Qwen3-8B-FP8", ("fp8", None, None)),
        ("Qwen/Qwen2.5-7B-Instruct-AWQ", ("awq", None, None)),
        ("Qwen/Qwen3-235B-A22B", (None, None, None)),
        ("RedHatAI/Qwen3-30B-A3B-FP8", (None, None, None)),
    ],
)
def test_a_name_tells_how_weights_are_stored_where_its_owner_is_known_to_name_them_so(
    name: str, stored: tuple[object, ...]
) -> None:
    found = models.lookup(name)
    assert found is None or (found.quantization, found.expert_width, found.expert_block) == stored
    assert found is not None or stored == (None, None, None)


@pytest.mark.parametrize(
    ("quantization", "stored"),
    [
        ({"quant_method": "fp8", "weight_block_size": [128, 128]}, ("fp8", 1536, 128)),
        ({"quant_method": "fp8"}, ("fp8", None, None)),
        ({"quant_method": 8, "weight_block_size": [0]}, (None, None, None)),
        ({"weight_block_size": "128"}, (None, None, None)),
        ("fp8", (None, None, None)),
    ],
)
def test_a_config_tells_how_weights_are_stored(
    tmp_path: Path, quantization: object, stored: tuple[object, ...]
) -> None:
    config = {"architectures": ["Qwen3MoeForCausalLM"], "moe_intermediate_size": 1536}
    (tmp_path / "config.json").write_text(json.dumps({**config, "quantization_config": quantization}))
    found = models.lookup(str(tmp_path))
    assert found is not None
    assert (found.quantization, found.expert_width, found.expert_block) == stored
