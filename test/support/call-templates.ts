// Jinja templates that write calls as each family of models does. They have the marks of their family and nothing else.

const each = (body: string): string =>
  `{% for message in messages %}{% if message.tool_calls %}{% for call in message.tool_calls %}{% set f = call.function %}${body}{% endfor %}{% else %}[{{ message.content }}]{% endif %}{% endfor %}{{ tools and '' }}`;
const listed = (open: string, body: string, close: string): string =>
  `{% for message in messages %}{% if message.tool_calls %}${open}{% for call in message.tool_calls %}{% set f = call.function %}${body}{{ '' if loop.last else ', ' }}{% endfor %}${close}{% else %}[{{ message.content }}]{% endif %}{% endfor %}{{ tools and '' }}`;
const json = (name: string, args: string): string =>
  `{"${name}": "{{ f.name }}", "${args}": {{ f.arguments | tojson }}}`;
const python =
  '{{ f.name }}({% for k, v in f.arguments.items() %}{{ k }}={{ v | tojson }}{{ "" if loop.last else ", " }}{% endfor %})';
const bare = (quote: string): string =>
  `{% for k, v in f.arguments.items() %}{{ k }}:{% if v is string %}{{ '${quote}' + v + '${quote}' }}{% else %}{{ v | tojson }}{% endif %}{{ "" if loop.last else "," }}{% endfor %}`;
const text = '{{ v if v is string else v | tojson }}';

const dsml = (tag: string): string =>
  listed(
    `<｜DSML｜${tag}>\n`,
    `<｜DSML｜invoke name="{{ f.name }}">\n{% for k, v in f.arguments.items() %}<｜DSML｜parameter name="{{ k }}" string="{{ 'true' if v is string else 'false' }}">${text}</｜DSML｜parameter>\n{% endfor %}</｜DSML｜invoke>\n`,
    `</｜DSML｜${tag}>`,
  ).replace("', '", "''");

/** By the names of the families. */
export const callTemplates: Readonly<Record<string, string>> = {
  'gpt-oss': each(
    "{{ '<|start|>assistant to=functions.' + f.name + '<|channel|>commentary json<|message|>' + (f.arguments | tojson) + '<|call|>' }}",
  ),
  'qwen3-coder': each(
    `<tool_call>\n<function={{ f.name }}>\n{% for k, v in f.arguments.items() %}<parameter={{ k }}>\n${text}\n</parameter>\n{% endfor %}</function>\n</tool_call>\n`,
  ),
  'glm-4.5': each(
    `<tool_call>{{ f.name }}\n{% for k, v in f.arguments.items() %}<arg_key>{{ k }}</arg_key>\n<arg_value>${text}</arg_value>\n{% endfor %}</tool_call>`,
  ),
  'deepseek-r1': listed(
    '<｜tool▁calls▁begin｜>',
    "{{ '<｜tool▁call▁begin｜>function<｜tool▁sep｜>' + f.name + '\n```json\n' + f['arguments'] + '\n```<｜tool▁call▁end｜>' }}",
    '<｜tool▁calls▁end｜>',
  ),
  'deepseek-v3.1': listed(
    '<｜tool▁calls▁begin｜>',
    '<｜tool▁call▁begin｜>{{ f.name }}<｜tool▁sep｜>{{ f.arguments | tojson }}<｜tool▁call▁end｜>',
    '<｜tool▁calls▁end｜>',
  ),
  functiongemma: each(`<start_function_call>call:{{ f.name }}{{ '{' }}${bare('<escape>')}{{ '}' }}<end_function_call>`),
  gemma4: each(`<|tool_call>call:{{ f.name }}{{ '{' }}${bare('<|"|>')}{{ '}' }}<tool_call|>`),
  olmo3: listed('<function_calls>', `${python}\n`, '</function_calls>').replace("', '", "''"),
  lfm2: listed('<|tool_call_start|>[', python, ']<|tool_call_end|>'),
  gemma3: listed('```tool_code\n', `${python}\n`, '```').replace("', '", "''"),
  'command-r7b': listed(
    '<|START_ACTION|>[',
    `{"tool_call_id": "0", "tool_name": "{{ f.name }}", "parameters": {{ f.arguments | tojson }}}`,
    ']<|END_ACTION|>',
  ),
  'command-r': listed('Action: ```json\n[', json('tool_name', 'parameters'), ']\n```'),
  'mistral-arguments': each('[TOOL_CALLS]{{ f.name }}[ARGS]{{ f.arguments | tojson }}'),
  mistral: listed('[TOOL_CALLS] [', json('name', 'arguments'), ']'),
  apertus: listed('<|tools_prefix|>[', '{"{{ f.name }}": {{ f.arguments | tojson }}}', ']<|tools_suffix|>'),
  'nemotron-nano-v2': listed('<TOOLCALL>[', json('name', 'arguments'), ']</TOOLCALL>'),
  hermes: each(`<tool_call>\n${json('name', 'arguments')}\n</tool_call>\n`),
  'seed-oss': each(
    `<seed:tool_call>\n<function={{ f.name }}>\n{% for k, v in f.arguments.items() %}<parameter={{ k }}>${text}</parameter>\n{% endfor %}</function>\n</seed:tool_call>\n`,
  ),
  'minimax-m2': listed(
    '<minimax:tool_call>\n',
    `<invoke name="{{ f.name }}">\n{% for k, v in f.arguments.items() %}<parameter name="{{ k }}">${text}</parameter>\n{% endfor %}</invoke>\n`,
    '</minimax:tool_call>',
  ).replace("', '", "''"),
  'minimax-m3': listed(
    "{{ ']<]minimax[>[' }}<tool_call>\n",
    `{{ ']<]minimax[>[' }}<invoke name="{{ f.name }}">{% for k, v in f.arguments.items() %}{{ ']<]minimax[>[' }}<{{ k }}>${text}{{ ']<]minimax[>[' }}</{{ k }}>{% endfor %}{{ ']<]minimax[>[' }}</invoke>\n`,
    "{{ ']<]minimax[>[' }}</tool_call>",
  ).replace("', '", "''"),
  minicpm5: each(
    '<function name="{{ f.name }}">{% for k, v in f.arguments.items() %}<param name="{{ k }}">{{ v }}</param>{% endfor %}</function>\n',
  ),
  'kimi-k3': `${listed(
    '<|open|>response<|sep|><|close|>response<|sep|><|open|>tools<|sep|>',
    `<|open|>call tool="{{ f.name }}" index="{{ loop.index }}"<|sep|>{% for k, v in f.arguments.items() %}<|open|>argument key="{{ k }}" type="{{ 'boolean' if v is boolean else 'number' if v is number else 'string' }}"<|sep|>${text}<|close|>argument<|sep|>{% endfor %}<|close|>call<|sep|>`,
    '<|close|>tools<|sep|>',
  ).replace("', '", "''")}{{ '<|end_of_msg|>'[:0] }}`,
  solar: listed(
    '<|tool_calls|>',
    '<|tool_call:begin|>a1b2c3d4e{{ loop.index }}<|tool_call:name|>{{ f.name }}<|tool_call:args|>{{ f.arguments | tojson }}<|tool_call:end|>',
    '<|calls|>',
  ).replace("', '", "''"),
  'gigachat-3.1': `{{ '<|role_sep|>'[:0] }}${each(`<|function_call|>${json('name', 'arguments')}`)}`,
  'gigachat-3': each(`<|message_sep|>\n\nfunction call<|role_sep|>\n${json('name', 'arguments')}`),
  'deepseek-v3.2': dsml('function_calls'),
  'deepseek-v4': dsml('tool_calls'),
  'hunyuan-3': listed(
    '<tool_calls:opensource>\n',
    `<tool_call:opensource>{{ f.name }}<tool_sep:opensource>\n{% for k, v in f.arguments.items() %}<arg_key:opensource>{{ k }}</arg_key:opensource>\n<arg_value:opensource>${text}</arg_value:opensource>\n{% endfor %}</tool_call:opensource>\n`,
    '</tool_calls:opensource>',
  ).replace("', '", "''"),
  'kimi-k2': listed(
    '<|tool_calls_section_begin|>',
    '<|tool_call_begin|>functions.{{ f.name }}:{{ loop.index0 }}<|tool_call_argument_begin|>{{ f.arguments | tojson }}<|tool_call_end|>',
    '<|tool_calls_section_end|>',
  ).replace("', '", "''"),
  'lfm2-tools': `{{ '<|im_start|>List of tools: '[:0] }}${listed("{{ '<|tool_call' ~ '_start|>[' }}", python, ']<|tool_call_end|>')}`,
  'hunyuan-a13b': listed('<tool_calls>[', json('name', 'arguments'), ']</tool_calls>'),
  'minimax-m1': listed('<tool_calls>\n', `${json('name', 'arguments')}\n`, '</tool_calls>').replace("', '", "''"),
  'llama4-python': `{{ '<|header_start|>[func_name1('[:0] }}${listed('[', python, ']')}`,
  llama4: each(`{{ '<|header_start|>'[:0] }}${json('name', 'parameters')}`),
  // The first mark is a part of the prompt.
  'functionary-3.2': `{{ '>>>all'[:0] }}${listed('', '{{ f.name }}\n{{ f.arguments | tojson }}', '').replace("', '", "'>>>'")}`,
  firefunction: listed('functools[', json('name', 'arguments'), ']'),
  functionary: each('<function={{ f.name }}>{{ f.arguments | tojson }}</function>'),
  'phi-4-mini': listed('<|tool_call|>[', json('name', 'arguments'), ']<|/tool_call|>'),
  granite: listed('<|tool_call|>[', json('name', 'arguments'), ']'),
  llama3: each(`{{ '<|start_header_id|>'[:0] }}${json('name', 'parameters')}`),
};
