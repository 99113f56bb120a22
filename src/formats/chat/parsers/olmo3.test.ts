import { expect, test } from 'vitest';
import { readAnswer } from '../../../../test/support/read-answer.ts';

const empty = { thinking: '', content: '', calls: [] };

test('calls are lines of a block, and white space around it stays', () => {
  const text =
    'Wait. \n<function_calls>\nclock()\nweather(city="a, (b)", days=2, near=[1.5, None])\n</function_calls> Done. ';
  expect(readAnswer('olmo3', text)).toEqual({
    ...empty,
    content: 'Wait. \n Done. ',
    calls: [
      { name: 'clock', arguments: {} },
      { name: 'weather', arguments: { city: 'a, (b)', days: 2, near: [1.5, null] } },
    ],
  });
});

test('values can be texts without quotes', () => {
  const text = '<function_calls>weather(city=New York, day=2026-11-17, hour=7, exact=True)</function_calls>';
  expect(readAnswer('olmo3', text).calls).toEqual([
    { name: 'weather', arguments: { city: 'New York', day: '2026-11-17', hour: 7, exact: true } },
  ]);
});

test.each(['weather("Rome")', 'weather', 'clock() weather(', '{"name": "clock"}'])('%s is left out', (inside) => {
  expect(readAnswer('olmo3', `a<function_calls>${inside}</function_calls>b`)).toEqual({ ...empty, content: 'ab' });
});

test('a block without its end is left out', () => {
  expect(readAnswer('olmo3', 'a<function_calls>clock()')).toEqual({ ...empty, content: 'a' });
});

test('the prompts of the thinking models end inside thinking', () => {
  const text = 'I see.\n</think>\n\nNoon. ';
  expect(readAnswer('olmo3-think', text)).toEqual({ ...empty, thinking: 'I see.', content: 'Noon. ' });
  const lastMessage = { role: 'assistant', content: 'It is' };
  expect(readAnswer('olmo3-think', text, { lastMessage })).toEqual({ ...empty, content: text });
});
