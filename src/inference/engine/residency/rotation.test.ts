import { expect, test } from 'vitest';
import { afterTurn, updateRotation } from './residency-state.ts';

test('new clients join at the end, and clients that no longer wait leave', () => {
  const first = updateRotation([], ['a', 'b', 'a']);
  expect(first).toEqual(['a', 'b']);
  expect(updateRotation(first, ['c', 'b'])).toEqual(['b', 'c']);
});

test('a client goes to the end after its turn', () => {
  expect(afterTurn(['a', 'b', 'c'], 'a')).toEqual(['b', 'c', 'a']);
  expect(afterTurn(['a'], 'new')).toEqual(['a', 'new']);
});

test('clients that come and go do not delay one that waits', () => {
  let rotation = updateRotation([], ['visitor 0', 'patient']);
  const served: string[] = [];
  for (let round = 1; !served.includes('patient') && round < 10; round++) {
    const next = rotation[0] as string;
    served.push(next);
    // The visitor that was served leaves, and another one arrives.
    rotation = updateRotation(afterTurn(rotation, next), [`visitor ${round}`, 'patient']);
  }
  expect(served).toEqual(['visitor 0', 'patient']);
});
