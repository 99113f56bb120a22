import { expect, test } from 'vitest';
import { type MeterSources, openContentionMeter } from './contention-meter.ts';

/** A system with these files of /proc. */
function systemWith(files: Record<string, string>, others: Partial<MeterSources> = {}): MeterSources {
  return {
    open(path) {
      if (files[path] === undefined) throw new Error(`${path} does not exist`);
      return () => files[path] ?? '';
    },
    processTime: () => 0,
    idleTimes: () => [1000, 2000],
    ...others,
  };
}

const scheduleOf = (thread: number | string): string => `/proc/self/task/${thread}/schedstat`;
const main = scheduleOf(process.pid);
const open = (sources: MeterSources, onGpu = false) => openContentionMeter({ onGpu }, sources);

test('Linux counts the wait of every thread that computes', () => {
  const files = { [main]: '900 50 3\n', [scheduleOf(7)]: '800 70 2\n', [scheduleOf(8)]: '700 1000 2\n' };
  const meter = open(systemWith(files));
  expect(meter?.waited(0)).toBe(50);
  meter?.watch(['7', 'ended']);
  expect(meter?.waited(0)).toBe(120);
  files[main] = '1900 60 4\n';
  expect(meter?.waited(0)).toBe(130);
});

test('a thread that has not run yet when it is watched is counted as soon as it waits', () => {
  const files = { [main]: '900 50 3\n', [scheduleOf(7)]: '0 0 0\n' };
  const meter = open(systemWith(files));
  meter?.watch(['7']);
  files[scheduleOf(7)] = '800 70 2\n';
  expect(meter?.waited(0)).toBe(120);
});

test('on Linux, a processor is free if it is idle or waits for a disk', () => {
  const files = { [main]: '1 0 1\n', '/proc/stat': 'cpu  10 20 30 400 50 6 7 0 0 0\ncpu0 5 10 15 200 25 3 3 0 0 0\n' };
  // Hundredths of a second.
  expect(open(systemWith(files))?.free()).toBe(4.5e9);
});

test.each([
  ['on another system', {}],
  ['where the kernel does not count', { [main]: '0 0 0\n' }],
])('%s, the wait is what is missing in the time of the process', (_, files) => {
  let processTime = 0;
  const meter = open(systemWith(files, { processTime: () => processTime }));
  const before = meter?.waited(0) ?? 0;
  processTime += 150_000;
  expect((meter?.waited(200e6) ?? 0) - before).toBe(50e6);
  expect(meter?.free()).toBe(3e9);
});

test('threads that wait for a GPU are not mistaken for threads that wait for a processor', () => {
  expect(open(systemWith({}), true)).toBeUndefined();
  expect(open(systemWith({ [main]: '1 0 1\n' }), true)).toBeDefined();
});

test('nothing is measured where free processors cannot be seen', () => {
  expect(open(systemWith({}, { idleTimes: () => [] }))).toBeUndefined();
});

test('the totals of this machine never decrease', () => {
  const meter = openContentionMeter({ onGpu: false });
  const readings = Array.from({ length: 20 }, () => [meter?.waited(0) ?? 0, meter?.free() ?? 0] as const);
  for (const index of [0, 1] as const) {
    const values = readings.map((reading) => reading[index]);
    expect(values.every((value) => Number.isFinite(value))).toBe(true);
    if (process.platform === 'linux') expect(values).toEqual([...values].sort((a, b) => a - b));
  }
});
