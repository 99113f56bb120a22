import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import type { ByteRange } from '../../../base/byte-ranges.ts';
import { createDeferred, type Deferred } from '../../../base/deferred.ts';
import { digestOf } from '../../../base/digest.ts';
import { systemClock } from '../../../base/time/clock.ts';
import { createStore, type Store } from '../../store/store.ts';
import type { BlobSource } from '../download/blob-source.ts';
import { registryFailure } from './retry.ts';
import { createTransfers } from './transfers.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-transfers-'));
afterAll(() => rmSync(base, { recursive: true }));

const content = randomBytes(50_000);
const layer = { digest: digestOf(content), size: content.length };
let store: Store;
beforeEach(() => {
  store = createStore(join(base, String(Math.random())));
});

/** Gives half of the blob, waits for a word, and gives the rest or fails. */
function slowSource(word: Deferred<void>, failure?: Error): BlobSource & { readonly asked: ByteRange[] } {
  const asked: ByteRange[] = [];
  async function* body({ start, end }: ByteRange): AsyncGenerator<Buffer> {
    const middle = Math.floor((start + end) / 2);
    yield content.subarray(start, middle);
    await word.promise;
    if (failure) throw failure;
    yield content.subarray(middle, end);
  }
  return {
    asked,
    maxConnections: 1,
    recycle: () => {},
    async open(range) {
      asked.push(range);
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

test('one transfer for a layer, whichever repository it is asked of: everybody sees all of its progress', async () => {
  const transfers = createTransfers({ store, clock: systemClock });
  const word = createDeferred<void>();
  const [first, second] = [slowSource(word), slowSource(word)];
  const one = collect(transfers.follow({ layer, from: 'library/a', open: () => first, signal }));
  const two = collect(transfers.follow({ layer, from: 'library/b', open: () => second, signal }), word.resolve);
  expect((await one).at(-1)).toBe(content.length);
  expect((await two).length).toBeGreaterThan(1);
  expect([first.asked.length + second.asked.length, (await two).at(-1)]).toEqual([1, content.length]);
  expect(readFileSync(store.blobPath(layer.digest)).equals(content)).toBe(true);
});

test('who joined a transfer from elsewhere that fails begins one of its own, and its progress does not run backwards', async () => {
  const transfers = createTransfers({ store, clock: systemClock });
  const word = createDeferred<void>();
  const broken = slowSource(word, registryFailure('gone', { final: true }));
  const sound = slowSource(word);
  const one = collect(transfers.follow({ layer, from: 'library/a', open: () => broken, signal }));
  const two = collect(transfers.follow({ layer, from: 'library/b', open: () => sound, signal }), word.resolve);
  await expect(one).rejects.toThrow('gone');
  const seen = await two;
  expect(seen).toEqual([...seen].sort((a, b) => a - b));
  expect(seen.at(-1)).toBe(content.length);
  expect(sound.asked).toEqual([{ start: expect.any(Number), end: content.length }]);
});
