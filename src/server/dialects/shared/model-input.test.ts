import { expect, test } from 'vitest';
import { parseRequestedModel } from '../../../models/name.ts';
import { toModelInput } from './model-input.ts';

test('name, options and keep_alive are parsed', () => {
  expect(toModelInput({ model: 'ember', options: { num_ctx: 8, nonsense: 1 }, keep_alive: 0 })).toEqual({
    model: parseRequestedModel('ember'),
    options: { values: { numCtx: 8 }, unknown: ['nonsense'] },
    keepAlive: 0,
  });
  expect(() => toModelInput({ model: 'ember', keep_alive: 'soon' })).toThrow('time: invalid duration "soon"');
});

test('a missing or empty name has its own message', () => {
  expect(() => toModelInput({})).toThrow('model is required');
  expect(() => toModelInput({ model: ' ' })).toThrow('model is required');
  const unknown = expect.objectContaining({ code: 'model_not_found', message: "model '' not found" });
  expect(() => toModelInput({ model: '' }, { emptyIsUnknown: true })).toThrow(unknown);
});
