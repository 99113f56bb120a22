import { expect, test } from 'vitest';
import { toSentence } from './problem.tsx';

test.each([
  ['the queue is full', 'The queue is full.'],
  ["model 'embr' not found", "Model 'embr' not found."],
  ['The server does not answer. Is it running?', 'The server does not answer. Is it running?'],
  ['a.txt is too large', 'a.txt is too large.'],
  ['ember:latest cannot see', 'ember:latest cannot see.'],
  ['答案为空。', '答案为空。'],
  ['', ''],
])('%s', (text, sentence) => {
  expect(toSentence(text)).toBe(sentence);
});
