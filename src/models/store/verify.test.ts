import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { type Digest, digestOf } from '../../base/digest.ts';
import { parseModelName } from '../name.ts';
import { lockStore } from './lock.ts';
import { type Manifest, mediaTypes } from './manifests/manifest.ts';
import { createStore, type Store } from './store.ts';
import { type Finding, type VerifyOptions, verifyStore } from './verify.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-verify-'));
afterAll(() => rmSync(base, { recursive: true }));

let root: string;
let store: Store;
beforeEach(() => {
  root = join(base, String(Math.random()));
  store = createStore(root);
});

async function create(name: string, ...texts: readonly string[]): Promise<void> {
  const [config, ...layers] = await Promise.all(['{}', ...texts].map((text) => store.putBlob(Buffer.from(text), 'x')));
  const manifest = { schemaVersion: 2, mediaType: mediaTypes.manifest, config, layers } as Manifest;
  await store.putManifest(parseModelName(name), manifest);
}

async function verify(options?: VerifyOptions): Promise<Finding[]> {
  const findings: Finding[] = [];
  for await (const finding of verifyStore(root, options)) findings.push(finding);
  return findings;
}

const findingFor = (findings: readonly Finding[], digest: Digest) =>
  findings.find((finding) => 'digest' in finding && finding.digest === digest);
const pathOf = (text: string): string => store.blobPath(digestOf(text));

test('an empty store has no findings, an intact one only ok', async () => {
  expect(await verify()).toEqual([]);
  await create('a', 'weights');
  await create('b', 'weights');
  const findings = await verify();
  expect(findings.map(({ kind }) => kind)).toEqual(['ok', 'ok']);
  expect(findingFor(findings, digestOf('weights'))).toEqual({
    kind: 'ok',
    digest: digestOf('weights'),
    bytes: 7,
    models: ['a:latest', 'b:latest'],
    removed: false,
  });
});

async function damageStore(): Promise<void> {
  await create('a', 'weights', 'template');
  await create('b', 'missing');
  await store.putBlob(Buffer.from('orphan'), 'x');
  writeFileSync(pathOf('weights'), 'w3ights');
  rmSync(pathOf('missing'));
  writeFileSync(join(root, 'blobs', '.hearth-4194305-00000000-0123456789abcdef'), 'half');
  writeFileSync(join(root, 'blobs', 'README'), 'not ours');
}

const expectedFindings = (removed: boolean) => [
  { kind: 'damaged', digest: digestOf('weights'), bytes: 7, models: ['a:latest'], removed },
  { kind: 'orphaned', digest: digestOf('orphan'), bytes: 6, models: [], removed },
  { kind: 'missing', digest: digestOf('missing'), bytes: 7, models: ['b:latest'], removed: false },
  { kind: 'leftover', path: expect.stringContaining('.hearth-4194305'), bytes: 4, removed },
];

test('reports every kind of damage without changing anything', async () => {
  await damageStore();
  const lock = await lockStore(root);
  const findings = await verify();
  await lock.release();
  expect(findings.filter(({ kind }) => kind !== 'ok')).toEqual(expect.arrayContaining(expectedFindings(false)));
  expect(findings).toHaveLength(6);
  expect(['weights', 'orphan'].map((text) => existsSync(pathOf(text)))).toEqual([true, true]);
});

test('repair removes damaged, orphaned and leftover files', async () => {
  await damageStore();
  expect(await verify({ repair: true })).toEqual(expect.arrayContaining(expectedFindings(true)));
  expect((await verify()).map(({ kind }) => kind).sort()).toEqual(['missing', 'missing', 'ok', 'ok']);
  expect(existsSync(join(root, 'blobs', 'README'))).toBe(true);
  expect(await store.list()).toHaveLength(2);
});

test('repair removes no orphans while a manifest is unreadable', async () => {
  await create('a', 'weights');
  await store.putBlob(Buffer.from('perhaps of b'), 'x');
  const folder = join(root, 'manifests/registry.ollama.ai/library/b');
  mkdirSync(folder);
  writeFileSync(join(folder, 'latest'), '{');
  const findings = await verify({ repair: true });
  expect(findings[0]).toEqual({
    kind: 'unreadable',
    path: join(folder, 'latest'),
    reason: 'a manifest in the store cannot be read',
  });
  expect(findingFor(findings, digestOf('perhaps of b'))).toMatchObject({ kind: 'orphaned', removed: false });
  expect(existsSync(pathOf('perhaps of b'))).toBe(true);
});

test('a store in use is not repaired', async () => {
  await create('a', 'weights');
  const lock = await lockStore(root);
  await expect(verify({ repair: true })).rejects.toThrow('is in use by another Hearth');
  await lock.release();
  await verify({ repair: true });
  await (await lockStore(root)).release();
});

test('reports progress and can be aborted', async () => {
  await create('a', 'x'.repeat(3_000_000));
  const seen: number[] = [];
  await verify({ onProgress: ({ bytes, totalBytes }) => seen.push(bytes / totalBytes) });
  expect(seen.at(-1)).toBe(1);
  expect(seen.length).toBeGreaterThan(2);

  const controller = new AbortController();
  const aborted = verify({ repair: true, signal: controller.signal, onProgress: () => controller.abort() });
  await expect(aborted).rejects.toMatchObject({ code: 'cancelled' });
  await (await lockStore(root)).release();
});

async function verifyAborted(controller: AbortController, onFinding: () => void): Promise<void> {
  for await (const _ of verifyStore(root, { signal: controller.signal, onProgress: onFinding })) onFinding();
}

test.skipIf(process.platform !== 'linux')(
  'an aborted verification closes its files',
  async () => {
    await create('a', 'weights', 'template', 'x'.repeat(3 * 2 ** 20));
    const countHandles = (): number => readdirSync('/proc/self/fd').length;
    const before = countHandles();
    for (let round = 0; round < 300; round++) {
      const controller = new AbortController();
      // Aborts before the first blob, between blobs, and inside of one.
      let events = round % 6;
      if (events === 0) controller.abort();
      const verified = verifyAborted(controller, () => {
        if (--events === 0) controller.abort();
      });
      await expect(verified).rejects.toMatchObject({ code: 'cancelled' });
    }
    expect(countHandles()).toBeLessThan(before + 10);
  },
  60_000,
);
