import { expect, test } from 'vitest';
import { readModelName, toModelInput } from './model-input.ts';

test('absent fields have defaults', () => {
  expect(toModelInput({})).toEqual({ model: '', options: {} });
});

test('keep_alive is parsed, everything else is passed on', () => {
  const options = { num_ctx: 8 };
  expect(toModelInput({ model: 'ember', options, keep_alive: 0 })).toEqual({ model: 'ember', options, keepAlive: 0 });
  expect(() => toModelInput({ keep_alive: 'soon' })).toThrow('time: invalid duration "soon"');
});

test.each([undefined, ''])('the model %j is missing', (text) => {
  expect(() => readModelName(text)).toThrow('model is required');
});

test.each(['../../etc/passwd', 'a//b', ' '])('%j is not a model name', (text) => {
  expect(() => readModelName(text)).toThrow('invalid model name');
});

test('a name without a tag has the default one', () => {
  expect(readModelName('ember')).toMatchObject({ model: 'ember', tag: 'latest' });
});
