"""lm-evaluation-harness with its model `local-completions`: multiple choice, and the log likelihood of a text."""

import json
import os

import lm_eval
import lm_eval.models
import pytest
import requests
from conftest import URL
from lm_eval.api.instance import Instance
from lm_eval.api.registry import get_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_DATASETS_OFFLINE"] = "1"
ITEMS = [
    {"context": "One, two, three,", "choices": [" four", " seven", " zebra"], "gold": 0},
    {"context": "Monday, Tuesday,", "choices": [" banana", " Wednesday", " ninety"], "gold": 1},
]


def write_tokenizer(folder):
    shown = requests.post(f"{URL}/api/show", json={"model": "ember", "verbose": True}, timeout=60).json()
    info = shown["model_info"]
    vocabulary = {token: number for number, token in enumerate(info["tokenizer.ggml.tokens"])}
    merges = [tuple(merge.split(" ")) for merge in info["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocabulary, merges))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    end = info["tokenizer.ggml.tokens"][info["tokenizer.ggml.eos_token_id"]]
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, eos_token=end).save_pretrained(folder)


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("tokenizer"))
    write_tokenizer(folder)
    arguments = f"model=ember,base_url={URL}/v1/completions,tokenizer={folder},num_concurrent=2,max_retries=1"
    return get_model("local-completions").create_from_arg_string(arguments)


def test_multiple_choice(model, tmp_path):
    data = tmp_path / "items.jsonl"
    data.write_text("".join(f"{json.dumps(item)}\n" for item in ITEMS))
    task = {
        "task": "counting",
        "dataset_path": "json",
        "dataset_kwargs": {"data_files": {"test": str(data)}},
        "test_split": "test",
        "output_type": "multiple_choice",
        "doc_to_text": "{{context}}",
        "doc_to_choice": "{{choices}}",
        "doc_to_target": "gold",
        "target_delimiter": "",
    }
    results = lm_eval.simple_evaluate(model=model, tasks=[task], log_samples=True, bootstrap_iters=0)
    samples = results["samples"]["counting"]
    assert [len(sample["filtered_resps"]) for sample in samples] == [3, 3]
    # The same as Hearth's own answer, with the tokens of lm-eval.
    for sample in samples:
        context = model.tok_encode(sample["doc"]["context"])
        continuations = [model.tok_encode(choice) for choice in sample["doc"]["choices"]]
        body = {"model": "ember", "context": context, "continuations": continuations}
        scores = requests.post(f"{URL}/api/score", json=body, timeout=60).json()["scores"]
        for (likelihood, greedy), score in zip(sample["filtered_resps"], scores, strict=True):
            assert float(likelihood) == pytest.approx(score["log_likelihood"], abs=1e-3)
            assert bool(greedy) == score["greedy"]


def test_log_likelihood_of_a_text(model):
    request = Instance("loglikelihood_rolling", {}, ("The sky is blue. " * 20,), 0)
    (likelihood,) = model.loglikelihood_rolling([request])
    assert likelihood < 0
