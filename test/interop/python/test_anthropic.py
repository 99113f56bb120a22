"""anthropic: the methods that a local server has, and the error of the others."""

import anthropic
import pytest
from conftest import IMAGE, SKY, SUM, TOOL, URL, WEATHER, user

client = anthropic.Anthropic(base_url=URL, api_key="none", max_retries=0)
GREEDY = {"model": "ember", "max_tokens": 500, "extra_body": {"temperature": 0}}
FUNCTION = TOOL["function"]
TOOLS = [{**{key: FUNCTION[key] for key in ("name", "description")}, "input_schema": FUNCTION["parameters"]}]


def text_of(message):
    return "".join(block.text for block in message.content if block.type == "text")


def test_create():
    answer = client.messages.create(**GREEDY, messages=user(SKY))
    assert "scatter" in text_of(answer) and answer.stop_reason == "end_turn" and answer.usage.output_tokens > 5


def test_stream():
    with client.messages.stream(**GREEDY, messages=user(SKY)) as stream:
        parts = list(stream.text_stream)
        assert "".join(parts) == text_of(stream.get_final_message())
    assert len(parts) > 2
    events = [event.type for event in client.messages.create(**GREEDY, messages=user(SKY), stream=True)]
    assert (events[0], events[-1]) == ("message_start", "message_stop")


def test_tools():
    asked = client.messages.create(**GREEDY, messages=user(WEATHER), tools=TOOLS)
    assert asked.stop_reason == "tool_use"
    (call,) = [block for block in asked.content if block.type == "tool_use"]
    assert call.input["location"] == "Paris"
    result = {"type": "tool_result", "tool_use_id": call.id, "content": '{"temperature": 21, "condition": "sunny"}'}
    messages = [*user(WEATHER), {"role": "assistant", "content": asked.content}, *user([result])]
    assert "sunny" in text_of(client.messages.create(**GREEDY, messages=messages, tools=TOOLS))


def test_thinking():
    request = {**GREEDY, "model": "ember-thinks", "max_tokens": 2048, "messages": user(SUM)}
    answer = client.messages.create(**request, thinking={"type": "enabled", "budget_tokens": 1024})
    assert [block.type for block in answer.content] == ["thinking", "text"] and "42" in text_of(answer)


def test_image():
    source = {"type": "base64", "media_type": "image/png", "data": IMAGE}
    content = [{"type": "image", "source": source}, {"type": "text", "text": "Describe the image."}]
    answer = client.messages.create(**{**GREEDY, "model": "ember-eyes"}, messages=user(content))
    assert "red circle" in text_of(answer)


def test_count_tokens():
    assert client.messages.count_tokens(model="ember", messages=user(SKY)).input_tokens > 5


def test_models():
    assert "ember:latest" in [model.id for model in client.models.list()]
    assert client.models.retrieve("ember").id == "ember"


@pytest.mark.anyio
async def test_asynchronous_client():
    async with anthropic.AsyncAnthropic(base_url=URL, api_key="none", max_retries=0) as asynchronous:
        async with asynchronous.messages.stream(**GREEDY, messages=user(SKY)) as stream:
            assert "scatter" in text_of(await stream.get_final_message())


def test_errors():
    with pytest.raises(anthropic.NotFoundError):
        client.messages.create(**{**GREEDY, "model": "nobody"}, messages=user(SKY))
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**GREEDY, messages=[{"role": "nobody", "content": SKY}])
    with pytest.raises(anthropic.NotFoundError):
        client.messages.batches.list()
