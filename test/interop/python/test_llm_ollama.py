"""llm-ollama: the plugin, used through the library and the command `llm`."""

import base64
import os
import subprocess
import sys

import llm
import pydantic
import pytest
from conftest import ANNA, IMAGE, SKY, SUM, URL, WEATHER

os.environ["OLLAMA_HOST"] = URL
GREEDY = {"temperature": 0, "seed": 1}


class Person(pydantic.BaseModel):
    name: str
    age: int


def test_prompt_and_stream():
    model = llm.get_model("ollama/ember")
    assert "scatter" in model.prompt(SKY, **GREEDY, stream=False).text()
    parts = list(model.prompt(SKY, **GREEDY))
    assert len(parts) > 2 and "scatter" in "".join(parts)


def test_conversation():
    conversation = llm.get_model("ollama/ember").conversation()
    conversation.prompt("My name is Anna.", **GREEDY).text()
    assert "Anna" in conversation.prompt("What is my name?", **GREEDY).text()


def test_schema_and_image():
    text = llm.get_model("ollama/ember").prompt(ANNA, **GREEDY, schema=Person).text()
    assert Person.model_validate_json(text) == Person(name="Anna", age=31)
    image = llm.Attachment(type="image/png", content=base64.b64decode(IMAGE))
    seen = llm.get_model("ollama/ember-eyes").prompt("Describe the image.", **GREEDY, attachments=[image])
    assert "red circle" in seen.text()


def get_current_weather(location: str, format: str) -> str:
    """Get the current weather for a location"""
    return '{"temperature": 21, "condition": "sunny"}'


def test_tools():
    chain = llm.get_model("ollama/ember").chain(WEATHER, tools=[get_current_weather], options=GREEDY)
    assert "sunny" in chain.text()


def test_thinking():
    assert "42" in llm.get_model("ollama/ember-thinks").prompt(SUM, **GREEDY, think=True).text()


def test_only_embedding_models_are_offered_for_embeddings():
    with pytest.raises(llm.UnknownModelError):
        llm.get_embedding_model("ollama/ember")


@pytest.mark.anyio
async def test_asynchronous_model():
    response = llm.get_async_model("ollama/ember").prompt(SKY, **GREEDY)
    assert "scatter" in await response.text()


def test_command():
    def run(*words):
        return subprocess.run([sys.executable, "-m", "llm", *words], capture_output=True, text=True, check=True).stdout

    assert "ollama/ember" in run("models")
    assert "ember:latest" in run("ollama", "models")
    assert "scatter" in run("-m", "ollama/ember", "-o", "temperature", "0", SKY)
