import { lstatSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { createFileMemory } from './file-cache.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-memory-'));
afterAll(() => rmSync(base, { recursive: true }));
const path = join(base, 'file');

test('is there until the file is another one, changes, goes, or is forgotten', () => {
  writeFileSync(path, 'one');
  const clock = createFakeClock(Date.now() + 60_000);
  const memory = createFileMemory<string>(clock);
  const remember = (): void => memory.remember(path, lstatSync(path), 'value');

  remember();
  expect(memory.recall(path)).toMatchObject({ value: 'value', info: { size: 3 } });
  writeFileSync(`${path}.new`, 'two');
  renameSync(`${path}.new`, path);
  expect(memory.recall(path)).toBeUndefined();
  remember();
  writeFileSync(path, 'longer');
  expect(memory.recall(path)).toBeUndefined();
  remember();
  memory.forget(path);
  expect(memory.recall(path)).toBeUndefined();
  remember();
  rmSync(path);
  expect(memory.recall(path)).toBeUndefined();
});

test('does not trust a file that changed a moment ago', () => {
  writeFileSync(path, 'one');
  const clock = createFakeClock(lstatSync(path).mtimeMs + 100);
  const memory = createFileMemory<string>(clock);
  memory.remember(path, lstatSync(path), 'value');
  expect(memory.recall(path)).toBeUndefined();
  clock.advance(10_000);
  memory.remember(path, lstatSync(path), 'value');
  expect(memory.recall(path)?.value).toBe('value');
});
