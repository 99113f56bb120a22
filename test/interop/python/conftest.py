"""What the tests of all clients share. The address of the server and the image come from the environment."""

import json
import os

import pytest

URL = os.environ["HEARTH_URL"]
REGISTRY = os.environ["REGISTRY"]
IMAGE = os.environ["IMAGE"]  # base64
TOOL = json.loads(os.environ["TOOL"])
MODELS = os.environ["MODELS"]

GREEDY = {"temperature": 0, "seed": 1}
SKY = "Why is the sky blue?"
ANNA = "Reply in JSON with keys name and age for Anna who is 31."
SUM = "What is 12 + 30?"
WEATHER = "Get the current weather for Paris in celsius."
PERSON = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "age": {"type": "integer"}},
    "required": ["name", "age"],
    "additionalProperties": False,
}


def user(content):
    return [{"role": "user", "content": content}]


@pytest.fixture(scope="session")
def anyio_backend():
    return "asyncio"
