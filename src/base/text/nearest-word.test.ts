import { expect, test } from 'vitest';
import { nearestWord } from './nearest-word.ts';

const words = ['/set', '/show', '/load', '/save', '/clear', '/list', '/bye', '/exit', '/help'];

test.each([
  ['/sohw', '/show'],
  ['/shw', '/show'],
  ['/cl', '/clear'],
  ['/byee', '/bye'],
  ['/lsit', '/list'],
  ['/quit', '/exit'],
  ['/abandon', undefined],
  ['/', undefined],
  ['', undefined],
])('the suggestion for %j is %j', (word, suggestion) => {
  expect(nearestWord(word, words)).toBe(suggestion);
});
