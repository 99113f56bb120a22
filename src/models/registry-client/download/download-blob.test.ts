import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import { digestOf } from '../../../base/digest.ts';
import type { ByteRange } from '../../../base/files/byte-ranges.ts';
import { createStore, type PartialBlob, type Store } from '../../store/store.ts';
import { maxAttempts } from '../http/limits.ts';
import { planRetry, registryFailure } from '../http/retry.ts';
import type { BlobResponse, BlobSource } from './blob-source.ts';
import { downloadBlob } from './download-blob.ts';

const base = mkdtempSync(join(tmpdir(), 'hearth-download-'));
afterAll(() => rmSync(base, { recursive: true }));

const content = randomBytes(100_000);
const digest = digestOf(content);
let store: Store;
let clock: FakeClock;
let controller: AbortController;
beforeEach(() => {
  clock = createFakeClock();
  controller = new AbortController();
  store = createStore(join(base, String(Math.random())), { clock });
});

type Open = (range: ByteRange, earlier: number) => BlobResponse | Promise<BlobResponse>;

interface CountingSource extends BlobSource {
  readonly requested: ByteRange[];
  sentBytes: number;
}

function createSource(open: Open): CountingSource {
  const requested: ByteRange[] = [];
  const source: CountingSource = {
    requested,
    maxConnections: 4,
    recycle: () => {},
    sentBytes: 0,
    async open(range) {
      requested.push(range);
      const response = await open(range, requested.length - 1);
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of response.body) {
          source.sentBytes += chunk.length;
          yield chunk;
        }
      }
      return { ...response, body: counted() };
    },
  };
  return source;
}

/** Sends the bytes of a range in chunks, then fails if there is a failure. */
function responseFor(
  { start, end }: ByteRange,
  { upTo = end, failure }: { upTo?: number; failure?: Error } = {},
): BlobResponse {
  async function* body(): AsyncGenerator<Buffer> {
    for (let at = start; at < upTo; at += 1000) yield content.subarray(at, Math.min(at + 1000, upTo));
    if (failure) throw failure;
  }
  return { start, end, body: body(), drop: () => {} };
}

/** Advances the clock while the download runs. */
async function run(source: BlobSource, partial: PartialBlob, partSize = 16_000): Promise<void> {
  let done = false;
  const { signal } = controller;
  const work = downloadBlob({ source, partial, clock, signal, partSize, onWritten: () => {} }).finally(() => {
    done = true;
  });
  work.catch(() => {});
  while (!done) {
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(50);
  }
  return work;
}

const finish = async (partial: PartialBlob): Promise<void> => {
  await partial.complete();
  expect(readFileSync(store.blobPath(digest)).equals(content)).toBe(true);
};

test('each byte is requested once, in parts', async () => {
  const source = createSource((range) => responseFor(range));
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.requested).toHaveLength(7);
  expect(source.sentBytes).toBe(content.length);
});

test('an interrupted part is resumed; received bytes are not requested again', async () => {
  const source = createSource((range, earlier) =>
    earlier % 2 === 0
      ? responseFor(range, { upTo: range.start + 2000, failure: registryFailure('cut') })
      : responseFor(range),
  );
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.sentBytes).toBe(content.length);
});

test('shorter ranges than requested are accepted', async () => {
  const source = createSource(({ start, end }) => responseFor({ start, end: Math.min(start + 3000, end) }));
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.sentBytes).toBe(content.length);
});

test('existing ranges are not requested', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(0, 50_000)], 0);
  await partial.write([content.subarray(60_000, 99_000)], 60_000);
  const source = createSource((range) => responseFor(range));
  await run(source, partial);
  await finish(partial);
  expect(source.sentBytes).toBe(11_000);
});

test('without range support: one stream, and existing ranges are skipped', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(30_000, 60_000)], 30_000);
  const entire = { start: 0, end: content.length };
  const source = createSource((_, earlier) =>
    earlier < 2
      ? responseFor(entire, { upTo: 40_000 * (earlier + 1), failure: registryFailure('cut') })
      : responseFor(entire),
  );
  await run(source, partial);
  await finish(partial);
  expect(source.requested).toHaveLength(3);
});

test('without range support: an interrupted blob of one part starts over, and no byte is written twice', async () => {
  const partial = await store.openPartial(digest, content.length);
  const entire = { start: 0, end: content.length };
  const source = createSource((_, earlier) =>
    earlier < 3
      ? responseFor(entire, { upTo: 20_000 * (earlier + 1), failure: registryFailure('cut') })
      : responseFor(entire),
  );
  await run(source, partial, 200_000);
  await finish(partial);
  expect(source.requested).toHaveLength(4);
});

test('a response that ignores the range of the last part: existing bytes are skipped', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(0, 90_000)], 0);
  const source = createSource(() => responseFor({ start: 0, end: content.length }));
  await run(source, partial, 200_000);
  await finish(partial);
});

test('attempts without progress are limited per part; then the download fails and its parts are kept', async () => {
  const source = createSource((range) => {
    if (range.start === 0) return responseFor(range);
    throw registryFailure('503: later');
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toThrow('max retries exceeded: 503: later');
  // Which part fails first is random.
  const attempts = source.requested.map(
    ({ start }) => source.requested.filter((other) => other.start === start).length,
  );
  expect(Math.max(...attempts)).toBe(maxAttempts);
  await partial.close();
  expect(await store.partialBytes(digest, content.length)).toBe(16_000);
});

test('a final failure ends the download at once', async () => {
  const source = createSource(() => {
    throw registryFailure('gone', { final: true });
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toThrow(/^gone$/);
  expect(source.requested).toHaveLength(1);
  await partial.close();
});

test('more bytes than announced are rejected', async () => {
  const source = createSource(({ start, end }) => ({ ...responseFor({ start, end: content.length }), end }));
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toMatchObject({ code: 'digest_mismatch' });
  await partial.discard();
});

test('an abort ends the download during a pause', async () => {
  const source = createSource(() => {
    setImmediate(() => controller.abort());
    throw registryFailure('later', { retryAfter: 60_000 });
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toMatchObject({ code: 'cancelled' });
  await partial.close();
});

test('pauses grow up to a limit, with jitter, and honor retry-after', () => {
  const pause = (failures: number, random = 0.5, retryAfter = 0) =>
    planRetry({ failures, maxAttempts: 20, retryAfter, random });
  expect([0, 1, 2, 3, 4, 10, 19].map((failures) => pause(failures))).toEqual([
    100, 500, 1000, 2000, 4000, 30_000, 30_000,
  ]);
  expect(pause(20)).toBeUndefined();
  expect([pause(1, 0), pause(1, 1)]).toEqual([250, 750]);
  expect([pause(1, 0.5, 5000), pause(1, 0.5, 1e9)]).toEqual([5000, 30_000]);
});
