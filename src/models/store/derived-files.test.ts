import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Digest, digestOf } from '../../base/digest.ts';
import { derivedPath } from '../derived-file.ts';
import { parseModelName } from '../name.ts';
import { mediaTypes } from './manifests/manifest.ts';
import { createStore, type Store } from './store.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-derived-'));
afterAll(() => rmSync(base, { recursive: true }));

const name = parseModelName('model');
const digest = digestOf('weights');
let store: Store;
let path: string;
let folder: string;
beforeEach(async () => {
  const root = join(base, String(Math.random()));
  store = createStore(root);
  folder = join(root, 'blobs');
  const [config, layer] = await Promise.all(['{}', 'weights'].map((text) => store.putBlob(Buffer.from(text), 'x')));
  if (config === undefined || layer === undefined) throw new Error('no layers');
  await store.putManifest(name, { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] });
  path = derivedPath(store.blobPath(digest), 'projector');
});

const derive = (write: (path: string) => Promise<void>) => store.deriveFile(digest, 'projector', write);

test('is made once, even if two loads need it', async () => {
  let made = 0;
  const write = async (target: string): Promise<void> => {
    made++;
    await writeFile(target, 'derived');
  };
  await Promise.all([derive(write), derive(write)]);
  await derive(write);
  expect(made).toBe(1);
  expect(readFileSync(path, 'utf8')).toBe('derived');
});

test('nothing remains of a failure, and the next attempt makes it', async () => {
  const failing = derive(async (target) => {
    await writeFile(target, 'half of');
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
  });
  await expect(failing).rejects.toThrow('the disk of the model store is full');
  expect(readdirSync(folder)).toHaveLength(2);
  await derive((target) => writeFile(target, 'whole'));
  expect(readFileSync(path, 'utf8')).toBe('whole');
});

test('leaves with its model', async () => {
  await derive((target) => writeFile(target, 'derived'));
  await store.removeModel(name);
  await expect.poll(() => existsSync(path)).toBe(false);
});

test('garbage collection keeps it while a model uses the blob, and removes those of other versions', async () => {
  await derive((target) => writeFile(target, 'derived'));
  const old = path.replace(/\d+$/, '0');
  writeFileSync(old, 'made in another way');
  const orphan = derivedPath(store.blobPath(digestOf('nothing') as Digest), 'weights');
  writeFileSync(orphan, 'without a blob');
  const { bytes } = await store.collectGarbage({ graceMs: 0 });
  expect(existsSync(path)).toBe(true);
  expect(existsSync(old) || existsSync(orphan)).toBe(false);
  expect(bytes).toBe('made in another way'.length + 'without a blob'.length);
});

test('is not a blob', async () => {
  await derive((target) => writeFile(target, 'derived'));
  expect(await store.hasBlob(digestOf('derived'))).toBe(false);
  await expect(store.deriveFile(digestOf('missing'), 'weights', async () => {})).rejects.toThrow('is missing');
});
