// The protocol of `hearth registry serve`, request by request.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../../src/models/keys/private-key.ts';
import { formatPublicKey } from '../../../src/models/keys/public-key.ts';
import { parseModelName } from '../../../src/models/name.ts';
import { mediaTypes } from '../../../src/models/store/manifests/manifest.ts';
import { createStore } from '../../../src/models/store/store.ts';
import {
  beginUpload,
  digest,
  manifestOf,
  obtainToken,
  pushBlob,
  putManifest,
  send,
  type Target,
  type WireReply,
} from '../../support/registry/registry-protocol.ts';
import { startRegistry, type TestRegistry } from '../../support/registry/team-registry.ts';

const ann = generatePrivateKey('ann');
const repository = 'ann/ember';
const weights = randomBytes(3_000_000);
const config = '{"model_format":"gguf"}';
const manifest = manifestOf(config, weights);

let registry: TestRegistry;
let target: Target;
beforeAll(async () => {
  registry = await startRegistry({ keys: [formatPublicKey(ann.publicKey)] });
  target = { url: registry.url, repository, headers: await obtainToken(registry.url, repository, ann) };
  await pushBlob(target, config);
  await pushBlob(target, weights);
  expect((await putManifest(target, 'latest', manifest)).status).toBe(201);
});
afterAll(() => registry.stop());

const get = (path: string, headers: Record<string, string> = {}) => send(registry.url, path, { headers });
const head = (path: string) => send(registry.url, path, { method: 'HEAD' });
const blobPath = `/v2/${repository}/blobs/${digest(weights)}`;

describe('reading', () => {
  test('a ping returns the protocol version', async () => {
    const reply = await get('/v2/');
    expect([reply.status, reply.headers['docker-distribution-api-version']]).toEqual([200, 'registry/2.0']);
  });

  test('a manifest is returned unchanged by tag and by digest, with its media type', async () => {
    for (const reference of ['latest', digest(manifest)]) {
      const reply = await get(`/v2/${repository}/manifests/${reference}`);
      expect([reply.status, reply.headers['content-type'], reply.body.toString()]).toEqual([
        200,
        mediaTypes.manifest,
        manifest,
      ]);
      expect(reply.headers['docker-content-digest']).toBe(digest(manifest));
      const { status, headers, body } = await head(`/v2/${repository}/manifests/${reference}`);
      expect([status, headers['content-length'], body.length]).toEqual([200, String(manifest.length), 0]);
    }
  });

  test('a missing manifest gives MANIFEST_UNKNOWN', async () => {
    for (const path of [
      `${repository}/manifests/other`,
      `${repository}/manifests/${digest('x')}`,
      'bob/x/manifests/latest',
    ])
      expect(await get(`/v2/${path}`)).toMatchObject({ status: 404, code: 'MANIFEST_UNKNOWN' });
  });

  test('a blob is returned in full or as any range', async () => {
    const full = await get(blobPath);
    expect([full.status, full.headers['accept-ranges'], full.body.equals(weights)]).toEqual([200, 'bytes', true]);
    // For clients that download from the Location of the response.
    expect(full.headers.location).toBe(registry.url + blobPath);
    const { status, headers } = await head(blobPath);
    expect([status, headers['content-length'], headers.etag]).toEqual([
      200,
      String(weights.length),
      `"${digest(weights)}"`,
    ]);
    for (const [range, first, end] of [
      ['bytes=0-0', 0, 1],
      ['bytes=1000000-1999999', 1_000_000, 2_000_000],
      ['bytes=2999990-', 2_999_990, 3_000_000],
      ['bytes=-5', 2_999_995, 3_000_000],
    ] as const) {
      const part = await get(blobPath, { range });
      expect([part.status, part.headers['content-range']]).toEqual([
        206,
        `bytes ${first}-${end - 1}/${weights.length}`,
      ]);
      expect(part.body.equals(weights.subarray(first, end))).toBe(true);
    }
    expect(await get(blobPath, { range: 'bytes=3000000-' })).toMatchObject({
      status: 416,
      code: 'RANGE_INVALID',
      headers: { 'content-range': 'bytes */3000000' },
    });
  });

  test('If-Range with another ETag returns the full blob', async () => {
    const etag = `"${digest(weights)}"`;
    expect((await get(blobPath, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get(blobPath, { range: 'bytes=0-9', 'if-range': '"other"' })).body.length).toBe(weights.length);
    expect((await get(blobPath, { 'if-none-match': etag })).status).toBe(304);
  });

  test('a missing blob gives BLOB_UNKNOWN', async () => {
    expect(await get(`/v2/${repository}/blobs/${digest('x')}`)).toMatchObject({ status: 404, code: 'BLOB_UNKNOWN' });
  });

  test('tags and the catalog are listed in pages', async () => {
    for (const tag of ['a', 'b']) await putManifest(target, tag, manifest);
    const list = async (path: string) => JSON.parse((await get(path)).body.toString()) as unknown;
    expect(await list(`/v2/${repository}/tags/list`)).toEqual({ name: repository, tags: ['a', 'b', 'latest'] });
    const first = await get(`/v2/${repository}/tags/list?n=2`);
    const next = /^<(.*)>; rel="next"$/.exec(String(first.headers['link']))?.[1] ?? '';
    expect(await list(next)).toEqual({ name: repository, tags: ['latest'] });
    expect(await list('/v2/_catalog')).toEqual({ repositories: [repository] });
    expect(await get('/v2/bob/x/tags/list')).toMatchObject({ status: 404, code: 'NAME_UNKNOWN' });
    expect(await get('/v2/_catalog?n=0')).toMatchObject({ status: 400, code: 'PAGINATION_NUMBER_INVALID' });
  });
});

describe('uploads', () => {
  const patch = (
    location: string,
    body: Uint8Array | string,
    headers: Record<string, string> = {},
  ): Promise<WireReply> =>
    send(registry.url, location, { method: 'PATCH', body, headers: { ...target.headers, ...headers } });
  const put = (location: string, expected: string, body: Uint8Array | string = ''): Promise<WireReply> =>
    send(registry.url, `${location}?digest=${expected}`, { method: 'PUT', body, headers: target.headers });

  test('are accepted in parts and report their offset', async () => {
    const content = randomBytes(500_000);
    const location = await beginUpload(target);
    for (let at = 0; at < content.length; at += 200_000) {
      const part = content.subarray(at, at + 200_000);
      const reply = await patch(location, part, { 'content-range': `${at}-${at + part.length - 1}` });
      expect([reply.status, reply.headers['range'], reply.headers.location]).toEqual([
        202,
        `0-${at + part.length - 1}`,
        registry.url + location,
      ]);
    }
    const status = await send(registry.url, location, { headers: target.headers });
    expect([status.status, status.headers['range']]).toEqual([204, '0-499999']);
    const done = await put(location, digest(content));
    expect([done.status, done.headers.location]).toEqual([
      201,
      `${registry.url}/v2/${repository}/blobs/${digest(content)}`,
    ]);
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.equals(content)).toBe(true);
    expect(await put(location, digest(content))).toMatchObject({ status: 404, code: 'BLOB_UPLOAD_UNKNOWN' });
  });

  test('in a single request are accepted', async () => {
    const content = 'all at once';
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest(content)}`;
    expect((await send(registry.url, path, { method: 'POST', body: content, headers: target.headers })).status).toBe(
      201,
    );
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.toString()).toBe(content);
  });

  test('with a part at the wrong offset get the right one in the error', async () => {
    const location = await beginUpload(target);
    await patch(location, 'abc', { 'content-range': '0-2' });
    expect(await patch(location, 'xyz', { 'content-range': '7-9' })).toMatchObject({
      status: 416,
      code: 'RANGE_INVALID',
      headers: { range: '0-2', location: registry.url + location },
    });
    expect(await patch(location, 'xyz', { 'content-range': '3-9' })).toMatchObject({
      status: 400,
      code: 'BLOB_UPLOAD_INVALID',
    });
    expect((await put(location, digest('abcdef'), 'def')).status).toBe(201);
  });

  test('resume after a disconnect', async () => {
    const content = randomBytes(2_000_000);
    const location = await beginUpload(target);
    const disconnect = new AbortController();
    async function* half(): AsyncGenerator<Uint8Array> {
      yield content.subarray(0, 1_000_000);
      await expect
        .poll(async () => (await send(registry.url, location, { headers: target.headers })).headers['range'], {
          timeout: 20_000,
        })
        .toBe('0-999999');
      disconnect.abort();
      yield content.subarray(1_000_000);
    }
    const init = { method: 'PATCH', body: half(), duplex: 'half', headers: target.headers, signal: disconnect.signal };
    await expect(fetch(registry.url + location, init as unknown as RequestInit)).rejects.toThrow();
    const { headers } = await send(registry.url, location, { headers: target.headers });
    const from = Number(String(headers['range']).split('-')[1]) + 1;
    expect(from).toBeGreaterThanOrEqual(1_000_000);
    const reply = await patch(location, content.subarray(from), { 'content-range': `${from}-${content.length - 1}` });
    expect(reply.status).toBe(202);
    expect((await put(location, digest(content))).status).toBe(201);
  });

  test('with the wrong digest are rejected and leave nothing behind', async () => {
    const before = readdirSync(join(registry.folder, 'blobs')).length;
    const location = await beginUpload(target);
    expect(await put(location, digest('want'), 'got')).toMatchObject({ status: 400, code: 'DIGEST_INVALID' });
    for (const invalid of ['', 'sha256:../../x', `sha512:${'a'.repeat(128)}`])
      expect(await put(await beginUpload(target), invalid, 'got')).toMatchObject({
        status: 400,
        code: 'DIGEST_INVALID',
      });
    expect((await head(`/v2/${repository}/blobs/${digest('got')}`)).status).toBe(404);
    expect(readdirSync(join(registry.folder, 'blobs')).length).toBe(before);
  });

  test('that were canceled no longer exist', async () => {
    const location = await beginUpload(target);
    await patch(location, 'some');
    expect((await send(registry.url, location, { method: 'DELETE', headers: target.headers })).status).toBe(204);
    expect(await patch(location, 'more')).toMatchObject({ status: 404, code: 'BLOB_UPLOAD_UNKNOWN' });
    expect(readdirSync(join(registry.folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('of one blob by several clients at once all succeed, and it is stored once', async () => {
    const content = randomBytes(4_000_000);
    await Promise.all(Array.from({ length: 4 }, () => pushBlob(target, content)));
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.equals(content)).toBe(true);
    expect(readdirSync(join(registry.folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('are not needed for a blob of another repository', async () => {
    const mount = (what: string) =>
      send(registry.url, `/v2/${repository}/blobs/uploads/?mount=${what}&from=bob/other`, {
        method: 'POST',
        headers: target.headers,
      });
    expect(await mount(digest(weights))).toMatchObject({
      status: 201,
      headers: { location: `${registry.url}/v2/${repository}/blobs/${digest(weights)}` },
    });
    expect((await mount(digest('not here'))).status).toBe(202);
    expect(await mount('../../x')).toMatchObject({ status: 400, code: 'DIGEST_INVALID' });
  });
});

describe('manifests', () => {
  test('are rejected before all of their blobs are uploaded', async () => {
    const reply = await putManifest(target, 'early', manifestOf(config, 'not uploaded'));
    expect(reply).toMatchObject({ status: 400, code: 'MANIFEST_BLOB_UNKNOWN' });
    expect((await get(`/v2/${repository}/manifests/early`)).status).toBe(404);
  });

  test('that are hostile are rejected', async () => {
    const valid = JSON.parse(manifest) as { layers: object[] };
    const hostile = { ...valid, layers: [{ ...valid.layers[0], digest: 'sha256:../../../../etc/passwd' }] };
    expect(await putManifest(target, 'evil', JSON.stringify(hostile))).toMatchObject({
      status: 400,
      code: 'DIGEST_INVALID',
    });
    expect(await putManifest(target, 'evil', '{')).toMatchObject({ status: 400, code: 'MANIFEST_INVALID' });
    const large = JSON.stringify({ ...valid, padding: 'x'.repeat(5_000_000) });
    expect(await putManifest(target, 'evil', large)).toMatchObject({ status: 413, code: 'SIZE_INVALID' });
  });

  test('that replace others remove blobs that are no longer used', async () => {
    const other = { ...target, repository: 'ann/moving' };
    const authorized = { ...other, headers: await obtainToken(registry.url, other.repository, ann) };
    for (const text of ['first weights', 'second weights']) {
      await pushBlob(authorized, text);
      expect((await putManifest(authorized, 'latest', manifestOf(config, text))).status).toBe(201);
    }
    // Storing the manifest ended the reservation of the first blob, and no client has asked for it since.
    const files = readdirSync(join(registry.folder, 'blobs'));
    expect(files).toContain(digest('second weights').replace(':', '-'));
    expect(files).not.toContain(digest('first weights').replace(':', '-'));
  });
});

test('no path escapes the folder', async () => {
  const outside = join(registry.folder, '..', `hearth-outside-${process.pid}`);
  mkdirSync(outside);
  try {
    const up = '../'.repeat(8);
    const escaped = encodeURIComponent(up);
    for (const path of [
      `/v2/${up}etc/passwd`,
      `/v2/${escaped}/x/manifests/latest`,
      `/v2/ann/${escaped}etc/manifests/passwd`,
      `/v2/ann/ember/manifests/${escaped}etc%2Fpasswd`,
      `/v2/ann/ember/manifests/..%2f..%2fx`,
      `/v2/ann/ember/blobs/${escaped}etc%2Fpasswd`,
      `/v2/ann/ember/blobs/sha256:${escaped}`,
      '/v2/ann/ember/blobs/sha256%3A%00',
      '/v2/a/b/c/d/manifests/latest',
      '/v2/%zz/x/manifests/latest',
      '/authorized_keys',
      '/v2/../authorized_keys',
    ]) {
      const reply = await get(path);
      expect([path, [400, 404].includes(reply.status)]).toEqual([path, true]);
    }
    const escaping = { ...target, repository: `${encodeURIComponent(`../hearth-outside-${process.pid}`)}/x` };
    expect((await putManifest(escaping, 'latest', manifest)).status).toBe(400);
    expect(await putManifest(target, '..%2f..%2f..%2fx', manifest)).toMatchObject({ status: 400, code: 'TAG_INVALID' });
    expect(readdirSync(outside)).toEqual([]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('an unsupported method gives UNSUPPORTED', async () => {
  const reply = await send(registry.url, `/v2/${repository}/manifests/latest`, {
    method: 'DELETE',
    headers: target.headers,
  });
  expect(reply).toMatchObject({ status: 405, code: 'UNSUPPORTED' });
});

test('any store can be served unchanged', async () => {
  const folder = join(registry.folder, 'another-store');
  const store = createStore(folder);
  await store.putManifest(parseModelName('small'), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from(config), mediaTypes.config),
    layers: [],
  });
  const second = await startRegistry({ folder });
  try {
    const { status, body } = await send(second.url, '/v2/library/small/manifests/latest');
    expect([status, JSON.parse(body.toString()).config.digest]).toEqual([200, digest(config)]);
  } finally {
    await second.stop();
  }
  expect(existsSync(folder)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('hearth-lock'))).toEqual([]);
});
