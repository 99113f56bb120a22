"""smolagents: its model class, and an agent that calls a tool."""

from conftest import SKY, URL, WEATHER
from smolagents import ChatMessage, OpenAIModel, Tool
from smolagents.models import MessageRole

model = OpenAIModel(model_id="ember", api_base=f"{URL}/v1", api_key="none", temperature=0)


def question(text):
    return [ChatMessage(role=MessageRole.USER, content=[{"type": "text", "text": text}])]


class Weather(Tool):
    name = "get_current_weather"
    description = "Get the current weather for a location"
    inputs = {"location": {"type": "string", "description": "The city"}}
    output_type = "string"

    def forward(self, location: str) -> str:
        return f"sunny in {location}"


def test_answer():
    answer = model.generate(question(SKY))
    assert "scatter" in answer.content
    assert answer.token_usage.output_tokens > 5 and answer.token_usage.input_tokens > 5


def test_stream():
    parts = list(model.generate_stream(question(SKY)))
    assert "scatter" in "".join(part.content or "" for part in parts)


def test_tool_call():
    answer = model.generate(question(WEATHER), tools_to_call_from=[Weather()])
    (call,) = answer.tool_calls
    assert call.function.name == "get_current_weather" and "Paris" in str(call.function.arguments)
