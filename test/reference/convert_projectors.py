"""Converts the image encoders of test checkpoints with llama.cpp's converter: convert_projectors.py <llama.cpp> <folder>"""

import logging
import sys
import traceback
from pathlib import Path

source, folder = Path(sys.argv[1]), Path(sys.argv[2])
sys.path[:0] = [str(source), str(source / "gguf-py")]

import gguf  # noqa: E402
import torch  # noqa: E402
from conversion import ModelBase, ModelType, get_model_architecture, get_model_class  # noqa: E402

logging.disable(logging.WARNING)

for checkpoint in sorted((folder / "checkpoints").iterdir()):
    target = folder / "theirs" / f"{checkpoint.name}.mmproj"
    try:
        parameters = ModelBase.load_hparams(checkpoint, False)
        architecture = get_model_architecture(parameters, ModelType.MMPROJ)
        with torch.inference_mode():
            get_model_class(architecture, mmproj=True)(checkpoint, gguf.LlamaFileType.GUESSED, target).write()
    except Exception:
        target.with_name(f"{target.name}.error").write_text(traceback.format_exc())
