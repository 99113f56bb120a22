import { expect, test } from 'vitest';
import { shortestFloat32 } from './float32.ts';

test.each([0, 1, -1.5, 0.1, 1e-5, 3.4e38, 16777216, 1 / 3])('%d', (value) => {
  const single = Math.fround(value);
  expect(Math.fround(shortestFloat32(single))).toBe(single);
  expect(String(shortestFloat32(single)).length).toBeLessThanOrEqual(12);
});

test('a value that is no float32 stays', () => {
  expect(shortestFloat32(0.1)).toBe(0.1);
  expect(shortestFloat32(Math.PI)).toBe(Math.PI);
});
