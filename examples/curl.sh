#!/bin/sh
# The API with curl 7.76 or later. Prints the responses as they are.
#
#   sh examples/curl.sh [address]

set -eu

server=${1:-http://127.0.0.1:11434}

# Sends standard input as the body. --no-buffer prints the objects of a stream as they arrive.
post() {
  curl --silent --show-error --fail-with-body --no-buffer --data-binary @- "$server$1"
}

echo '== Models'
curl --silent --show-error --fail-with-body "$server/api/tags"
echo

echo
echo '== Generate'
post /api/generate <<'END'
{"model": "ember", "prompt": "Why is the sky blue?", "options": {"temperature": 0}}
END

echo
echo '== Chat with a tool'
question='{"role": "user", "content": "Get the current weather for Paris in celsius."}'
tools='[{
  "type": "function",
  "function": {
    "name": "get_current_weather",
    "description": "Get the current weather for a location",
    "parameters": {
      "type": "object",
      "properties": {"location": {"type": "string", "description": "The location to get the weather for"}},
      "required": ["location"]
    }
  }
}]'

reply=$(post /api/chat <<END
{"model": "ember", "messages": [$question], "tools": $tools, "stream": false, "options": {"temperature": 0}}
END
)
printf '%s\n' "$reply"

location=$(printf '%s\n' "$reply" | sed -n 's/.*"name":"get_current_weather","arguments":{"location":"\([^"]*\)"}.*/\1/p')
if [ -z "$location" ]; then
  echo 'the model did not call the tool' >&2
  exit 1
fi

# Hearth does not run tools. The program does, and sends the result back after the call.
call='{"function": {"name": "get_current_weather", "arguments": {"location": "'$location'"}}}'
post /api/chat <<END
{
  "model": "ember",
  "messages": [
    $question,
    {"role": "assistant", "content": "", "tool_calls": [$call]},
    {"role": "tool", "tool_name": "get_current_weather", "content": "{\"temperature\": 18, \"condition\": \"sunny\"}"}
  ],
  "tools": $tools,
  "stream": false,
  "options": {"temperature": 0}
}
END
echo

echo
echo '== Embeddings'
post /api/embed <<'END'
{"model": "ember", "input": ["The sky is blue.", "The sea is blue."]}
END
echo

echo
echo '== OpenAI dialect'
post /v1/chat/completions <<'END'
{
  "model": "ember",
  "messages": [{"role": "user", "content": "What is the capital of France?"}],
  "temperature": 0,
  "stream": true
}
END
