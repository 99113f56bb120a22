"""ollama: every method of the client and of the asynchronous client."""

import hashlib
import inspect
import pathlib

import ollama
import pytest
from conftest import ANNA, GREEDY, IMAGE, MODELS, PERSON, REGISTRY, SKY, SUM, TOOL, URL, WEATHER, user

client = ollama.Client(URL)


def test_every_method_has_a_test():
    source = pathlib.Path(__file__).read_text()
    # Requests to ollama.com, a model family of its own, and what sends nothing.
    others = {"web_search", "web_fetch", "systemone", "close"}
    methods = [name for name, _ in inspect.getmembers(ollama.Client, inspect.isfunction) if not name.startswith("_")]
    for cls in ("client", "asynchronous"):
        missing = [name for name in methods if f"{cls}.{name}(" not in source and name not in others]
        assert missing == []


def test_generate():
    assert "scatter" in client.generate("ember", SKY, options=GREEDY).response
    parts = list(client.generate("ember", SKY, options=GREEDY, stream=True))
    assert len(parts) > 2 and parts[-1].done
    assert "scatter" in "".join(part.response for part in parts)


def test_chat():
    answer = client.chat("ember", user(SKY), options=GREEDY)
    assert "scatter" in answer.message.content and answer.done_reason == "stop" and answer.eval_count > 5
    parts = list(client.chat("ember", user(SKY), options=GREEDY, stream=True))
    assert "scatter" in "".join(part.message.content for part in parts)


def test_chat_with_format_thinking_image_and_logprobs():
    structured = client.chat("ember", user(ANNA), options=GREEDY, format=PERSON).message.content
    assert '"Anna"' in structured and "31" in structured
    thought = client.chat("ember-thinks", user(SUM), options=GREEDY, think=True).message
    assert thought.thinking and "42" in thought.content
    seen = [{"role": "user", "content": "Describe the image.", "images": [IMAGE]}]
    assert "red circle" in client.chat("ember-eyes", seen, options=GREEDY).message.content
    measured = client.chat("ember", user(SKY), options=GREEDY, logprobs=True, top_logprobs=2)
    assert len(measured.logprobs) > 5 and len(measured.logprobs[0].top_logprobs) == 2


def get_current_weather(location: str, format: str) -> str:
    """Get the current weather for a location

    Args:
        location: The location to get the weather for
        format: The format to return the weather in
    """
    return '{"temperature": 21, "condition": "sunny"}'


@pytest.mark.parametrize("tool", [TOOL, get_current_weather], ids=["schema", "function"])
def test_tools(tool):
    asked = client.chat("ember", user(WEATHER), options=GREEDY, tools=[tool]).message
    (call,) = asked.tool_calls
    assert call.function.name == "get_current_weather" and call.function.arguments["location"] == "Paris"
    result = {"role": "tool", "tool_name": call.function.name, "content": get_current_weather("Paris", "celsius")}
    answer = client.chat("ember", [*user(WEATHER), asked, result], options=GREEDY, tools=[tool])
    assert "sunny" in answer.message.content


def test_embeddings():
    vectors = client.embed("ember", ["a fox", "a river"]).embeddings
    assert len(vectors) == 2 and len(vectors[0]) > 8
    assert len(client.embed("ember", "a fox", dimensions=8).embeddings[0]) == 8
    assert len(client.embeddings("ember", "a fox").embedding) > 8


def test_models():
    assert client.create("bill", from_="ember", system="You are a pirate named Bill.").status == "success"
    assert "pirate named Bill" in client.show("bill").modelfile
    client.copy("bill", "bill2")
    names = [model.model for model in client.list().models]
    assert "bill:latest" in names and "bill2:latest" in names
    assert client.delete("bill").status == "success"
    assert client.generate("bill2").done_reason == "load"
    assert all(model.size > 0 and model.context_length > 0 for model in client.ps().models) and client.ps().models
    with pytest.raises(ollama.ResponseError) as error:
        client.show("bill")
    assert error.value.status_code == 404


def test_blob():
    path = pathlib.Path(MODELS, "ember-q4_k_m.gguf")
    digest = client.create_blob(path)
    assert digest == f"sha256:{hashlib.sha256(path.read_bytes()).hexdigest()}"
    assert client.create("uploaded", files={"ember.gguf": digest}).status == "success"


def test_push_and_pull():
    name = f"{REGISTRY}/team/python"
    client.copy("ember", name)
    assert [*client.push(name, insecure=True, stream=True)][-1].status == "success"
    assert client.push(name, insecure=True).status == "success"
    client.delete(name)
    assert [*client.pull(name, insecure=True, stream=True)][-1].status == "success"
    assert client.pull(name, insecure=True).status == "success"


@pytest.mark.anyio
async def test_asynchronous_client():
    asynchronous = ollama.AsyncClient(URL)
    assert "scatter" in (await asynchronous.generate("ember", SKY, options=GREEDY)).response
    stream = await asynchronous.chat("ember", user(SKY), options=GREEDY, stream=True)
    assert "scatter" in "".join([part.message.content async for part in stream])
    assert len((await asynchronous.embed("ember", "a fox")).embeddings) == 1
    assert len((await asynchronous.embeddings("ember", "a fox")).embedding) > 8
    assert (await asynchronous.create("ann", from_="ember", system="You are Ann.")).status == "success"
    await asynchronous.copy("ann", f"{REGISTRY}/team/ann")
    assert (await asynchronous.push(f"{REGISTRY}/team/ann", insecure=True)).status == "success"
    assert (await asynchronous.pull(f"{REGISTRY}/team/ann", insecure=True)).status == "success"
    assert "You are Ann." in (await asynchronous.show("ann")).modelfile
    assert (await asynchronous.delete("ann")).status == "success"
    assert (await asynchronous.list()).models and (await asynchronous.ps()).models
    assert (await asynchronous.create_blob(pathlib.Path(MODELS, "ember.template"))).startswith("sha256:")
