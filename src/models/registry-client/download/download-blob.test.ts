import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, expect, test } from 'vitest';
import { createFakeClock, type FakeClock } from '../../../../test/support/fake-clock.ts';
import type { ByteRange } from '../../../base/byte-ranges.ts';
import { digestOf } from '../../../base/digest.ts';
import { createStore, type PartialBlob, type Store } from '../../store/store.ts';
import { maxAttempts } from '../limits.ts';
import { planRetry, registryFailure } from '../transfers/retry.ts';
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

interface Watched extends BlobSource {
  readonly asked: ByteRange[];
  /** Bytes that have been given. */
  given: number;
}

function sourceOf(open: Open): Watched {
  const asked: ByteRange[] = [];
  const source: Watched = {
    asked,
    maxConnections: 4,
    recycle: () => {},
    given: 0,
    async open(range) {
      asked.push(range);
      const answer = await open(range, asked.length - 1);
      async function* counted(): AsyncGenerator<Buffer> {
        for await (const chunk of answer.body) {
          source.given += chunk.length;
          yield chunk;
        }
      }
      return { ...answer, body: counted() };
    },
  };
  return source;
}

/** The bytes of a range in pieces, and then a failure if there is one. */
function answerOf(
  { start, end }: ByteRange,
  { upTo = end, failure }: { upTo?: number; failure?: Error } = {},
): BlobResponse {
  async function* body(): AsyncGenerator<Buffer> {
    for (let at = start; at < upTo; at += 1000) yield content.subarray(at, Math.min(at + 1000, upTo));
    if (failure) throw failure;
  }
  return { start, end, body: body(), drop: () => {} };
}

/** Lets the clock run while the work waits. */
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

test('each byte is asked for once, in parts', async () => {
  const source = sourceOf((range) => answerOf(range));
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.asked).toHaveLength(7);
  expect(source.given).toBe(content.length);
});

test('a part that is cut off is taken up where it was; what came is not asked for again', async () => {
  const source = sourceOf((range, earlier) =>
    earlier % 2 === 0
      ? answerOf(range, { upTo: range.start + 2000, failure: registryFailure('cut') })
      : answerOf(range),
  );
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.given).toBe(content.length);
});

test('shorter ranges than asked for will do', async () => {
  const source = sourceOf(({ start, end }) => answerOf({ start, end: Math.min(start + 3000, end) }));
  const partial = await store.openPartial(digest, content.length);
  await run(source, partial);
  await finish(partial);
  expect(source.given).toBe(content.length);
});

test('what is there is not asked for', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(0, 50_000)], 0);
  await partial.write([content.subarray(60_000, 99_000)], 60_000);
  const source = sourceOf((range) => answerOf(range));
  await run(source, partial);
  await finish(partial);
  expect(source.given).toBe(11_000);
});

test('a source that knows no ranges: one stream, and what is there is let pass', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(30_000, 60_000)], 30_000);
  const whole = { start: 0, end: content.length };
  const source = sourceOf((_, earlier) =>
    earlier < 2 ? answerOf(whole, { upTo: 40_000 * (earlier + 1), failure: registryFailure('cut') }) : answerOf(whole),
  );
  await run(source, partial);
  await finish(partial);
  expect(source.asked).toHaveLength(3);
});

test('a source that knows no ranges, and a blob of one part that is cut: begun anew, and nothing is written twice', async () => {
  const partial = await store.openPartial(digest, content.length);
  const whole = { start: 0, end: content.length };
  const source = sourceOf((_, earlier) =>
    earlier < 3 ? answerOf(whole, { upTo: 20_000 * (earlier + 1), failure: registryFailure('cut') }) : answerOf(whole),
  );
  await run(source, partial, 200_000);
  await finish(partial);
  expect(source.asked).toHaveLength(4);
});

test('all of a file for its last part, as an answer that ignores the range: what is known of it is let pass', async () => {
  const partial = await store.openPartial(digest, content.length);
  await partial.write([content.subarray(0, 90_000)], 0);
  const source = sourceOf(() => answerOf({ start: 0, end: content.length }));
  await run(source, partial, 200_000);
  await finish(partial);
});

test('attempts that bring nothing are counted, per part; then it is over, and the parts stay', async () => {
  const source = sourceOf((range) => {
    if (range.start === 0) return answerOf(range);
    throw registryFailure('503: later');
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toThrow('max retries exceeded: 503: later');
  // Chance decides which of them comes to its end first.
  const attempts = source.asked.map(({ start }) => source.asked.filter((other) => other.start === start).length);
  expect(Math.max(...attempts)).toBe(maxAttempts);
  await partial.close();
  expect(await store.partialBytes(digest, content.length)).toBe(16_000);
});

test('a failure that no attempt can mend ends it at once', async () => {
  const source = sourceOf(() => {
    throw registryFailure('gone', { final: true });
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toThrow(/^gone$/);
  expect(source.asked).toHaveLength(1);
  await partial.close();
});

test('more bytes than announced are not taken', async () => {
  const source = sourceOf(({ start, end }) => ({ ...answerOf({ start, end: content.length }), end }));
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toMatchObject({ code: 'digest_mismatch' });
  await partial.discard();
});

test('whoever gives up ends it in the middle of a pause', async () => {
  const source = sourceOf(() => {
    setImmediate(() => controller.abort());
    throw registryFailure('later', { retryAfter: 60_000 });
  });
  const partial = await store.openPartial(digest, content.length);
  await expect(run(source, partial)).rejects.toMatchObject({ code: 'cancelled' });
  await partial.close();
});

test('pauses grow, with a limit and a little chance; what the other side asks for counts', () => {
  const pause = (failures: number, random = 0.5, retryAfter = 0) =>
    planRetry({ failures, maxAttempts: 20, retryAfter, random });
  expect([0, 1, 2, 3, 4, 10, 19].map((failures) => pause(failures))).toEqual([
    100, 500, 1000, 2000, 4000, 30_000, 30_000,
  ]);
  expect(pause(20)).toBeUndefined();
  expect([pause(1, 0), pause(1, 1)]).toEqual([250, 750]);
  expect([pause(1, 0.5, 5000), pause(1, 0.5, 1e9)]).toEqual([5000, 30_000]);
});
