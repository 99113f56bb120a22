import { expect, test } from 'vitest';
import type { ShowResponseBody } from '../../server/dialects/ollama/models/show-schema.ts';
import { formatModelInfo } from './model-info.ts';

const types = { parallel: 4, type_k: 'f16', type_v: 'f16' };
const shown = {
  details: { family: 'llama', parameter_size: '8B', quantization_level: 'Q4_0', parent_model: '' },
  model_info: { 'general.architecture': 'llama', 'llama.context_length': 131_072 },
  capabilities: [],
} as unknown as ShowResponseBody;

test.each([
  ['memory', 'default context    16384 (limited by memory)'],
  ['model', 'default context    16384 (num_ctx of the model)'],
  ['setting', 'default context    16384 (setting context_length)'],
] as const)('a context that is not the trained one says why: %s', (source, line) => {
  expect(formatModelInfo({ ...shown, context: { length: 16_384, source, ...types } })).toContain(line);
});

test('the trained length is shown once, and other servers send no context', () => {
  const trained = formatModelInfo({ ...shown, context: { length: 131_072, source: 'trained', ...types } });
  expect(trained).toContain('context length    131072');
  expect(trained).not.toContain('default context');
  expect(formatModelInfo(shown)).toBe(trained);
});

test('Ember eyes says what it sees; other projectors see what is on photographs', () => {
  const show = (name: string) =>
    formatModelInfo({ ...shown, projector_info: { 'general.architecture': 'clip', 'general.name': name } });
  expect(show('Ember eyes')).toContain('sees            drawn shapes (circles, squares, triangles, crosses) on square');
  expect(show('Another')).not.toContain('sees');
});

test('whether the model fits is a row, if the server was asked', () => {
  const text = 'fits with the experts of 31 of 48 layers in main memory';
  expect(formatModelInfo({ ...shown, fit: { verdict: 'layers', text } })).toMatch(new RegExp(`^ +fit +${text}$`, 'm'));
  expect(formatModelInfo(shown)).not.toMatch(/^ +fit /m);
});
