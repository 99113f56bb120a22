// Brings the missing bytes of a blob: several parts at once, each taken up again where it was cut off; or, from a library
// that knows no ranges, all of it in one stream.

import { type ByteRange, countBytes, missingRanges } from '../../../base/byte-ranges.ts';
import { HearthError } from '../../../base/errors.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PartialBlob } from '../../store/store.ts';
import { isRetryable, retryUntilDone, registryFailure } from '../transfers/retry.ts';
import type { BlobResponse, BlobSource } from './blob-source.ts';
import { createPartWriter, type PartWriter } from './part-writer.ts';
import { partSizeOf, planParts } from './plan-parts.ts';

export interface DownloadInput {
  readonly source: BlobSource;
  readonly partial: PartialBlob;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWritten: () => void;
  /** Of a part; decided by the size of the blob if nothing is said. */
  readonly partSize?: number;
}

export async function downloadBlob(input: DownloadInput): Promise<void> {
  const { partial, signal, partSize = partSizeOf(partial.size) } = input;
  const [first, ...others] = planParts({ size: partial.size, have: partial.ranges(), partSize });
  if (first === undefined) return;
  const controller = new AbortController();
  const onAbort = (): void => controller.abort();
  signal.addEventListener('abort', onAbort);
  if (signal.aborted) onAbort();
  const own = { ...input, signal: controller.signal };
  try {
    // Its answer shows whether the library knows ranges; nobody else asks before that.
    let opened: BlobResponse | undefined;
    await retryUntilDone(own, async () => {
      opened = await own.source.open(first, own.signal);
      return true;
    });
    if (opened === undefined) return;
    if (opened.start < first.start || opened.end > first.end) await downloadWhole(own, opened);
    else await downloadParts(own, { first, others, opened }, onAbort);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface Lanes {
  readonly first: ByteRange;
  readonly others: readonly ByteRange[];
  /** The answer for the first one. */
  readonly opened: BlobResponse;
}

async function downloadParts(input: DownloadInput, { first, others, opened }: Lanes, stop: () => void): Promise<void> {
  const waiting = others.values();
  const lane = async (part?: ByteRange, answer?: BlobResponse): Promise<void> => {
    if (part !== undefined) await downloadPart(input, part, answer);
    for (const next of waiting) await downloadPart(input, next);
  };
  let failure: unknown;
  const lanes = [lane(first, opened), ...others.slice(0, input.source.maxConnections - 1).map(() => lane())].map((running) =>
    running.catch((error: unknown) => {
      // The first one says what is wrong; the others end because of it.
      failure ??= error;
      stop();
    }),
  );
  await Promise.all(lanes);
  if (failure !== undefined) throw failure;
}

async function downloadPart(input: DownloadInput, part: ByteRange, opened?: BlobResponse): Promise<void> {
  const { source, partial, signal, onWritten } = input;
  const writer = createPartWriter({ partial, start: part.start, onWritten, recycle: source.recycle });
  let answer = opened;
  await retryUntilDone(
    input,
    async () => {
      answer ??= await source.open({ start: writer.position(), end: part.end }, signal);
      const current = answer;
      answer = undefined;
      if (current.end > part.end) {
        current.drop();
        throw registryFailure('the library gives ranges of a file at one time, and only all of it at another');
      }
      await copy(current, current.start < writer.position() ? skipping(writer, current.start) : writer);
      return writer.position() === part.end;
    },
    writer.position,
  );
}

/** For an answer that begins before what is missing: what is there already is let pass. */
function skipping(writer: PartWriter, start: number): PartWriter {
  let at = start;
  return {
    ...writer,
    async add(chunk) {
      const known = Math.max(0, writer.position() - at);
      at += chunk.byteLength;
      if (known < chunk.byteLength) await writer.add(chunk.subarray(known));
    },
  };
}

/** In one stream from the first byte; what is there already is let pass. */
async function downloadWhole(input: DownloadInput, opened: BlobResponse): Promise<void> {
  const { source, partial, signal, onWritten } = input;
  const { size } = partial;
  let answer: BlobResponse | undefined = opened;
  await retryUntilDone(
    input,
    async () => {
      answer ??= await source.open({ start: 0, end: size }, signal);
      const current = answer;
      answer = undefined;
      const gaps = missingRanges(partial.ranges(), size).map((gap) => ({
        ...gap,
        writer: createPartWriter({ partial, start: gap.start, onWritten, recycle: source.recycle }),
      }));
      let at = 0;
      const add = async (chunk: Buffer): Promise<void> => {
        for (const { start, end, writer } of gaps) {
          const piece = chunk.subarray(Math.max(0, start - at), Math.max(0, end - at));
          if (piece.byteLength > 0) await writer.add(piece);
        }
        at += chunk.byteLength;
      };
      const flush = async (): Promise<void> => void (await Promise.all(gaps.map(({ writer }) => writer.flush())));
      await copy(current, { add, flush, position: () => at });
      return true;
    },
    () => countBytes(partial.ranges()),
  );
}

/** Exactly the bytes that were promised; what came before a failure is written. */
async function copy({ body, drop, start, end }: BlobResponse, writer: PartWriter): Promise<void> {
  let left = end - start;
  try {
    for await (const chunk of body) {
      left -= chunk.byteLength;
      if (left < 0) throw endless();
      await writer.add(chunk);
    }
    if (left > 0) throw registryFailure('the library has ended its answer too soon');
  } catch (error) {
    // All that was promised is here; that the other side does not hang up is its own affair.
    if (left !== 0 || !isRetryable(error)) throw error;
  } finally {
    drop();
    await writer.flush();
  }
}

/** What came before is then not to be trusted either. */
function endless(): HearthError {
  const message = 'the library sends more bytes than it has announced. What came from it has been removed; pull again.';
  return new HearthError('digest_mismatch', message);
}
