import { expect, test } from 'vitest';
import { includesScope } from './caller-key.ts';

test('a scope includes itself and the smaller ones', () => {
  expect(includesScope('infer', 'infer')).toBe(true);
  expect(includesScope('infer', 'manage')).toBe(false);
  expect(includesScope('manage', 'infer')).toBe(true);
  expect(includesScope('manage', 'admin')).toBe(false);
  expect(includesScope('admin', 'admin')).toBe(true);
});
