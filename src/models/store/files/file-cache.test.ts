import { lstatSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createFileCache } from './file-cache.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-file-cache-'));
afterAll(() => rmSync(base, { recursive: true }));
const path = join(base, 'file');

test('a value is cached until the file is replaced, changed or removed, or the entry is deleted', () => {
  writeFileSync(path, 'one');
  const clock = createFakeClock(Date.now() + 60_000);
  const cache = createFileCache<string>(clock);
  const store = (): void => cache.set(path, lstatSync(path), 'value');

  store();
  expect(cache.get(path)).toMatchObject({ value: 'value', info: { size: 3 } });
  writeFileSync(`${path}.new`, 'two');
  renameSync(`${path}.new`, path);
  expect(cache.get(path)).toBeUndefined();
  store();
  writeFileSync(path, 'longer');
  expect(cache.get(path)).toBeUndefined();
  store();
  cache.delete(path);
  expect(cache.get(path)).toBeUndefined();
  store();
  rmSync(path);
  expect(cache.get(path)).toBeUndefined();
});

test('a recently changed file is not cached', () => {
  writeFileSync(path, 'one');
  const clock = createFakeClock(lstatSync(path).mtimeMs + 100);
  const cache = createFileCache<string>(clock);
  cache.set(path, lstatSync(path), 'value');
  expect(cache.get(path)).toBeUndefined();
  clock.advance(10_000);
  cache.set(path, lstatSync(path), 'value');
  expect(cache.get(path)?.value).toBe('value');
});
