import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../base/digest.ts';
import { encodeManifest, type Layer, type Manifest, mediaTypes } from '../store/manifests/manifest.ts';
import { createStore, type Store } from '../store/store.ts';
import { checkManifest, manifestTypeOf, ociManifestType } from './check-manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-manifest-'));
afterAll(() => rmSync(root, { recursive: true }));

let store: Store;
let config: Layer;
let layer: Layer;
let manifest: Manifest;
beforeAll(async () => {
  store = createStore(root);
  config = await store.putBlob(Buffer.from('{}'), mediaTypes.config);
  layer = await store.putBlob(Buffer.from('weights'), mediaTypes.model);
  manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] };
});

const check = (value: unknown, type: string | undefined = mediaTypes.manifest) =>
  checkManifest(store, Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)), type);

describe('a manifest from outside', () => {
  it('is let in when all of it is here', async () => {
    await check(encodeManifest(manifest));
    await check(encodeManifest(manifest), `${mediaTypes.manifest}; charset=utf-8`);
    const { mediaType: _, ...untyped } = manifest;
    await check(untyped, ociManifestType);
    await check({ ...manifest, mediaType: ociManifestType }, ociManifestType);
  });

  it.each<[string, (whole: Manifest) => unknown]>([
    ['not a JSON object', () => []],
    ['not a JSON object', () => Buffer.from('{"schemaVersion":2')],
    ['not a JSON object', () => Buffer.from([0x7b, 0xff, 0x7d])],
    ['schemaVersion', (whole) => ({ ...whole, schemaVersion: 1 })],
    ['list of other manifests', (whole) => ({ ...whole, manifests: [] })],
    ['not that of a manifest', (whole) => ({ ...whole, mediaType: 'text/html' })],
    ['not the Content-Type', (whole) => ({ ...whole, mediaType: ociManifestType })],
    ['no list of layers', (whole) => ({ ...whole, layers: {} })],
    ['more than', (whole) => ({ ...whole, layers: Array(5000).fill(layer) })],
    ['not an object', (whole) => ({ ...whole, config: null })],
    ['not an object', (whole) => ({ ...whole, layers: ['sha256:x'] })],
    ['no mediaType', (whole) => ({ ...whole, layers: [{ ...layer, mediaType: 7 }] })],
    ['no digest', (whole) => ({ ...whole, layers: [{ ...layer, digest: undefined }] })],
    ['64 lower-case', (whole) => ({ ...whole, layers: [{ ...layer, digest: 'sha256:../../../etc/passwd' }] })],
    ['64 lower-case', (whole) => ({ ...whole, layers: [{ ...layer, digest: layer.digest.replace(':', '-') }] })],
    ['no size', (whole) => ({ ...whole, layers: [{ ...layer, size: -1 }] })],
    ['no size', (whole) => ({ ...whole, layers: [{ ...layer, size: '7' }] })],
    ['kept elsewhere', (whole) => ({ ...whole, layers: [{ ...layer, urls: ['http://evil.example'] }] })],
    ['has 8 bytes, but it has 7', (whole) => ({ ...whole, layers: [{ ...layer, size: 8 }] })],
    ['which was not uploaded', (whole) => ({ ...whole, layers: [{ ...layer, digest: digestOf('other') }] })],
  ])('is refused: %s', async (message, change) => {
    await expect(check(change(manifest))).rejects.toThrow(message);
  });
});

it('the type of a stored one is what it says, and that of the kind that need not say it', () => {
  expect(manifestTypeOf(encodeManifest(manifest))).toBe(mediaTypes.manifest);
  expect(manifestTypeOf(Buffer.from('{}'))).toBe(ociManifestType);
  expect(manifestTypeOf(Buffer.from('?'))).toBe(ociManifestType);
});
