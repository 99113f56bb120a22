"""The Berkeley suite for tool calls runs to its end, unchanged, and every call is valid by the schema of its tool.

The suite knows models by name. This name, whose requests go to /v1/chat/completions, is that of a copy here."""

import json
import os
import subprocess
import sys
from pathlib import Path

import bfcl_eval
import jsonschema
import pytest
import requests
from bfcl_eval.constants.enums import ModelStyle
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
from bfcl_eval.model_handler.utils import convert_to_tool

URL = os.environ["HEARTH_URL"]
NAME = "openbmb/MiniCPM-SALA-FC"
CATEGORIES = ["simple_python", "multiple", "parallel", "irrelevance"]
LIMIT = int(os.environ["HEARTH_BFCL_LIMIT"])
DATA = Path(bfcl_eval.__file__).parent / "data"


def read_lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def entries_of(category):
    return read_lines(DATA / f"BFCL_v4_{category}.json")[:LIMIT]


def run_suite(root, *words):
    keys = {"OPENAI_BASE_URL": f"{URL}/v1", "OPENAI_API_KEY": "any", "BFCL_PROJECT_ROOT": str(root)}
    command = [sys.executable, "-m", "bfcl_eval", *words, "--model", NAME]
    done = subprocess.run(command, env={**os.environ, **keys}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def find(root, part, category):
    (path,) = root.glob(f"{part}/**/BFCL_v4_{category}_*.json")
    return read_lines(path)


def schemas_of(entry):
    tools = convert_to_tool(entry["function"], GORILLA_TO_OPENAPI, ModelStyle.OPENAI_COMPLETIONS)
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}


def is_valid(call, schemas):
    ((name, arguments),) = call.items()
    try:
        jsonschema.validate(json.loads(arguments), schemas[name])
    except (KeyError, ValueError, jsonschema.ValidationError) as error:
        print("not valid:", call, str(error).split("\n", 1)[0])
        return False
    return True


@pytest.mark.parametrize("model", ["ember", "smollm2"])
def test_categories(model, tmp_path):
    # A model may repeat itself until its context is full.
    body = {"model": NAME, "from": model, "parameters": {"num_predict": 256}, "stream": False}
    if model == "smollm2":
        # Its own template has no tools.
        body["template"] = Path(os.environ["HEARTH_TOOL_TEMPLATE"]).read_text()
    created = requests.post(f"{URL}/api/create", json=body, timeout=300)
    assert created.status_code == 200, created.text
    ids = {category: [entry["id"] for entry in entries_of(category)] for category in CATEGORIES}
    (tmp_path / "test_case_ids_to_generate.json").write_text(json.dumps(ids))
    run_suite(tmp_path, "generate", "--run-ids", "--num-threads", "4")
    run_suite(tmp_path, "evaluate", "--test-category", ",".join(CATEGORIES), "--partial-eval")
    calls, valid = 0, 0
    for category in CATEGORIES:
        results = {line["id"]: line["result"] for line in find(tmp_path, "result", category)}
        assert len(results) == len(ids[category])
        assert "Error during inference" not in str(results)
        for entry in entries_of(category):
            result = results[entry["id"]]
            if not isinstance(result, list):
                continue
            schemas = schemas_of(entry)
            calls += len(result)
            valid += sum(is_valid(call, schemas) for call in result)
        score = find(tmp_path, "score", category)[0]
        print(f"{model}, {category}: {score['correct_count']} of {score['total_count']} right")
    print(f"{model}: {valid} of {calls} calls are valid by their schema")
    assert calls > 0 and valid == calls
