// The server is killed fifty times under load. The usage log loses at most the last request of each client, and stays
// readable.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseRecord } from '../../src/features/usage/log/usage-record.ts';
import { pause } from '../support/processes.ts';
import { startServer } from '../support/server.ts';
import { thoroughly } from '../support/thorough.ts';

const folder = mkdtempSync(join(tmpdir(), 'hearth-usage-killed-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const runs = thoroughly(50, 5);
const clients = 3;

/** The lines of all files. */
function readLines(): string[] {
  const usage = join(folder, '.hearth', 'usage');
  return readdirSync(usage).flatMap((name) => readFileSync(join(usage, name), 'utf8').split('\n'));
}

const ask = async (url: string): Promise<void> => {
  const body = JSON.stringify({ model: 'no-such-model', prompt: 'Hi' });
  await (await fetch(`${url}/api/generate`, { method: 'POST', body })).text();
};

/** One client: sends one request after the other until the server is killed. */
async function work(url: string, { isOver, onAnswer }: { isOver: () => boolean; onAnswer: () => void }): Promise<void> {
  try {
    while (!isOver()) {
      await ask(url);
      onAnswer();
      await pause(2);
    }
  } catch (error) {
    if (!isOver()) throw error;
  }
}

test(`the usage log survives ${runs} kills of the server`, { timeout: 300_000 }, async () => {
  let answered = 0;
  for (let run = 0; run < runs; run++) {
    const server = await startServer({ store: folder });
    // The first request waits until the store is prepared.
    await ask(server.url);
    answered++;
    let killed = false;
    const before = answered;
    const onAnswer = () => void answered++;
    const works = Array.from({ length: clients }, () => work(server.url, { isOver: () => killed, onAnswer }));
    while (answered < before + 2 * clients) await pause(5);
    await pause(Math.random() * 50);
    killed = true;
    server.signal('SIGKILL');
    await Promise.all(works);
    await server.exit;
  }
  const lines = readLines().filter((line) => line !== '');
  const records = lines.filter((line) => parseRecord(line)?.outcome === 'model_not_found');
  console.log(`${runs} kills of the server: ${answered} answers, ${records.length} recorded`);
  expect(answered).toBeGreaterThan(runs * clients);
  // A request may be recorded although its client did not get the whole answer.
  expect(records.length).toBeGreaterThanOrEqual(answered - runs * clients);
  expect(lines.length - records.length).toBeLessThanOrEqual(runs);

  // The log of all those servers is read by the next one.
  const server = await startServer({ store: folder });
  const { total } = (await (await fetch(`${server.url}/api/usage`)).json()) as { total: { requests: number } };
  expect(total.requests).toBe(records.length);
  await server.stop();
});
