import { expect, test } from 'vitest';
import { isWorthWriting, workOf } from './worth-writing.ts';

const small = 30_000_000;
const large = 5_000_000_000;
const candidate = { tokens: 1000, stored: 0, used: false, leaving: false, modelBytes: small };

test('a prefix that was used is written, and one that is expensive', () => {
  expect(isWorthWriting(candidate)).toBe(false);
  expect(isWorthWriting({ ...candidate, used: true })).toBe(true);
  expect(isWorthWriting({ ...candidate, modelBytes: large })).toBe(true);
});

test('a few tokens are not written, nor a few more than there are on disk', () => {
  expect(isWorthWriting({ ...candidate, tokens: 63, used: true })).toBe(false);
  expect(isWorthWriting({ ...candidate, stored: 990, modelBytes: large })).toBe(false);
  expect(isWorthWriting({ ...candidate, stored: 800, used: true })).toBe(false);
  expect(isWorthWriting({ ...candidate, stored: 500, used: true })).toBe(true);
  expect(isWorthWriting({ ...candidate, stored: 800, modelBytes: large })).toBe(true);
});

test('a prefix that memory does not keep is written for fewer tokens', () => {
  const leaving = { ...candidate, tokens: 10_000, used: true, leaving: true };
  expect(isWorthWriting({ ...leaving, stored: 9700, leaving: false })).toBe(false);
  expect(isWorthWriting({ ...leaving, stored: 9700 })).toBe(true);
  expect(isWorthWriting({ ...leaving, stored: 9950 })).toBe(false);
  expect(isWorthWriting({ ...leaving, stored: 9700, used: false })).toBe(false);
});

test('work is at least one unit', () => {
  expect(workOf(64, 1000)).toBe(1);
  expect(workOf(1000, 2 ** 30)).toBe(1000);
});
