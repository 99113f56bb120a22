import { describe, expect, test } from 'vitest';
import type { ThinkOption } from '../../../models/think.ts';
import type { Message, Tool } from '../message.ts';
import { findRenderer } from './find-renderer.ts';

const weather: Tool = {
  name: 'weather',
  description: 'Tells the weather & more',
  parameters: {
    type: 'object',
    required: ['city'],
    properties: { city: { type: 'string', description: 'A city' }, days: { type: ['integer', 'null'], enum: [1, 2] } },
  },
};

function render(
  name: string,
  messages: readonly Message[],
  { tools = [], think }: { readonly tools?: readonly Tool[]; readonly think?: ThinkOption } = {},
): string {
  return findRenderer(name)?.render({ messages, tools, think }) ?? '';
}

const user = (content: string): Message => ({ role: 'user', content });
const answer = (content: string, more: Partial<Message> = {}): Message => ({ role: 'assistant', content, ...more });
const result = (content: string): Message => ({ role: 'tool', content });
const called = { toolCalls: [{ name: 'weather', arguments: { city: 'Köln', days: 2 } }] };
const conversation = [user('Rain?'), answer('Let me see.', called), result('yes'), result('no')];

describe('qwen3-coder', () => {
  test('tools are elements, in the order of the schema', () => {
    const prompt = render('qwen3-coder', [user('Rain?')], { tools: [weather] });
    expect(prompt).toContain('<|im_start|>system\nYou are Qwen, a helpful AI assistant');
    expect(prompt).toContain(
      '<function>\n<name>weather</name>\n<description>Tells the weather & more</description>\n<parameters>\n' +
        '<parameter>\n<name>city</name>\n<type>string</type>\n<description>A city</description>\n</parameter>\n' +
        '<parameter>\n<name>days</name>\n<type>["integer","null"]</type>\n<enum>[1,2]</enum>\n</parameter>\n' +
        '<required>["city"]</required>\n</parameters>\n</function>\n</tools>',
    );
    expect(prompt).toMatch(
      /<\/IMPORTANT><\|im_end\|>\n<\|im_start\|>user\nRain\?<\|im_end\|>\n<\|im_start\|>assistant\n$/,
    );
  });

  test('calls are elements, and results share a turn', () => {
    expect(render('qwen3-coder', conversation)).toBe(
      '<|im_start|>user\nRain?<|im_end|>\n<|im_start|>assistant\nLet me see.\n\n<tool_call>\n<function=weather>\n' +
        '<parameter=city>\nKöln\n</parameter>\n<parameter=days>\n2\n</parameter>\n</function>\n</tool_call><|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\nyes\n</tool_response>\n<tool_response>\nno\n</tool_response><|im_end|>\n' +
        '<|im_start|>assistant\n',
    );
  });

  test('arguments are written as Go writes them', () => {
    const values = { million: 1e6, small: 0.00001, list: [1, { b: 1, a: '<' }], nothing: null, yes: true };
    const prompt = render('qwen3-coder', [answer('', { toolCalls: [{ name: 'f', arguments: values }] }), user('.')]);
    const written = [...prompt.matchAll(/<parameter=\w+>\n(.*)\n/g)].map((match) => match[1]);
    expect(written).toEqual(['1e+06', '1e-05', '[1,{"a":"\\u003c","b":1}]', 'null', 'true']);
  });

  test('the first system message counts, and an answer at the end is continued', () => {
    const system = (content: string): Message => ({ role: 'system', content });
    expect(render('qwen3-coder', [system('A'), system('B'), user('Hi'), answer('Hel')])).toBe(
      '<|im_start|>system\nA<|im_end|>\n<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\nHel',
    );
  });
});

describe('qwen3-vl', () => {
  test('tools and calls are JSON with spaces', () => {
    const prompt = render('qwen3-vl-instruct', conversation, { tools: [weather] });
    expect(prompt).toContain(
      '<tools>\n{"type": "function", "function": {"name": "weather", "description": "Tells the weather \\u0026 more", ' +
        '"parameters": {"type": "object", "required": ["city"], "properties": {"city": {"type": "string", ' +
        '"description": "A city"}, "days": {"type": ["integer", "null"], "enum": [1, 2]}}}}}\n</tools>',
    );
    expect(prompt).toContain(
      'Let me see.\n<tool_call>\n{"name": "weather", "arguments": {"city": "Köln", "days": 2}}\n</tool_call><|im_end|>\n',
    );
    expect(prompt.endsWith('<|im_start|>assistant\n')).toBe(true);
  });

  test('only answers after the last question show their thinking', () => {
    const messages = [
      user('a'),
      answer('b', { thinking: 'old' }),
      user('c'),
      answer('d', { thinking: 'new' }),
      result('e'),
    ];
    expect(render('qwen3-vl-thinking', messages)).toBe(
      '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\nb<|im_end|>\n<|im_start|>user\nc<|im_end|>\n' +
        '<|im_start|>assistant\n<think>\nnew\n</think>\n\nd<|im_end|>\n' +
        '<|im_start|>user\n<tool_response>\ne\n</tool_response><|im_end|>\n<|im_start|>assistant\n<think>\n',
    );
    expect(render('qwen3-vl-thinking', messages, { think: false })).not.toContain('<think>');
  });
});

describe('qwen3.5 and its relatives', () => {
  const messages = [user('a'), answer('<think>old</think>\n\nb'), user(' c ')];

  test('qwen3.5 removes old thinking, ornith keeps it', () => {
    const start = '<|im_start|>user\na<|im_end|>\n<|im_start|>assistant\n';
    const end = 'b<|im_end|>\n<|im_start|>user\nc<|im_end|>\n<|im_start|>assistant\n<think>\n';
    expect(render('qwen3.5', messages)).toBe(start + end);
    expect(render('ornith', messages)).toBe(`${start}<think>\nold\n</think>\n\n${end}`);
  });

  test('without thinking, the prompt has an empty one', () => {
    for (const name of ['qwen3.5', 'qwen3.8', 'ornith'])
      expect(render(name, messages, { think: false })).toMatch(/assistant\n<think>\n\n<\/think>\n\n$/);
  });

  test('the system message follows the tools', () => {
    const prompt = render('qwen3.5', [{ role: 'system', content: ' S ' }, ...conversation], { tools: [weather] });
    expect(prompt).toMatch(/^<\|im_start\|>system\n# Tools\n/);
    expect(prompt).toContain('</IMPORTANT>\n\nS<|im_end|>\n');
    expect(prompt).toContain(
      '<think>\n\n</think>\n\nLet me see.\n\n<tool_call>\n<function=weather>\n<parameter=city>\n',
    );
  });

  test('qwen3.8 has levels of thinking', () => {
    const level = (think?: ThinkOption) =>
      /effort is set to (\w+)/.exec(render('qwen3.8', [user('a')], { think }))?.[1];
    expect(
      [undefined, 'low', 'medium', 'high', 'max', true, false].map((think) => level(think as ThinkOption)),
    ).toEqual(['xhigh', 'low', undefined, 'xhigh', 'xhigh', undefined, undefined]);
  });

  test('qwen3.8 has one system message, and needs a question', () => {
    const late: Message = { role: 'developer', content: 'late' };
    const prompt = render('qwen3.8', [{ role: 'system', content: 'S' }, user('a'), late], { think: true });
    expect(prompt).toMatch(/^<\|im_start\|>system\nS\n\nlate<\|im_end\|>\n<\|im_start\|>user\na/);
    expect(() => render('qwen3.8', [answer('a')])).toThrow('no user query found in messages');
  });
});
