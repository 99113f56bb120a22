import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { createFakeClock } from '../../../test/support/fake-clock.ts';
import { digestOf, hexOf } from '../../base/digest.ts';
import { parseModelName } from '../name.ts';
import { encodeManifest, type Manifest, mediaTypes } from './manifests/manifest.ts';
import { createStore, type Store } from './store.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-store-'));
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  store = createStore(root);
});

async function putModel(name: string): Promise<Manifest> {
  const manifest: Manifest = {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from('{}'), mediaTypes.config),
    layers: [await store.putBlob(Buffer.from('weights'), mediaTypes.model)],
  };
  await store.putManifest(parseModelName(name), manifest);
  return manifest;
}

describe('models', () => {
  test('are returned as stored, with the digest of their manifest', async () => {
    const manifest = await putModel('me/ember:q8');
    const found = await store.find(parseModelName('me/ember:q8'));
    expect(found?.manifest).toEqual(manifest);
    expect(found?.digest).toBe(hexOf(digestOf(encodeManifest(manifest))));
    expect(readFileSync(join(root, 'manifests/registry.ollama.ai/me/ember/q8'))).toEqual(encodeManifest(manifest));
  });

  test('are found case-insensitively', async () => {
    await putModel('Ember:Q8');
    expect((await store.find(parseModelName('ember:q8')))?.name.model).toBe('Ember');
    expect(await store.find(parseModelName('other'))).toBeUndefined();
  });

  test('keep the existing spelling if a new name differs only in case', async () => {
    await putModel('Ember:Q8');
    const manifest = await putModel('ember:q4');
    expect(readdirSync(join(root, 'manifests/registry.ollama.ai/library/Ember')).sort()).toEqual(['Q8', 'q4']);
    const stored = await store.putManifest(parseModelName('EMBER:q8'), { ...manifest, layers: [] });
    expect([stored.name.model, stored.name.tag]).toEqual(['Ember', 'Q8']);
    expect(await store.list()).toHaveLength(2);
  });

  test('keep the exact bytes of their manifest, which their digest covers', async () => {
    const manifest = await putModel('local');
    const bytes = Buffer.from(JSON.stringify({ extra: 1, ...manifest }, null, 3));
    const { digest } = await store.putManifest(parseModelName('pulled'), bytes);
    expect(digest).toBe(hexOf(digestOf(bytes)));
    expect((await store.find(parseModelName('pulled')))?.digest).toBe(digest);
    expect(await store.readManifest(parseModelName('PULLED'))).toEqual(bytes);
    expect(await store.readManifest(parseModelName('other'))).toBeUndefined();
    expect(readFileSync(join(root, 'manifests/registry.ollama.ai/library/pulled/latest'))).toEqual(bytes);
    await expect(store.putManifest(parseModelName('pulled'), Buffer.from('{'))).rejects.toMatchObject({
      code: 'store_damaged',
    });
    expect(await store.list()).toHaveLength(2);
  });

  test('written by another process are visible at once, also when cached', async () => {
    const cached = createStore(root, { clock: createFakeClock(Date.now() + 60_000) });
    await putModel('a');
    const folder = join(root, 'manifests/registry.ollama.ai/library');
    const bytes = readFileSync(join(folder, 'a/latest'));
    for (let round = 1; round <= 3; round++) {
      expect(await cached.list()).toHaveLength(round);
      mkdirSync(join(folder, `new-${round}`));
      writeFileSync(join(folder, `new-${round}`, 'latest'), bytes);
    }
    writeFileSync(join(folder, 'a/latest'), `${bytes}  `);
    expect((await cached.find(parseModelName('a')))?.digest).toBe(hexOf(digestOf(`${bytes}  `)));
    rmSync(join(folder, 'a'), { recursive: true });
    expect(await cached.find(parseModelName('a'))).toBeUndefined();
    expect(await cached.list()).toHaveLength(3);
  });

  test('an empty store has none, and listing it creates no folder', async () => {
    expect(await store.list()).toEqual([]);
    expect(() => statSync(root)).toThrow();
  });

  test('a damaged manifest and stray files do not hide the others', async () => {
    await putModel('good');
    const folder = join(root, 'manifests/registry.ollama.ai/library');
    mkdirSync(join(folder, 'bad'));
    writeFileSync(join(folder, 'bad', 'latest'), '{"layers": 5}');
    writeFileSync(join(folder, 'bad', '.hearth-0123'), 'half written');
    writeFileSync(join(folder, 'stray'), '');
    mkdirSync(join(folder, 'deep', 'deeper', 'deepest'), { recursive: true });
    expect((await store.list()).map(({ name }) => name.model)).toEqual(['good']);
    await expect(store.find(parseModelName('bad'))).rejects.toMatchObject({ code: 'store_damaged' });
  });

  test('a manifest whose digest is a path is rejected', async () => {
    const folder = join(root, 'manifests/registry.ollama.ai/library/evil');
    mkdirSync(folder, { recursive: true });
    const layer = { mediaType: 'x', digest: 'sha256:../../../etc/passwd', size: 1 };
    writeFileSync(join(folder, 'latest'), JSON.stringify({ config: layer, layers: [layer] }));
    await expect(store.find(parseModelName('evil'))).rejects.toThrow('invalid digest format');
  });
});

describe('copyModel', () => {
  const [a, b] = [parseModelName('a'), parseModelName('b')];

  test('copies the bytes and sets the current time', async () => {
    await putModel('a');
    const path = (name: string): string => join(root, 'manifests/registry.ollama.ai/library', name, 'latest');
    utimesSync(path('a'), 1000, 1000);
    expect(await store.copyModel(a, b)).toBe(true);
    expect(readFileSync(path('b'))).toEqual(readFileSync(path('a')));
    const [from, to] = [await store.find(a), await store.find(b)];
    expect(from?.digest).toBe(to?.digest);
    expect([from?.modifiedAt, (to?.modifiedAt ?? 0) > 1e12]).toEqual([1_000_000, true]);
  });

  test('does nothing for the same name in another case, and returns false for an unknown model', async () => {
    await putModel('a');
    const before = await store.find(a);
    expect(await store.copyModel(a, parseModelName('A'))).toBe(true);
    expect(await store.list()).toEqual([before]);
    expect(await store.copyModel(parseModelName('nosuch'), b)).toBe(false);
  });

  test('replaces the target and removes its unused blobs', async () => {
    const manifest = await putModel('a');
    const old = await store.putBlob(Buffer.from('old weights'), mediaTypes.model);
    await store.putManifest(b, { ...manifest, layers: [old] });
    await store.copyModel(a, parseModelName('B'));
    expect((await store.list()).map(({ name }) => name.model).sort()).toEqual(['a', 'b']);
    expect(() => statSync(store.blobPath(old.digest))).toThrow();
  });
});

describe('blobs', () => {
  test('are named by their digest and leave no other file behind', async () => {
    const layer = await store.putBlob(Buffer.from('hello'), 'text');
    expect(layer).toEqual({ mediaType: 'text', digest: digestOf('hello'), size: 5 });
    expect(await store.readBlob(layer)).toEqual(Buffer.from('hello'));
    expect(readdirSync(join(root, 'blobs'))).toEqual([`sha256-${hexOf(digestOf('hello'))}`]);
  });

  test('a missing blob is an error', async () => {
    await expect(store.readBlob({ mediaType: 'x', digest: digestOf('missing'), size: 1 })).rejects.toThrow(
      'is missing from the store',
    );
  });

  test('an adopted file is a copy: damage to the source does not reach the store', async () => {
    mkdirSync(root, { recursive: true });
    const source = join(root, 'source');
    writeFileSync(source, 'weights');
    const layer = await store.adoptBlob(source, digestOf('weights'), 'model');
    expect(layer.size).toBe(7);
    writeFileSync(source, 'damage');
    expect(readFileSync(store.blobPath(layer.digest), 'utf8')).toBe('weights');
    writeFileSync(store.blobPath(layer.digest), 'DAMAGE');
    expect(readFileSync(source, 'utf8')).toBe('damage');
  });

  test('a file with the wrong content is not adopted', async () => {
    mkdirSync(root, { recursive: true });
    writeFileSync(join(root, 'source'), 'changed');
    await expect(store.adoptBlob(join(root, 'source'), digestOf('weights'), 'model')).rejects.toMatchObject({
      code: 'store_damaged',
    });
    expect(() => statSync(store.blobPath(digestOf('weights')))).toThrow();
  });
});
