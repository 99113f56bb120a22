"""Decoders: the small checkpoints of write_checkpoints.py, as a class of transformers, its settings, and options"""

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

gemma4 = {
    **common,
    "num_hidden_layers": 6,
    "layer_types": ["sliding_attention", "full_attention"] * 3,
    "head_dim": 16,
    "global_head_dim": 32,
    "sliding_window": 8,
    "final_logit_softcapping": 30.0,
    "tie_word_embeddings": True,
}

deepseek3 = (
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
)

decoders = {
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
    "deepseek-3": deepseek3,
    # Not "mini": llama.cpp's converter would take the word for a size.
    "phi-4-tied": (
        "Phi3",
        {
            **common,
            "tie_word_embeddings": True,
            "sliding_window": 262144,
            "max_position_embeddings": 1024,
            "original_max_position_embeddings": 512,
            "rope_parameters": {
                "rope_type": "longrope",
                "rope_theta": 10000.0,
                "partial_rotary_factor": 0.75,
                "original_max_position_embeddings": 512,
                "short_factor": [1.0, 1.1, 1.2, 1.5, 1.7, 2.0],
                "long_factor": [1.0, 1.3, 1.9, 3.0, 5.0, 8.0],
            },
        },
        {"files": "phi"},
    ),
    "lfm-2-moe": (
        "Lfm2Moe",
        {
            **common,
            "layer_types": ["conv", "full_attention", "conv", "full_attention"],
            "moe_intermediate_size": 32,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "num_dense_layers": 1,
        },
    ),
    "gemma-4": (
        "Gemma4Text",
        {
            **gemma4,
            "attention_k_eq_v": True,
            "num_global_key_value_heads": 1,
            "hidden_size_per_layer_input": 0,
            "enable_moe_block": True,
            "num_experts": 4,
            "top_k_experts": 2,
            "moe_intermediate_size": 32,
        },
        {"files": "gemma-4"},
    ),
    "gemma-4-e": (
        "Gemma4Text",
        {
            **gemma4,
            "hidden_size_per_layer_input": 16,
            "vocab_size_per_layer_input": tokens,
            "num_kv_shared_layers": 2,
            "use_double_wide_mlp": True,
        },
        {"files": "gemma-4"},
    ),
    "qwen-3-fp8": ("Qwen3", {**common, "head_dim": 16}, {"fp8": [32, 48]}),
    "ministral-3-fp8": ("Ministral3", {**common, "head_dim": 16}, {"fp8": None}),
    "deepseek-3-fp8": (*deepseek3, {"fp8": [32, 48]}),
}
