import { expect, test } from 'vitest';
import { firstLook, type Look, lookAtPass } from './look-at-pass.ts';

interface Machine {
  /** The pass at a time in milliseconds. 0 if there is none. */
  readonly passAt: (time: number) => number;
  /** How many threads wait. */
  readonly waiting: number;
  /** The time in milliseconds. */
  readonly late?: number;
}

interface Seen {
  readonly timeMs: number;
  readonly verdict: Look['verdict'];
}

/** What the watchdog sees in two seconds, and how often it measured. */
function watch({ passAt, waiting, late = 60 }: Machine): { readonly looks: Seen[]; readonly measurements: number } {
  const looks: Seen[] = [];
  let measurements = 0;
  let look = firstLook;
  for (let timeMs = 0; timeMs < 2000; timeMs += look.next) {
    const waited = (): number => {
      measurements++;
      return timeMs * 1e6 * waiting;
    };
    look = lookAtPass(look, { pass: passAt(timeMs), late, now: timeMs * 1e6, waited });
    looks.push({ timeMs, verdict: look.verdict });
  }
  return { looks, measurements };
}

const verdicts = ({ looks }: { readonly looks: readonly Seen[] }) => new Set(looks.map(({ verdict }) => verdict));
const passesOf = (milliseconds: number) => (time: number) => 1 + Math.floor(time / milliseconds);

test('a pass is stuck if it is late and its threads wait', () => {
  // Passes of 28 milliseconds, and then one that begins at 980 and does not end.
  const { looks } = watch({ passAt: (time) => passesOf(28)(Math.min(time, 980)), waiting: 0.5 });
  const first = looks.find(({ verdict }) => verdict === 'stuck')?.timeMs ?? 0;
  expect(first).toBeGreaterThanOrEqual(980 + 60);
  expect(first).toBeLessThan(980 + 110);
});

test.each([
  ['takes long, but its threads do not wait', { passAt: () => 7, waiting: 0.1 }],
  ['is usually as long', { passAt: () => 7, waiting: 0.8, late: 3000 }],
  ['ends soon', { passAt: passesOf(28), waiting: 0.8 }],
])('a pass is not stuck if it %s', (_, machine) => {
  expect(verdicts(watch(machine))).toEqual(new Set(['running']));
});

test('what threads waited before the second look does not count', () => {
  const sight = { pass: 1, late: 60 };
  const first = lookAtPass(firstLook, { ...sight, now: 0, waited: () => 0 });
  const second = lookAtPass(first, { ...sight, now: 45e6, waited: () => 45e6 });
  expect(lookAtPass(second, { ...sight, now: 65e6, waited: () => 46e6 }).verdict).toBe('running');
});

test.each([2, 28, 100, 500])('passes of %d milliseconds cost few looks and no measurements', (length) => {
  const { looks, measurements } = watch({ passAt: passesOf(length), waiting: 0, late: Math.max(60, 2 * length) });
  expect(looks.length).toBeLessThan(50);
  expect(measurements).toBe(0);
});

test('after some looks without a pass, there is nothing to watch', () => {
  const { looks } = watch({ passAt: (time) => (time < 100 ? 7 : 0), waiting: 0 });
  expect(looks.map(({ verdict }) => verdict).lastIndexOf('running')).toBeLessThan(10);
  expect(looks.at(-1)?.verdict).toBe('idle');
});
