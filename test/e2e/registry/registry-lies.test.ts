// Registries that lie: each lie is caught with a sentence, nothing but parts of downloads is written, nothing comes from
// where it should not, and the same model can be pulled as soon as the truth is told.

import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { post } from '../../support/client.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../../support/registry/docker-registry.ts';
import { type FaultPlan, type FaultProxy, startFaultProxy } from '../../support/registry/fault-proxy.ts';
import type { Fault } from '../../support/registry/faults.ts';
import { digestOf, manifestOf, uploadModel } from '../../support/registry/registry-content.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let registry: DockerRegistry;
let proxy: FaultProxy;
/** Two parts. */
const weights = randomBytes(20_000_000);
const digest = digestOf(weights);
beforeAll(async () => {
  if (!hasDockerRegistry) return;
  registry = await startDockerRegistry();
  proxy = await startFaultProxy(registry.url);
  server = await startServer();
  await uploadModel(registry.url, 'team/lies', [weights]);
});
afterAll(async () => {
  await server?.stop();
  await proxy?.stop();
  await registry?.stop();
});

const model = (): string => `${proxy.host}/team/lies`;
const pull = async () =>
  (await post<ProgressResponseBody>(server.url, '/api/pull', { model: model(), insecure: true })).objects;
const remove = () => fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: model() }) });
const blobs = (): string[] => readdirSync(join(server.store, 'blobs')).sort();
const finished = (): string[] => blobs().filter((name) => !name.includes('-download'));

const onManifest =
  (fault: Fault): FaultPlan =>
  ({ path }) =>
    path.includes('/manifests/') ? fault : undefined;
const onBlob =
  (fault: Fault | ((range: string | undefined) => Fault | undefined)): FaultPlan =>
  ({ path, range }) => {
    if (!path.includes(digest)) return undefined;
    return typeof fault === 'function' ? fault(range) : fault;
  };
const manifestWith = (change: Readonly<Record<string, unknown>>): Fault => {
  const manifest = JSON.parse(manifestOf([weights]).toString());
  return {
    kind: 'answer',
    status: 200,
    body: JSON.stringify({ ...manifest, layers: [{ ...manifest.layers[0], ...change }] }),
  };
};
const secondPart = (range: string | undefined): boolean => range?.startsWith('bytes=16777216') === true;

const lies: readonly (readonly [string, FaultPlan, RegExp])[] = [
  ['a path in a digest', onManifest(manifestWith({ digest: 'sha256:../../../../etc/passwd' })), /no proper digest/],
  ['a size below zero', onManifest(manifestWith({ size: -5 })), /no number of bytes/],
  ['a size that no disk has', onManifest(manifestWith({ size: 2 ** 50 })), /which cannot be/],
  [
    'a size that this disk has no room for',
    onManifest(manifestWith({ size: 2 ** 42 })),
    /^not enough room on the disk: 4398\.\d\d GB more are needed, and \d+\.\d\d GB are free/,
  ],
  [
    'a layer that is longer than the manifest says',
    onManifest(manifestWith({ size: 1000 })),
    /announces 20000000 bytes/,
  ],
  ['a manifest without end', onManifest({ kind: 'endless' }), /a manifest of more than \d+ bytes: refused/],
  ['a manifest that is a page', onManifest({ kind: 'answer', status: 200, body: '<html>' }), /it is not JSON/],
  [
    'a manifest that unpacks to gigabytes',
    onManifest({ kind: 'gzip bomb', unpackedBytes: 2 ** 30 }),
    /answers in gzip, which was not asked for/,
  ],
  [
    'a manifest of another digest than announced',
    onManifest({ kind: 'headers', headers: { 'docker-content-digest': `sha256:${'0'.repeat(64)}` } }),
    /is not the one that was promised/,
  ],
  [
    'a blob with one other byte',
    onBlob({ kind: 'changed', at: 1_000_000 }),
    /^digest mismatch, file must be downloaded/,
  ],
  [
    'a blob that unpacks to gigabytes',
    onBlob({ kind: 'gzip bomb', unpackedBytes: 2 ** 30 }),
    /answers in gzip, which was not asked for/,
  ],
  ['a blob without end', onBlob({ kind: 'endless' }), /more bytes than it has announced/],
  ['a longer length than there is', onBlob({ kind: 'wrong length', by: 1000 }), /announces \d+ bytes/],
  ['a shorter one', onBlob({ kind: 'wrong length', by: -1000 }), /announces \d+ bytes/],
  [
    'another range than asked for',
    onBlob((range) =>
      secondPart(range) ? { kind: 'headers', headers: { 'content-range': 'bytes 0-3222783/20000000' } } : undefined,
    ),
    /sends other bytes/,
  ],
  [
    'a range of a file of another size',
    onBlob((range) =>
      secondPart(range)
        ? { kind: 'headers', headers: { 'content-range': 'bytes 16777216-19999999/30000000' } }
        : undefined,
    ),
    /sends other bytes/,
  ],
  [
    'another file for the second part',
    onBlob((range) => (secondPart(range) ? { kind: 'headers', headers: { etag: '"another"' } } : undefined)),
    /has changed .* while it was downloaded/,
  ],
  ['a blob that is not there', onBlob({ kind: 'answer', status: 404 }), /does not have .*, which its manifest names/],
  ['redirects in a circle', ({ path }) => ({ kind: 'redirect', location: path }), /without end/],
  ['a redirect to a file', onBlob({ kind: 'redirect', location: 'file:///etc/passwd' }), /a place that is no address/],
  [
    'a token from a place that is none',
    () => ({ kind: 'answer', status: 401, headers: { 'www-authenticate': 'Bearer realm="file:///etc/passwd"' } }),
    /a token from a place that is no address/,
  ],
  [
    'a demand that nobody knows',
    () => ({ kind: 'answer', status: 401, headers: { 'www-authenticate': 'Negotiate' } }),
    /unauthorized: access denied/,
  ],
];

describe.skipIf(!hasDockerRegistry)('a registry that lies', () => {
  test.each(lies)('%s', async (_, plan, sentence) => {
    const before = finished();
    proxy.plan(plan);
    const objects = await pull();
    proxy.plan(() => undefined);
    expect(objects.at(-1)?.error?.replace('pull model manifest: ', '')).toMatch(sentence);
    // The config, which is no lie, may have come before.
    expect(finished().filter((name) => !before.includes(name))).toEqual([]);
    expect(existsSync(join(server.store, 'manifests', proxy.host))).toBe(false);

    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    await remove();
    expect(blobs()).toEqual(before);
  });

  test('another host that gives tokens learns nothing about us, and gets no token of another', async () => {
    const seen: (string | undefined)[] = [];
    const stranger = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"token":"a-token"}');
    });
    await new Promise<void>((resolve) => stranger.listen(0, '127.0.0.1', resolve));
    const realm = `http://localhost:${(stranger.address() as AddressInfo).port}/token`;
    proxy.reset();
    proxy.plan(({ headers }) =>
      headers.authorization === undefined
        ? { kind: 'answer', status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}",service="x"` } }
        : undefined,
    );
    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    expect(seen).toEqual([undefined]);
    expect(proxy.requests.map(({ headers }) => headers.authorization).filter((text) => text !== undefined)[0]).toBe(
      'Bearer a-token',
    );

    // A blob elsewhere: the token stays at home.
    await remove();
    const target = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(307, { location: `${registry.url}${request.url}` }).end();
    });
    await new Promise<void>((resolve) => target.listen(0, '127.0.0.1', resolve));
    proxy.plan(({ path }) =>
      path.includes('/blobs/')
        ? { kind: 'redirect', location: `http://localhost:${(target.address() as AddressInfo).port}${path}` }
        : undefined,
    );
    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.every((text) => text === undefined)).toBe(true);
    proxy.plan(() => undefined);
    for (const own of [stranger, target]) own.close();
    await remove();
  });
});
