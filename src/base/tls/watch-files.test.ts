import { mkdtempSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { watchFiles } from './watch-files.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-watch-'));
afterAll(() => rmSync(root, { recursive: true }));
const file = (name: string): string => join(root, name);

let clock: FakeClock;
let looks: number;
const onChange = vi.fn(async () => {});
let stop = (): void => {};

beforeEach(async () => {
  onChange.mockClear();
  writeFileSync(file('a'), '1');
  writeFileSync(file('b'), '1');
  clock = createFakeClock();
  looks = 0;
  const after = (milliseconds: number, callback: () => void) => {
    looks++;
    return clock.after(milliseconds, callback);
  };
  const counting = { ...clock, after };
  stop = await watchFiles({ paths: [file('a'), file('b')], clock: counting, intervalMs: 1000, onChange });
});
afterEach(() => stop());

/** Lets the next look happen, and waits for its end. */
async function look(): Promise<void> {
  const before = looks;
  clock.advance(1000);
  await vi.waitFor(() => expect(looks).toBe(before + 1), { timeout: 30_000 });
}

test('files that stay the same are not reported', async () => {
  for (let count = 0; count < 3; count++) await look();
  expect(onChange).not.toHaveBeenCalled();
});

test('a change is reported once, when nothing has changed since', async () => {
  writeFileSync(file('a'), '22');
  await look();
  writeFileSync(file('b'), '22');
  await look();
  expect(onChange).not.toHaveBeenCalled();
  await look();
  await look();
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('a file that disappears and comes back is reported each time', async () => {
  unlinkSync(file('a'));
  await look();
  await look();
  expect(onChange).toHaveBeenCalledTimes(1);
  writeFileSync(file('a'), 'new');
  await look();
  await look();
  expect(onChange).toHaveBeenCalledTimes(2);
});

test.skipIf(process.platform === 'win32')('a link to another file is a change', async () => {
  writeFileSync(file('target-1'), '1');
  writeFileSync(file('target-2'), '1');
  symlinkSync(file('target-2'), file('link'));
  renameSync(file('link'), file('a'));
  await look();
  await look();
  expect(onChange).toHaveBeenCalledTimes(1);
});

test('after the end of the watch, nothing is reported', async () => {
  writeFileSync(file('a'), '333');
  await look();
  stop();
  clock.advance(10_000);
  await new Promise((resolve) => setImmediate(resolve));
  expect(onChange).not.toHaveBeenCalled();
});
