import { expect, test } from 'vitest';
import {
  afterFailure,
  afterSuccess,
  type Circuit,
  close,
  endProbe,
  isPauseOver,
  newCircuit,
  startProbe,
} from './circuit.ts';
import { calmTime, firstPause, maxFailures, maxPause } from './limits.ts';

/** Without jitter. */
const at = (now: number, random = 0.5) => ({ now, random });

function failTimes(times: number, now: number, circuit: Circuit = newCircuit): Circuit {
  return Array.from({ length: times }).reduce<Circuit>((before) => afterFailure(before, at(now)), circuit);
}

function pauseOf(circuit: Circuit, now: number): number {
  return circuit.state === 'open' ? circuit.until - now : 0;
}

test('consecutive failures open a circuit, and a success between them does not let it open', () => {
  expect(failTimes(maxFailures - 1, 0).state).toBe('closed');
  expect(failTimes(maxFailures, 0).state).toBe('open');
  const interrupted = afterSuccess(failTimes(maxFailures - 1, 0));
  expect(failTimes(maxFailures - 1, 0, interrupted).state).toBe('closed');
});

test('the pause doubles with every failed probe, up to the longest one', () => {
  let circuit = failTimes(maxFailures, 0);
  const pauses = [pauseOf(circuit, 0)];
  for (let turn = 0; turn < 10; turn++) {
    circuit = afterFailure(startProbe(circuit), at(0));
    pauses.push(pauseOf(circuit, 0));
  }
  expect(pauses.slice(0, 4)).toEqual([1, 2, 4, 8].map((factor) => factor * firstPause));
  expect(pauses.at(-1)).toBe(maxPause);
});

test('jitter changes the pause by a quarter at most', () => {
  const opened = (random: number): number =>
    pauseOf(afterFailure(startProbe(newCircuit), { now: 0, random }), 0) / firstPause;
  expect(opened(0)).toBe(0.75);
  expect(opened(1)).toBe(1.25);
});

test('a probe may start when the pause is over, and its success closes the circuit', () => {
  const open = failTimes(maxFailures, 0);
  expect(isPauseOver(open, firstPause - 1)).toBe(false);
  expect(isPauseOver(open, firstPause)).toBe(true);
  const probing = startProbe(open);
  expect(isPauseOver(probing, firstPause)).toBe(false);
  expect(close(probing, firstPause)).toMatchObject({ state: 'closed', failures: 0 });
});

test('a probe without a result lets the next request try', () => {
  const ended = endProbe(startProbe(failTimes(maxFailures, 0)), 5000);
  expect(isPauseOver(ended, 5000)).toBe(true);
});

test('an open circuit ignores the ends of requests that started before', () => {
  const open = failTimes(maxFailures, 0);
  expect(afterSuccess(open)).toBe(open);
  expect(afterFailure(open, at(500))).toBe(open);
});

test('an endpoint that fails again soon after it recovered pauses longer; after a calm time it starts again', () => {
  const recovered = close(startProbe(failTimes(maxFailures, 0)), 1000);
  expect(pauseOf(failTimes(maxFailures, 2000, recovered), 2000)).toBe(2 * firstPause);
  const later = 1000 + calmTime + 1;
  expect(pauseOf(failTimes(maxFailures, later, recovered), later)).toBe(firstPause);
});
