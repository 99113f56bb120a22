// A registry for a team: one server pushes with a registered key, another one pulls; unregistered keys are denied.

import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generate, post } from '../../support/client.ts';
import { hearth } from '../../support/command.ts';
import { type FaultProxy, startFaultProxy } from '../../support/registry/fault-proxy.ts';
import { startRegistry, type TestRegistry } from '../../support/registry/team-registry.ts';
import { startServer, type TestServer } from '../../support/server.ts';

interface Status {
  readonly status?: string;
  readonly error?: string;
}

const bobsFolder = mkdtempSync(join(tmpdir(), 'hearth-bob-'));
let registry: TestRegistry;
let proxy: FaultProxy;
let ann: TestServer;
let bob: TestServer;
beforeAll(async () => {
  // Clients use the address of a proxy, as they would with one that terminates TLS.
  proxy = await startFaultProxy(() => registry.url);
  [registry, ann] = await Promise.all([
    startRegistry({ flags: ['--pull', 'keyed', '--url', proxy.url] }),
    startServer(),
  ]);
  // hearth.json says that Ember was installed before, so that Bob's server starts with an empty store.
  mkdirSync(join(bobsFolder, 'models'));
  copyFileSync(join(ann.store, 'hearth.json'), join(bobsFolder, 'models', 'hearth.json'));
  bob = await startServer({ store: bobsFolder });
});
afterAll(async () => {
  await Promise.all([registry.stop(), ann.stop(), bob.stop(), proxy.stop()]);
  rmSync(bobsFolder, { recursive: true });
});

/** As its operator would get it. */
const keyOf = async ({ url }: TestServer): Promise<string> => (await hearth(['key'], { url })).stdout.trim();
const name = (): string => `${proxy.host}/ann/ember:latest`;
const copy = (server: TestServer) => post(server.url, '/api/copy', { source: 'ember', destination: name() });
const transfer = async (server: TestServer, kind: 'push' | 'pull') =>
  (await post<Status>(server.url, `/api/${kind}`, { model: name(), insecure: true })).objects;

const wasInterrupted = (): boolean => proxy.requests.some(({ bytesUp }) => bytesUp === 1_000_000);
const sizeOf = (folder: string): number =>
  blobs(folder).reduce((sum, blob) => sum + statSync(join(folder, 'blobs', blob)).size, 0);
const manifestFile = ({ store }: TestServer): Buffer =>
  readFileSync(join(store, 'manifests', proxy.host, 'ann/ember/latest'));
const blobs = (folder: string): string[] => readdirSync(join(folder, 'blobs')).sort();

describe('a team registry', () => {
  test('denies an unregistered key, and the error says what to do', async () => {
    await copy(ann);
    const objects = await transfer(ann, 'push');
    expect(objects.at(-1)?.error).toContain('register');
    expect((await transfer(bob, 'pull')).at(-1)?.error).toContain('register');
  });

  test('accepts a push with one registered key and serves a pull with another, byte for byte', async () => {
    registry.register(await keyOf(ann), await keyOf(bob));
    // The connection breaks once, in the middle of the weights.
    proxy.plan(({ method }) =>
      method === 'PATCH' && !wasInterrupted() ? { kind: 'disconnect upload', afterBytes: 1_000_000 } : undefined,
    );
    expect((await transfer(ann, 'push')).at(-1)).toEqual({ status: 'success' });
    expect(wasInterrupted()).toBe(true);
    const sent = proxy.requests.reduce((sum, { bytesUp }) => sum + bytesUp, 0);
    expect(sent).toBeLessThan(1.1 * sizeOf(registry.folder) + 1_000_000);
    expect(registry.log()).toContain('model pushed');

    expect(existsSync(join(bob.store, 'blobs')) ? blobs(bob.store) : []).toEqual([]);
    expect((await transfer(bob, 'pull')).at(-1)).toEqual({ status: 'success' });
    expect(manifestFile(bob).equals(manifestFile(ann))).toBe(true);
    expect(blobs(bob.store)).toEqual(blobs(registry.folder));
    for (const blob of blobs(bob.store))
      expect(readFileSync(join(bob.store, 'blobs', blob)).equals(readFileSync(join(ann.store, 'blobs', blob)))).toBe(
        true,
      );
    expect((await generate(bob.url, { model: name(), prompt: 'Hello', options: { num_predict: 4 } })).done).toBe(true);
  });

  test('transfers no blob on a second push or pull', async () => {
    proxy.reset();
    expect((await transfer(ann, 'push')).at(-1)).toEqual({ status: 'success' });
    expect((await transfer(bob, 'pull')).at(-1)).toEqual({ status: 'success' });
    expect([proxy.count('POST'), proxy.count('PATCH'), proxy.count('GET', '/blobs/')]).toEqual([0, 0, 0]);
    expect(proxy.count('PUT', '/manifests/latest')).toBe(1);
  });
});
