"""litellm: each of its providers that can reach the server."""

import json

import litellm
import pytest
from conftest import ANNA, PERSON, SKY, TOOL, URL, WEATHER, user

PROVIDERS = {
    "ollama": {"model": "ollama/ember", "api_base": URL},
    "ollama_chat": {"model": "ollama_chat/ember", "api_base": URL},
    "openai": {"model": "openai/ember", "api_base": f"{URL}/v1", "api_key": "none"},
    "anthropic": {"model": "anthropic/ember", "api_base": URL, "api_key": "none", "max_tokens": 500},
}
each = pytest.mark.parametrize("provider", PROVIDERS)
# The prompt of the provider `ollama` has tools as a text, which is no matter of the server.
with_tools = pytest.mark.parametrize("provider", ["ollama_chat", "openai", "anthropic"])
GREEDY = {"temperature": 0, "num_retries": 0}


@each
def test_completion(provider):
    answer = litellm.completion(**PROVIDERS[provider], **GREEDY, messages=user(SKY))
    assert "scatter" in answer.choices[0].message.content and answer.usage.completion_tokens > 5


@each
def test_completion_streamed(provider):
    chunks = list(litellm.completion(**PROVIDERS[provider], **GREEDY, messages=user(SKY), stream=True))
    assert len(chunks) > 2
    assert "scatter" in "".join(chunk.choices[0].delta.content or "" for chunk in chunks)


@each
@pytest.mark.anyio
async def test_asynchronous_completion(provider):
    answer = await litellm.acompletion(**PROVIDERS[provider], **GREEDY, messages=user(SKY))
    assert "scatter" in answer.choices[0].message.content


@with_tools
def test_tools(provider):
    answer = litellm.completion(**PROVIDERS[provider], **GREEDY, messages=user(WEATHER), tools=[TOOL])
    (call,) = answer.choices[0].message.tool_calls
    assert json.loads(call.function.arguments)["location"] == "Paris"


@pytest.mark.parametrize("provider", ["ollama", "ollama_chat", "openai"])
def test_structured_output(provider):
    schema = {"type": "json_schema", "json_schema": {"name": "person", "schema": PERSON, "strict": True}}
    answer = litellm.completion(**PROVIDERS[provider], **GREEDY, messages=user(ANNA), response_format=schema)
    assert json.loads(answer.choices[0].message.content) == {"name": "Anna", "age": 31}


@pytest.mark.parametrize("provider", ["ollama", "openai"])
def test_embedding(provider):
    answer = litellm.embedding(**PROVIDERS[provider], input=["a fox", "a river"])
    assert len(answer.data) == 2 and len(answer.data[0]["embedding"]) > 8


def test_text_completion():
    answer = litellm.text_completion(**PROVIDERS["openai"], temperature=0, prompt="The sky is", max_tokens=8)
    assert answer.choices[0].text


@each
def test_an_unknown_model_is_an_error(provider):
    request = {**PROVIDERS[provider], "model": PROVIDERS[provider]["model"].replace("ember", "nobody")}
    with pytest.raises(Exception, match="not found"):
        litellm.completion(**request, messages=user(SKY))
