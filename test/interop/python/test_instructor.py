"""instructor: objects of a class, in its modes."""

import instructor
import openai
import pydantic
import pytest
from conftest import ANNA, URL, user

client = openai.OpenAI(base_url=f"{URL}/v1", api_key="none", max_retries=0)
GREEDY = {"model": "ember", "temperature": 0, "max_retries": 0}


class Person(pydantic.BaseModel):
    name: str
    age: int


@pytest.mark.parametrize("mode", [instructor.Mode.TOOLS, instructor.Mode.JSON, instructor.Mode.JSON_SCHEMA])
def test_object(mode):
    person = instructor.from_openai(client, mode=mode).chat.completions.create(
        **GREEDY, messages=user(ANNA), response_model=Person
    )
    # An instance of a subclass.
    assert person.model_dump() == {"name": "Anna", "age": 31}


def test_partial_objects():
    structured = instructor.from_openai(client, mode=instructor.Mode.JSON_SCHEMA)
    people = list(structured.chat.completions.create_partial(**GREEDY, messages=user(ANNA), response_model=Person))
    assert people[-1].model_dump() == {"name": "Anna", "age": 31}
