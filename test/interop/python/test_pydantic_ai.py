"""pydantic-ai: agents with tools, objects and streams, with its models of chat, responses and messages."""

import pydantic
import pytest
from conftest import ANNA, SKY, URL, WEATHER
from pydantic_ai import Agent, NativeOutput
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

openai = OpenAIProvider(base_url=f"{URL}/v1", api_key="none")
MODELS = {
    "chat": OpenAIChatModel("ember", provider=openai),
    "responses": OpenAIResponsesModel("ember", provider=openai),
    "messages": AnthropicModel("ember", provider=AnthropicProvider(base_url=URL, api_key="none")),
}
GREEDY = {"temperature": 0, "max_tokens": 300}

pytestmark = [pytest.mark.anyio, pytest.mark.parametrize("api", MODELS)]


class Person(pydantic.BaseModel):
    name: str
    age: int


async def test_answer(api):
    result = await Agent(MODELS[api], model_settings=GREEDY).run(SKY)
    assert "scatter" in result.output and result.usage.output_tokens > 5


async def test_stream(api):
    async with Agent(MODELS[api], model_settings=GREEDY).run_stream(SKY) as stream:
        parts = [part async for part in stream.stream_text(delta=True)]
    assert "scatter" in "".join(parts)


async def test_tool(api):
    agent = Agent(MODELS[api], model_settings=GREEDY)
    asked = []

    @agent.tool_plain
    def get_current_weather(location: str) -> str:
        """Get the current weather for a location"""
        asked.append(location)
        return '{"temperature": 21, "condition": "sunny"}'

    result = await agent.run(WEATHER)
    assert asked == ["Paris"] and "sunny" in result.output


async def test_object(api):
    output = Person if api == "messages" else NativeOutput(Person)
    result = await Agent(MODELS[api], output_type=output, model_settings=GREEDY).run(ANNA)
    assert result.output == Person(name="Anna", age=31)
