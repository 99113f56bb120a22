import { expect, test } from 'vitest';
import { checkArchitecture } from './check-architecture.ts';

const header = (name?: string) => ({
  metadata: new Map(name === undefined ? [] : [['general.architecture', name]]),
  tensors: [],
});

test.each(['llama', 'qwen3', 'bert', 'gpt-oss', 'gptoss', 'olmo3'])('%s can be loaded', (name) => {
  expect(() => checkArchitecture(header(name))).not.toThrow();
});

test('an unknown one is refused, with the version of the engine', () => {
  expect(() => checkArchitecture(header('qwen99'))).toThrow(/"qwen99".*llama\.cpp 0\.4\.0/);
  expect(() => checkArchitecture(header())).toThrow('do not name their architecture');
});

test.each([
  ['t5', 'encoder of its own (t5)'],
  ['eagle3', 'drafts from the state of another model'],
  ['cogvlm', 'wrong probabilities'],
])('%s is known to the engine, and refused', (name, reason) => {
  expect(() => checkArchitecture(header(name))).toThrow(reason);
});
