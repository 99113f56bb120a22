import { expect, test } from 'vitest';
import { missingModel, parseRequestedModel } from './name.ts';

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

test.each([
  ['kimi:cloud', 'cloud_model'],
  ['gpt-oss:120b-Cloud', 'cloud_model'],
  ['team/kimi:cloud', 'cloud_model'],
  ['my-cloud', 'model_not_found'],
  ['kimi:cloudy', 'model_not_found'],
  ['kimi:xcloud', 'model_not_found'],
])('a missing model %s: %s', (text, code) => {
  expect(missingModel(parseRequestedModel(text), 'missing').code).toBe(code);
});
