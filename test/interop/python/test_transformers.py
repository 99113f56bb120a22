"""Log likelihoods and classes through the API are those of transformers for the same checkpoints, which it writes in F32."""

import hashlib

import pytest
import requests
import torch
from conftest import URL
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    LlamaConfig,
    LlamaForCausalLM,
    PreTrainedTokenizerFast,
)

TEXT = "The harbor opens at five. First come the fishing boats, then at eight the ferry; on Sundays there is none. "
LABELS = {0: "calm", 1: "joy", 2: "anger"}


def create(name, folder):
    files = {}
    for path in sorted(folder.iterdir()):
        data = path.read_bytes()
        digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
        assert requests.post(f"{URL}/api/blobs/{digest}", data=data, timeout=60).status_code in (200, 201)
        files[path.name] = digest
    body = {"model": name, "files": files, "stream": False}
    answer = requests.post(f"{URL}/api/create", json=body, timeout=300)
    assert answer.status_code == 200, answer.text
    return requests.post(f"{URL}/api/show", json={"model": name}, timeout=60).json()


@pytest.fixture(scope="module")
def llama(tmp_path_factory):
    torch.manual_seed(20_262)
    folder = tmp_path_factory.mktemp("llama")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=320, special_tokens=["<s>", "</s>"], initial_alphabet=alphabet)
    tokenizer.train_from_iterator([TEXT * 20], trainer)
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>").save_pretrained(folder)
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3, "num_attention_heads": 4}
    size = tokenizer.get_vocab_size()
    config = LlamaConfig(vocab_size=size, num_key_value_heads=2, max_position_embeddings=512, **shape)
    config.bos_token_id, config.eos_token_id = 0, 1
    model = LlamaForCausalLM(config).float().eval()
    # Random weights have nearly equal logits.
    with torch.no_grad():
        model.lm_head.weight.mul_(40)
    model.save_pretrained(folder)
    shown = create("tiny-llama", folder)
    assert shown["details"]["quantization_level"] == "F32"
    return model, tokenizer


def likelihoods_of(model, ids):
    with torch.no_grad():
        logits = model(torch.tensor([ids])).logits[0].float()
    return torch.log_softmax(logits[:-1], -1).gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()


def test_log_probabilities_of_a_prompt(llama):
    model, tokenizer = llama
    ids = tokenizer.encode(TEXT * 3).ids
    body = {"model": "tiny-llama", "prompt": ids, "max_tokens": 0, "echo": True, "logprobs": 0}
    answer = requests.post(f"{URL}/v1/completions", json=body, timeout=60).json()
    first, *ours = answer["choices"][0]["logprobs"]["token_logprobs"]
    theirs = likelihoods_of(model, ids)
    assert first is None and len(ours) == len(theirs) > 50
    assert max(theirs) - min(theirs) > 1
    largest = max(abs(a - b) for a, b in zip(ours, theirs, strict=True))
    print(f"largest difference of {len(ours)} log probabilities: {largest:.2e}")
    assert largest < 1e-3


def test_scores_of_continuations(llama):
    model, tokenizer = llama
    context = tokenizer.encode(TEXT).ids
    continuations = [tokenizer.encode(text).ids for text in ("On Sundays", "The ferry comes", "boats")]
    body = {"model": "tiny-llama", "context": context, "continuations": continuations}
    scores = requests.post(f"{URL}/api/score", json=body, timeout=60).json()["scores"]
    for continuation, score in zip(continuations, scores, strict=True):
        expected = sum(likelihoods_of(model, context + continuation)[len(context) - 1 :])
        assert score["log_likelihood"] == pytest.approx(expected, abs=1e-3)


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
    model = BertForSequenceClassification(config).float().eval()
    with torch.no_grad():
        model.classifier.weight.mul_(20)
    model.save_pretrained(tmp_path)
    create("tiny-classifier", tmp_path)
    texts = ["the cat sits on the mat", "a small red dog runs", "green tree"]
    answer = requests.post(f"{URL}/classify", json={"model": "tiny-classifier", "input": texts}, timeout=60).json()
    for text, entry in zip(texts, answer["data"], strict=True):
        ids = [vocabulary[token] for token in ["[CLS]", *text.split(), "[SEP]"]]
        with torch.no_grad():
            expected = torch.softmax(model(torch.tensor([ids])).logits[0], -1).tolist()
        assert entry["probs"] == pytest.approx(expected, abs=1e-3)
        assert entry["label"] == LABELS[expected.index(max(expected))]
        assert entry["num_classes"] == 3
