import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { decideThreads, physicalCores } from './threads.ts';

test('threads that share a core count once', () => {
  expect(physicalCores(() => '0,1')).toBe(1);
});

test('without that knowledge, what the system says', () => {
  const unknown = () => {
    throw new Error('no such file');
  };
  expect(physicalCores(unknown)).toBe(availableParallelism());
});

test('what is wanted, where the machine has it', () => {
  expect(decideThreads(1)).toBe(1);
  expect(decideThreads(100_000)).toBe(availableParallelism());
  expect(decideThreads(0)).toBe(physicalCores());
});
