// The protocol of `hearth library serve`, request by request.

import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generatePrivateKey } from '../../src/keys/private-key.ts';
import { formatPublicKey } from '../../src/keys/public-key.ts';
import { parseModelName } from '../../src/model/name.ts';
import { mediaTypes } from '../../src/store/manifest.ts';
import { createStore } from '../../src/store/store.ts';
import { startLibrary, type TestLibrary } from '../support/library.ts';
import {
  beginUpload,
  digest,
  manifestOf,
  pushBlob,
  putManifest,
  send,
  signIn,
  type Target,
  type WireReply,
} from '../support/library-protocol.ts';

const ann = generatePrivateKey('ann');
const repository = 'ann/ember';
const weights = randomBytes(3_000_000);
const config = '{"model_format":"gguf"}';
const manifest = manifestOf(config, weights);

let library: TestLibrary;
let target: Target;
beforeAll(async () => {
  library = await startLibrary({ keys: [formatPublicKey(ann.publicKey)] });
  target = { url: library.url, repository, headers: await signIn(library.url, repository, ann) };
  await pushBlob(target, config);
  await pushBlob(target, weights);
  expect((await putManifest(target, 'latest', manifest)).status).toBe(201);
});
afterAll(() => library.stop());

const get = (path: string, headers: Record<string, string> = {}) => send(library.url, path, { headers });
const head = (path: string) => send(library.url, path, { method: 'HEAD' });
const blobPath = `/v2/${repository}/blobs/${digest(weights)}`;

describe('what is there', () => {
  test('a ping says which protocol it is', async () => {
    const reply = await get('/v2/');
    expect([reply.status, reply.headers['docker-distribution-api-version']]).toEqual([200, 'registry/2.0']);
  });

  test('a manifest comes by its tag and by its digest, as it was sent, with its type', async () => {
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

  test('a manifest that is not there is unknown', async () => {
    for (const path of [
      `${repository}/manifests/other`,
      `${repository}/manifests/${digest('x')}`,
      'bob/x/manifests/latest',
    ])
      expect(await get(`/v2/${path}`)).toMatchObject({ status: 404, code: 'MANIFEST_UNKNOWN' });
  });

  test('a blob comes whole, and any range of it', async () => {
    const whole = await get(blobPath);
    expect([whole.status, whole.headers['accept-ranges'], whole.body.equals(weights)]).toEqual([200, 'bytes', true]);
    // For clients that fetch a file from where the answer says it is.
    expect(whole.headers.location).toBe(library.url + blobPath);
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

  test('a range of something else than the client has is the whole', async () => {
    const etag = `"${digest(weights)}"`;
    expect((await get(blobPath, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await get(blobPath, { range: 'bytes=0-9', 'if-range': '"other"' })).body.length).toBe(weights.length);
    expect((await get(blobPath, { 'if-none-match': etag })).status).toBe(304);
  });

  test('a blob that is not there is unknown', async () => {
    expect(await get(`/v2/${repository}/blobs/${digest('x')}`)).toMatchObject({ status: 404, code: 'BLOB_UNKNOWN' });
  });

  test('tags and the catalogue are listed, page by page', async () => {
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
  const patch = (place: string, body: Uint8Array | string, headers: Record<string, string> = {}): Promise<WireReply> =>
    send(library.url, place, { method: 'PATCH', body, headers: { ...target.headers, ...headers } });
  const put = (place: string, said: string, body: Uint8Array | string = ''): Promise<WireReply> =>
    send(library.url, `${place}?digest=${said}`, { method: 'PUT', body, headers: target.headers });

  test('go part by part, and say how far they are', async () => {
    const content = randomBytes(500_000);
    const place = await beginUpload(target);
    for (let at = 0; at < content.length; at += 200_000) {
      const part = content.subarray(at, at + 200_000);
      const reply = await patch(place, part, { 'content-range': `${at}-${at + part.length - 1}` });
      expect([reply.status, reply.headers['range'], reply.headers.location]).toEqual([
        202,
        `0-${at + part.length - 1}`,
        library.url + place,
      ]);
    }
    const status = await send(library.url, place, { headers: target.headers });
    expect([status.status, status.headers['range']]).toEqual([204, '0-499999']);
    const done = await put(place, digest(content));
    expect([done.status, done.headers.location]).toEqual([
      201,
      `${library.url}/v2/${repository}/blobs/${digest(content)}`,
    ]);
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.equals(content)).toBe(true);
    expect(await put(place, digest(content))).toMatchObject({ status: 404, code: 'BLOB_UPLOAD_UNKNOWN' });
  });

  test('in one request work too', async () => {
    const content = 'all at once';
    const path = `/v2/${repository}/blobs/uploads/?digest=${digest(content)}`;
    expect((await send(library.url, path, { method: 'POST', body: content, headers: target.headers })).status).toBe(
      201,
    );
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.toString()).toBe(content);
  });

  test('with a part in the wrong place are told the right one', async () => {
    const place = await beginUpload(target);
    await patch(place, 'abc', { 'content-range': '0-2' });
    expect(await patch(place, 'xyz', { 'content-range': '7-9' })).toMatchObject({
      status: 416,
      code: 'RANGE_INVALID',
      headers: { range: '0-2', location: library.url + place },
    });
    expect(await patch(place, 'xyz', { 'content-range': '3-9' })).toMatchObject({
      status: 400,
      code: 'BLOB_UPLOAD_INVALID',
    });
    expect((await put(place, digest('abcdef'), 'def')).status).toBe(201);
  });

  test('go on where a broken line left them', async () => {
    const content = randomBytes(2_000_000);
    const place = await beginUpload(target);
    const cut = new AbortController();
    async function* half(): AsyncGenerator<Uint8Array> {
      yield content.subarray(0, 1_000_000);
      await expect
        .poll(async () => (await send(library.url, place, { headers: target.headers })).headers['range'])
        .toBe('0-999999');
      cut.abort();
      yield content.subarray(1_000_000);
    }
    const init = { method: 'PATCH', body: half(), duplex: 'half', headers: target.headers, signal: cut.signal };
    await expect(fetch(library.url + place, init as unknown as RequestInit)).rejects.toThrow();
    const { headers } = await send(library.url, place, { headers: target.headers });
    const from = Number(String(headers['range']).split('-')[1]) + 1;
    expect(from).toBeGreaterThanOrEqual(1_000_000);
    const reply = await patch(place, content.subarray(from), { 'content-range': `${from}-${content.length - 1}` });
    expect(reply.status).toBe(202);
    expect((await put(place, digest(content))).status).toBe(201);
  });

  test('with another digest than they said are refused, and nothing is kept of them', async () => {
    const before = readdirSync(join(library.folder, 'blobs')).length;
    const place = await beginUpload(target);
    expect(await put(place, digest('want'), 'got')).toMatchObject({ status: 400, code: 'DIGEST_INVALID' });
    for (const said of ['', 'sha256:../../x', `sha512:${'a'.repeat(128)}`])
      expect(await put(await beginUpload(target), said, 'got')).toMatchObject({ status: 400, code: 'DIGEST_INVALID' });
    expect((await head(`/v2/${repository}/blobs/${digest('got')}`)).status).toBe(404);
    expect(readdirSync(join(library.folder, 'blobs')).length).toBe(before);
  });

  test('that were given up are gone', async () => {
    const place = await beginUpload(target);
    await patch(place, 'some');
    expect((await send(library.url, place, { method: 'DELETE', headers: target.headers })).status).toBe(204);
    expect(await patch(place, 'more')).toMatchObject({ status: 404, code: 'BLOB_UPLOAD_UNKNOWN' });
    expect(readdirSync(join(library.folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('of one blob by several at once all end well, and it is there once', async () => {
    const content = randomBytes(4_000_000);
    await Promise.all(Array.from({ length: 4 }, () => pushBlob(target, content)));
    expect((await get(`/v2/${repository}/blobs/${digest(content)}`)).body.equals(content)).toBe(true);
    expect(readdirSync(join(library.folder, 'blobs')).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  test('are not needed for what another repository has', async () => {
    const mount = (what: string) =>
      send(library.url, `/v2/${repository}/blobs/uploads/?mount=${what}&from=bob/other`, {
        method: 'POST',
        headers: target.headers,
      });
    expect(await mount(digest(weights))).toMatchObject({
      status: 201,
      headers: { location: `${library.url}/v2/${repository}/blobs/${digest(weights)}` },
    });
    expect((await mount(digest('not here'))).status).toBe(202);
    expect(await mount('../../x')).toMatchObject({ status: 400, code: 'DIGEST_INVALID' });
  });
});

describe('manifests', () => {
  test('come after all of their blobs', async () => {
    const reply = await putManifest(target, 'early', manifestOf(config, 'not uploaded'));
    expect(reply).toMatchObject({ status: 400, code: 'MANIFEST_BLOB_UNKNOWN' });
    expect((await get(`/v2/${repository}/manifests/early`)).status).toBe(404);
  });

  test('that are hostile are refused', async () => {
    const whole = JSON.parse(manifest) as { layers: object[] };
    const evil = { ...whole, layers: [{ ...whole.layers[0], digest: 'sha256:../../../../etc/passwd' }] };
    expect(await putManifest(target, 'evil', JSON.stringify(evil))).toMatchObject({
      status: 400,
      code: 'DIGEST_INVALID',
    });
    expect(await putManifest(target, 'evil', '{')).toMatchObject({ status: 400, code: 'MANIFEST_INVALID' });
    const large = JSON.stringify({ ...whole, padding: 'x'.repeat(5_000_000) });
    expect(await putManifest(target, 'evil', large)).toMatchObject({ status: 413, code: 'SIZE_INVALID' });
  });

  test('that replace others take their blobs along, once nobody needs them', async () => {
    const other = { ...target, repository: 'ann/moving' };
    const signedIn = { ...other, headers: await signIn(library.url, other.repository, ann) };
    for (const text of ['first weights', 'second weights']) {
      await pushBlob(signedIn, text);
      expect((await putManifest(signedIn, 'latest', manifestOf(config, text))).status).toBe(201);
    }
    // A manifest that stands for it needs no announcement; nobody has asked for the first one since.
    const files = readdirSync(join(library.folder, 'blobs'));
    expect(files).toContain(digest('second weights').replace(':', '-'));
    expect(files).not.toContain(digest('first weights').replace(':', '-'));
  });
});

test('no path leads out of the folder', async () => {
  const outside = join(library.folder, '..', `hearth-outside-${process.pid}`);
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
    const elsewhere = { ...target, repository: `${encodeURIComponent(`../hearth-outside-${process.pid}`)}/x` };
    expect((await putManifest(elsewhere, 'latest', manifest)).status).toBe(400);
    expect(await putManifest(target, '..%2f..%2f..%2fx', manifest)).toMatchObject({ status: 400, code: 'TAG_INVALID' });
    expect(readdirSync(outside)).toEqual([]);
  } finally {
    rmSync(outside, { recursive: true });
  }
});

test('what it does not do, it says', async () => {
  const reply = await send(library.url, `/v2/${repository}/manifests/latest`, {
    method: 'DELETE',
    headers: target.headers,
  });
  expect(reply).toMatchObject({ status: 405, code: 'UNSUPPORTED' });
});

test('any store can be served, as it is', async () => {
  const folder = join(library.folder, 'another-store');
  const store = createStore(folder);
  await store.putManifest(parseModelName('small'), {
    schemaVersion: 2,
    mediaType: mediaTypes.manifest,
    config: await store.putBlob(Buffer.from(config), mediaTypes.config),
    layers: [],
  });
  const second = await startLibrary({ folder });
  try {
    const { status, body } = await send(second.url, '/v2/library/small/manifests/latest');
    expect([status, JSON.parse(body.toString()).config.digest]).toEqual([200, digest(config)]);
  } finally {
    await second.stop();
  }
  expect(existsSync(folder)).toBe(true);
  expect(readdirSync(folder).filter((name) => name.startsWith('hearth-lock'))).toEqual([]);
});
