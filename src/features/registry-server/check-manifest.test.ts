import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { digestOf } from '../../base/digest.ts';
import {
  encodeManifest,
  type Manifest,
  type ManifestLayer,
  mediaTypes,
} from '../../models/store/manifests/manifest.ts';
import { createStore, type Store } from '../../models/store/store.ts';
import { checkManifest, manifestTypeOf, ociManifestType } from './check-manifest.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-manifest-'));
afterAll(() => rmSync(root, { recursive: true }));

let store: Store;
let config: ManifestLayer;
let layer: ManifestLayer;
let manifest: Manifest;
beforeAll(async () => {
  store = createStore(root);
  config = await store.putBlob(Buffer.from('{}'), mediaTypes.config);
  layer = await store.putBlob(Buffer.from('weights'), mediaTypes.model);
  manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers: [layer] };
});

const check = (value: unknown, type: string | undefined = mediaTypes.manifest) =>
  checkManifest(store, Buffer.isBuffer(value) ? value : Buffer.from(JSON.stringify(value)), type);

describe('a pushed manifest', () => {
  it('is accepted if all of its blobs are in the store', async () => {
    await check(encodeManifest(manifest));
    await check(encodeManifest(manifest), `${mediaTypes.manifest}; charset=utf-8`);
    const { mediaType: _, ...untyped } = manifest;
    await check(untyped, ociManifestType);
    await check({ ...manifest, mediaType: ociManifestType }, ociManifestType);
  });

  it.each<[string, (valid: Manifest) => unknown]>([
    ['not a JSON object', () => []],
    ['not a JSON object', () => Buffer.from('{"schemaVersion":2')],
    ['not a JSON object', () => Buffer.from([0x7b, 0xff, 0x7d])],
    ['schemaVersion', (valid) => ({ ...valid, schemaVersion: 1 })],
    ['index of manifests', (valid) => ({ ...valid, manifests: [] })],
    ['not a manifest type', (valid) => ({ ...valid, mediaType: 'text/html' })],
    ['does not match the Content-Type', (valid) => ({ ...valid, mediaType: ociManifestType })],
    ['no layers', (valid) => ({ ...valid, layers: {} })],
    ['more than', (valid) => ({ ...valid, layers: Array(5000).fill(layer) })],
    ['not an object', (valid) => ({ ...valid, config: null })],
    ['not an object', (valid) => ({ ...valid, layers: ['sha256:x'] })],
    ['no mediaType', (valid) => ({ ...valid, layers: [{ ...layer, mediaType: 7 }] })],
    ['no digest', (valid) => ({ ...valid, layers: [{ ...layer, digest: undefined }] })],
    ['64 lowercase', (valid) => ({ ...valid, layers: [{ ...layer, digest: 'sha256:../../../etc/passwd' }] })],
    ['64 lowercase', (valid) => ({ ...valid, layers: [{ ...layer, digest: layer.digest.replace(':', '-') }] })],
    ['no size', (valid) => ({ ...valid, layers: [{ ...layer, size: -1 }] })],
    ['no size', (valid) => ({ ...valid, layers: [{ ...layer, size: '7' }] })],
    ['external URLs', (valid) => ({ ...valid, layers: [{ ...layer, urls: ['http://evil.example'] }] })],
    ['is 7, not 8', (valid) => ({ ...valid, layers: [{ ...layer, size: 8 }] })],
    ['which was not uploaded', (valid) => ({ ...valid, layers: [{ ...layer, digest: digestOf('other') }] })],
  ])('is rejected: %s', async (message, change) => {
    await expect(check(change(manifest))).rejects.toThrow(message);
  });
});

it('a stored manifest without a media type is an OCI manifest', () => {
  expect(manifestTypeOf(encodeManifest(manifest))).toBe(mediaTypes.manifest);
  expect(manifestTypeOf(Buffer.from('{}'))).toBe(ociManifestType);
  expect(manifestTypeOf(Buffer.from('?'))).toBe(ociManifestType);
});
