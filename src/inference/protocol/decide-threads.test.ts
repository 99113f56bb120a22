import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { decideThreads, physicalCores } from './decide-threads.ts';

test('hardware threads of one core count once', () => {
  expect(physicalCores(() => '0,1')).toBe(1);
});

test('without topology files, the number of processors', () => {
  const unknown = () => {
    throw new Error('no such file');
  };
  expect(physicalCores(unknown)).toBe(availableParallelism());
});

test('the requested number, up to the number of processors', () => {
  expect(decideThreads(1)).toBe(1);
  expect(decideThreads(100_000)).toBe(availableParallelism());
  expect(decideThreads(0)).toBe(physicalCores());
});
