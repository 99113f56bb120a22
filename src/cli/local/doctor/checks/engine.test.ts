import { expect, test } from 'vitest';
import { judgeEngine } from './engine.ts';

test('an engine that loads is named', () => {
  expect(judgeEngine({ engine: '@node-llama-cpp/linux-x64@3.21.1', backends: [{ name: 'cpu' }] })).toEqual([
    { status: 'ok', text: 'llama.cpp loads (@node-llama-cpp/linux-x64@3.21.1)' },
  ]);
});

test.each([
  ["version `GLIBC_2.34' not found", /glibc/],
  ['it did not respond', /HEARTH_SANDBOX/],
  ['llama.cpp is not installed', /install Hearth again/],
])('an engine that fails with "%s" is a problem', (failure, nextStep) => {
  const backends = [
    { name: 'vulkan', failure: 'the backend found no GPU' },
    { name: 'cpu', failure },
  ];
  expect(judgeEngine({ engine: 'unknown', backends })).toEqual([
    {
      status: 'problem',
      text: `llama.cpp does not load: ${failure}`,
      nextStep: expect.stringMatching(nextStep),
    },
  ]);
});
