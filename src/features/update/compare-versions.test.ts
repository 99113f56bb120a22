import { expect, test } from 'vitest';
import { isNewerVersion, newestRelease } from './compare-versions.ts';

test('pre-releases and other texts are ignored', () => {
  expect(newestRelease(['0.9.0', '0.10.0', '0.10.0-beta.2', '1.0.0-rc.1', 'latest'])).toBe('0.10.0');
  expect(newestRelease(['1.0.0-rc.1'])).toBeUndefined();
});

test.each([
  ['0.10.0', '0.9.9', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.1', false],
  ['2.0.0', '1.9.9', true],
  ['1.0.0', '1.0.0-beta.1', true],
  ['1.0.0-beta.1', '1.0.0', false],
  ['1.0', '0.1.0', false],
])('%s is newer than %s: %s', (a, b, expected) => {
  expect(isNewerVersion(a, b)).toBe(expected);
});
