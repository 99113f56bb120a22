"""Writes a small checkpoint of each family with transformers, and the logits of each: write_checkpoints.py <folder> [names]

The folder has the files of the tokenizers. Weights are numbers that F16 has, and transformers computes in F32, so that a
difference from another engine is the rounding of its own activations.
"""

import json
import shutil
import sys
from pathlib import Path

import torch
import transformers

folder, chosen = Path(sys.argv[1]), sys.argv[2:]
tokens = 280
common = {
    "vocab_size": tokens,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
linear = {
    "linear_key_head_dim": 16,
    "linear_value_head_dim": 16,
    "linear_num_key_heads": 2,
    "linear_num_value_heads": 4,
    "head_dim": 32,
}
mamba = {
    "mamba_n_heads": 8,
    "mamba_d_head": 16,
    "mamba_d_state": 16,
    "mamba_n_groups": 1,
    "mamba_d_conv": 4,
    "mamba_expand": 2,
    "mamba_chunk_size": 16,
    "position_embedding_type": "nope",
}
multipliers = {
    "attention_multiplier": 0.125,
    "embedding_multiplier": 3.0,
    "residual_multiplier": 0.25,
    "logits_scaling": 2.0,
}
yarn = {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0, "original_max_position_embeddings": 128}

families = {
    "smollm-3": ("SmolLM3", common),
    "qwen-3.5": ("Qwen3_5Text", {**common, **linear}),
    "qwen-3.5-moe": (
        "Qwen3_5MoeText",
        {
            **common,
            **linear,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "shared_expert_intermediate_size": 48,
        },
    ),
    "gpt-oss": (
        "GptOss",
        {
            **common,
            "head_dim": 16,
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "sliding_window": 8,
            "rope_parameters": {**yarn, "beta_fast": 32.0, "beta_slow": 1.0, "truncate": True},
        },
    ),
    "ministral-3": (
        "Ministral3",
        {
            **common,
            "head_dim": 16,
            "rope_parameters": {
                **yarn,
                "beta_fast": 32.0,
                "beta_slow": 1.0,
                "mscale": 1.0,
                "mscale_all_dim": 1.0,
                "llama_4_scaling_beta": 0.1,
            },
        },
    ),
    "olmo-2": ("Olmo2", common),
    "olmo-3": ("Olmo3", {**common, "sliding_window": 8}),
    "granite-3": ("Granite", {**common, **multipliers}),
    "granite-4-dense": (
        "GraniteMoeHybrid",
        {
            **common,
            **multipliers,
            "layer_types": ["attention"] * 4,
            "num_local_experts": 0,
            "num_experts_per_tok": 0,
            "shared_intermediate_size": 96,
            "position_embedding_type": "rope",
        },
    ),
    "granite-4": (
        "GraniteMoeHybrid",
        {
            **common,
            **multipliers,
            **mamba,
            "layer_types": ["mamba", "mamba", "attention", "mamba"],
            "num_local_experts": 4,
            "num_experts_per_tok": 2,
            "shared_intermediate_size": 48,
        },
    ),
    "granite-4-hybrid-dense": (
        "GraniteMoeHybrid",
        {
            **common,
            **multipliers,
            **mamba,
            "layer_types": ["mamba", "attention", "mamba", "mamba"],
            "num_local_experts": 0,
            "num_experts_per_tok": 0,
            "shared_intermediate_size": 96,
        },
    ),
    "glm-4-moe": (
        "Glm4Moe",
        {
            **common,
            "head_dim": 32,
            "use_qk_norm": True,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "routed_scaling_factor": 1.5,
            "num_nextn_predict_layers": 0,
        },
    ),
    "lfm-2": (
        "Lfm2",
        {**common, "layer_types": ["conv", "conv", "full_attention", "conv"], "block_auto_adjust_ff_dim": False},
    ),
    "llama-4": (
        "Llama4Text",
        {
            **common,
            "head_dim": 16,
            "num_local_experts": 4,
            "intermediate_size": 32,
            "intermediate_size_mlp": 96,
            "interleave_moe_layer_step": 2,
            "attention_chunk_size": 8192,
        },
    ),
    "deepseek-3": (
        "DeepseekV3",
        {
            **common,
            "num_key_value_heads": 4,
            "q_lora_rank": 32,
            "kv_lora_rank": 32,
            "qk_nope_head_dim": 16,
            "qk_rope_head_dim": 16,
            "v_head_dim": 16,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 32,
            "n_group": 1,
            "topk_group": 1,
            "first_k_dense_replace": 1,
            "scoring_func": "sigmoid",
        },
    ),
}

ids = [7, 101, 3, 58, 58, 200, 11, 149, 33, 90, 4, 4, 250, 19, 77, 140, 9, 222, 31, 6, 60, 61, 62, 63]


def randomize(weights):
    """Random numbers everywhere: a norm of ones or a bias of zeros would hide mistakes."""
    torch.manual_seed(7)
    for name, weight in [*weights.named_parameters(), *weights.named_buffers()]:
        if not weight.is_floating_point() or "inv_freq" in name or "embed_scale" in name:
            continue
        is_matrix = weight.dim() >= 2
        noise = torch.randn(weight.shape) * (0.12 if is_matrix else 0.2)
        weight.data = (noise if is_matrix else weight.data + noise).half().float()


for name, (kind, settings) in families.items():
    if chosen and name not in chosen:
        continue
    config = getattr(transformers, f"{kind}Config")(**settings)
    config._attn_implementation = "eager"
    bare = kind.removesuffix("Text")
    model = getattr(transformers, f"{bare}ForCausalLM")(config).float().eval()
    randomize(model)
    target = folder / "checkpoints" / name
    with torch.no_grad():
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].tolist()
    model.half().save_pretrained(target)
    if "layer_types" in settings:
        # transformers 5 writes other names than those of the published files.
        written = json.loads((target / "config.json").read_text())
        (target / "config.json").write_text(json.dumps({**written, "layer_types": settings["layer_types"]}))
    for file in (folder / "tokenizers").iterdir():
        shutil.copy(file, target / file.name)
    (folder / "logits").mkdir(exist_ok=True)
    (folder / "logits" / f"{name}.json").write_text(json.dumps({"ids": ids, "logits": logits}))
