// The families of models: each is recognized by its template, and the calls that the template writes are read again. The
// templates have the marks of their family and nothing else.

import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/time/clock.ts';
import { createHarmonyParser } from '../harmony/harmony-parser.ts';
import { createJinjaRenderer } from '../jinja/jinja-renderer.ts';
import type { Message } from '../message.ts';
import { createJinjaPromptTemplate } from '../prompt-template.ts';
import { callFamilies, recognizeFamily } from './call-families.ts';
import type { CallSyntax } from './call-syntax.ts';
import { createToolCallParser } from './tool-call-parser.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);

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

const templates: Readonly<Record<string, string>> = {
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
  functionary: each('<function={{ f.name }}>{{ f.arguments | tojson }}</function>'),
  'phi-4-mini': listed('<|tool_call|>[', json('name', 'arguments'), ']<|/tool_call|>'),
  granite: listed('<|tool_call|>[', json('name', 'arguments'), ']'),
  llama3: each(`{{ '<|start_header_id|>'[:0] }}${json('name', 'parameters')}`),
};

const tools = [
  {
    name: 'weather',
    description: '',
    parameters: {
      type: 'object',
      properties: { city: { type: 'string' }, days: { type: 'integer' }, exact: { type: 'boolean' } },
    },
  },
  { name: 'now', description: '' },
];
const calls = [
  { name: 'weather', arguments: { city: 'São Paulo, "SP"', days: 3, exact: true } },
  { name: 'weather', arguments: { city: '5' } },
];
const question: Message = { role: 'user', content: 'Q' };

test('every family has a template here', () => {
  expect(Object.keys(templates).sort()).toEqual(callFamilies.map(({ name }) => name).sort());
});

describe.each(Object.entries(templates))('%s', (name, source) => {
  const template = createJinjaPromptTemplate({ source, bosToken: '', eosToken: '' }, renderer);
  const write = async (): Promise<string> => {
    const called = name === 'gpt-oss' ? calls.slice(0, 1) : calls;
    const messages = [question, { role: 'assistant', content: '', toolCalls: called }, question];
    const prompt = await template.renderConversation({ messages, tools });
    return prompt.slice('[Q]'.length, -'[Q]'.length);
  };
  const parserOf = () =>
    template.hasChannels
      ? createHarmonyParser(tools.map((tool) => tool.name))
      : createToolCallParser({ syntax: template.callSyntax as CallSyntax, tools });
  const read = (pieces: readonly string[]) => {
    const parser = parserOf();
    const outputs = [...pieces.map((piece) => parser.push(piece)), parser.finish()];
    return {
      content: outputs.map(({ content }) => content).join(''),
      calls: outputs.flatMap((output) => output.calls),
    };
  };

  test('is recognized', () => {
    expect(recognizeFamily(source)?.name).toBe(name);
  });

  test('the calls that the template writes are read again, whole and in pieces', async () => {
    const written = await write();
    const expected = { content: '', calls: name === 'gpt-oss' ? calls.slice(0, 1) : calls };
    expect(read([written])).toEqual(expected);
    expect(read([...written])).toEqual(expected);
    for (let at = 1; at < written.length; at++)
      expect(read([written.slice(0, at), written.slice(at)])).toEqual(expected);
  });

  test('text before a call is content', async () => {
    // A call without a tag is one only at the start, and a message of gpt-oss has a channel.
    if (['llama3', 'llama4', 'llama4-python', 'gpt-oss'].includes(name)) return;
    expect(read([`So. ${await write()}`])).toEqual({ content: 'So.', calls });
  });
});
