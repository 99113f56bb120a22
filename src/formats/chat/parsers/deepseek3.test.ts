import { describe, expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';

const tools = [{ name: 'clock', description: '' }];
const block = (...calls: readonly string[]): string =>
  `<｜tool▁calls▁begin｜>${calls.map((call) => `<｜tool▁call▁begin｜>${call}<｜tool▁call▁end｜>`).join('\n')}<｜tool▁calls▁end｜>`;
const clock = { name: 'clock', arguments: { zone: 'UTC' } };
const empty = { thinking: '', content: '', calls: [] };

describe.each([
  { parser: 'deepseek3', call: 'clock<｜tool▁sep｜>{"zone": "UTC"}' },
  { parser: 'cogito', call: 'function<｜tool▁sep｜>clock\n```json\n{"zone": "UTC"}\n```' },
])('$parser', ({ parser, call }) => {
  test('calls are read in a block, and white space around it is removed', () => {
    const text = `Wait. \n${block(call, call)}\n\nDone. `;
    expect(readAnswer(parser, text, { tools })).toEqual({ ...empty, content: 'Wait.Done. ', calls: [clock, clock] });
  });

  test('the prompt ends inside thinking', () => {
    const text = ' Let me see.\n</think>\n\nNoon.';
    const expected = { ...empty, thinking: ' Let me see.', content: 'Noon.' };
    expect(readAnswer(parser, text, { think: true })).toEqual(expected);
    expect(readAnswer(parser, text, { think: false })).toEqual({ ...empty, content: text });
    const lastMessage = { role: 'assistant', content: 'It is' };
    expect(readAnswer(parser, text, { think: true, lastMessage })).toEqual({ ...empty, content: text });
  });

  test('what is not a call is left out', () => {
    expect(readAnswer(parser, `a${block('clock', 'clock<｜tool▁sep｜>{')}b`)).toEqual({ ...empty, content: 'ab' });
    expect(readAnswer(parser, `a<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>${call}`)).toEqual({
      ...empty,
      content: 'a',
    });
  });
});

test('Cogito does not think if it has tools', () => {
  expect(readAnswer('cogito', 'Noon.', { think: true, tools })).toEqual({ ...empty, content: 'Noon.' });
});

test('results that the model repeats are content of DeepSeek, and nothing of Cogito', () => {
  const text = 'a <｜tool▁output▁begin｜> 12:00 <｜tool▁output▁end｜> b';
  expect(readAnswer('deepseek3', text).content).toBe('a  12:00  b');
  const results = `a <｜tool▁outputs▁begin｜>${text}<｜tool▁outputs▁end｜> b`;
  expect(readAnswer('cogito', results).content).toBe('ab');
});
