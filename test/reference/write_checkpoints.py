"""Writes a small checkpoint of each family with transformers, and the logits of each: write_checkpoints.py <folder> [names]

The folder has the files of the tokenizers, by their name. Weights are numbers that F16 has, and transformers computes in F32, so that a
difference from another engine is the rounding of its own activations.
"""

import itertools
import json
import shutil
import sys
from pathlib import Path

import torch
import transformers
from decoders import decoders
from encoders import encoders
from safetensors.torch import load_file, save_file

folder, chosen = Path(sys.argv[1]), sys.argv[2:]
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


def select(mapping):
    return [(name, value) for name, value in mapping.items() if not chosen or name in chosen]


def copy_files(kind, target):
    for file in (folder / "tokenizers" / kind).iterdir():
        shutil.copy(file, target / file.name)


def change_config(target, change):
    path = target / "config.json"
    path.write_text(json.dumps(change(json.loads(path.read_text()))))


def write_results(kind, name, results):
    (folder / kind).mkdir(exist_ok=True)
    (folder / kind / f"{name}.json").write_text(json.dumps(results))


def quantize(model, block):
    """Rounds the matrices of layers to FP8. Returns the bytes and scales by the name of the weight."""
    found = {}
    for name, module in model.model.layers.named_modules():
        if not isinstance(module, torch.nn.Linear):
            continue
        rows, columns = module.weight.shape
        height, width = block or (rows, columns)
        scale = torch.empty(-(-rows // height), -(-columns // width))
        for row, column in itertools.product(range(scale.shape[0]), range(scale.shape[1])):
            part = module.weight[row * height : (row + 1) * height, column * width : (column + 1) * width]
            scale[row, column] = part.abs().max() / 448
        spread = scale.repeat_interleave(height, 0).repeat_interleave(width, 1)[:rows, :columns]
        values = (module.weight / spread).to(torch.float8_e4m3fn)
        module.weight.data = values.float() * spread
        found[f"model.layers.{name}.weight"] = (values, scale if block else scale[0, 0])
    return found


def write_quantized(target, quantized, block):
    path = target / "model.safetensors"
    tensors = load_file(path)
    for name, (values, scale) in quantized.items():
        tensors[name] = values
        tensors[f"{name}_scale_inv"] = scale
    save_file(tensors, path, {"format": "pt"})
    settings = {"quant_method": "fp8", "activation_scheme": "dynamic", "weight_block_size": block}
    change_config(target, lambda config: {**config, "quantization_config": settings})


def tokenize(target):
    tokenizer = transformers.AutoTokenizer.from_pretrained(target)
    return [{"text": text, "ids": tokenizer(text).input_ids} for text in sentences]


def write_decoder(name, kind, settings, options={}):
    config = getattr(transformers, f"{kind}Config")(**settings)
    config._attn_implementation = "eager"
    bare = kind.removesuffix("Text")
    model = getattr(transformers, f"{bare}ForCausalLM")(config).float().eval()
    randomize(model)
    quantized = quantize(model, options["fp8"]) if "fp8" in options else {}
    target = folder / "checkpoints" / name
    with torch.no_grad():
        logits = model(torch.tensor([ids]), use_cache=False).logits[0].tolist()
    model.half().save_pretrained(target)
    if "layer_types" in settings:
        # transformers 5 writes other names than those of the published files.
        change_config(target, lambda config: {**config, "layer_types": settings["layer_types"]})
    if quantized:
        write_quantized(target, quantized, options["fp8"])
    copy_files(options.get("files", "byte-pairs"), target)
    # The others share one tokenizer.
    tokenized = tokenize(target) if "files" in options else None
    write_results("logits", name, {"ids": ids, "logits": logits, "tokenized": tokenized})


def write_modules(target, modules):
    """The files of sentence-transformers: kinds of modules with their settings."""
    entries = [{"idx": 0, "name": "0", "path": "", "type": "sentence_transformers.models.Transformer"}]
    for index, (kind, settings) in enumerate(modules, 1):
        path = f"{index}_{kind}"
        (target / path).mkdir()
        (target / path / "config.json").write_text(json.dumps(settings))
        entry = {"idx": index, "name": str(index), "path": path, "type": f"sentence_transformers.models.{kind}"}
        entries.append(entry)
    (target / "modules.json").write_text(json.dumps(entries))


pooled = {
    "mean": ("pooling_mode_mean_tokens", lambda hidden: hidden.mean(dim=0)),
    "cls": ("pooling_mode_cls_token", lambda hidden: hidden[0]),
    "last": ("pooling_mode_lasttoken", lambda hidden: hidden[-1]),
}


def without_ending(name):
    endings = ("Model", "ForSequenceClassification", "ForCausalLM")
    return next(name.removesuffix(ending) for ending in endings if name.endswith(ending))


def write_dense(target, index, weight):
    path = target / f"{index}_Dense"
    save_file({"linear.weight": weight.half()}, path / "model.safetensors", {"format": "pt"})


def run(model, family, dense, tokens):
    """The vector or the scores of a text."""
    with torch.no_grad():
        result = model(input_ids=torch.tensor([tokens]))
        if "pooling" not in family:
            logits = result.logits[0]
            return logits if "answers" not in family else logits[-1][family["answers"]].softmax(dim=0)
        vector = pooled[family["pooling"]][1](result.last_hidden_state[0])
        for weight in dense:
            vector = weight @ vector
        return vector


def write_encoder(name, family):
    config = getattr(transformers, f"{without_ending(family['model'])}Config")(**family["settings"])
    config._attn_implementation = "eager"
    model = getattr(transformers, family["model"])(config).float().eval()
    randomize(model)
    sizes = family.get("dense", [])
    dense = [(torch.randn(rows, columns) * 0.1).half().float() for rows, columns in sizes]
    vectors = [run(model, family, dense, tokens).tolist() for tokens in texts]
    target = folder / "checkpoints" / name
    model.half().save_pretrained(target)
    change_config(target, family.get("published", lambda config: config))
    copy_files(family["files"], target)
    if "pooling" in family:
        pooling = {pooled[family["pooling"]][0]: True, "word_embedding_dimension": config.hidden_size}
        layers = [
            {"in_features": columns, "out_features": rows, "bias": False, "activation_function": identity}
            for rows, columns in sizes
        ]
        write_modules(target, [("Pooling", pooling), *(("Dense", layer) for layer in layers)])
        for index, weight in enumerate(dense, 2):
            write_dense(target, index, weight)
    results = {"texts": texts, "vectors": vectors, "ours": family.get("ours", [])}
    if (target / "tokenizer.json").exists():
        results["tokenized"] = tokenize(target)
    write_results("vectors", name, results)


identity = "torch.nn.modules.linear.Identity"
texts = [ids, ids[:9], ids[9:12]]
sentences = ["hello world", "the world", "a hello.", "hello[MASK] the"]

for name, family in select(decoders):
    write_decoder(name, *family)
for name, family in select(encoders):
    write_encoder(name, family)
