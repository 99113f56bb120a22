"""Hooks of schemathesis: requests name what exists and take little time; and the check of responses.

A hook changes only what a JSON schema cannot say: what the store contains, what the model can do, and values that
depend on other values.
"""

import hashlib
import os
import re
import uuid

import requests
import schemathesis
from schemathesis.transport.serialization import serialize_binary

URL = os.environ["HEARTH_URL"]
KEY = os.environ["HEARTH_KEY"]
MODEL = "short"
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
# Fields that may have token ids. All vocabularies have the first ones.
TOKENS = ("context", "input", "prompt", "tokens")
MAX_TOKEN = 1000
CHAT_ID = re.compile(r"[a-z0-9][a-z0-9_-]{7,63}")
LINK = re.compile("[0-9a-f]{40}")
FILE_NAME = re.compile(r"[\w.%-]+")
DURATION = re.compile(r"-?[0-9.e+-]+(ms|s|m|h)?")
# The parts of a new model that must be files of the server or blobs of the store, and the type of weights, which must
# have been F16 or F32. Neither exists.
FILES = ("path", "files", "adapters", "draft_files", "quantize", "quantization")


def send(path, body, method="POST"):
    headers = {"Authorization": f"Bearer {KEY}"}
    response = requests.request(method, URL + path, json=body, headers=headers, timeout=60)
    response.raise_for_status()
    return response.json() if response.content else None


@schemathesis.hook
def before_call(context, case, kwargs):
    path = case.operation.path
    if path.startswith("/v1/models/"):
        name_model(case)
    elif path.startswith("/v1/responses/{id}"):
        name_response(case)
    elif path.startswith("/api/keys/{name}"):
        name_key(case)
    elif path.startswith("/api/remotes/{name}"):
        name_remote(case)
    elif path == "/api/blobs/{digest}":
        name_blob(case)
    elif path in ("/api/chats/{id}", "/api/chats/{id}/share"):
        name_chat(case)
    elif path in ("/api/shared-chats/{link}", "/api/chat-links/{link}"):
        name_link(case)
    elif path == "/api/library" and isinstance(case.body, dict):
        change_library(case.body)
    elif path == "/page/{id}":
        name_file(case)
    elif path == "/api/chats/import":
        # The API reads it as it arrives, so that no schema describes it.
        case.body = {"version": 1, "chats": [{"id": uuid.uuid4().hex, "title": str(case.body)[:100]}]}
    elif isinstance(case.body, dict):
        change_body(path, case.body)


def name_model(case):
    case.path_parameters["id"] = MODEL if case.method == "GET" else copy_model()


def copy_model():
    """The name of a model that may be deleted."""
    send("/api/copy", {"source": MODEL, "destination": "copy"})
    return "copy"


def name_response(case):
    request = {"model": MODEL, "input": "a", "max_output_tokens": 1, "background": case.operation.path.endswith("cancel")}
    case.path_parameters["id"] = send("/v1/responses", request)["id"]
    # The id of an item depends on the response.
    (case.query or {}).pop("after", None)


def name_key(case):
    """A new key: without the one of all requests, they would be refused."""
    case.path_parameters["name"] = send("/api/keys", {"name": uuid.uuid4().hex})["name"]


def name_remote(case):
    """A new one, which refuses connections."""
    name = uuid.uuid4().hex
    send("/api/remotes", {"name": name, "urls": ["http://127.0.0.1:1"]})
    case.path_parameters["name"] = name
    # It has no other endpoint.
    (case.query or {}).pop("url", None)


def name_blob(case):
    """The digest must be that of the body, or of a blob that exists."""
    if not case.path_parameters["digest"].startswith("sha256%3A"):
        return
    if case.method == "HEAD":
        content = b"{}"
        headers = {"Authorization": f"Bearer {KEY}"}
        digest = "sha256:" + hashlib.sha256(content).hexdigest()
        requests.post(f"{URL}/api/blobs/{digest}", data=content, headers=headers, timeout=60).raise_for_status()
    else:
        content = serialize_binary(case.body)
    case.path_parameters["digest"] = "sha256:" + hashlib.sha256(content).hexdigest()


def name_chat(case):
    """A conversation that is new, or exists. Its messages are a tree with different ids."""
    if not CHAT_ID.fullmatch(case.path_parameters["id"]):
        return
    case.path_parameters["id"] = uuid.uuid4().hex
    if case.method != "PUT":
        send("/api/chats/" + case.path_parameters["id"], {}, "PUT")
    elif isinstance(case.body, dict):
        for field in ("id", "revision"):
            case.body.pop(field, None)
        for message in dicts_in(case.body.get("messages")):
            message.pop("parent", None)
            if isinstance(message.get("id"), str) and message["id"] != "":
                message["id"] = uuid.uuid4().hex


def name_link(case):
    """The link of a conversation that is shared."""
    if not LINK.fullmatch(case.path_parameters["link"]):
        return
    chat = "/api/chats/" + uuid.uuid4().hex
    send(chat, {}, "PUT")
    case.path_parameters["link"] = send(chat + "/share", None)["shared_link"]


def change_library(body):
    """Its revision is the current one, and its ids differ."""
    if isinstance(body.get("revision", 0), int):
        body["revision"] = send("/api/library", None, "GET")["revision"]
    for name in ("presets", "prompts"):
        for entry in dicts_in(body.get(name)):
            if isinstance(entry.get("id"), str) and entry["id"] != "":
                entry["id"] = uuid.uuid4().hex


def name_file(case):
    """A file of the page that every build has."""
    if FILE_NAME.fullmatch(case.path_parameters["id"]):
        case.path_parameters["id"] = "icon.svg"


def change_body(path, body):
    if path == "/api/create":
        change_recipe(body)
    elif path == "/api/delete":
        for field in ("model", "name"):
            if isinstance(body.get(field), str):
                body[field] = copy_model()
    elif path == "/api/keys":
        # The name of a key must be new.
        if isinstance(body.get("name"), str) and body["name"] != "":
            body["name"] = body["name"][:20] + uuid.uuid4().hex
    elif path == "/api/pull":
        # Only a model from a package can be renamed.
        body.pop("as", None)
    elif path != "/api/push":
        change_generation(path, body)


def change_recipe(body):
    """A new model from one that exists."""
    for field, value in (("model", "made"), ("name", "made"), ("from", MODEL), ("modelfile", f"FROM {MODEL}")):
        if isinstance(body.get(field), str):
            body[field] = value
    for field in FILES:
        body.pop(field, None)


def change_generation(path, body):
    for field in ("model", "source"):
        if isinstance(body.get(field), str):
            body[field] = MODEL
    # A short time would unload the model.
    if DURATION.fullmatch(str(body.get("keep_alive"))):
        body["keep_alive"] = 300
    # The model is no reranker.
    if "rerank" in path:
        body["method"] = "cosine"
    # It has no template for insertions, and does not read images.
    body.pop("suffix", None)
    for part in [body, *dicts_in(body.get("messages"))]:
        part.pop("images", None)
    for field in TOKENS:
        if isinstance(body.get(field), list):
            body[field] = known_tokens(body[field])
    bias = body.get("logit_bias")
    if isinstance(bias, dict) and all(token.isdigit() for token in bias):
        body["logit_bias"] = {str(int(token) % MAX_TOKEN): value for token, value in bias.items()}
    choose_known_tool(body)
    shorten(body)
    body.pop("num_ctx", None)
    if isinstance(body.get("options"), dict):
        shorten(body["options"])
        # The model has no adapters.
        for name in (LOAD_OPTIONS | {"adapters"}) & body["options"].keys():
            del body["options"][name]


def dicts_in(value):
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def choose_known_tool(body):
    """The name in `tool_choice` must be that of a tool."""
    choice = body.get("tool_choice")
    names = [tool["name"] for tool in dicts_in(body.get("tools")) if isinstance(tool.get("name"), str)]
    if isinstance(choice, dict) and isinstance(choice.get("name"), str) and names:
        choice["name"] = names[0]


def known_tokens(value):
    """Token ids must be those of the model."""
    if isinstance(value, list):
        return [known_tokens(item) for item in value]
    if type(value) is bool or not isinstance(value, (int, float)) or value < 0 or value != int(value):
        return value
    return int(value) % MAX_TOKEN


def shorten(fields):
    for name in LENGTHS:
        if type(fields.get(name)) is int and not 0 < fields[name] <= MAX_LENGTH:
            fields[name] = MAX_LENGTH


@schemathesis.check
def no_unexpected_server_error(context, response, case):
    """Options of a wrong type are a server error in Ollama, too. An operation documents its other server errors."""
    documented = case.operation.definition.raw["responses"]
    if response.status_code < 500 or str(response.status_code) in documented or b'option \\"' in response.content:
        return
    raise AssertionError(f"status {response.status_code}: {response.text[:300]}")
