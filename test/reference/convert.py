"""Converts the test checkpoints with llama.cpp's converter: convert.py <llama.cpp> <folder>"""

import json
import logging
import subprocess
import sys
import traceback
from pathlib import Path

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path[:0] = [str(source), str(source / "gguf-py")]

import gguf  # noqa: E402
import torch  # noqa: E402
from conversion import ModelBase, ModelType, TextModel, get_model_architecture, get_model_class  # noqa: E402

logging.disable(logging.WARNING)


def has_predictions(checkpoint):
    """transformers leaves out the layers that predict more than one token, and the converter must be told."""
    config = json.loads((checkpoint / "config.json").read_text())
    return "mtp_num_hidden_layers" in json.dumps(config) or "num_nextn_predict_layers" in config


def load_parameters(checkpoint):
    """What the converter reads with its pinned transformers: the file itself for a model with code of its own"""
    config = json.loads((checkpoint / "config.json").read_text())
    if "auto_map" in config:
        return config
    parameters = ModelBase.load_hparams(checkpoint, False)
    # transformers 5 has other names for kinds of layers.
    return {**parameters, "layer_types": config["layer_types"]} if "layer_types" in config else parameters


def forget(model):
    """The converter keeps these for all models of a class."""
    for name, empty in {"_lora_files": {}, "_lora_names": [], "module_paths": [], "dense_features_dims": {}}.items():
        if hasattr(model, name):
            setattr(model, name, empty.copy())


def convert(checkpoint):
    # The vocabularies of the tests are not in the converter's list. How a text is split is tested elsewhere.
    field = gguf.GGUFReader(folder / "ours" / checkpoint.name).get_field("tokenizer.ggml.pre")
    pre = field.contents() if field is not None else "default"
    TextModel.get_vocab_base_pre = lambda self, tokenizer, pre=pre: pre
    parameters = load_parameters(checkpoint)
    model = get_model_class(get_model_architecture(parameters, ModelType.TEXT))
    model.no_mtp = not has_predictions(checkpoint)
    forget(model)
    options = {"hparams": parameters, "sentence_transformers_dense_modules": True}
    with torch.inference_mode():
        model(checkpoint, gguf.LlamaFileType.GUESSED, folder / "theirs" / checkpoint.name, **options).write()


for checkpoint in sorted((folder / "checkpoints").iterdir()):
    try:
        convert(checkpoint)
    except Exception:
        (folder / "theirs" / f"{checkpoint.name}.error").write_text(traceback.format_exc())

if (folder / "adapters").exists():
    subprocess.run(
        [
            sys.executable,
            str(source / "convert_lora_to_gguf.py"),
            "--base",
            str(folder / "checkpoints" / "llama-3"),
            "--outfile",
            str(folder / "theirs" / "lora"),
            str(folder / "adapters" / "lora"),
        ],
        check=True,
    )
