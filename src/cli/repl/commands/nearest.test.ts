import { expect, test } from 'vitest';
import { nearestWord } from './nearest.ts';

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
])('%j is meant as %j', (word, meant) => {
  expect(nearestWord(word, words)).toBe(meant);
});
