import { expect, test } from 'vitest';
import { describeMissed, describeStats, usedContext } from './statistics.ts';

const texts = (stats: Parameters<typeof describeStats>[0]) => describeStats(stats).map(({ text }) => text);

test('an answer with all statistics', () => {
  const stats = {
    first_token: 212.4,
    eval_count: 96,
    eval_duration: 2e9,
    prompt_eval_count: 1024,
    prompt_eval_cached_count: 768,
  };
  expect(texts(stats)).toEqual(['212 ms to first token', '48 tokens/s', '96 tokens', 'prompt 1,024, 75% cached']);
});

test.each([
  [{}, ''],
  [{ dropped_tokens: 17_964 }, 'The prompt is longer than the context: the model did not see 17,964 tokens.'],
  [{ dropped_messages: 1 }, 'The prompt is longer than the context: the model did not see the oldest message.'],
  [
    { dropped_messages: 3, dropped_tokens: 1 },
    'The prompt is longer than the context: the model did not see the 3 oldest messages (1 token).',
  ],
])('what the model did not see: %j', (stats, text) => {
  expect(describeMissed(stats)).toBe(text);
});

test('what is not known is not shown', () => {
  expect(texts({})).toEqual([]);
  expect(texts({ eval_count: 3, eval_duration: 0 })).toEqual(['3 tokens']);
  expect(texts({ prompt_eval_count: 12 })).toEqual(['prompt 12']);
});

test('the time to load the model is explained', () => {
  const [first] = describeStats({ first_token: 12_400, load_duration: 11e9 });
  expect(first).toEqual({
    text: '12 s to first token',
    explanation: 'Time until the first text arrived, including 11 s to load the model',
  });
});

test('a conversation uses the context for its prompt and its answer', () => {
  expect(usedContext({ prompt_eval_count: 100, eval_count: 20 })).toBe(120);
  expect(usedContext({})).toBe(0);
});
