import { expect, test } from 'vitest';
import { causeIn, LogLines, levelOf, plainLine, stepOf } from './read-log.ts';

const line = (level: string, text: string): string => `(EngineCore pid=12) ${level} 11-18 17:33:59 [file.py:7] ${text}`;

test('a line without its process and time, and its level', () => {
  expect(plainLine(line('INFO', 'Using max model len 1024'))).toBe('Using max model len 1024');
  expect(plainLine('a plain line')).toBe('a plain line');
  expect(['INFO', 'WARNING', 'ERROR'].map((level) => levelOf(line(level, 'x')))).toEqual(['info', 'warn', 'error']);
});

test.each([
  ['Loading safetensors checkpoint shards:  38% Completed | 3/8 [00:01<00:03, 2.1it/s]', 'loading weights 3 of 8'],
  [line('INFO', 'Starting to load model /models/x...'), 'loading weights'],
  [line('INFO', 'Graph capturing finished in 3 secs'), 'capturing graphs'],
  [line('INFO', 'CPU KV cache size: 524,288 tokens'), 'preparing the KV cache'],
  [line('INFO', 'Resolved architecture: LlamaForCausalLM'), undefined],
])('%s', (text, step) => {
  expect(stepOf(text)).toBe(step);
});

test('the cause is the first error, not what follows from it', () => {
  const lines = [
    line('ERROR', 'EngineCore failed to start.'),
    line('ERROR', 'Traceback (most recent call last):'),
    line('ERROR', '  File "loader.py", line 3, in load'),
    line('ERROR', 'ValueError: There is no parameter named lm_head.weight'),
    '(APIServer pid=1) RuntimeError: Engine core initialization failed. See root cause above.',
  ];
  expect(causeIn(lines)).toBe('ValueError: There is no parameter named lm_head.weight');
  expect(causeIn(['vllm serve: error: argument --dtype: invalid choice'])).toContain('invalid choice');
  expect(causeIn([line('INFO', 'x')])).toBeUndefined();
});

test('a validation error says what is wrong in its second line', () => {
  const lines = [
    'pydantic_core._pydantic_core.ValidationError: 1 validation error for ModelConfig',
    "  Value error, Model architectures ['X'] are not supported",
  ];
  expect(causeIn(lines)).toContain("Model architectures ['X'] are not supported");
});

test('output is cut into lines of bounded length, and progress bars are lines', () => {
  const seen: string[] = [];
  const lines = new LogLines((text) => seen.push(text));
  lines.feed('a\nb');
  lines.feed('c\r1/2\r2/2\n\n');
  lines.feed('x'.repeat(100_000));
  lines.feed('\n');
  expect(seen.slice(0, 4)).toEqual(['a', 'bc', '1/2', '2/2']);
  expect(seen[4]?.length).toBeLessThan(10_000);
  for (let number = 0; number < 10_000; number++) lines.feed('x\n');
  expect(lines.last.length).toBeLessThan(1000);
});
