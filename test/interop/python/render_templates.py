# Renders chat templates with the environment of transformers' apply_chat_template. Each line of the input is a template
# with its variables, each line of the output the text or the kind of the error.

import json
import sys
from datetime import datetime

from jinja2.exceptions import TemplateError
from transformers.utils.chat_template_utils import _compile_jinja_template

now = datetime.fromtimestamp(int(sys.argv[1]) / 1000)


class Rejection(TemplateError):
    pass


def reject(message):
    raise Rejection(message)


def render(job):
    try:
        template = _compile_jinja_template(job["source"])
        template.globals["raise_exception"] = reject
        template.globals["strftime_now"] = now.strftime
        return {"text": template.render(**job["variables"])}
    except Rejection as error:
        return {"rejection": str(error)}
    except Exception as error:
        return {"fault": f"{type(error).__name__}: {error}"}


for line in sys.stdin:
    print(json.dumps(render(json.loads(line))), flush=True)
