// Measures what shared state costs: requests per second and processor time of a server with keys in PostgreSQL, next to one
// with keys in a file. The endpoint answers at once, so that nothing but the server counts.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../src/base/time/clock.ts';
import { createKeyEditor } from '../src/features/keys/access/edit-keys.ts';
import { createKeyFileHome } from '../src/features/keys/access/key-home.ts';
import { addRemoteModel, createSharedKey, startFront } from '../test/support/fronts.ts';
import { startPostgres } from '../test/support/postgres.ts';
import { fakeModel, startFakeEndpoint } from '../test/support/remote/fake-endpoint.ts';
import { startServer, type TestServer } from '../test/support/server.ts';
import { processorTimeOf } from './processor-time.ts';
import { median, report, rounds, settle } from './report.ts';

const clients = 16;
const requests = 800;
const goal = { free: 0.95, limited: 0.6 };

interface Subject {
  readonly server: TestServer;
  /** Without quotas, and with both. */
  readonly keys: { readonly free: string; readonly limited: string };
}

const limits = { requestsPerMinute: 100_000_000, tokensPerDay: 100_000_000_000 };

export async function measureState(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'hearth-bench-state-'));
  const [postgres, endpoint] = await Promise.all([startPostgres(), startFakeEndpoint('answers')]);
  const address = postgres.createDatabase();
  const subjects = [await openFiles(folder), await openShared(address)] as const;
  try {
    for (const { server, keys } of subjects) {
      await addRemoteModel(server, { url: endpoint.url, model: fakeModel, key: keys.free });
      await run(server, keys.limited);
    }
    for (const kind of ['free', 'limited'] as const) await compare(subjects, kind);
  } finally {
    for (const { server } of subjects) await server.stop();
    await endpoint.close();
    await postgres.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function openFiles(folder: string): Promise<Subject> {
  const path = join(folder, 'keys.json');
  const editor = createKeyEditor(createKeyFileHome(path, systemClock), systemClock);
  const grant = { scope: 'admin', models: [], weight: 1 } as const;
  const free = (await editor.create({ name: 'free', ...grant })).text;
  const limited = (await editor.create({ name: 'limited', ...grant, ...limits })).text;
  return { server: await startServer({ environment: { HEARTH_KEYS_FILE: path } }), keys: { free, limited } };
}

async function openShared(address: string): Promise<Subject> {
  const free = (await createSharedKey(address, { name: 'free', scope: 'admin' })).text;
  const limited = (await createSharedKey(address, { name: 'limited', scope: 'admin', ...limits })).text;
  return { server: await startFront(address), keys: { free, limited } };
}

async function compare([files, shared]: readonly [Subject, Subject], kind: keyof Subject['keys']): Promise<void> {
  const ratios: { readonly speed: number; readonly time: number }[] = [];
  for (let round = 0; round < rounds; round++) {
    await settle();
    const one = await run(files.server, files.keys[kind]);
    await settle();
    const other = await run(shared.server, shared.keys[kind]);
    ratios.push({ speed: other.speed / one.speed, time: other.time / one.time });
  }
  const speed = median(ratios.map((ratio) => ratio.speed));
  const time = median(ratios.map((ratio) => ratio.time));
  report({
    what: `requests per second with PostgreSQL, ${kind === 'free' ? 'a key without quotas' : 'a key with both quotas'}`,
    value: `${speed.toFixed(2)} of those with files; ${time.toFixed(2)} of the processor time of the server`,
    goal: `≥ ${goal[kind]}`,
    met: speed >= goal[kind],
  });
}

/** Requests per second, and seconds of processor time. */
async function run({ url, pid }: TestServer, key: string): Promise<{ readonly speed: number; readonly time: number }> {
  const body = JSON.stringify({ model: fakeModel, messages: [{ role: 'user', content: 'Hi' }], stream: false });
  const [startedAt, usedBefore] = [performance.now(), processorTimeOf(pid)];
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let request = 0; request < requests / clients; request++) {
        const headers = { authorization: `Bearer ${key}` };
        const response = await fetch(`${url}/api/chat`, { method: 'POST', headers, body });
        const text = await response.text();
        if (!response.ok) throw new Error(`${response.status} ${text}`);
      }
    }),
  );
  const seconds = (performance.now() - startedAt) / 1000;
  return { speed: requests / seconds, time: processorTimeOf(pid) - usedBefore };
}
