import fc from 'fast-check';
import { expect, test } from 'vitest';
import { planRemovals } from './plan-removals.ts';

const hour = 3_600_000;
const now = 1000 * hour;
const file = (name: string, { bytes = 10, work = 10, hours = 1 } = {}) => ({
  name,
  bytes,
  work,
  usedAt: now - hours * hour,
});
const namesOf = (files: readonly { readonly name: string }[]): string[] => files.map(({ name }) => name);

test('nothing is removed while everything fits', () => {
  expect(planRemovals([file('a'), file('b')], { maxBytes: 20, now })).toEqual([]);
});

test('the file that was not used for longest is removed first', () => {
  const files = [file('new', { hours: 1 }), file('oldest', { hours: 9 }), file('old', { hours: 5 })];
  expect(namesOf(planRemovals(files, { maxBytes: 15, now }))).toEqual(['oldest', 'old']);
});

test('a file that saves more work per byte outlives a newer one', () => {
  const files = [
    file('cheap', { hours: 1 }),
    file('expensive', { hours: 5, work: 100 }),
    file('large', { bytes: 100 }),
  ];
  expect(namesOf(planRemovals(files, { maxBytes: 20, now }))).toEqual(['large']);
  expect(namesOf(planRemovals(files, { maxBytes: 10, now }))).toEqual(['large', 'cheap']);
});

test('the rest always fits, also with times in the future', () => {
  const anyFile = fc.record({ bytes: fc.nat(1000), work: fc.nat(1000), usedAt: fc.nat(2 * now) });
  fc.assert(
    fc.property(fc.array(anyFile), fc.nat(3000), (files, maxBytes) => {
      const removed = new Set(planRemovals(files, { maxBytes, now }));
      const rest = files.filter((one) => !removed.has(one));
      expect(rest.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(maxBytes);
    }),
  );
});
