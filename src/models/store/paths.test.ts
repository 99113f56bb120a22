// No digest, name, note or link inside the store reaches a file outside of it.

import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, normalize, resolve, sep } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Digest, parseDigest } from '../../base/digest.ts';
import { parseModelName } from '../name.ts';
import { createStoreLayout, parseBlobFile } from './files/layout.ts';
import { type Manifest, mediaTypes } from './manifests/manifest.ts';
import { createStore, type Store } from './store.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-paths-'));
afterAll(() => rmSync(base, { recursive: true }));

const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc
    .array(fc.constantFrom('..', '.', '/', '\\', '\0', 'a', ':', 'C:', '%2e%2e', '\u2215', '~', ' ', 'con'), {
      maxLength: 12,
    })
    .map((parts) => parts.join('')),
);

const pathOrUndefined = (build: () => string): string | undefined => {
  try {
    return build();
  } catch {
    return undefined;
  }
};

const layout = createStoreLayout('/store');

/** Checks the rules of other operating systems too. */
function staysIn(folder: string, path: string): void {
  expect(path).not.toContain('\0');
  expect(path).not.toContain('\\');
  expect(resolve(path)).toBe(normalize(path));
  expect(resolve(path).startsWith(folder + sep)).toBe(true);
}

describe('hostile input', () => {
  test('in a name: the path stays at depth four in the manifests folder', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, hostile, (host, namespace, model, tag) => {
        const path = pathOrUndefined(() => layout.manifest({ host, namespace, model, tag }));
        if (path === undefined) return;
        staysIn('/store/manifests', path);
        expect(path.split('/')).toHaveLength(7);
      }),
      { numRuns: 2000 },
    );
  });

  test('in one part of a valid name: it is rejected', () => {
    const good = { host: 'h', namespace: 'n', model: 'm', tag: 't' };
    for (const part of Object.keys(good))
      for (const text of ['..', '.', '', '../x', 'a/b', 'a\\b', '\0', 'a\0', '/etc', '-x', '.x'])
        expect(() => layout.manifest({ ...good, [part]: text })).toThrow('invalid model name');
  });

  test('as a digest: the path is a file in the blobs folder', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        for (const digest of [text, `sha256:${text}`, `sha256:${'a'.repeat(64)}${text}`, `sha256-${text}`]) {
          const path = pathOrUndefined(() => layout.blob(digest as Digest));
          if (path !== undefined) expect(path).toMatch(/^\/store\/blobs\/sha256-[0-9a-f]{64}$/);
        }
      }),
      { numRuns: 2000 },
    );
  });

  test('as a note: the path is a file in the root', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const path = pathOrUndefined(() => layout.note(name));
        if (path !== undefined) expect(dirname(path)).toBe('/store');
      }),
    );
  });

  test('as the name of a file in the blobs folder: only complete digests are blobs', () => {
    fc.assert(
      fc.property(hostile, (name) => {
        const file = parseBlobFile(name);
        expect(['blob', 'legacy', 'partial']).not.toContain(file.kind);
      }),
    );
  });
});

describe('links in the store', () => {
  let root: string;
  let outside: string;
  let store: Store;
  let manifest: Manifest;
  const name = parseModelName('host.com/space/model:tag');
  beforeEach(async () => {
    const folder = join(base, String(Math.random()));
    root = join(folder, 'store');
    outside = join(folder, 'outside');
    mkdirSync(join(outside, 'space', 'model'), { recursive: true });
    store = createStore(root);
    const config = await store.putBlob(Buffer.from('{}'), mediaTypes.config);
    manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [] };
    writeFileSync(join(outside, 'space', 'model', 'tag'), JSON.stringify(manifest));
  });

  const cases = [
    ['host.com', ''],
    ['host.com/space', 'space'],
    ['host.com/space/model', 'space/model'],
  ] as const;

  test.each(cases)(
    'a folder %s linked to the outside: nothing is read, written or removed there',
    async (inside, target) => {
      const link = join(root, 'manifests', inside);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(outside, target), link);
      expect(await store.find(name)).toBeUndefined();
      expect(await store.list()).toEqual([]);
      expect(await store.removeModel(name)).toBe(false);
      await expect(store.putManifest(name, manifest)).rejects.toThrow('is not a regular folder');
      await expect(store.putManifest({ ...name, tag: 'other' }, manifest)).rejects.toThrow('is not a regular folder');
      expect(readdirSync(join(outside, 'space', 'model'))).toEqual(['tag']);
    },
  );

  test('a linked manifest is not found; writing it replaces the link', async () => {
    const path = join(root, 'manifests/host.com/space/model/tag');
    const target = join(outside, 'space', 'model', 'tag');
    mkdirSync(dirname(path), { recursive: true });
    symlinkSync(target, path);
    expect(await store.find(name)).toBeUndefined();
    expect(await store.copyModel(name, parseModelName('copy'))).toBe(false);
    expect(await store.removeModel(name)).toBe(false);
    await store.putManifest(name, manifest);
    expect(lstatSync(path).isFile()).toBe(true);
    expect(readFileSync(target, 'utf8')).toBe(JSON.stringify(manifest));
    expect(await store.removeModel(name)).toBe(true);
    expect([existsSync(path), existsSync(target)]).toEqual([false, true]);
  });

  test('the store itself may be a link', async () => {
    const link = join(dirname(root), 'moved');
    symlinkSync(root, link);
    const moved = createStore(link);
    await moved.putManifest(name, manifest);
    expect(await store.find(name)).toBeDefined();
    expect(await moved.hasBlob(parseDigest(manifest.config.digest))).toBe(true);
  });
});
