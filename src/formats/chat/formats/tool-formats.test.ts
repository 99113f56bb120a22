// The published formats with tools, with JSON as Go writes it.

import { afterAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../../base/time/clock.ts';
import { parseTemplate } from '../../go-template/template.ts';
import { jinjaCapabilities } from '../jinja/jinja-capabilities.ts';
import { createJinjaRenderer } from '../jinja/jinja-renderer.ts';
import type { Message, Tool } from '../message.ts';
import { renderMessages } from '../render-prompt.ts';
import { findFormat } from './find-format.ts';
import { createRecognizeFormat } from './recognize-format.ts';
import { toolFormats } from './tool-formats.ts';

const renderer = createJinjaRenderer(systemClock);
afterAll(renderer.stop);
const recognizeFormat = createRecognizeFormat(renderer);

const parameters = { type: 'object' };
const tool: Tool = { name: 'look', description: 'D', parameters };
const shown =
  '{"type":"function","function":{"name":"look","description":"D","parameters":{"type":"object","properties":null}}}';

const system: Message = { role: 'system', content: 'S' };
const question: Message = { role: 'user', content: 'U1' };
const call: Message = {
  role: 'assistant',
  content: '',
  toolCalls: [{ id: 'abcdefghi', name: 'look', arguments: { at: 1 } }],
};
const result: Message = { role: 'tool', content: '7', toolName: 'look', toolCallId: 'abcdefghi' };
const answer: Message = { role: 'assistant', content: 'A1' };
const next: Message = { role: 'user', content: 'U2' };

const render = (name: string, messages: readonly Message[], tools: readonly Tool[] = []): string => {
  const template = toolFormats.find((format) => format.name === name)?.template ?? '';
  return renderMessages(parseTemplate(template), { messages, tools });
};

describe('qwen2.5-instruct', () => {
  const name = 'qwen2.5-instruct';
  const preamble = 'You are Qwen, created by Alibaba Cloud. You are a helpful assistant.';

  test('a conversation', () => {
    expect(render(name, [system, question, answer, next])).toBe(
      '<|im_start|>system\nS<|im_end|>\n<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1<|im_end|>\n' +
        '<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n',
    );
    expect(render(name, [question, answer])).toBe(
      `<|im_start|>system\n${preamble}<|im_end|>\n<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nA1`,
    );
  });

  test('with tools', () => {
    const thought = { ...call, content: 'Hm.', toolCalls: [...(call.toolCalls ?? []), ...(call.toolCalls ?? [])] };
    const called = '<tool_call>\n{"name": "look", "arguments": {"at":1}}\n</tool_call>';
    expect(render(name, [system, question, thought, result, result], [tool])).toBe(
      '<|im_start|>system\nS\n\n# Tools\n\nYou may call one or more functions to assist with the user query.\n\n' +
        `You are provided with function signatures within <tools></tools> XML tags:\n<tools>\n${shown}\n</tools>\n\n` +
        'For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:\n' +
        '<tool_call>\n{"name": <function-name>, "arguments": <args-json-object>}\n</tool_call><|im_end|>\n' +
        `<|im_start|>user\nU1<|im_end|>\n<|im_start|>assistant\nHm.\n${called}\n${called}<|im_end|>\n` +
        '<|im_start|>user\n<tool_response>\n7\n</tool_response>\n<tool_response>\n7\n</tool_response><|im_end|>\n' +
        '<|im_start|>assistant\n',
    );
    expect(render(name, [question, call, result, answer, next], [tool])).toContain(
      `<|im_start|>assistant\n${called}<|im_end|>\n<|im_start|>user\n<tool_response>\n7\n</tool_response><|im_end|>\n` +
        '<|im_start|>assistant\nA1<|im_end|>\n<|im_start|>user\nU2<|im_end|>\n<|im_start|>assistant\n',
    );
  });

  test('is recognized', async () => {
    const source =
      "{% if messages[0].role == 'system' %}{% set first = messages[0].content %}{% set rest = messages[1:] %}{% else %}" +
      `{% set first = '${preamble}' %}{% set rest = messages %}{% endif %}{{ '<|im_start|>system\\n' + first }}` +
      "{% if tools %}{{ '<tools>' + (tools | tojson) + '</tools>' }}{% endif %}{{ '<|im_end|>\\n' }}" +
      "{% for message in rest %}{% if message.role == 'tool' %}" +
      "{{ '<|im_start|>user\\n<tool_response>\\n' + message.content + '\\n</tool_response><|im_end|>\\n' }}{% else %}" +
      "{{ '<|im_start|>' + message.role + '\\n' + message.content }}{% for call in message.tool_calls or [] %}" +
      "{{ '<tool_call>\\n' + (call.function | tojson) + '\\n</tool_call>' }}{% endfor %}{{ '<|im_end|>\\n' }}{% endif %}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}";
    expect(findFormat(source)?.name).toBe(name);
    expect((await recognizeFormat({ source, bosToken: '', eosToken: '<|im_end|>' }))?.name).toBe(name);
    expect(findFormat(source.replace('You are Qwen', 'You are Bill'))).toBeUndefined();
    const different = source.replaceAll('<|im_end|>\\n', '<|im_end|>\\n\\n');
    expect(findFormat(different)?.name).toBe(name);
    expect(await recognizeFormat({ source: different, bosToken: '', eosToken: '<|im_end|>' })).toBeUndefined();
  });
});

describe('llama3.1-instruct', () => {
  const name = 'llama3.1-instruct';
  const head = (role: string): string => `<|start_header_id|>${role}<|end_header_id|>\n\n`;
  const dates = 'Cutting Knowledge Date: December 2023\nToday Date: 26 Jul 2024\n\n';

  test('a conversation', () => {
    expect(render(name, [system, question, answer, next])).toBe(
      `${head('system')}${dates}S<|eot_id|>${head('user')}U1<|eot_id|>${head('assistant')}A1<|eot_id|>` +
        `${head('user')}U2<|eot_id|>${head('assistant')}`,
    );
    expect(render(name, [question, answer])).toBe(
      `${head('system')}${dates}<|eot_id|>${head('user')}U1<|eot_id|>${head('assistant')}A1`,
    );
  });

  test('with tools', () => {
    expect(render(name, [system, question, call, result, answer, next], [tool])).toBe(
      `${head('system')}Environment: ipython\n${dates}S<|eot_id|>${head('user')}` +
        'Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n' +
        'Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.\n\n' +
        `${shown}\n\nU1<|eot_id|>${head('assistant')}{"name": "look", "parameters": {"at":1}}<|eot_id|>` +
        `${head('ipython')}"7"<|eot_id|>${head('assistant')}A1<|eot_id|>${head('user')}U2<|eot_id|>${head('assistant')}`,
    );
  });

  test('is recognized unless it writes the current date', async () => {
    const source =
      '{{ bos_token }}{% set tools_in_user_message = true %}{% set date_string = "26 Jul 2024" %}' +
      "{% if messages[0]['role'] == 'system' %}{% set first = messages[0]['content'] %}{% set messages = messages[1:] %}{% else %}" +
      '{% set first = "" %}{% endif %}{{ "<|start_header_id|>system<|end_header_id|>\\n\\n" }}' +
      '{% if tools is not none %}{{ "Environment: ipython\\n" }}{% endif %}{{ "Cutting Knowledge Date: December 2023\\n" }}' +
      '{{ "Today Date: " + date_string + "\\n\\n" }}{{ first }}{{ "<|eot_id|>" }}{% for message in messages %}' +
      "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] + '<|eot_id|>' }}{% endfor %}" +
      "{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}";
    const tokens = { bosToken: '<|begin_of_text|>', eosToken: '<|eot_id|>' };
    expect((await recognizeFormat({ source, ...tokens }))?.name).toBe(name);
    expect(findFormat(`${source}{% set date_string = strftime_now("%d %b %Y") %}`)).toBeUndefined();
  });
});

describe('mistral-instruct-v0.3', () => {
  const name = 'mistral-instruct-v0.3';

  test('a conversation: the system message precedes the last question', () => {
    expect(render(name, [system, question, answer, next])).toBe('[INST] U1[/INST] A1</s>[INST] S\n\nU2[/INST]');
    expect(render(name, [question, answer])).toBe('[INST] U1[/INST] A1');
  });

  test('with tools', () => {
    expect(render(name, [question, call, result, answer, next], [tool])).toBe(
      '[INST] U1[/INST][TOOL_CALLS] [{"name": "look", "arguments": {"at":1}, "id": "abcdefghi"}]</s>' +
        '[TOOL_RESULTS] {"content": 7, "call_id": "abcdefghi"}[/TOOL_RESULTS] A1</s>' +
        `[AVAILABLE_TOOLS] [${shown}][/AVAILABLE_TOOLS][INST] U2[/INST]`,
    );
  });

  test('is recognized', async () => {
    const source =
      "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{% set said = messages[0]['content'] + '\\n\\n' %}" +
      "{% set rest = messages[1:] %}{% else %}{% set said = '' %}{% set rest = messages %}{% endif %}{% for message in rest %}" +
      "{% if message['role'] == 'user' %}{% if tools is not none %}{{ '[AVAILABLE_TOOLS] [' + (tools | tojson) + '][/AVAILABLE_TOOLS]' }}" +
      "{% endif %}{{ '[INST] ' + (said if loop.last else '') + message['content'] + '[/INST]' }}{% elif message['role'] == 'tool' %}" +
      "{{ '[TOOL_RESULTS] {\"content\": ' + message['content'] + '}[/TOOL_RESULTS]' }}{% elif message.tool_calls %}" +
      "{{ '[TOOL_CALLS] [' + (message.tool_calls | tojson) + ']' + eos_token }}{% else %}{{ ' ' + message['content'] + eos_token }}" +
      '{% endif %}{% endfor %}';
    expect((await recognizeFormat({ source, bosToken: '<s>', eosToken: '</s>' }))?.name).toBe(name);
  });
});

test('every template mentions tools', () => {
  for (const { template } of toolFormats) {
    expect(jinjaCapabilities(template).tools || parseTemplate(template).mentions.has('tools')).toBe(true);
  }
});
