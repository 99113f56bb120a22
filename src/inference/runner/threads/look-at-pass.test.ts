import { expect, test } from 'vitest';
import { firstLook, type Look, lookAtPass, lookMilliseconds } from './look-at-pass.ts';

interface Machine {
  /** The pass at each look. */
  readonly passes: readonly number[];
  /** How many threads wait. */
  readonly waiting: number;
  /** Milliseconds. */
  readonly late?: number;
}

/** The verdict of each look. */
function watch({ passes, waiting, late = 60 }: Machine): Look['verdict'][] {
  let look = firstLook;
  return passes.map((pass, index) => {
    const now = index * lookMilliseconds * 1e6;
    look = lookAtPass(look, { pass, late, now, waited: () => now * waiting });
    return look.verdict;
  });
}

const looks = (count: number, pass = 7): number[] => new Array<number>(count).fill(pass);
const counting = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

test('a pass is stuck if it is late and its threads wait', () => {
  expect(watch({ passes: looks(5), waiting: 0.5 })).toEqual(['running', 'running', 'running', 'stuck', 'stuck']);
});

test.each([
  ['takes long, but its threads do not wait', { passes: looks(50), waiting: 0.1 }],
  ['is usually as long', { passes: looks(50), waiting: 0.8, late: 2000 }],
  ['is a new one at each look', { passes: counting(50), waiting: 0.8 }],
])('a pass is not stuck if it %s', (_, machine) => {
  expect(new Set(watch(machine))).toEqual(new Set(['running']));
});

test('what threads waited before they were measured does not count', () => {
  const first = lookAtPass(firstLook, { pass: 1, late: 60, now: 0, waited: () => 0 });
  const second = lookAtPass(first, { pass: 1, late: 60, now: 20e6, waited: () => 20e6 });
  expect(lookAtPass(second, { pass: 1, late: 60, now: 80e6, waited: () => 21e6 }).verdict).toBe('running');
});

test.each([1, 2])('passes that usually last %d looks are not measured', (length) => {
  let readings = 0;
  let look = firstLook;
  const waited = (): number => readings++;
  const late = 2 * length * lookMilliseconds;
  for (let count = 0; count < 300; count++) {
    const pass = 1 + Math.floor(count / length);
    look = lookAtPass(look, { pass, late, now: count * lookMilliseconds * 1e6, waited });
  }
  expect(readings).toBe(0);
});

test('after some looks without a pass, there is nothing to watch', () => {
  expect(watch({ passes: [1, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0], waiting: 0 })).toEqual([
    ...new Array<string>(10).fill('running'),
    'idle',
    'idle',
  ]);
});
