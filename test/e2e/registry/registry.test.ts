// Push and pull with the reference registry, through the real server.

import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ProgressResponseBody } from '../../../src/server/dialects/ollama/transfer/progress-schema.ts';
import { type Body, generate, post } from '../../support/client.ts';
import { pause } from '../../support/processes.ts';
import { type DockerRegistry, hasDockerRegistry, startDockerRegistry } from '../../support/registry/docker-registry.ts';
import { type FaultProxy, startFaultProxy } from '../../support/registry/fault-proxy.ts';
import { uploadModel } from '../../support/registry/registry-content.ts';
import { startServer, type TestServer } from '../../support/server.ts';

let server: TestServer;
let registry: DockerRegistry;
let proxy: FaultProxy;
beforeAll(async () => {
  if (!hasDockerRegistry) return;
  registry = await startDockerRegistry();
  proxy = await startFaultProxy(registry.url);
  server = await startServer();
});
afterAll(async () => {
  await server?.stop();
  await proxy?.stop();
  await registry?.stop();
});

const transfer = async (path: string, body: Body): Promise<(ProgressResponseBody & { error?: string })[]> =>
  (await post<ProgressResponseBody>(server.url, path, { insecure: true, ...body })).objects;
const pull = (model: string, body: Body = {}) => transfer('/api/pull', { model: `${proxy.host}/${model}`, ...body });
const push = (model: string, body: Body = {}) => transfer('/api/push', { model: `${proxy.host}/${model}`, ...body });
const last = (objects: readonly object[]) => objects.at(-1);
const remove = (model: string) =>
  fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model: `${proxy.host}/${model}` }) });
const copy = (source: string, model: string) =>
  post(server.url, '/api/copy', { source, destination: `${proxy.host}/${model}` });
const blobs = (): Map<string, Buffer> => {
  const folder = join(server.store, 'blobs');
  return new Map(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name))]));
};
const manifestPath = (model: string): string => join(server.store, 'manifests', proxy.host, model, 'latest');

describe.skipIf(!hasDockerRegistry)('with the reference registry', () => {
  test('Ember is pushed and pulled byte for byte; a second time transfers nothing', async () => {
    await copy('ember', 'team/ember');
    const before = { manifest: readFileSync(manifestPath('team/ember')), blobs: blobs() };
    const pushed = await push('team/ember');
    expect(last(pushed)).toEqual({ status: 'success' });

    for (const model of ['ember', 'ember-eyes', 'ember-thinks', `${proxy.host}/team/ember`])
      await fetch(`${server.url}/api/delete`, { method: 'DELETE', body: JSON.stringify({ model }) });
    expect(blobs().size).toBe(0);
    proxy.reset();
    expect(last(await pull('team/ember'))).toEqual({ status: 'success' });
    expect(readFileSync(manifestPath('team/ember'))).toEqual(before.manifest);
    for (const [name, content] of blobs()) expect(content.equals(before.blobs.get(name) as Buffer)).toBe(true);
    const { response } = await generate(server.url, {
      model: `${proxy.host}/team/ember`,
      prompt: 'What is the capital of France?',
      options: { temperature: 0 },
    });
    expect(response).toContain('Paris');

    proxy.reset();
    expect(last(await pull('team/ember'))).toEqual({ status: 'success' });
    expect(proxy.bytesDown('/blobs/')).toBe(0);
    expect(last(await push('team/ember'))).toEqual({ status: 'success' });
    expect(proxy.count('POST')).toBe(0);
    expect(proxy.requests.reduce((sum, { method, bytesUp }) => sum + (method === 'PATCH' ? bytesUp : 0), 0)).toBe(0);
  });

  test('eight concurrent pulls of one model share one download, and all see its progress', async () => {
    const layers = [randomBytes(40_000_000), randomBytes(1000)];
    const { manifest } = await uploadModel(registry.url, 'team/shared', layers);
    proxy.reset();
    // Slow enough for all pulls to join before the end.
    proxy.plan(({ path }) => (path.includes('/blobs/') ? { kind: 'slow', bytesPerSecond: 10_000_000 } : undefined));
    const streams = await Promise.all(Array.from({ length: 8 }, () => pull('team/shared')));
    proxy.plan(() => undefined);
    const total = 40_000_000 + 1000 + 2;
    expect(proxy.bytesDown('/blobs/')).toBe(total);
    for (const objects of streams) {
      expect(last(objects)).toEqual({ status: 'success' });
      const counts = objects.filter(({ total: size }) => size === 40_000_000).map(({ completed = 0 }) => completed);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(counts.at(-1)).toBe(40_000_000);
    }
    expect(readFileSync(manifestPath('team/shared'))).toEqual(manifest);
  });

  test('a pull continues while a client is left, stops with the last one, and can be resumed', async () => {
    const { digests } = await uploadModel(registry.url, 'team/left', [randomBytes(30_000_000)]);
    const [digest = ''] = digests;
    proxy.reset();
    proxy.plan(({ path }) => (path.includes(digest) ? { kind: 'slow', bytesPerSecond: 2_000_000 } : undefined));
    const begin = async () => {
      const caller = new AbortController();
      const body = JSON.stringify({ model: `${proxy.host}/team/left`, insecure: true });
      const response = await fetch(`${server.url}/api/pull`, { method: 'POST', body, signal: caller.signal });
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      return { caller, reader };
    };
    const [first, second] = [await begin(), await begin()];
    await expect.poll(() => proxy.bytesDown(digest)).toBeGreaterThan(1_000_000);
    first.caller.abort();
    const atFirstAbort = proxy.bytesDown(digest);
    await expect.poll(() => proxy.bytesDown(digest)).toBeGreaterThan(atFirstAbort + 500_000);
    second.caller.abort();
    await expect.poll(() => readdirSync(join(server.store, 'blobs'))).toContain(`${digest.replace(':', '-')}-download`);
    const bytesInHalfASecond = async (): Promise<number> => {
      const before = proxy.bytesDown(digest);
      await pause(500);
      return proxy.bytesDown(digest) - before;
    };
    await expect.poll(bytesInHalfASecond).toBe(0);
    expect(proxy.bytesDown(digest)).toBeLessThan(30_000_000);
    proxy.plan(() => undefined);
    const resumed = await pull('team/left');
    expect(last(resumed)).toEqual({ status: 'success' });
    const firstCount = resumed.find(({ digest: of }) => of === digest)?.completed ?? 0;
    expect(firstCount).toBeGreaterThan(1_000_000);
    expect(proxy.bytesDown(digest)).toBeLessThan(30_000_000 * 1.1);
  });

  test('a pull completes despite disconnects and 503 responses', async () => {
    const { digests } = await uploadModel(registry.url, 'team/broken', [randomBytes(40_000_000)]);
    const [digest = ''] = digests;
    proxy.reset();
    proxy.plan(({ path, method, earlier }) => {
      if (method !== 'GET' || !path.includes(digest)) return undefined;
      if (earlier % 4 === 1) return { kind: 'disconnect', afterBytes: 3_000_000 };
      if (earlier % 4 === 2) return { kind: 'response', status: 503, headers: { 'retry-after': '0' } };
      return earlier === 3 ? { kind: 'disconnect', afterBytes: 0, beforeHead: true } : undefined;
    });
    expect(last(await pull('team/broken'))).toEqual({ status: 'success' });
    proxy.plan(() => undefined);
    expect(proxy.count('GET', digest)).toBeGreaterThan(4);
    expect(proxy.bytesDown(digest)).toBeLessThan(44_000_000);
  });

  test('a registry without ranges, and one without lengths and HEAD', async () => {
    const rangeless = await uploadModel(registry.url, 'team/rangeless', [randomBytes(20_000_000)]);
    proxy.plan(({ path }) => (path.includes('/blobs/') ? { kind: 'ignore range' } : undefined));
    expect(last(await pull('team/rangeless'))).toEqual({ status: 'success' });
    const bare = await uploadModel(registry.url, 'team/bare', [randomBytes(20_000_000)]);
    proxy.plan(({ method }) =>
      method === 'HEAD'
        ? { kind: 'response', status: 405 }
        : { kind: 'headers', headers: { 'content-length': '', etag: '', 'docker-content-digest': '' } },
    );
    expect(last(await pull('team/bare'))).toEqual({ status: 'success' });
    proxy.plan(() => undefined);
    expect(readFileSync(manifestPath('team/rangeless'))).toEqual(rangeless.manifest);
    expect(readFileSync(manifestPath('team/bare'))).toEqual(bare.manifest);
  });

  test('blobs that a new manifest does not use are removed', async () => {
    const old = await uploadModel(registry.url, 'team/replaced', [Buffer.from('old weights')]);
    await pull('team/replaced');
    await uploadModel(registry.url, 'team/replaced', [Buffer.from('new weights')]);
    expect((await pull('team/replaced')).map(({ status }) => status)).toContain('removing any unused layers');
    expect([...blobs().keys()]).not.toContain((old.digests[0] as string).replace(':', '-'));
  });

  test('an interrupted upload completes; a blob of another repository is mounted', async () => {
    const content = randomBytes(90_000_000);
    const { digests } = await uploadModel(registry.url, 'team/large', [content]);
    await pull('team/large');
    const other = await startDockerRegistry();
    const otherProxy = await startFaultProxy(other.url);
    try {
      let patches = 0;
      otherProxy.plan(({ method }) =>
        method === 'PATCH' && patches++ === 0 ? { kind: 'disconnect upload', afterBytes: 20_000_000 } : undefined,
      );
      await post(server.url, '/api/copy', {
        source: `${proxy.host}/team/large`,
        destination: `${otherProxy.host}/team/large`,
      });
      const model = `${otherProxy.host}/team/large`;
      const pushed = await transfer('/api/push', { model });
      expect(last(pushed)).toEqual({ status: 'success' });
      const counts = pushed.filter(({ digest }) => digest === digests[0]).map(({ completed = 0 }) => completed);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      const sent = otherProxy.requests.reduce((sum, { bytesUp }) => sum + bytesUp, 0);
      expect(sent).toBeLessThan(90_000_000 * 1.4);
      const stored = await fetch(`${other.url}/v2/team/large/blobs/${digests[0]}`);
      expect(Buffer.from(await stored.arrayBuffer()).equals(content)).toBe(true);
    } finally {
      await otherProxy.stop();
      await other.stop();
    }

    await post(server.url, '/api/create', {
      model: `${proxy.host}/team/child`,
      from: `${proxy.host}/team/ember`,
      system: 'Be brief.',
    });
    proxy.reset();
    expect(last(await push('team/child'))).toEqual({ status: 'success' });
    expect(proxy.requests.filter(({ query }) => query.includes('mount=')).map(({ status }) => status)).toContain(201);
    await remove('team/child');
  });

  test('create pulls a missing base model', async () => {
    await remove('team/ember');
    const model = 'grandchild';
    // Without `insecure`, only the configured default registry may lack TLS.
    const own = await startServer({ environment: { HEARTH_REGISTRY: `http://${registry.host}` } });
    try {
      const { objects } = await post<ProgressResponseBody>(own.url, '/api/create', {
        model,
        from: 'team/ember',
        system: 'x',
      });
      expect(objects.map(({ status }) => status)).toContain('pulling manifest');
      expect(last(objects)).toEqual({ status: 'success' });
      expect(objects.filter(({ status }) => status === 'success')).toHaveLength(1);
      const absent = await post<ProgressResponseBody>(own.url, '/api/create', {
        model,
        from: 'team/nobody',
        stream: false,
      });
      expect([absent.status, absent.text]).toEqual([
        404,
        '{"error":"pull model manifest: file does not exist","code":"model_not_found"}',
      ]);
    } finally {
      await own.stop();
    }
  });
});

describe.skipIf(!hasDockerRegistry)('a registry that requires a password', () => {
  // "ann" and the bcrypt hash of "secret, very".
  const htpasswd = 'ann:$2y$05$abcdefghijklmnopqrstuuHzEqzYM2ASFGw7lgnMNjuQRjFxNIYmu';

  test('receives the configured one; without it the error names the setting', async () => {
    const protectedRegistry = await startDockerRegistry({ htpasswd });
    const model = `${protectedRegistry.host}/team/ember`;
    const credentials = `${protectedRegistry.host}=ann:secret%2C very`;
    const configured = await startServer({ environment: { HEARTH_REGISTRY_CREDENTIALS: credentials } });
    try {
      const denied = await post<ProgressResponseBody>(server.url, '/api/pull', {
        model,
        insecure: true,
        stream: false,
      });
      expect([denied.status, denied.text]).toEqual([401, expect.stringContaining('registry_credentials')]);
      await post(configured.url, '/api/copy', { source: 'ember', destination: model });
      const pushed = await post<ProgressResponseBody>(configured.url, '/api/push', { model, insecure: true });
      expect(last(pushed.objects)).toEqual({ status: 'success' });
      expect(configured.log()).not.toContain('secret');
    } finally {
      await configured.stop();
      await protectedRegistry.stop();
    }
  });
});
