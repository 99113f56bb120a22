import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-folder-'));
afterAll(() => rmSync(base, { recursive: true }));

test('creates the parents and reports them, outermost first', async () => {
  const created: string[] = [];
  const onCreated = async (parent: string): Promise<void> => void created.push(parent);
  await makeFolder(join(base, 'a', 'b', 'c'), { onCreated });
  expect(statSync(join(base, 'a', 'b', 'c')).isDirectory()).toBe(true);
  expect(created).toEqual([base, join(base, 'a'), join(base, 'a', 'b')]);
  await makeFolder(join(base, 'a', 'b', 'c'), { onCreated });
  expect(created).toHaveLength(3);
});

test('ten concurrent calls succeed', async () => {
  await Promise.all(Array.from({ length: 10 }, (_, index) => makeFolder(join(base, 'x', 'y', String(index)))));
  expect(statSync(join(base, 'x', 'y', '9')).isDirectory()).toBe(true);
});

test('a file as a parent is an error', async () => {
  writeFileSync(join(base, 'file'), '');
  await expect(makeFolder(join(base, 'file', 'a', 'b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.skipIf(process.platform !== 'linux')('a file system without new folders is an error, not a hang', async () => {
  await expect(makeFolder('/proc/hearth/models')).rejects.toMatchObject({ path: dirname('/proc/hearth/models') });
});
