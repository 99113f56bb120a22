// A store survives everything: a process that is killed while it creates, copies, deletes and collects; and a disk that
// takes no more.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { parseModelName } from '../../src/models/name.ts';
import { lockStore } from '../../src/models/store/lock.ts';
import { createStore } from '../../src/models/store/store.ts';
import { inspectStore } from '../support/inspect-store.ts';
import { pause } from '../support/processes.ts';
import { repository } from '../support/repository.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-crash-'));
afterAll(() => rmSync(base, { recursive: true }));

const worker = [repository('test/fixtures/store-worker.mjs'), repository('dist')];
const lives = 40;

/** What is known of a model: somebody who is killed in the middle may have finished or not. */
type Outcome = 'present' | 'absent' | 'either';

interface Life {
  readonly outcomes: ReadonlyMap<string, Outcome>;
  readonly finished: number;
}

/** Lets a worker live for a while; what it has said decides what has to be there. */
async function live(root: string, seed: number, milliseconds: number): Promise<Life> {
  const child = spawn(process.execPath, [...worker, root, String(seed)], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk;
  });
  const closed = once(child, 'close');
  // Some are killed while they still clear away what the one before them left.
  while (seed % 6 !== 0 && !output.stdout.includes('ready\n') && child.exitCode === null) await pause(5);
  await pause(milliseconds);
  // Nobody but the test may end it.
  expect([child.exitCode, output.stderr]).toEqual([null, '']);
  child.kill('SIGKILL');
  await closed;
  const outcomes = new Map<string, Outcome>();
  for (const [, name = '', end] of output.stdout.matchAll(/^(?:begin|end) (\S+)(?: (present|absent))?$/gm))
    outcomes.set(name, (end ?? 'either') as Outcome);
  return { outcomes, finished: output.stdout.split('\nend ').length - 1 };
}

test(`killed ${lives} times in the middle of its work, a store is whole each time`, { timeout: 300_000 }, async () => {
  const root = join(base, 'killed');
  const known = new Map<string, Outcome>();
  let finished = 0;
  let interrupted = 0;
  for (let seed = 1; seed <= lives; seed++) {
    const life = await live(root, seed, Math.random() * 150);
    finished += life.finished;
    interrupted += [...life.outcomes.values()].filter((outcome) => outcome === 'either').length;
    for (const [name, outcome] of life.outcomes) known.set(name, outcome);
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
  console.log(`${lives} kills: ${finished} changes finished, ${interrupted} interrupted, nothing lost or damaged`);
  expect(interrupted).toBeGreaterThan(lives / 2);
});

test('a store that a living process holds is refused by name; a killed one does not hold it', async () => {
  const root = join(base, 'held');
  const child = spawn(process.execPath, [...worker, root, '1'], { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(child.stdout, 'data');
  await expect(lockStore(root)).rejects.toThrow(`is in use by another Hearth: process ${child.pid} on `);
  child.kill('SIGKILL');
  await once(child, 'exit');
  await (await lockStore(root)).release();
});

// A limit on the size of files is what everybody may set; src/models/store/blobs/blobs.test.ts fills a real disk where
// it may make one.
test('a disk that takes no more is a sentence, and the store gets its space back', async () => {
  const root = join(base, 'full');
  const fill = (bytes: number): string => {
    const command = 'ulimit -f 2048; exec "$0" "$@"';
    const words = ['-c', command, process.execPath, ...worker, root, 'fill', String(bytes)];
    return spawnSync('sh', words, { encoding: 'utf8' }).stdout.trim();
  };
  expect(fill(100_000)).toBe('written');
  expect(fill(5_000_000)).toMatch(/^the file is larger than may be written to /);
  expect(inspectStore(root)).toEqual([]);
  expect(readdirSync(join(root, 'blobs'))).toHaveLength(1);
  expect(await createStore(root).find(parseModelName('any'))).toBeUndefined();
});
