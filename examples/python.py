"""The API with urllib, on Python 3.9 or later and without dependencies.

    python3 examples/python.py [address]
"""

import json
import sys
import urllib.error
import urllib.request

SERVER = sys.argv[1] if len(sys.argv) > 1 else "http://127.0.0.1:11434"
MODEL = "ember"
# At temperature 0 the model always chooses the most likely token, so the output is the same every time.
OPTIONS = {"temperature": 0}

WEATHER_TOOL = {
    "type": "function",
    "function": {
        "name": "get_current_weather",
        "description": "Get the current weather for a location",
        "parameters": {
            "type": "object",
            "properties": {"location": {"type": "string", "description": "The location to get the weather for"}},
            "required": ["location"],
        },
    },
}


def send(path, body=None):
    """Returns a response to read lines from. With a body it sends POST, otherwise GET."""
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(SERVER + path, data, {"Content-Type": "application/json"})
    try:
        return urllib.request.urlopen(request)
    except urllib.error.HTTPError as error:
        raise SystemExit(f"{path}: status {error.code}: {error.read().decode()}") from error


def ask(path, body=None):
    with send(path, body) as response:
        return json.load(response)


def list_models():
    for model in ask("/api/tags")["models"]:
        print(model["name"])


def generate():
    with send("/api/generate", {"model": MODEL, "prompt": "Why is the sky blue?", "options": OPTIONS}) as response:
        for line in response:
            part = json.loads(line)
            # The status is sent before the first object. An error after that is the last object of the stream.
            if "error" in part:
                raise SystemExit(part["error"])
            print(part["response"], end="", flush=True)
    print()


def run_tool(call):
    function = call["function"]
    print(f"{function['name']}: {function['arguments']['location']}")
    return json.dumps({"temperature": 18, "condition": "sunny"})


def chat_with_tool():
    messages = [{"role": "user", "content": "Get the current weather for Paris in celsius."}]
    request = {"model": MODEL, "messages": messages, "tools": [WEATHER_TOOL], "stream": False, "options": OPTIONS}
    message = ask("/api/chat", request)["message"]
    if "tool_calls" not in message:
        raise SystemExit(f"the model did not call the tool: {message['content']}")
    messages.append(message)
    # Hearth does not run tools. The program does, and sends the results back.
    for call in message["tool_calls"]:
        messages.append({"role": "tool", "tool_name": call["function"]["name"], "content": run_tool(call)})
    print(ask("/api/chat", request)["message"]["content"])


def embed():
    query = "The sky is blue."
    texts = ["Paris is the capital of France.", "The sea is blue.", "2 + 2 = 4"]
    query_vector, *vectors = ask("/api/embed", {"model": MODEL, "input": [query, *texts]})["embeddings"]
    # The vectors have length 1, so the dot product is the cosine of the angle between them.
    scores = [sum(a * b for a, b in zip(query_vector, vector)) for vector in vectors]
    closest = texts[scores.index(max(scores))]
    print(f'closest to "{query}": "{closest}"')


def complete_with_openai():
    messages = [{"role": "user", "content": "What is the capital of France?"}]
    body = {"model": MODEL, "messages": messages, "temperature": 0, "stream": True}
    with send("/v1/chat/completions", body) as response:
        for line in response:
            data = line.decode().strip()
            if data in ("", "data: [DONE]"):
                continue
            chunk = json.loads(data[len("data: ") :])
            if "error" in chunk:
                raise SystemExit(chunk["error"]["message"])
            print(chunk["choices"][0]["delta"].get("content", ""), end="", flush=True)
    print()


if __name__ == "__main__":
    print("== Models")
    list_models()
    print("\n== Generate")
    generate()
    print("\n== Chat with a tool")
    chat_with_tool()
    print("\n== Embeddings")
    embed()
    print("\n== OpenAI dialect")
    complete_with_openai()
