"""openai: the methods that a local server has, and the error of the others."""

import openai
import pydantic
import pytest
from conftest import ANNA, IMAGE, SKY, SUM, TOOL, URL, WEATHER, user

client = openai.OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
GREEDY = {"model": "ember", "temperature": 0, "seed": 1}


class Person(pydantic.BaseModel):
    name: str
    age: int


def test_chat():
    answer = client.chat.completions.create(**GREEDY, messages=user(SKY), logprobs=True, top_logprobs=2)
    assert "scatter" in answer.choices[0].message.content and answer.choices[0].finish_reason == "stop"
    assert answer.usage.completion_tokens > 5 and len(answer.choices[0].logprobs.content[0].top_logprobs) == 2


def test_chat_streamed():
    options = {"stream": True, "stream_options": {"include_usage": True}}
    chunks = list(client.chat.completions.create(**GREEDY, messages=user(SKY), **options))
    assert "scatter" in "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert chunks[-1].usage.total_tokens > 5
    with client.chat.completions.stream(**GREEDY, messages=user(SKY)) as stream:
        assert "scatter" in stream.get_final_completion().choices[0].message.content


def test_parse():
    answer = client.chat.completions.parse(**GREEDY, messages=user(ANNA), response_format=Person)
    assert answer.choices[0].message.parsed == Person(name="Anna", age=31)


def test_tools():
    asked = client.chat.completions.create(**GREEDY, messages=user(WEATHER), tools=[TOOL]).choices[0]
    assert asked.finish_reason == "tool_calls"
    (call,) = asked.message.tool_calls
    assert "Paris" in call.function.arguments
    result = {"role": "tool", "tool_call_id": call.id, "content": '{"temperature": 21, "condition": "sunny"}'}
    messages = [*user(WEATHER), asked.message, result]
    answer = client.chat.completions.create(**GREEDY, messages=messages, tools=[TOOL])
    assert "sunny" in answer.choices[0].message.content


def test_image():
    content = [
        {"type": "text", "text": "Describe the image."},
        {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{IMAGE}"}},
    ]
    answer = client.chat.completions.create(**{**GREEDY, "model": "ember-eyes"}, messages=user(content))
    assert "red circle" in answer.choices[0].message.content


def test_reasoning():
    request = {**GREEDY, "model": "ember-thinks", "messages": user(SUM), "reasoning_effort": "low"}
    assert "42" in client.chat.completions.create(**request).choices[0].message.content


def test_completions():
    answer = client.completions.create(**GREEDY, prompt="The sky is", max_tokens=8, logprobs=2)
    assert answer.choices[0].text and answer.usage.completion_tokens <= 8
    assert list(client.completions.create(**GREEDY, prompt="The sky is", max_tokens=8, stream=True))


def test_embeddings():
    # The client asks for base64 and decodes it, unless a format is given.
    decoded = client.embeddings.create(model="ember", input=["a fox", "a river"]).data
    plain = client.embeddings.create(model="ember", input=["a fox", "a river"], encoding_format="float").data
    assert len(decoded) == 2
    assert decoded[0].embedding == pytest.approx(plain[0].embedding, abs=1e-6)


def test_models():
    assert "ember:latest" in [model.id for model in client.models.list()]
    assert client.models.retrieve("ember").id == "ember"
    raw = client.models.with_raw_response.list()
    assert raw.headers["content-type"].startswith("application/json")


RESPONSE = {"model": "ember", "temperature": 0}


def test_responses():
    response = client.responses.create(**RESPONSE, input=SKY)
    assert "scatter" in response.output_text and response.status == "completed"
    assert client.responses.retrieve(response.id).output_text == response.output_text
    assert [item.type for item in client.responses.input_items.list(response.id)] == ["message"]
    assert client.responses.input_tokens.count(model="ember", input=SKY).input_tokens == response.usage.input_tokens
    client.responses.delete(response.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(response.id)
    with client.responses.stream(**RESPONSE, input=SKY) as stream:
        assert "scatter" in stream.get_final_response().output_text
    parsed = client.responses.parse(**RESPONSE, input=ANNA, text_format=Person)
    assert parsed.output_parsed == Person(name="Anna", age=31)


def test_a_response_in_the_background_is_cancelled():
    started = client.responses.create(**RESPONSE, input=SKY, background=True)
    assert client.responses.cancel(started.id).status in ("cancelled", "completed")


@pytest.mark.anyio
async def test_asynchronous_client():
    async with openai.AsyncOpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0) as asynchronous:
        stream = await asynchronous.chat.completions.create(**GREEDY, messages=user(SKY), stream=True)
        assert "scatter" in "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


def test_errors():
    with pytest.raises(openai.NotFoundError):
        client.chat.completions.create(model="nobody", messages=user(SKY))
    with pytest.raises(openai.BadRequestError):
        client.chat.completions.create(model="ember", messages=user(SKY), temperature="hot")


@pytest.mark.parametrize(
    "call",
    [
        lambda: client.images.generate(prompt=SKY),
        lambda: client.moderations.create(input=SKY),
        lambda: client.fine_tuning.jobs.list(),
        lambda: client.vector_stores.list(),
        lambda: client.audio.speech.create(model="ember", voice="alloy", input=SKY),
    ],
)
def test_what_a_local_server_does_not_have_is_not_found(call):
    with pytest.raises(openai.NotFoundError):
        call()


def test_files_and_batches_are_listed():
    assert list(client.files.list()) == []
    assert list(client.batches.list()) == []
