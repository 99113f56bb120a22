import { expect, test } from 'vitest';
import { toTemplateOptions } from './model-input.ts';

test.each([
  [{ enable_thinking: false }, false],
  [{ enable_thinking: true }, true],
  [{ thinking: true }, true],
  [{ enable_thinking: true, reasoning_effort: 'low' }, 'low'],
  [{ enable_thinking: false, reasoning_effort: 'low' }, false],
  [{ reasoning_effort: 'high' }, 'high'],
  [{ reasoning_effort: 'none' }, false],
  [{ reasoning_effort: 'extreme' }, undefined],
  [{ enable_thinking: 'yes' }, undefined],
  [{ color: 'red' }, undefined],
])('%j means think: %j', (variables, think) => {
  expect(toTemplateOptions(variables, undefined)).toEqual({ templateVariables: variables, think, thinkIfAble: true });
});

test('another field of the request counts more', () => {
  const variables = { enable_thinking: true };
  expect(toTemplateOptions(variables, false)).toEqual({ templateVariables: variables, think: false });
  expect(toTemplateOptions(undefined, 'high')).toEqual({ think: 'high' });
});

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each([
  ['a list', [], 'chat_template_kwargs: expected an object'],
  ['a text', 'x', 'chat_template_kwargs: expected an object'],
  ['the messages', { messages: [] }, '"messages" is set by the server'],
  ['the start token', { bos_token: 'x' }, '"bos_token" is set by the server'],
  ['a name that is none', { 'a b': 1 }, '"a b" is not a name'],
  ['a prototype', JSON.parse('{"__proto__": {"a": 1}}'), '"__proto__" is not a name'],
  ['many names', Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`n${index}`, 1])), 'more than 64 names'],
  ['a long text', { a: 'x'.repeat(70_000) }, 'too large'],
  ['many values', { a: Array.from({ length: 20_000 }, () => 1) }, 'too large'],
  ['deep values', { a: nested(1000) }, 'nested too deeply'],
])('%s is refused', (_, given, message) => {
  expect(() => toTemplateOptions(given, undefined)).toThrow(message);
});
