// The store stays intact when a process is killed while it creates, copies, deletes and collects garbage, and when the
// disk is full.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseModelName } from '../../src/models/name.ts';
import { lockStore } from '../../src/models/store/lock.ts';
import { createStore } from '../../src/models/store/store.ts';
import { bundleFixture } from '../support/bundle-fixture.ts';
import { inspectStore } from '../support/inspect-store.ts';
import { pause } from '../support/processes.ts';
import { thoroughly } from '../support/thorough.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-crash-'));
afterAll(() => rmSync(base, { recursive: true }));

const worker = await bundleFixture('store-worker');
const runs = thoroughly(40, 12);

/** The expected state of a model; `either` for a change that was interrupted. */
type Outcome = 'present' | 'absent' | 'either';

interface Run {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly finished: number;
}

/** Runs a worker for a while and kills it; its output tells the expected state. */
async function runWorker(root: string, seed: number, milliseconds: number): Promise<Run> {
  const child = spawn(process.execPath, [worker, root, String(seed)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const closed = once(child, 'close');
  // Some are killed while they remove the leftovers of the previous one.
  while (seed % 6 !== 0 && !output.stdout.includes('ready\n') && child.exitCode === null) await pause(5);
  await pause(milliseconds);
  // It must not have exited by itself.
  expect([child.exitCode, output.stderr]).toEqual([null, '']);
  child.kill('SIGKILL');
  await closed;
  const outcomes = new Map<string, Outcome>();
  for (const [, name = '', end] of output.stdout.matchAll(/^(?:begin|end) (\S+)(?: (present|absent))?$/gm))
    outcomes.set(name, (end ?? 'either') as Outcome);
  return { outcomes, finished: output.stdout.split('\nend ').length - 1 };
}

test(`the store is intact after each of ${runs} kills`, { timeout: 300_000 }, async () => {
  const root = join(base, 'killed');
  const known = new Map<string, Outcome>();
  let finished = 0;
  let interrupted = 0;
  for (let seed = 1; seed <= runs; seed++) {
    const run = await runWorker(root, seed, Math.random() * 150);
    finished += run.finished;
    interrupted += [...run.outcomes.values()].filter((outcome) => outcome === 'either').length;
    for (const [name, outcome] of run.outcomes) known.set(name, outcome);
    const models = inspectStore(root);
    for (const [name, outcome] of known) {
      const present = models.includes(name) ? 'present' : 'absent';
      expect([seed, name, present]).toEqual([seed, name, outcome === 'either' ? present : outcome]);
      known.set(name, present);
    }
  }
  const store = createStore(root);
  const lock = await lockStore(root);
  await store.recover();
  await store.collectGarbage({ graceMs: 0 });
  expect(readdirSync(root).filter((name) => !['blobs', 'manifests'].includes(name))).toHaveLength(1);
  await lock.release();
  const needed = (await store.list()).flatMap(({ manifest }) => [manifest.config, ...manifest.layers]);
  expect(readdirSync(join(root, 'blobs'))).toHaveLength(new Set(needed.map(({ digest }) => digest)).size);
  console.log(`${runs} kills: ${finished} changes finished, ${interrupted} interrupted, nothing lost or damaged`);
  expect(interrupted).toBeGreaterThan(runs / 2);
});

test('a store in use by a live process is locked, and free after that process is killed', async () => {
  const root = join(base, 'held');
  const child = spawn(process.execPath, [worker, root, '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await expect(lockStore(root)).rejects.toThrow(`is in use by another Hearth: process ${child.pid} on `);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await lockStore(root)).release();
});

// Any user can set a file size limit; src/models/store/blobs/blobs.test.ts fills a real disk if it may mount one.
test('a file size limit gives a clear error, and the space is freed', async () => {
  const root = join(base, 'full');
  const fill = (bytes: number): string => {
    const command = 'ulimit -f 2048; exec "$0" "$@"';
    const parameters = ['-c', command, process.execPath, worker, root, 'fill', String(bytes)];
    return spawnSync('sh', parameters, { encoding: 'utf8' }).stdout.trim();
  };
  expect(fill(100_000)).toBe('written');
  expect(fill(5_000_000)).toMatch(/^the file exceeds the maximum file size of the disk/);
  expect(inspectStore(root)).toEqual([]);
  expect(readdirSync(join(root, 'blobs'))).toHaveLength(1);
  expect(await createStore(root).find(parseModelName('any'))).toBeUndefined();
});
