import { expect, test } from 'vitest';
import { toEndpointFacts } from './endpoint-facts.ts';

const models = (owner: string, more: object = {}) => ({ data: [{ id: 'llama', owned_by: owner, ...more }] });
const paths = (...names: string[]) => ({ paths: Object.fromEntries(names.map((name) => [name, {}])) });

test.each([
  ['vllm', models('vllm'), {}],
  ['sglang', models('sglang'), {}],
  ['llama-server', models('llamacpp'), {}],
  ['ollama', models('library'), { version: '0.12.0' }],
  ['openai', models('system'), {}],
  ['openai', {}, {}],
])('%s is recognized', (kind, list, ollamaVersion) => {
  expect(toEndpointFacts('auto', { models: list, ollamaVersion, openApi: {} }).kind).toBe(kind);
  expect(toEndpointFacts('sglang', { models: list, ollamaVersion, openApi: {} }).kind).toBe('sglang');
});

test('models have the length of their context where the endpoint tells it', () => {
  const factsOf = (list: object) => toEndpointFacts('auto', { models: { ...list }, ollamaVersion: {}, openApi: {} });
  expect(factsOf(models('vllm', { max_model_len: 2048 })).models).toEqual([{ id: 'llama', contextLength: 2048 }]);
  expect(factsOf(models('llamacpp', { meta: { n_ctx: 512 } })).models).toEqual([{ id: 'llama', contextLength: 512 }]);
  expect(factsOf({ data: [7, { id: 8 }, { id: 'a', max_model_len: -1 }] }).models).toEqual([{ id: 'a' }]);
});

test('a description of the paths decides about what has a path', () => {
  const openApi = paths('/v1/embeddings', '/tokenize', '/sleep');
  const { features } = toEndpointFacts('vllm', { models: {}, ollamaVersion: {}, openApi });
  expect(features.has('embeddings') && features.has('tokenize') && features.has('sleep')).toBe(true);
  expect(features.has('chat')).toBe(false);
  expect(features.has('logprobs')).toBe(true);
});

test('without a description, a kind has its usual features', () => {
  const usual = toEndpointFacts('openai', { models: {}, ollamaVersion: {}, openApi: {} }).features;
  expect(usual.has('chat') && usual.has('embeddings')).toBe(true);
  expect(usual.has('sleep') || usual.has('tokenize')).toBe(false);
});
