import { expect, test } from 'vitest';
import { toOllamaOptions, translateOptions } from './translate-options.ts';

const common = { temperature: 0.5, topP: 0.8, presencePenalty: 1, frequencyPenalty: 2, seed: 7, numPredict: 9 };
const commonFields = {
  temperature: 0.5,
  top_p: 0.8,
  presence_penalty: 1,
  frequency_penalty: 2,
  seed: 7,
  max_tokens: 9,
};
const more = { topK: 5, minP: 0.1, repeatPenalty: 1.1 };
const rare = { typicalP: 0.5, mirostat: 2, mirostatTau: 4, mirostatEta: 0.2, repeatLastN: 32, numKeep: 8 };

test.each([
  ['openai', commonFields, ['top_k', 'min_p', 'repeat_penalty', 'typical_p', 'mirostat']],
  ['vllm', { ...commonFields, top_k: 5, min_p: 0.1, repetition_penalty: 1.1 }, ['typical_p', 'mirostat']],
  ['sglang', { ...commonFields, top_k: 5, min_p: 0.1, repetition_penalty: 1.1 }, ['typical_p', 'mirostat']],
  [
    'llama-server',
    { ...commonFields, top_k: 5, min_p: 0.1, repeat_penalty: 1.1, typical_p: 0.5, mirostat: 2, n_keep: 8 },
    [],
  ],
] as const)('%s gets the options that it has, and the others are named', (kind, fields, ignored) => {
  const translated = translateOptions(kind, { ...common, ...more, ...rare });
  expect(translated.fields).toMatchObject(fields);
  expect(translated.ignored).toEqual(expect.arrayContaining([...ignored]));
  expect(Object.keys(translated.fields).length + translated.ignored.length).toBe(15);
});

test('an option that has no effect is not named', () => {
  expect(translateOptions('vllm', { mirostat: 0, typicalP: 1, tfsZ: 1, numBatch: 512 }).ignored).toEqual([]);
  expect(translateOptions('vllm', { numCtx: 8192 }).ignored).toEqual(['num_ctx']);
});

test('no seed and no limit are not sent, and 0 as top_k means all tokens', () => {
  expect(translateOptions('vllm', { seed: -1, numPredict: -1, topK: 0 }).fields).toEqual({ top_k: -1 });
  expect(translateOptions('llama-server', { topK: 0 }).fields).toEqual({ top_k: 0 });
});

test('stop sequences beyond four are left to this server, except for llama-server', () => {
  const stop = ['a', 'b', 'c', 'd', 'e'];
  expect(translateOptions('vllm', { stop })).toMatchObject({ fields: { stop: stop.slice(0, 4) }, ownStops: ['e'] });
  expect(translateOptions('llama-server', { stop })).toMatchObject({ fields: { stop }, ownStops: [] });
});

test('Ollama gets all options under the names of this server', () => {
  expect(toOllamaOptions({ numCtx: 1, mirostat: 2, stop: ['x'] })).toEqual({ num_ctx: 1, mirostat: 2, stop: ['x'] });
});
