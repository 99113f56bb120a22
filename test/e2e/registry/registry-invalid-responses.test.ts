// Registries with invalid responses: each one gives a clear error, nothing but incomplete downloads is written, and the
// same model can be pulled once the responses are valid.

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
  await uploadModel(registry.url, 'team/model', [weights]);
});
afterAll(async () => {
  await server?.stop();
  await proxy?.stop();
  await registry?.stop();
});

const model = (): string => `${proxy.host}/team/model`;
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
    kind: 'response',
    status: 200,
    body: JSON.stringify({ ...manifest, layers: [{ ...manifest.layers[0], ...change }] }),
  };
};
const isSecondPart = (range: string | undefined): boolean => range?.startsWith('bytes=16777216') === true;

const invalidResponses: readonly (readonly [string, FaultPlan, RegExp])[] = [
  [
    'a path in a digest',
    onManifest(manifestWith({ digest: 'sha256:../../../../etc/passwd' })),
    /a layer has an invalid digest/,
  ],
  ['a negative size', onManifest(manifestWith({ size: -5 })), /the size of \S+ is invalid/],
  ['a size over the limit', onManifest(manifestWith({ size: 2 ** 50 })), /over the limit/],
  [
    'a size larger than the free space',
    onManifest(manifestWith({ size: 2 ** 42 })),
    /^not enough disk space: 4398\.\d\d GB required, \d+\.\d\d GB available/,
  ],
  ['a layer longer than in the manifest', onManifest(manifestWith({ size: 1000 })), /announced 20000000 bytes/],
  ['an endless manifest', onManifest({ kind: 'endless' }), /a manifest of more than \d+ bytes: refused/],
  ['an HTML page as manifest', onManifest({ kind: 'response', status: 200, body: '<html>' }), /not JSON/],
  [
    'a gzip bomb as manifest',
    onManifest({ kind: 'gzip bomb', unpackedBytes: 2 ** 30 }),
    /sent an unrequested content encoding/,
  ],
  [
    'a manifest with another digest than announced',
    onManifest({ kind: 'headers', headers: { 'docker-content-digest': `sha256:${'0'.repeat(64)}` } }),
    /the manifest does not match its digest/,
  ],
  [
    'a blob with one changed byte',
    onBlob({ kind: 'corrupt', at: 1_000_000 }),
    /^digest mismatch, file must be downloaded/,
  ],
  [
    'a gzip bomb as blob',
    onBlob({ kind: 'gzip bomb', unpackedBytes: 2 ** 30 }),
    /sent an unrequested content encoding/,
  ],
  ['an endless blob', onBlob({ kind: 'endless' }), /more bytes than announced/],
  ['a Content-Length that is too large', onBlob({ kind: 'wrong length', by: 1000 }), /announced \d+ bytes/],
  ['a Content-Length that is too small', onBlob({ kind: 'wrong length', by: -1000 }), /announced \d+ bytes/],
  [
    'another range than requested',
    onBlob((range) =>
      isSecondPart(range) ? { kind: 'headers', headers: { 'content-range': 'bytes 0-3222783/20000000' } } : undefined,
    ),
    /sent a different range/,
  ],
  [
    'a range of a file of another size',
    onBlob((range) =>
      isSecondPart(range)
        ? { kind: 'headers', headers: { 'content-range': 'bytes 16777216-19999999/30000000' } }
        : undefined,
    ),
    /sent a different range/,
  ],
  [
    'another file for the second part',
    onBlob((range) => (isSecondPart(range) ? { kind: 'headers', headers: { etag: '"another"' } } : undefined)),
    /changed .* during the download/,
  ],
  ['a missing blob', onBlob({ kind: 'response', status: 404 }), /does not have .*, which its manifest refers to/],
  ['a redirect loop', ({ path }) => ({ kind: 'redirect', location: path }), /redirects more than 5 times/],
  ['a redirect to a file', onBlob({ kind: 'redirect', location: 'file:///etc/passwd' }), /redirects to an invalid URL/],
  [
    'a token service at an invalid URL',
    () => ({ kind: 'response', status: 401, headers: { 'www-authenticate': 'Bearer realm="file:///etc/passwd"' } }),
    /an invalid URL for its token service/,
  ],
  [
    'an unknown authentication scheme',
    () => ({ kind: 'response', status: 401, headers: { 'www-authenticate': 'Negotiate' } }),
    /unauthorized: access denied/,
  ],
];

describe.skipIf(!hasDockerRegistry)('invalid responses', () => {
  test.each(invalidResponses)('%s', async (_, plan, message) => {
    const before = finished();
    proxy.plan(plan);
    const objects = await pull();
    proxy.plan(() => undefined);
    expect(objects.at(-1)?.error?.replace('pull model manifest: ', '')).toMatch(message);
    // The config is valid and may have been downloaded before.
    expect(finished().filter((name) => !before.includes(name))).toEqual([]);
    expect(existsSync(join(server.store, 'manifests', proxy.host))).toBe(false);

    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    await remove();
    expect(blobs()).toEqual(before);
  });

  test('another host that issues tokens receives no credentials and no tokens', async () => {
    const seen: (string | undefined)[] = [];
    const tokenHost = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('{"token":"a-token"}');
    });
    await new Promise<void>((resolve) => tokenHost.listen(0, '127.0.0.1', resolve));
    const realm = `http://localhost:${(tokenHost.address() as AddressInfo).port}/token`;
    proxy.reset();
    proxy.plan(({ headers }) =>
      headers.authorization === undefined
        ? { kind: 'response', status: 401, headers: { 'www-authenticate': `Bearer realm="${realm}",service="x"` } }
        : undefined,
    );
    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    expect(seen).toEqual([undefined]);
    expect(proxy.requests.map(({ headers }) => headers.authorization).filter((text) => text !== undefined)[0]).toBe(
      'Bearer a-token',
    );

    // A blob on another host: the token is not sent there.
    await remove();
    const storageHost = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(307, { location: `${registry.url}${request.url}` }).end();
    });
    await new Promise<void>((resolve) => storageHost.listen(0, '127.0.0.1', resolve));
    proxy.plan(({ path }) =>
      path.includes('/blobs/')
        ? { kind: 'redirect', location: `http://localhost:${(storageHost.address() as AddressInfo).port}${path}` }
        : undefined,
    );
    expect((await pull()).at(-1)).toEqual({ status: 'success' });
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.every((text) => text === undefined)).toBe(true);
    proxy.plan(() => undefined);
    for (const host of [tokenHost, storageHost]) host.close();
    await remove();
  });
});
