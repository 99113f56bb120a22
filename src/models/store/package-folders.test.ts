import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { digestOf } from '../../base/digest.ts';
import { createStore, type Store } from './store.ts';

const day = 24 * 60 * 60 * 1000;
let root: string;
let clock: FakeClock;
let store: Store;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'hearth-folders-'));
  clock = createFakeClock();
  store = createStore(root, { clock });
});
afterEach(() => rmSync(root, { recursive: true }));

const key = digestOf('pypi/tiny');

test('a folder stays for a week after its last use', async () => {
  const folder = await store.openPackageFolder(key);
  writeFileSync(join(folder, 'file'), '');
  clock.advance(6 * day);
  expect(await store.openPackageFolder(key)).toBe(folder);
  clock.advance(6 * day);
  await store.collectGarbage();
  expect(existsSync(join(folder, 'file'))).toBe(true);
  clock.advance(2 * day);
  await store.collectGarbage();
  expect(existsSync(folder)).toBe(false);
});

test('garbage collection leaves other folders alone', async () => {
  const other = join(dirname(await store.openPackageFolder(key)), 'other');
  mkdirSync(other);
  clock.advance(100 * day);
  await store.collectGarbage();
  expect(existsSync(other)).toBe(true);
});

test('a folder can be removed, whether it exists or not', async () => {
  const folder = await store.openPackageFolder(key);
  for (let time = 0; time < 2; time++) await store.removePackageFolder(key);
  expect(existsSync(folder)).toBe(false);
});

test('discarded blobs are removed although they are new, unless they are held', async () => {
  const [held, unused] = await Promise.all(['held', 'unused'].map((text) => store.putBlob(Buffer.from(text), 'x')));
  const digests = [held, unused].flatMap((layer) => layer?.digest ?? []);
  const release = store.holdBlobs(digests.slice(0, 1));
  expect(await store.discardBlobs(digests)).toEqual(digests.slice(1));
  release();
  await expect.poll(() => existsSync(store.blobPath(digestOf('held')))).toBe(false);
});
