"""Encoders and other models whose result is a vector or scores: the small checkpoints of write_checkpoints.py

`files` names the tokenizer, `pooling` the mode of sentence-transformers, `published` makes the published form of config.json.
"""

common = {
    "vocab_size": 280,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 4,
    "num_attention_heads": 4,
    "max_position_embeddings": 512,
    "pad_token_id": 0,
    "bos_token_id": 1,
    "eos_token_id": 2,
}
modern = {**common, "layer_norm_eps": 1e-5, "local_attention": 8, "global_attn_every_n_layers": 3}
qwen = {**common, "num_key_value_heads": 2, "head_dim": 16}


def published_nomic(config):
    """The names of the published model, whose code is its own."""
    return {
        "architectures": ["NomicBertModel"],
        "auto_map": {"AutoModel": "modeling_hf_nomic_bert.NomicBertModel"},
        "model_type": "nomic_bert",
        "n_embd": config["hidden_size"],
        "n_head": config["num_attention_heads"],
        "n_inner": config["intermediate_size"],
        "n_layer": config["num_hidden_layers"],
        "n_positions": 8192,
        "activation_function": "swiglu",
        "causal": False,
        "prenorm": False,
        "qkv_proj_bias": False,
        "mlp_fc1_bias": False,
        "mlp_fc2_bias": False,
        "rotary_emb_base": 1000,
        "rotary_emb_fraction": 1.0,
        "rotary_emb_interleaved": False,
        "rotary_emb_scale_base": None,
        "layer_norm_epsilon": 1e-12,
        "type_vocab_size": 2,
        "vocab_size": config["vocab_size"],
    }


def published_jina(config):
    return {
        **{key: value for key, value in config.items() if key not in ("rope_parameters", "dtype")},
        "architectures": ["XLMRobertaModel"],
        "auto_map": {"AutoModel": "modeling_lora.XLMRobertaLoRA"},
        "model_type": "xlm-roberta",
        "position_embedding_type": "rotary",
        "rotary_emb_base": 20000.0,
        "lora_adaptations": ["retrieval.query", "retrieval.passage"],
        "lora_alpha": 1,
    }


encoders = {
    "modern-bert": {"model": "ModernBertModel", "settings": modern, "files": "modern-bert", "pooling": "cls"},
    "modern-bert-rerank": {
        "model": "ModernBertForSequenceClassification",
        "settings": {**modern, "classifier_pooling": "mean", "id2label": {0: "LABEL_0"}, "label2id": {"LABEL_0": 0}},
        "files": "modern-bert",
        # llama.cpp's converter leaves it to the user.
        "ours": ["modern-bert.pooling_type"],
    },
    "nomic-bert": {
        "model": "NomicBertModel",
        "settings": {**common, "bos_token_id": None, "eos_token_id": None},
        "files": "word-pieces",
        "pooling": "mean",
        "published": published_nomic,
    },
    "xlm-roberta": {
        "model": "XLMRobertaModel",
        "settings": {**common, "pad_token_id": 1, "bos_token_id": 0, "type_vocab_size": 1},
        "files": "unigram",
        "pooling": "mean",
    },
    "jina-3": {
        "model": "JinaEmbeddingsV3Model",
        "settings": {**common, "pad_token_id": 1, "bos_token_id": 0, "max_position_embeddings": 514},
        "files": "unigram",
        "pooling": "mean",
        "published": published_jina,
    },
    "embedding-gemma": {
        "model": "Gemma3TextModel",
        "settings": {
            **common,
            "vocab_size": 288,
            "num_hidden_layers": 6,
            "num_key_value_heads": 2,
            "head_dim": 16,
            "query_pre_attn_scalar": 16,
            "sliding_window": 8,
            "use_bidirectional_attention": True,
        },
        "files": "sentence-pieces",
        "pooling": "mean",
        "dense": [(128, 64), (64, 128)],
    },
    "qwen-3-embedding": {"model": "Qwen3Model", "settings": qwen, "files": "qwen-embedding", "pooling": "last"},
    # llama.cpp's converter recognizes these by the name.
    "qwen3-reranker": {
        "model": "Qwen3ForCausalLM",
        "settings": {**qwen, "tie_word_embeddings": True},
        "files": "qwen-reranker",
        "answers": [271, 272],
    },
    "qwen3-reranker-untied": {
        "model": "Qwen3ForCausalLM",
        "settings": {**qwen, "tie_word_embeddings": False},
        "files": "qwen-reranker",
        "answers": [271, 272],
    },
}
