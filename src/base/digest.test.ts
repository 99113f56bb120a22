import { expect, test } from 'vitest';
import { digestOf, hexOf, parseDigest } from './digest.ts';

const hex = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

test('both separators and upper case are accepted and normalized', () => {
  expect(parseDigest(`sha256:${hex}`)).toBe(`sha256:${hex}`);
  expect(parseDigest(`sha256-${hex.toUpperCase()}`)).toBe(`sha256:${hex}`);
  expect(hexOf(digestOf(''))).toBe(hex);
});

test.each(['', hex, `sha256:${hex.slice(1)}`, `sha256:${hex}0`, `sha256:../${hex.slice(3)}`, `md5:${hex}`])(
  '%j is not a digest',
  (text) => {
    expect(() => parseDigest(text)).toThrow('invalid digest format');
  },
);
