import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Message, Tool } from '../message.ts';
import type { AnswerParts } from '../tool-calls/tool-call.ts';
import type { ParserContext } from './answer-parser.ts';
import { findParser } from './find-parser.ts';

const tools: readonly Tool[] = [
  {
    name: 'f',
    description: '',
    parameters: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        count: { type: 'integer' },
        share: { type: 'number' },
        on: { type: 'boolean' },
        list: { type: 'array' },
        map: { type: 'object' },
        either: { anyOf: [{ type: 'string' }, { type: 'number' }] },
        listed: { enum: [1, 'a'] },
        maybe: { type: ['integer', 'string'] },
      },
    },
  },
];

function read(name: string, pieces: readonly string[], context: Partial<ParserContext> = {}): AnswerParts {
  const parser = findParser(name)?.open({ tools, think: undefined, ...context });
  if (parser === undefined) throw new Error(`no parser ${name}`);
  const parts = [...pieces.map((piece) => parser.push(piece)), parser.finish({ isCut: false })];
  return {
    thinking: parts.map(({ thinking }) => thinking).join(''),
    content: parts.map(({ content }) => content).join(''),
    calls: parts.flatMap(({ calls }) => calls),
  };
}

const object = '<tool_call>\n{"name": "g", "arguments": {"x": 1}}\n</tool_call>';
const elements = '<tool_call>\n<function=g>\n<parameter=x>\n1\n</parameter>\n</function>\n</tool_call>';
const asObject = [{ name: 'g', arguments: { x: 1 } }];
const asElements = [{ name: 'g', arguments: { x: '1' } }];
const empty = { thinking: '', content: '', calls: [] };

describe('calls, also of tools that nobody offered', () => {
  test.each(['qwen3', 'qwen3-thinking', 'qwen3-vl-instruct', 'qwen3-vl-thinking'])('%s: objects', (name) => {
    const { content, calls } = read(name, [`</think>a\n${object}\n${object}`]);
    expect(content.replace('</think>', '')).toBe('a');
    expect(calls).toEqual([...asObject, ...asObject]);
  });

  test.each(['qwen3-coder', 'qwen3.5', 'ornith'])('%s: elements', (name) => {
    expect(read(name, [elements], { think: false })).toEqual({ ...empty, calls: asElements });
  });

  test.each<[string, string, unknown]>([
    ['text', '5', '5'],
    ['text', '\na <b> & c\n', '\na <b> & c\n'],
    ['text', 'NULL', null],
    ['count', '5', 5],
    ['count', ' 5', 5],
    ['count', '5.5', '5.5'],
    ['share', '2.0', 2],
    ['share', '1e-3', 0.001],
    ['on', 'TRUE', true],
    ['on', 'maybe', false],
    ['list', '[1, {"a": 2}]', [1, { a: 2 }]],
    ['list', '[1,', '[1,'],
    ['map', '{"a": [1]}', { a: [1] }],
    ['map', '['.repeat(1000), '['.repeat(1000)],
    ['either', '7', 7],
    ['either', 'seven', 'seven'],
    ['maybe', '7', 7],
    ['maybe', '7.5', '7.5'],
    ['listed', '1', 1],
    ['listed', 'a', 'a'],
    ['unknown', '7', '7'],
    ['__proto__', '7', '7'],
  ])('the value of %s: %j', (key, text, value) => {
    const call = `<tool_call><function=f><parameter=${key}>\n${text}\n</parameter></function></tool_call>`;
    const [found] = read('qwen3-coder', [call]).calls;
    expect(found?.name).toBe('f');
    expect(Object.entries(found?.arguments ?? {})).toEqual([[key, value]]);
  });

  test.each([
    '<tool_call>{"name": "", "arguments": {}}</tool_call>',
    '<tool_call>{"name": "g", "arguments": 1}</tool_call>',
  ])('%s is none', (text) => expect(read('qwen3', [text])).toEqual({ ...empty, content: text }));
});

describe('thinking', () => {
  const continued: Message = { role: 'assistant', content: 'So' };

  test.each(['qwen3-thinking', 'qwen3.5', 'ornith'])('%s: some models open it again', (name) => {
    for (const text of ['Hm.\n</think>\n\nYes.', '<think>\nHm.\n</think>\n\nYes.'])
      expect(read(name, [text])).toEqual({ ...empty, thinking: 'Hm.', content: 'Yes.' });
    expect(read(name, ['Yes.'], { think: false })).toEqual({ ...empty, content: 'Yes.' });
  });

  test.each(['qwen3.5', 'qwen3-vl-thinking'])('%s: it is over if the answer continues a text', (name) => {
    expect(read(name, [' yes.'], { lastMessage: continued })).toEqual({ ...empty, content: ' yes.' });
    expect(read(name, ['Hm.'], { lastMessage: { ...continued, content: '' } })).toEqual({ ...empty, thinking: 'Hm.' });
  });

  test('a call ends it', () => {
    expect(read('qwen3.5', [`Hm. ${elements}`])).toEqual({ ...empty, thinking: 'Hm.', calls: asElements });
  });
});

test.each(['qwen3-thinking', 'qwen3.5', 'qwen3-vl-thinking', 'qwen3-coder'])('%s: the pieces do not matter', (name) => {
  const word = fc.constantFrom('<think>', '</think>', object, elements, '<tool_call>', '<', 'a', ' ', '\n');
  fc.assert(
    fc.property(fc.array(word, { maxLength: 8 }), (words) => {
      const text = words.join('');
      expect(read(name, [...text])).toEqual(read(name, [text]));
    }),
    { numRuns: 50 },
  );
});
