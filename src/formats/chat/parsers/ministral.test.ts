import { expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';

const tools = ['clock', 'weather'].map((name) => ({ name, description: '' }));
const empty = { thinking: '', content: '', calls: [] };

test('a call ends with its arguments', () => {
  const text = 'Wait. [TOOL_CALLS]weather[ARGS]{"city": "a}\\"]", "near": [{}]}[TOOL_CALLS]clock[ARGS]{} Done.';
  expect(readAnswer('ministral', text, { tools })).toEqual({
    ...empty,
    content: 'Wait. Done.',
    calls: [
      { name: 'weather', arguments: { city: 'a}"]', near: [{}] } },
      { name: 'clock', arguments: {} },
    ],
  });
});

test('thinking keeps its white space', () => {
  const text = 'Well [THINK] I see. [/THINK] Noon.';
  expect(readAnswer('ministral', text)).toEqual({ ...empty, thinking: ' I see. ', content: 'WellNoon.' });
});

test('a call of an unknown tool is content, half a call is left out', () => {
  const text = '[TOOL_CALLS]other[ARGS]{}';
  expect(readAnswer('ministral', text, { tools })).toEqual({ ...empty, content: text });
  for (const half of ['a [TOOL_CALLS]clock', 'a [TOOL_CALLS]clock[ARGS]{"x":'])
    expect(readAnswer('ministral', half, { tools })).toEqual({ ...empty, content: 'a' });
});
