import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { silentLogger } from '../../base/logger.ts';
import { formatPrefixFileName, unfinishedName } from '../protocol/prefix-file-name.ts';
import { createPrefixFiles, type PrefixFiles } from './prefix-files.ts';

let folder: string;
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'hearth-cache-')), 'cache');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (maxBytes = 1000): PrefixFiles =>
  createPrefixFiles({ folder, maxBytes, clock: createFakeClock(), logger: silentLogger });

function addFile(model: string, number: number, { bytes = 100, age = 0 } = {}): string {
  const name = formatPrefixFileName({ key: 'a'.repeat(16), tokens: String(number).repeat(32), work: 1 });
  const path = join(model, name);
  writeFileSync(path, Buffer.alloc(bytes));
  const usedAt = createFakeClock().now() / 1000 - age;
  utimesSync(path, usedAt, usedAt);
  return name;
}

test('a model has a private folder of its own', async () => {
  const files = open();
  const [one, same, other] = await Promise.all(['a', 'a', 'b'].map((key) => files.prepare(key)));
  expect(one).toBe(same);
  expect(one).not.toBe(other);
  expect(statSync(one as string).mode & 0o777).toBe(0o700);
});

test('without a folder there is no cache, and models load all the same', async () => {
  writeFileSync(folder, 'a file in its place');
  const files = open();
  expect(await files.prepare('a')).toBeUndefined();
  await files.recover();
  expect(files.usage).toEqual({ files: 0, bytes: 0 });
});

test('the limit applies to all models together', async () => {
  const files = open(250);
  const [a, b] = (await Promise.all(['a', 'b'].map((key) => files.prepare(key)))) as [string, string];
  const [, second, third] = [
    addFile(a, 1, { age: 3_000_000 }),
    addFile(b, 2, { age: 2_000_000 }),
    addFile(a, 3, { age: 1_000_000 }),
  ];
  await files.trim();
  expect([readdirSync(a), readdirSync(b)]).toEqual([[third], [second]]);
  expect(files.usage).toEqual({ files: 2, bytes: 200 });
});

test('leftovers of killed runners are removed, and nothing else', async () => {
  const files = open();
  const [a, empty] = (await Promise.all(['a', 'b'].map((key) => files.prepare(key)))) as [string, string];
  const kept = addFile(a, 1);
  writeFileSync(join(a, unfinishedName('0123456789abcdef')), 'half');
  writeFileSync(join(a, 'notes.txt'), 'of the user');
  mkdirSync(join(folder, 'photos'));
  writeFileSync(join(folder, 'photos', unfinishedName('0123456789abcdef')), 'not ours');
  await files.recover();
  expect(readdirSync(a).sort()).toEqual([kept, 'notes.txt'].sort());
  expect(readdirSync(join(folder, 'photos'))).toHaveLength(1);
  expect(readdirSync(folder)).not.toContain(empty.split('/').at(-1));
});
