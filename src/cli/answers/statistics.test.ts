import { expect, test } from 'vitest';
import { describeDropped, formatStatistics } from './statistics.ts';

test('values are aligned in one column', () => {
  const statistics = {
    total_duration: 1_500_000_000,
    load_duration: 2_000_000,
    prompt_eval_count: 20,
    prompt_eval_duration: 100_000_000,
    eval_count: 50,
    eval_duration: 1_000_000_000,
  };
  expect(formatStatistics(statistics)).toBe(
    [
      'total duration:       1.5s',
      'load duration:        2ms',
      'prompt eval count:    20 token(s)',
      'prompt eval duration: 100ms',
      'prompt eval rate:     200.00 tokens/s',
      'eval count:           50 token(s)',
      'eval duration:        1s',
      'eval rate:            50.00 tokens/s',
      '',
    ].join('\n'),
  );
});

test('absent values are omitted', () => {
  expect(formatStatistics({ total_duration: 1000 })).toBe('total duration:       1µs\n');
});

test('what was left out of the prompt is said', () => {
  expect(describeDropped({ eval_count: 3 })).toBe('');
  expect(describeDropped({ dropped_messages: 2 })).toBe(
    'The prompt is longer than the context: the model did not see the 2 oldest messages.\n',
  );
  expect(describeDropped({ dropped_messages: 1, dropped_tokens: 9 })).toContain(
    'did not see the oldest message and 9 tokens',
  );
});
