"""Writes a small checkpoint with an image encoder of each family with transformers: write_vision_models.py <folder> [names]

The folder has the files of the tokenizers.
"""

import json
import shutil
import sys
from pathlib import Path

import torch
import transformers
from safetensors.torch import load_file, save_file

folder, chosen = Path(sys.argv[1]), sys.argv[2:]
text = {
    "vocab_size": 280,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "max_position_embeddings": 512,
    "bos_token_id": 1,
    "eos_token_id": 2,
    "pad_token_id": 0,
}
siglip = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "image_size": 64,
    "patch_size": 8,
}
colors = {"image_mean": [0.5, 0.5, 0.5], "image_std": [0.5, 0.25, 0.125]}

families = {
    "smolvlm": (
        "SmolVLM",
        {
            "text_config": {**text, "model_type": "llama", "architectures": ["VLlama3ForCausalLM"]},
            "vision_config": siglip,
            "scale_factor": 4,
            "image_token_id": 3,
            "pad_token_id": 0,
        },
        {**colors, "size": {"longest_edge": 128}},
    ),
    "idefics3": (
        "Idefics3",
        {
            "text_config": {**text, "model_type": "llama", "architectures": ["LlamaForCausalLM"]},
            "vision_config": siglip,
            "image_token_id": 3,
            "pad_token_id": 0,
        },
        colors,
    ),
    "gemma-3": (
        "Gemma3",
        {
            "text_config": {**text, "model_type": "gemma3_text", "head_dim": 16, "sliding_window": 8},
            "vision_config": siglip,
            "mm_tokens_per_image": 4,
        },
        {**colors, "image_seq_length": 4},
    ),
    "gemma-3-scaled": (
        "Gemma3",
        {
            "text_config": {**text, "model_type": "gemma3_text", "head_dim": 16, "sliding_window": 8},
            "vision_config": siglip,
            "mm_tokens_per_image": 16,
        },
        {**colors, "image_seq_length": 16},
    ),
    "qwen-2.5-vl": (
        "Qwen2_5_VL",
        {
            "text_config": {
                **text,
                "rope_parameters": {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]},
            },
            "vision_config": {
                "hidden_size": 32,
                "intermediate_size": 48,
                "depth": 4,
                "num_heads": 4,
                "patch_size": 8,
                "out_hidden_size": 64,
                "fullatt_block_indexes": [1, 3],
            },
        },
        colors,
    ),
}


def randomize(model):
    torch.manual_seed(7)
    for weight in model.parameters():
        weight.data = (torch.randn(weight.shape) * 0.12).half().float()


def rename_published(path):
    """transformers 5 leaves out a part of the names that published files have."""
    tensors = load_file(path)
    save_file(
        {name.replace("vision_tower.", "vision_tower.vision_model."): tensor for name, tensor in tensors.items()},
        path,
        metadata={"format": "pt"},
    )


for name, (kind, settings, processor) in families.items():
    if chosen and name not in chosen:
        continue
    config = getattr(transformers, f"{kind}Config")(**settings)
    model = getattr(transformers, f"{kind}ForConditionalGeneration")(config).float().eval()
    randomize(model)
    target = folder / "checkpoints" / name
    model.half().save_pretrained(target)
    written = json.loads((target / "config.json").read_text())
    # transformers leaves out what published files have.
    written["text_config"]["architectures"] = settings["text_config"].get("architectures")
    (target / "config.json").write_text(json.dumps(written))
    if kind == "Gemma3":
        rename_published(target / "model.safetensors")
    (target / "preprocessor_config.json").write_text(json.dumps(processor))
    for file in (folder / "tokenizers").iterdir():
        shutil.copy(file, target / file.name)
