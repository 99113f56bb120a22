import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatFloat32, formatVector } from './float32-json.ts';

test('numbers have as few digits as possible', () => {
  expect(formatVector(Float32Array.of(0.1, 0, -1.5, 0.010071029, 1e-20))).toBe('[0.1,0,-1.5,0.010071029,1e-20]');
});

test('every float32 survives a round trip', () => {
  fc.assert(
    fc.property(fc.float({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(Math.fround(JSON.parse(formatFloat32(value)))).toBe(value === 0 ? 0 : value);
    }),
  );
});
