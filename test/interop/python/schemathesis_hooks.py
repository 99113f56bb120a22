"""Hooks of schemathesis: requests name a model that exists and take little time; and the check of responses."""

import re

import schemathesis

MODEL = "short"
# These would remove or replace the model.
EXCEPT = {"/api/create", "/api/delete", "/api/pull", "/api/push"}
# The model is loaded again when one of these changes, which takes longer than thousands of requests.
LOAD_OPTIONS = {
    "num_ctx",
    "num_batch",
    "num_gpu",
    "main_gpu",
    "low_vram",
    "vocab_only",
    "use_mmap",
    "use_mlock",
    "numa",
    "num_thread",
    "kv_cache_type_k",
    "kv_cache_type_v",
}
# The lengths of answers.
LENGTHS = ("num_predict", "max_tokens", "max_completion_tokens", "max_output_tokens")
MAX_LENGTH = 4
DURATION = re.compile(r"-?[0-9.e+-]+(ms|s|m|h)?")


@schemathesis.hook
def before_call(context, case, kwargs):
    body = case.body
    if not isinstance(body, dict) or case.operation.path in EXCEPT:
        return
    for field in ("model", "source"):
        if isinstance(body.get(field), str):
            body[field] = MODEL
    # A short time would unload the model.
    if DURATION.fullmatch(str(body.get("keep_alive"))):
        body["keep_alive"] = 300
    # The model is no reranker.
    if "rerank" in case.operation.path:
        body["method"] = "cosine"
    shorten(body)
    body.pop("num_ctx", None)
    if isinstance(body.get("options"), dict):
        shorten(body["options"])
        for name in LOAD_OPTIONS & body["options"].keys():
            del body["options"][name]


def shorten(fields):
    for name in LENGTHS:
        if type(fields.get(name)) is int and not 0 < fields[name] <= MAX_LENGTH:
            fields[name] = MAX_LENGTH


@schemathesis.check
def no_unexpected_server_error(context, response, case):
    """Options of a wrong type are a server error in Ollama, too."""
    if response.status_code < 500 or b'option \\"' in response.content:
        return
    raise AssertionError(f"status {response.status_code}: {response.text[:300]}")
