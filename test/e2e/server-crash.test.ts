// The server is killed many times while clients upload, create, copy and delete. All confirmed changes survive.

import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { inspectStore } from '../support/inspect-store.ts';
import { writeGguf } from '../support/models/write-gguf.ts';
import { pause } from '../support/processes.ts';
import { startServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const runs = thoroughly(100, 8);
const clients = 3;

type Outcome = 'present' | 'absent' | 'either';
const known = new Map<string, Outcome>();
let confirmed = 0;
let interrupted = 0;

/** A unique GGUF file of a few hundred kilobytes. */
function newWeights(name: string): Buffer {
  const path = join(folder, `${name}.gguf`);
  const size = 20_000 + Math.floor(Math.random() * 200_000);
  writeGguf(path, { 'general.architecture': { type: 'string', value: 'llama' } }, [
    { name: 'a.weight', shape: [size], type: 'F32', fill: (buffer) => void randomBytes(buffer.length).copy(buffer) },
  ]);
  return readFileSync(path);
}

async function send(url: string, method: string, path: string, body: string | Buffer): Promise<void> {
  const content = typeof body === 'string' ? body : new Uint8Array(body);
  const response = await fetch(url + path, { method, body: content });
  const text = await response.text();
  // An interrupted stream is not a confirmation.
  if (!response.ok || text.includes('"error"') || (path === '/api/create' && !text.includes('"success"')))
    throw new Error(`${path}: ${response.status} ${text}`);
}

/** One client: makes random changes to its own models until the server is killed. */
async function work(url: string, client: number, isOver: () => boolean): Promise<void> {
  const change = async (model: string, outcome: Outcome, action: () => Promise<void>): Promise<void> => {
    known.set(model, 'either');
    await action();
    known.set(model, outcome);
    confirmed++;
  };
  while (!isOver()) {
    const own = [...known].filter(([name, state]) => name.startsWith(`c${client}-`) && state === 'present');
    const [existing] = own[Math.floor(Math.random() * own.length)] ?? [];
    const name = `c${client}-${Math.floor(Math.random() * 5)}`;
    const choice = Math.random();
    if (existing === undefined || choice < 0.45) {
      const weights = newWeights(`client-${client}`);
      const digest = `sha256:${createHash('sha256').update(weights).digest('hex')}`;
      await send(url, 'POST', `/api/blobs/${digest}`, weights);
      const body = { model: name, files: { 'a.gguf': digest }, system: `I am ${name}.` };
      await change(name, 'present', () => send(url, 'POST', '/api/create', JSON.stringify(body)));
    } else if (choice < 0.75) {
      const body = JSON.stringify({ source: existing, destination: name });
      await change(name, 'present', () => send(url, 'POST', '/api/copy', body));
    } else {
      const body = JSON.stringify({ model: existing });
      await change(existing, 'absent', () => send(url, 'DELETE', '/api/delete', body));
    }
  }
}

test(`no confirmed change is lost in ${runs} kills of the server`, { timeout: 600_000 }, async () => {
  let root = '';
  for (let run = 1; run <= runs; run++) {
    const server = await startServer({ store: join(folder, 'store') });
    root = server.store;
    let killed = false;
    const failures: string[] = [];
    const works = Array.from({ length: clients }, (_, client) =>
      work(server.url, client, () => killed).catch((error: unknown) => {
        if (!killed) failures.push(String(error));
      }),
    );
    const before = confirmed;
    // Requests wait until the store is prepared. Some servers are killed before that.
    while (run % 3 !== 0 && confirmed === before && failures.length === 0) await pause(5);
    await pause(Math.random() * 250);
    killed = true;
    server.signal('SIGKILL');
    await Promise.all([...works, server.exit]);
    expect(failures).toEqual([]);

    const models = inspectStore(root);
    for (const [name, outcome] of known) {
      const state = models.includes(name) ? 'present' : 'absent';
      if (outcome === 'either') interrupted++;
      else expect([run, name, state]).toEqual([run, name, outcome]);
      known.set(name, state);
    }
  }
  console.log(`${runs} kills of the server: ${confirmed} changes confirmed, ${interrupted} interrupted, nothing lost`);
  expect(confirmed).toBeGreaterThan(runs / 2);
  expect(interrupted).toBeGreaterThan(runs / 4);
});
