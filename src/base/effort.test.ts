import { expect, test } from 'vitest';
import { createEffort, EffortExceeded, unlimitedEffort } from './effort.ts';

test('work may take as many steps as the limit, and then no more', () => {
  const effort = createEffort(10);
  effort.spend(4);
  effort.spend(6);
  expect(() => effort.spend(1)).toThrow(EffortExceeded);
  expect(() => effort.spend(0)).toThrow(EffortExceeded);
});

test('work without a limit does not end', () => {
  expect(() => unlimitedEffort.spend(Number.POSITIVE_INFINITY)).not.toThrow();
});
