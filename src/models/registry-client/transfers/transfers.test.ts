import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { digestOf } from '../../../base/digest.ts';
import type { ByteRange } from '../../../base/files/byte-ranges.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createStore, type Store } from '../../store/store.ts';
import type { BlobSource } from '../download/blob-source.ts';
import { registryFailure } from '../http/retry.ts';
import { createTransfers } from './transfers.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-transfers-'));
afterAll(() => rmSync(base, { recursive: true }));

const content = randomBytes(50_000);
const layer = { digest: digestOf(content), size: content.length };
let store: Store;
beforeEach(() => {
  store = createStore(join(base, String(Math.random())));
});

/** Sends half of the blob, waits for `proceed`, and sends the rest or fails. */
function createSlowSource(proceed: Deferred<void>, failure?: Error): BlobSource & { readonly requested: ByteRange[] } {
  const requested: ByteRange[] = [];
  async function* body({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    const middle = Math.floor((start + end) / 2);
    yield content.subarray(start, middle);
    await proceed.promise;
    if (failure) throw failure;
    yield content.subarray(middle, end);
  }
  return {
    requested,
    maxConnections: 1,
    recycle: () => {},
    async open(range) {
      requested.push(range);
      return { ...range, body: body(range), drop: () => {} };
    },
  };
}

const signal = new AbortController().signal;

async function collect(progress: AsyncIterable<number>, onFirst = (): void => {}): Promise<number[]> {
  const seen: number[] = [];
  for await (const bytes of progress) {
    seen.push(bytes);
    if (bytes > 0 && bytes < content.length) onFirst();
  }
  return seen;
}

test('callers share one transfer per layer, across repositories, and all see its progress', async () => {
  const transfers = createTransfers({ store, clock: systemClock });
  const proceed = createDeferred<void>();
  const [first, second] = [createSlowSource(proceed), createSlowSource(proceed)];
  const one = collect(transfers.follow({ layer, from: 'library/a', open: () => first, signal }));
  const two = collect(transfers.follow({ layer, from: 'library/b', open: () => second, signal }), proceed.resolve);
  expect((await one).at(-1)).toBe(content.length);
  expect((await two).length).toBeGreaterThan(1);
  expect([first.requested.length + second.requested.length, (await two).at(-1)]).toEqual([1, content.length]);
  expect(readFileSync(store.blobPath(layer.digest)).equals(content)).toBe(true);
});

test('a caller of a failed transfer from another repository starts its own; its progress never decreases', async () => {
  const transfers = createTransfers({ store, clock: systemClock });
  const proceed = createDeferred<void>();
  const broken = createSlowSource(proceed, registryFailure('gone', { final: true }));
  const intact = createSlowSource(proceed);
  const one = collect(transfers.follow({ layer, from: 'library/a', open: () => broken, signal }));
  const two = collect(transfers.follow({ layer, from: 'library/b', open: () => intact, signal }), proceed.resolve);
  await expect(one).rejects.toThrow('gone');
  const seen = await two;
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBe(content.length);
  expect(intact.requested).toEqual([{ start: expect.any(Number), end: content.length }]);
});
