import { expect, test } from 'vitest';
import { engineParametersIn, isCheckpointName, parseEngineParameter } from './engine-parameters.ts';

test.each([
  ['tensor_parallel_size', '2', 2],
  ['dtype', 'bfloat16', 'bfloat16'],
  ['gpu_memory_utilization', '0.45', 0.45],
  ['enforce_eager', 'true', true],
  ['tool_call_parser', 'hermes', 'hermes'],
])('PARAMETER %s %s', (name, text, value) => {
  expect(parseEngineParameter(name, text)).toBe(value);
});

test.each([
  ['tensor_parallel_size', '0'],
  ['tensor_parallel_size', '1.5'],
  ['tensor_parallel_size', '1e9'],
  ['dtype', 'int4'],
  ['gpu_memory_utilization', '1.1'],
  ['gpu_memory_utilization', '1.2.3'],
  ['enforce_eager', 'yes'],
  ['tool_call_parser', '--trust-remote-code'],
  ['tool_call_parser', 'a b'],
  ['trust_remote_code', 'true'],
])('not PARAMETER %s %s', (name, text) => {
  expect(parseEngineParameter(name, text)).toBeUndefined();
});

test('values of the API are checked, and other names are left to others', () => {
  expect(engineParametersIn({ max_model_len: 1024, num_ctx: 'x', trust_remote_code: true })).toEqual({
    max_model_len: 1024,
  });
  for (const parameters of [{ max_model_len: '1024' }, { dtype: 7 }, { enforce_eager: 1 }, { runner: 'x' }])
    expect(() => engineParametersIn(parameters)).toThrow(expect.objectContaining({ code: 'bad_request' }));
});

test.each([
  ['Qwen/Qwen3-8B', true],
  ['gpt2', true],
  ['../secret', false],
  ['-x', false],
  ['a/b/c', false],
  ['https://example.com/x', false],
  ['', false],
])('%j as the name of a checkpoint: %s', (text, expected) => {
  expect(isCheckpointName(text)).toBe(expected);
});
