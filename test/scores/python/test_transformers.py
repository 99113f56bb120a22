"""Log likelihoods through the API are those of transformers for the same weights in F32, and so are the classes of a classifier."""

import hashlib
import json
import os
from pathlib import Path

import pytest
import requests
import torch
from tokenizers import Tokenizer, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    BertConfig,
    BertForSequenceClassification,
    PreTrainedTokenizerFast,
)

URL = os.environ["HEARTH_URL"]
# Names of models with their files.
FILES = json.loads(os.environ["HEARTH_F32_FILES"])
TEXT = "The harbor opens at five. First come the fishing boats, then at eight the ferry; on Sundays there is none. "
CONTINUATIONS = ["On Sundays the harbor is quiet.", "The ferry comes at eight.", "Boats are made of cheese."]
LABELS = {0: "calm", 1: "joy", 2: "anger"}
CLOSE = 1e-3


def ask(path, body):
    answer = requests.post(f"{URL}{path}", json=body, timeout=600)
    assert answer.status_code == 200, answer.text
    return answer.json()


def create(name, folder):
    files = {}
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert requests.post(f"{URL}/api/blobs/{digest}", data=data, timeout=60).status_code in (200, 201)
        files[path.name] = digest
    ask("/api/create", {"model": name, "files": files, "quantize": "F32", "stream": False})


def tokens_of(model, text):
    return ask("/api/tokenize", {"model": model, "text": text})["tokens"]


def likelihoods_of(weights, ids):
    with torch.no_grad():
        logits = weights(torch.tensor([ids])).logits[0].float()
    return torch.log_softmax(logits[:-1], -1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()


@pytest.fixture(scope="module", params=FILES)
def subject(request):
    path = Path(FILES[request.param])
    weights = AutoModelForCausalLM.from_pretrained(path.parent, gguf_file=path.name, dtype=torch.float32).eval()
    return request.param, weights


def test_log_probabilities_of_a_prompt(subject):
    name, weights = subject
    ids = tokens_of(name, TEXT * 3)
    body = {"model": name, "prompt": ids, "max_tokens": 0, "echo": True, "logprobs": 0}
    first, *ours = ask("/v1/completions", body)["choices"][0]["logprobs"]["token_logprobs"]
    theirs = likelihoods_of(weights, ids)
    assert first is None and len(ours) == len(theirs) > 50
    assert max(theirs) - min(theirs) > 1
    largest = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    print(f"{name}: largest difference of {len(ours)} log probabilities: {largest:.1e}")
    assert largest < CLOSE


def test_scores_of_continuations(subject):
    name, weights = subject
    context = tokens_of(name, TEXT)
    continuations = [tokens_of(name, text) for text in CONTINUATIONS]
    scores = ask("/api/score", {"model": name, "context": context, "continuations": continuations})["scores"]
    largest = 0
    for continuation, score in zip(continuations, scores, strict=True):
        expected = sum(likelihoods_of(weights, context + continuation)[len(context) - 1 :])
        largest = max(largest, abs(score["log_likelihood"] - expected))
    print(f"{name}: largest difference of {len(scores)} log likelihoods: {largest:.1e}")
    assert largest < CLOSE


def test_classes(tmp_path):
    torch.manual_seed(20_263)
    words = "the a cat dog sits runs on under mat tree red green small and".split()
    specials = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
    vocabulary = {token: number for number, token in enumerate(specials + words)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    names = {"pad_token": "[PAD]", "unk_token": "[UNK]", "cls_token": "[CLS]", "sep_token": "[SEP]"}
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, mask_token="[MASK]", **names).save_pretrained(tmp_path)
    shape = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 64}
    config = BertConfig(vocab_size=len(vocabulary), max_position_embeddings=64, id2label=LABELS, **shape)
    weights = BertForSequenceClassification(config).float().eval()
    with torch.no_grad():
        weights.classifier.weight.mul_(20)
    weights.save_pretrained(tmp_path)
    create("random-classifier", tmp_path)
    texts = ["the cat sits on the mat", "a small red dog runs", "green tree"]
    entries = ask("/classify", {"model": "random-classifier", "input": texts})["data"]
    for text, entry in zip(texts, entries, strict=True):
        ids = [vocabulary[token] for token in ["[CLS]", *text.split(), "[SEP]"]]
        with torch.no_grad():
            expected = torch.softmax(weights(torch.tensor([ids])).logits[0], -1).tolist()
        assert entry["probs"] == pytest.approx(expected, abs=CLOSE)
        assert entry["label"] == LABELS[expected.index(max(expected))]
        assert entry["num_classes"] == len(LABELS)
