"""langchain-ollama: its chat model, its completion model and its embeddings."""

import pydantic
import pytest
from conftest import ANNA, IMAGE, SKY, SUM, TOOL, URL, WEATHER
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_ollama import ChatOllama, OllamaEmbeddings, OllamaLLM

GREEDY = {"base_url": URL, "temperature": 0, "seed": 1}
chat = ChatOllama(model="ember", **GREEDY, validate_model_on_init=True)


class Person(pydantic.BaseModel):
    name: str
    age: int


def test_invoke_stream_and_batch():
    answer = chat.invoke(SKY)
    assert "scatter" in answer.content and answer.usage_metadata["output_tokens"] > 5
    parts = [part.content for part in chat.stream(SKY)]
    assert len(parts) > 2 and "scatter" in "".join(parts)
    assert ["scatter" in answer.content for answer in chat.batch([SKY, SKY])] == [True, True]


@pytest.mark.anyio
async def test_asynchronous_methods():
    assert "scatter" in (await chat.ainvoke(SKY)).content
    assert "scatter" in "".join([part.content async for part in chat.astream(SKY)])
    assert len(await OllamaEmbeddings(model="ember", base_url=URL).aembed_query("a fox")) > 8
    assert "scatter" in await OllamaLLM(model="ember", **GREEDY).ainvoke(SKY)


@pytest.mark.parametrize("method", ["json_schema", "json_mode"])
def test_structured_output(method):
    assert chat.with_structured_output(Person, method=method).invoke(ANNA) == Person(name="Anna", age=31)


def test_tools():
    bound = chat.bind_tools([TOOL])
    asked = bound.invoke(WEATHER)
    (call,) = asked.tool_calls
    assert call["args"]["location"] == "Paris"
    result = ToolMessage('{"temperature": 21, "condition": "sunny"}', tool_call_id=call["id"], name=call["name"])
    assert "sunny" in bound.invoke([HumanMessage(WEATHER), asked, result]).content


def test_reasoning():
    answer = ChatOllama(model="ember-thinks", **GREEDY, reasoning=True).invoke(SUM)
    assert "42" in answer.content and answer.additional_kwargs["reasoning_content"]


def test_image():
    image = {"type": "image_url", "image_url": f"data:image/png;base64,{IMAGE}"}
    message = HumanMessage([{"type": "text", "text": "Describe the image."}, image])
    assert "red circle" in ChatOllama(model="ember-eyes", **GREEDY).invoke([message]).content


def test_completion_model():
    model = OllamaLLM(model="ember", **GREEDY)
    assert "scatter" in model.invoke(SKY)
    assert "scatter" in "".join(model.stream(SKY))
    assert len(model.generate([SKY, SKY]).generations) == 2


def test_embeddings():
    embeddings = OllamaEmbeddings(model="ember", base_url=URL)
    assert len(embeddings.embed_documents(["a fox", "a river"])) == 2
    assert len(embeddings.embed_query("a fox")) > 8


def test_an_unknown_model_is_an_error():
    with pytest.raises(ValueError, match="not found"):
        ChatOllama(model="nobody", base_url=URL, validate_model_on_init=True)
