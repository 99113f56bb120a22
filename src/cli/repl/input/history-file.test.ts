import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { openHistory } from './history-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-history-'));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;
const newPath = (): string => join(folder, String(files++), 'history');
const openAt = (path: string | undefined, limits?: { entries: number; fileBytes: number }) =>
  openHistory({ path, clock: systemClock, limits });

test('entries persist across sessions, including line breaks and backslashes', async () => {
  const path = newPath();
  const first = await openAt(path);
  await first.add('one');
  await first.add('two\nlines \\n and \\');
  expect((await openAt(path)).entries()).toEqual(['one', 'two\nlines \\n and \\']);
});

test('any text is restored unchanged', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.string({ unit: 'grapheme' }), { maxLength: 5 }), async (texts) => {
      const path = newPath();
      const history = await openAt(path);
      for (const text of texts) await history.add(text);
      expect((await openAt(path)).entries()).toEqual(history.entries());
    }),
    { numRuns: 30 },
  );
});

test('only the owner can read the file, even if others could before', async () => {
  const path = newPath();
  await (await openAt(path)).add('secret');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  chmodSync(path, 0o644);
  await openAt(path);
  expect(statSync(path).mode & 0o777).toBe(0o600);
});

test('repeated and blank entries are not kept', async () => {
  const path = newPath();
  const history = await openAt(path);
  for (const entry of ['a', 'a', '  ', 'b', 'a']) await history.add(entry);
  expect(history.entries()).toEqual(['a', 'b', 'a']);
});

test('concurrent sessions lose no entries when the file is rotated', async () => {
  const path = newPath();
  // The file is rotated many times; the last two files contain at least the last 2000 bytes.
  const limits = { entries: 1000, fileBytes: 2000 };
  const sessions = await Promise.all(['x', 'y', 'z'].map(() => openAt(path, limits)));
  await Promise.all(
    sessions.map(async (session, number) => {
      for (let index = 0; index < 200; index++) await session.add(`session ${number} entry ${index}`);
    }),
  );
  const kept = (await openAt(path, limits)).entries();
  for (const number of [0, 1, 2]) {
    const indices = kept
      .filter((entry) => entry.startsWith(`session ${number}`))
      .map((entry) => Number(entry.split(' ')[3]));
    // No gaps up to the last entry.
    expect(indices).toEqual(indices.map((_, position) => 200 - indices.length + position));
  }
  expect(kept.length).toBeGreaterThan(2000 / 25);
  expect(statSync(path).size + statSync(`${path}.1`).size).toBeLessThan(3 * 2000);
});

test('a stale lock of a killed session is removed', async () => {
  const path = newPath();
  const limits = { entries: 10, fileBytes: 5 };
  const clock = createFakeClock(statSync(folder).mtimeMs);
  const history = await openHistory({ path, clock, limits });
  await history.add('a');
  writeFileSync(`${path}.lock`, '');
  await history.add('longer');
  expect(existsSync(`${path}.1`)).toBe(false);
  clock.advance(10 * 60_000);
  await history.add('longer still');
  await history.add('and more');
  expect(readFileSync(`${path}.1`, 'utf8')).toBe('a\nlonger\nlonger still\nand more\n');
});

test('without a usable file, the session keeps its entries in memory', async () => {
  const blocked = join(folder, 'file');
  writeFileSync(blocked, '');
  for (const path of [undefined, join(blocked, 'history')]) {
    const history = await openAt(path);
    await history.add('a');
    expect(history.entries()).toEqual(['a']);
  }
});
