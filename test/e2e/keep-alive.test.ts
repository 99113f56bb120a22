// How long a model stays loaded: the request decides, otherwise the model, otherwise the settings. Preloaded models.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PsResponseBody } from '../../src/server/dialects/ollama/status/ps-schema.ts';
import { generate } from '../support/client.ts';
import { createClientOf } from '../support/create-client.ts';
import { startServer, type TestServer } from '../support/server.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-keep-alive-'));
let server: TestServer;
beforeAll(async () => {
  server = await startServer({ environment: { HEARTH_KEEP_ALIVE: '7m' } });
});
afterAll(async () => {
  await server.stop();
  rmSync(folder, { recursive: true, force: true });
});

const loadedOf = async (url: string): Promise<PsResponseBody['models']> =>
  ((await (await fetch(`${url}/api/ps`)).json()) as PsResponseBody).models;
/** Minutes until the only loaded model expires, or that it is pinned. */
async function remaining(): Promise<number | 'pinned'> {
  const [model] = await loadedOf(server.url);
  if (model === undefined) throw new Error('no model is loaded');
  return model.pinned ? 'pinned' : (Date.parse(model.expires_at) - Date.now()) / 60_000;
}
const ask = (model: string, fields = {}) => generate(server.url, { model, options: { num_predict: 1 }, ...fields });

test('a request wins over the model, the model over the settings', async () => {
  const { created, show } = createClientOf(server);
  await created({ model: 'pinned', from: 'ember', parameters: { keep_alive: -1 } });
  await created({ model: 'hour', modelfile: 'FROM ember\nPARAMETER keep_alive 1h' });

  await ask('ember');
  const fromSettings = await remaining();
  expect(fromSettings).toBeGreaterThan(5);
  expect(fromSettings).toBeLessThan(8);
  await ask('pinned');
  expect(await remaining()).toBe('pinned');
  await ask('hour');
  expect(await remaining()).toBeGreaterThan(50);
  await ask('pinned', { keep_alive: '30m' });
  const asked = await remaining();
  expect(asked).toBeGreaterThan(20);
  expect(asked).toBeLessThan(31);

  expect((await show('hour')).modelfile).toContain('\nPARAMETER keep_alive 1h\n');
  expect((await show('pinned')).modelfile).toContain('\nPARAMETER keep_alive -1\n');
  // A model inherits it, and the printed Modelfile can be created again.
  await created({ model: 'again', modelfile: (await show('pinned')).modelfile });
  await created({ model: 'heir', from: 'again' });
  await ask('heir');
  expect(await remaining()).toBe('pinned');
});

test.each([
  [{ parameters: { keep_alive: 'soon' } }],
  [{ parameters: { keep_alive: [1] } }],
  [{ modelfile: 'FROM ember\nPARAMETER keep_alive soon' }],
])('%j is refused', async (body) => {
  const { status, text } = await createClientOf(server).create({ model: 'bad', from: 'ember', ...body });
  expect([status, text]).toEqual([expect.any(Number), expect.stringMatching(/keep_alive|duration/)]);
  expect(text).not.toContain('success');
});

test('the settings name models to preload; one that cannot be loaded does not keep the others from it', async () => {
  const config = join(folder, 'config.toml');
  writeFileSync(config, 'preload = ["no-such-model", "ember"]\n');
  const preloading = await startServer({ environment: { HEARTH_CONFIG: config } });
  try {
    await vi.waitFor(async () => expect(await loadedOf(preloading.url)).toMatchObject([{ state: 'idle' }]), 60_000);
    expect((await loadedOf(preloading.url))[0]?.name).toBe('ember:latest');
    expect(preloading.log() + preloading.stdout()).toMatch(/could not preload a model.*no-such-model/);
  } finally {
    await preloading.stop();
  }
});
