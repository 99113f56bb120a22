"""Writes the tokenizer of a model in the form that Hugging Face's libraries read: benchmarks count tokens with it."""

import json
import sys
from urllib.request import Request, urlopen

from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

address, model, folder = sys.argv[1:]
request = Request(f"{address}/api/show", json.dumps({"model": model, "verbose": True}).encode())
with urlopen(request) as response:
    info = json.load(response)["model_info"]
tokens = info["tokenizer.ggml.tokens"]
merges = [tuple(merge.split(" ")) for merge in info["tokenizer.ggml.merges"]]
tokenizer = Tokenizer(models.BPE({token: number for number, token in enumerate(tokens)}, merges))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
end = tokens[info["tokenizer.ggml.eos_token_id"]]
PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=end).save_pretrained(folder)
