// Verifying a store, with and without a server.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseModelName } from '../../src/models/name.ts';
import { mediaTypes } from '../../src/models/store/manifests/manifest.ts';
import { createStore, type StoredModel } from '../../src/models/store/store.ts';
import type { VerifyResponseBody } from '../../src/server/dialects/hearth/status/verify-schema.ts';
import { post } from '../support/client.ts';
import { hearthScript } from '../support/command.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-verify-'));
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ store: folder });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true });
});

const verify = (...flags: string[]) => {
  const command = [hearthScript, 'verify', '--models', server.store, ...flags];
  const { status, stdout, stderr } = spawnSync(process.execPath, command, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};
const overHttp = async (repair: boolean) =>
  (await post<VerifyResponseBody>(server.url, '/api/verify', { repair })).objects as VerifyResponseBody[];

/** Creates a model whose system message does not match its digest. */
async function damage(name: string): Promise<string> {
  const store = createStore(server.store);
  const { manifest } = (await store.find(parseModelName('ember'))) as StoredModel;
  const system = await store.putBlob(Buffer.from(`I am ${name}.`), mediaTypes.system);
  await store.putManifest(parseModelName(name), { ...manifest, layers: [...manifest.layers, system] });
  writeFileSync(store.blobPath(system.digest), 'something else');
  return system.digest;
}

test('an intact store has only ok findings', async () => {
  const { status, output } = verify();
  expect(output).toMatch(/^\d+ ok\n$/);
  expect(status).toBe(0);
  expect((await overHttp(false)).at(-1)).toEqual({ status: 'success', counts: { ok: expect.any(Number) } });
});

test('damage is reported, and repaired over HTTP while the server runs', async () => {
  const digest = await damage('victim');
  const { status, output } = verify();
  expect(status).toBe(1);
  expect(output).toContain(`damaged     ${digest} of victim:latest`);
  expect(await overHttp(true)).toContainEqual(
    expect.objectContaining({ status: 'damaged', digest, models: ['victim:latest'], removed: true }),
  );
  expect(readdirSync(join(server.store, 'blobs'))).not.toContain(digest.replace(':', '-'));
  expect(verify().output).toContain(`missing     ${digest} of victim:latest`);
});

test('repair without a server fails while the store is in use', async () => {
  const digest = await damage('second');
  expect(verify('--repair')).toMatchObject({ status: 1, output: expect.stringContaining('in use by another Hearth') });
  await server.stop();
  expect(verify('--repair').output).toContain(`damaged     ${digest} of second:latest, removed`);
  server = await startServer({ store: folder });
});
