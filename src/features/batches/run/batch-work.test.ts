import { mkdtempSync, rmSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { createFakeClock } from '../../../../test/support/fake-clock.ts';
import { silentLogger } from '../../../base/logger.ts';
import { BatchStore } from '../store/batch-store.ts';
import { FileStore } from '../store/file-store.ts';
import type { WorkParts } from './batch-work.ts';
import { Batches } from './batches.ts';
import { LineSlots } from './line-slots.ts';

const root = mkdtempSync(join(tmpdir(), 'hearth-work-'));
afterAll(() => rmSync(root, { recursive: true }));

type Send = WorkParts['requests']['send'];
const right = { status: 200, requestId: 'r', body: '{"text":"yes"}' };
const endpoint = '/v1/completions';

async function open(send: Send) {
  const folder = mkdtempSync(join(root, 'batches-'));
  const clock = createFakeClock();
  const files = new FileStore({ folder, maxOwnerBytes: 1e6, clock });
  const store = new BatchStore(folder);
  const slots = new LineSlots({ count: 2, isNeeded: () => false, clock });
  const batches = new Batches(folder, {
    files,
    batches: store,
    requests: { send },
    slots,
    clock,
    logger: silentLogger,
  });
  await batches.open();
  const create = async (owner: string, ids: readonly string[]) => {
    const lines = ids.map((id) => JSON.stringify({ custom_id: id, method: 'POST', url: endpoint, body: {} }));
    const upload = async function* () {
      yield Buffer.from(lines.join('\n'));
    };
    const input = await files.add(owner, upload(), () => ({ filename: 'a', purpose: 'batch' }));
    return batches.create({ owner, keyId: undefined }, { input_file_id: input.id, endpoint, completion_window: '1h' });
  };
  const idsIn = async (owner: string, fileId: string): Promise<string[]> => {
    const text = await readFile(files.pathOf(owner, files.find(owner, fileId).id), 'utf8');
    return text
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { readonly custom_id: string }).custom_id);
  };
  return { clock, batches, create, idsIn };
}

test('a batch whose key is over its quota does not keep the slots of others, and goes on later', async () => {
  let isOver = true;
  const send: Send = async ({ sender }) =>
    isOver && sender.client === 'batch anna' ? { ...right, status: 429, retryAfter: 60 } : right;
  const { clock, batches, create } = await open(send);
  const anna = await create('anna', ['a', 'b', 'c', 'd']);
  await vi.waitFor(() => expect(anna.status).toBe('in_progress'), { timeout: 30_000 });
  const bob = await create('bob', ['e', 'f', 'g']);
  await vi.waitFor(() => expect(bob.status).toBe('completed'), { timeout: 30_000 });
  expect(anna).toMatchObject({ status: 'in_progress', counts: { completed: 0, failed: 0 } });
  isOver = false;
  await vi.waitFor(
    () => {
      clock.advance(10_000);
      expect(anna).toMatchObject({ status: 'completed', counts: { total: 4, completed: 4 } });
    },
    { timeout: 30_000 },
  );
  await batches.close();
});

test('a batch that fails keeps the answers that it has', async () => {
  let asked = 0;
  const { batches, create, idsIn } = await open(async () => {
    if (++asked > 2) throw new Error('broken');
    return right;
  });
  const batch = await create('anna', ['a', 'b', 'c', 'd', 'e']);
  await vi.waitFor(() => expect(batch.status).toBe('failed'), { timeout: 30_000 });
  expect(batch.problems).toHaveLength(1);
  expect(await idsIn('anna', batch.outputFileId)).toHaveLength(2);
  await batches.close();
});

test('a line that the server fails to answer is asked three times', async () => {
  let asked = 0;
  const { clock, batches, create, idsIn } = await open(async () => {
    asked++;
    return { ...right, status: 500 };
  });
  const batch = await create('anna', ['a']);
  await vi.waitFor(
    () => {
      clock.advance(1000);
      expect(batch.status).toBe('completed');
    },
    { timeout: 30_000 },
  );
  expect([asked, await idsIn('anna', batch.errorFileId)]).toEqual([3, ['a']]);
  await batches.close();
});

test('lines that are left when the time is over fail, each once', async () => {
  const { clock, batches, create, idsIn } = await open(
    ({ signal }) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('canceled')))),
  );
  const batch = await create('anna', ['a', 'b', 'c']);
  await vi.waitFor(() => expect(batch.status).toBe('in_progress'), { timeout: 30_000 });
  await vi.waitFor(
    () => {
      clock.advance(600_000);
      expect(batch.status).toBe('expired');
    },
    { timeout: 30_000 },
  );
  expect((await idsIn('anna', batch.errorFileId)).toSorted()).toEqual(['a', 'b', 'c']);
  await batches.close();
});
