import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFloat32, formatVector } from './float32-json.ts';

test('as few digits as possible', () => {
  expect(formatVector(Float32Array.of(0.1, 0, -1.5, 0.010071029, 1e-20))).toBe('[0.1,0,-1.5,0.010071029,1e-20]');
});

test('what is written reads back as what it was', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Math.fround(JSON.parse(formatFloat32(value)))).toBe(value === 0 ? 0 : value);
    }),
  );
});
