import { expect, test } from 'vitest';
import { parseRequestedModel } from './requested-model.ts';

test('keeps the text and the parsed name', () => {
  expect(parseRequestedModel('http://Library/ember')).toMatchObject({
    text: 'http://Library/ember',
    name: { namespace: 'Library', model: 'ember', tag: 'latest' },
  });
});

test.each([
  ['', undefined, 'model is required'],
  ['../evil', undefined, 'invalid model name'],
  ['', 'source "" is invalid', 'source "" is invalid'],
  ['../evil', 'name "../evil" is invalid', 'name "../evil" is invalid'],
])('%j with the message %j: %s', (text, message, expected) => {
  expect(() => parseRequestedModel(text, message)).toThrow(expected);
});
