import { expect, test } from 'vitest';
import { newDocument, type TreeMessage } from './chat-document.ts';
import { canWriteTitles, cleanTitle, needsTitle, titlePrompt } from './chat-title.ts';

test.each([
  ['7.6B', true],
  ['1B', true],
  ['494.03M', false],
  ['11.2M', false],
  ['', true],
  ['1.2T', true],
])('a model with %s parameters: %s', (size, expected) => {
  expect(canWriteTitles(size)).toBe(expected);
});

test.each([
  ['"Apples and trees."', 'Apples and trees'],
  ['**Title: Where apples grow**\n\nThis title …', 'Where apples grow'],
  ['<think>Hm.\nSo.</think>\nBread for beginners', 'Bread for beginners'],
  ['  \n', ''],
])('%s', (text, title) => {
  expect(cleanTitle(text)).toBe(title);
});

test('a title is written once, after the first complete answer', () => {
  const message = { created_at: '', parent: null };
  const question: TreeMessage = { ...message, id: 'q', role: 'user', content: 'Where do apples grow?' };
  const answer: TreeMessage = { ...message, id: 'a', parent: 'q', role: 'assistant', content: 'On trees.' };
  const chat = { ...newDocument({ id: 'c', model: 'm', now: '' }), title: 'Where do apples grow?' };
  expect(needsTitle({ ...chat, messages: [question, answer] })).toBe(true);
  expect(needsTitle({ ...chat, messages: [question, { ...answer, request: { id: 'r', received: 0 } }] })).toBe(false);
  expect(needsTitle({ ...chat, messages: [question, { ...answer, error: 'no' }] })).toBe(false);
  expect(needsTitle({ ...chat, title: 'Apples', messages: [question, answer] })).toBe(false);
  expect(needsTitle({ ...chat, messages: [question, answer, question, answer] })).toBe(false);
  expect(titlePrompt({ messages: [question, answer] })).toContain('Answer: On trees.');
});
