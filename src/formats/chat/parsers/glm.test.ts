import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';

const parameters = {
  type: 'object',
  required: ['city'],
  properties: { city: { type: 'string' }, days: { type: 'integer' }, area: { anyOf: [{ type: 'object' }] } },
};
const tools = [{ name: 'weather', description: '', parameters }];
const empty = { thinking: '', content: '', calls: [] };

function readCall(inside: string): unknown {
  const { calls, content } = readAnswer('glm-ocr', `<tool_call>${inside}</tool_call>`, { tools });
  return content === '' ? calls[0]?.arguments : content;
}

test('the prompts of GLM 4.7 end inside thinking', () => {
  const text = 'I see.\n</think>\nRome.';
  expect(readAnswer('glm-4.7', text)).toEqual({ ...empty, thinking: 'I see.', content: 'Rome.' });
  expect(readAnswer('glm-4.7', text, { think: false })).toEqual({ ...empty, content: text });
});

test('GLM-OCR can begin to think', () => {
  const expected = { ...empty, thinking: 'I see.', content: 'Rome.' };
  expect(readAnswer('glm-ocr', ' <think>\nI see.</think>\nRome.')).toEqual(expected);
});

describe('calls', () => {
  test.each([
    ['<arg_key>city</arg_key><arg_value>Rome</arg_value>', { city: 'Rome' }],
    ['\n<arg_key>city</arg_key>\n<arg_value>\n a < b & c \n</arg_value>\n', { city: ' a < b & c ' }],
    [
      '<arg_key>days</arg_key><arg_value>2</arg_value><arg_key>city</arg_key><arg_value>2</arg_value>',
      { days: 2, city: '2' },
    ],
    ['<arg_key>area</arg_key><arg_value>{"km": [1.5]}</arg_value>', { area: { km: [1.5] } }],
    ['<arg_key>other</arg_key><arg_value>null</arg_value>', { other: null }],
    ['', {}],
  ])('weather%s', (inside, args) => {
    expect(readCall(`weather${inside}`)).toEqual(args);
  });

  test.each([
    ['weather city</arg_key><arg_value>Rome</arg_value>'],
    ['weather<arg_key>city<arg_value>Rome</arg_value>'],
    ['weather<arg_key>city</arg_key>Rome</arg_value>'],
    ['weather<arg_key>city</arg_key><arg_value>Rome'],
  ])('a tag is missing: %s', (inside) => {
    expect(readCall(inside)).toMatchObject({ city: 'Rome' });
  });

  test('a call without a name is content', () => {
    const text = '<arg_key>city</arg_key><arg_value>Rome</arg_value>';
    expect(readCall(text)).toBe(`<tool_call>${text}</tool_call>`);
  });

  test('at the end of the answer, only the last tag may be missing', () => {
    const whole = '<tool_call>weather<arg_key>city</arg_key><arg_value>Rome</arg_value>';
    expect(readAnswer('glm-ocr', whole, { tools }).calls).toHaveLength(1);
    expect(readAnswer('glm-ocr', whole, { tools, isCut: true }).calls).toEqual([]);
    for (const text of [whole.slice(0, -1), '<tool_call>weather', whole.replace('weather', 'other')])
      expect(readAnswer('glm-ocr', text, { tools })).toEqual({ ...empty, content: text });
  });
});
