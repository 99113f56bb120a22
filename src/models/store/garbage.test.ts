import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts';
import { type Digest, digestOf, hexOf } from '../../base/digest.ts';
import { parseModelName } from '../name.ts';
import { type Manifest, mediaTypes } from './manifests/manifest.ts';
import { createStore, type Store } from './store.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-garbage-'));
afterAll(() => rmSync(base, { recursive: true }));

const hour = 60 * 60 * 1000;
let root: string;
let clock: FakeClock;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  clock = createFakeClock(Date.now());
  store = createStore(root, { clock });
});

const put = async (text: string): Promise<Digest> => (await store.putBlob(Buffer.from(text), 'x')).digest;
const exists = (text: string): boolean => readdirSync(join(root, 'blobs')).includes(`sha256-${hexOf(digestOf(text))}`);

async function manifestOf(...texts: readonly string[]): Promise<Manifest> {
  const [config, ...layers] = await Promise.all(['{}', ...texts].map((text) => store.putBlob(Buffer.from(text), 'x')));
  return { schemaVersion: 2, mediaType: mediaTypes.manifest, config: config as Manifest['config'], layers };
}

const create = async (name: string, ...texts: readonly string[]): Promise<void> =>
  void (await store.putManifest(parseModelName(name), await manifestOf(...texts)));
const remove = (name: string): Promise<boolean> => store.removeModel(parseModelName(name));

describe('discardBlobs', () => {
  test('removes a new blob at once, although it is reserved', async () => {
    await store.discardBlobs([await put('made')]);
    expect(exists('made')).toBe(false);
  });

  test('waits until the blob is not held', async () => {
    const digest = await put('held');
    const release = store.holdBlobs([digest]);
    await store.discardBlobs([digest]);
    expect(exists('held')).toBe(true);
    release();
    await expect.poll(() => exists('held')).toBe(false);
  });

  test('keeps a blob that a model uses', async () => {
    await create('a', 'used');
    await store.discardBlobs([digestOf('used')]);
    expect(exists('used')).toBe(true);
  });
});

describe('removeModel', () => {
  test('removes the blobs of the model at once, except those of other models', async () => {
    await create('a', 'shared', 'only a');
    await create('b', 'shared', 'only b');
    expect(await remove('A')).toBe(true);
    expect(['{}', 'shared', 'only a', 'only b'].map(exists)).toEqual([true, true, false, true]);
    expect(await remove('b')).toBe(true);
    expect(readdirSync(join(root, 'blobs'))).toEqual([]);
    expect(readdirSync(join(root, 'manifests'))).toEqual([]);
    expect(await remove('b')).toBe(false);
  });

  test('keeps held blobs until they are released', async () => {
    await create('a', 'weights');
    const releases = [store.holdBlobs([digestOf('weights')]), store.holdBlobs([digestOf('weights')])];
    await remove('a');
    expect(exists('weights')).toBe(true);
    releases[0]?.();
    releases[0]?.();
    await store.collectGarbage({ graceMs: 0 });
    expect(exists('weights')).toBe(true);
    releases[1]?.();
    await expect.poll(() => exists('weights')).toBe(false);
  });

  test('keeps blobs for an hour after a client was told that they exist', async () => {
    await create('a', 'weights');
    expect(await store.hasBlob(digestOf('weights'))).toBe(true);
    await remove('a');
    expect(exists('weights')).toBe(true);
    clock.advance(hour + 1000);
    await store.collectGarbage();
    expect(exists('weights')).toBe(false);
  });

  test('removes an unreadable manifest and keeps all blobs', async () => {
    await create('a', 'weights');
    writeFileSync(join(root, 'manifests/registry.ollama.ai/library/a/broken'), '{');
    await remove('a');
    expect(exists('weights')).toBe(true);
    expect(await remove('a:broken')).toBe(true);
    expect(await store.list()).toEqual([]);
  });
});

describe('concurrent create and remove', () => {
  test('leaves the new model complete in any order', async () => {
    for (let round = 0; round < 30; round++) {
      await create('old', 'weights');
      const creating = manifestOf('weights', `own ${round}`).then((manifest) =>
        store.putManifest(parseModelName('new'), manifest),
      );
      await Promise.all([creating, remove('old'), store.collectGarbage()]);
      const found = await store.find(parseModelName('new'));
      for (const layer of found?.manifest.layers ?? []) await store.readBlob(layer);
      expect([exists('weights'), exists(`own ${round}`)]).toEqual([true, true]);
      await remove('new');
    }
  });

  test('does not write a manifest with a missing blob', async () => {
    const manifest = await manifestOf('weights');
    rmSync(store.blobPath(digestOf('weights')));
    await expect(store.putManifest(parseModelName('a'), manifest)).rejects.toMatchObject({ code: 'store_damaged' });
    expect(await store.list()).toEqual([]);
  });
});

describe('collectGarbage', () => {
  test('removes old unused blobs and reports their size', async () => {
    await create('a', 'used');
    await put('orphan');
    expect((await store.collectGarbage()).removed).toEqual([]);
    clock.advance(hour + 1000);
    expect(await store.collectGarbage()).toEqual({ removed: [digestOf('orphan')], bytes: 6, unreadable: [] });
    expect([exists('used'), exists('orphan')]).toEqual([true, false]);
  });

  test('keeps held blobs regardless of their age', async () => {
    const release = store.holdBlobs([await put('needed')]);
    clock.advance(100 * hour);
    await store.collectGarbage({ graceMs: 0 });
    expect(exists('needed')).toBe(true);
    release();
    await expect.poll(() => exists('needed')).toBe(false);
  });

  test.each([
    ['cannot be read', (path: string) => writeFileSync(path, '{"layers": 5}')],
    ['is a link', (path: string) => symlinkSync(join(base, 'elsewhere'), path)],
  ])('keeps all blobs while a manifest %s', async (_, damage) => {
    await create('a', 'used');
    damage(join(root, 'manifests/registry.ollama.ai/library/a/bad'));
    await put('orphan');
    const { removed, unreadable } = await store.collectGarbage({ graceMs: 0 });
    expect([removed, unreadable.length, exists('orphan')]).toEqual([[], 1, true]);
  });

  test('removes leftovers of Ollama and keeps unknown files', async () => {
    const hex = hexOf(digestOf('x'));
    const names = [`sha256-${hex}-partial`, `sha256-${hex}-partial-0`, 'sha256-1234567', 'README', `sha256-${hex}.bak`];
    mkdirSync(join(root, 'blobs'), { recursive: true });
    for (const name of names) writeFileSync(join(root, 'blobs', name), '');
    clock.advance(2 * hour);
    await store.collectGarbage({ graceMs: 0 });
    expect(readdirSync(join(root, 'blobs')).sort()).toEqual(names.filter((name) => name !== 'sha256-1234567').sort());
    clock.advance(7 * 24 * hour);
    const release = store.holdBlobs([digestOf('x')]);
    await store.collectGarbage();
    expect(readdirSync(join(root, 'blobs'))).toHaveLength(4);
    release();
    await store.collectGarbage();
    expect(readdirSync(join(root, 'blobs')).sort()).toEqual(['README', `sha256-${hex}.bak`].sort());
  });
});

describe('recover', () => {
  test('removes temporary files of dead processes and keeps those of live ones', async () => {
    await create('a', 'used');
    const random = '0123456789abcdef';
    // Above the maximum process id of Linux.
    const dead = [`.hearth-4194305-00000000-${random}`, `.hearth-${process.pid}-00000000-${random}`];
    const alive = [`.hearth-${process.ppid}-00000000-${random}`, '.hearth-0123'];
    const folders = [root, join(root, 'blobs'), join(root, 'manifests/registry.ollama.ai/library/a')];
    for (const folder of folders) for (const name of [...dead, ...alive]) writeFileSync(join(folder, name), 'half');
    await store.recover();
    for (const folder of folders) {
      const left = readdirSync(folder).filter((name) => name.startsWith('.'));
      expect(left.sort()).toEqual(alive.sort());
      for (const name of left) utimesSync(join(folder, name), 0, 0);
    }
    await store.recover();
    for (const folder of folders) expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([]);
    expect(await store.list()).toHaveLength(1);
  });

  test('renames blobs with an old form of name', async () => {
    mkdirSync(join(root, 'blobs'), { recursive: true });
    writeFileSync(join(root, 'blobs', digestOf('old')), 'old');
    writeFileSync(join(root, 'blobs', digestOf('both')), 'both');
    await put('both');
    await store.recover();
    expect((await store.readBlob({ mediaType: 'x', digest: digestOf('old'), size: 3 })).toString()).toBe('old');
    expect(readdirSync(join(root, 'blobs'))).toHaveLength(2);
  });
});
