import { expect, test } from 'vitest';
import { findRenderer } from '../../../formats/chat/renderers/find-renderer.ts';
import { resolveRenderer } from './choose-template.ts';

const small = findRenderer('gemma4-small');
const large = findRenderer('gemma4-large');

test.each([
  ['gemma4:e4b', '27B', small],
  ['gemma4:31b-cloud', '', large],
  ['mine', '8.0B', small],
  ['mine', '12B', large],
  ['mine', '999M', small],
  ['mine', '', small],
])('gemma4 for the model %s with %s parameters', (displayName, parameterSize, expected) => {
  expect(resolveRenderer({ displayName, parameterSize, renderer: 'gemma4' })).toBe(expected);
});

test('other renderers are what their name says', () => {
  const model = { displayName: 'gemma4:31b', parameterSize: '31B' };
  expect(resolveRenderer({ ...model, renderer: 'qwen3-coder' })).toBe(findRenderer('qwen3-coder'));
  expect(resolveRenderer({ ...model, renderer: 'gemma4-small' })).toBe(small);
  expect(resolveRenderer({ ...model, renderer: '' })).toBeUndefined();
});
