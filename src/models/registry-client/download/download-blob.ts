// Downloads the missing bytes of a blob: several parts at once, each resumed where it was interrupted. If the registry
// does not support ranges, it downloads the entire blob in one stream.

import { HearthError } from '../../../base/errors.ts';
import { type ByteRange, countBytes, missingRanges } from '../../../base/files/byte-ranges.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { PartialBlob } from '../../store/store.ts';
import { isRetryable, registryFailure, retryUntilDone } from '../http/retry.ts';
import type { BlobResponse, BlobSource } from './blob-source.ts';
import { createPartWriter, type PartWriter } from './part-writer.ts';
import { partSizeOf, planParts } from './plan-parts.ts';

interface DownloadInput {
  readonly source: BlobSource;
  readonly partial: PartialBlob;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onWritten: () => void;
  /** Default: depends on the size of the blob. */
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
    // The first response shows whether the registry supports ranges, so it goes alone.
    let opened: BlobResponse | undefined;
    await retryUntilDone(own, async () => {
      opened = await own.source.open(first, own.signal);
      return true;
    });
    if (opened === undefined) return;
    if (opened.start < first.start || opened.end > first.end) await downloadEntireBlob(own, opened);
    else await downloadParts(own, { first, others, opened }, onAbort);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface PartsToDownload {
  readonly first: ByteRange;
  readonly others: readonly ByteRange[];
  /** The response for the first part. */
  readonly opened: BlobResponse;
}

async function downloadParts(
  input: DownloadInput,
  { first, others, opened }: PartsToDownload,
  stop: () => void,
): Promise<void> {
  const pending = others.values();
  const worker = async (part?: ByteRange, response?: BlobResponse): Promise<void> => {
    if (part !== undefined) await downloadPart(input, part, response);
    for (const next of pending) await downloadPart(input, next);
  };
  let failure: unknown;
  const workers = [worker(first, opened), ...others.slice(0, input.source.maxConnections - 1).map(() => worker())].map(
    (running) =>
      running.catch((error: unknown) => {
        // The first error is the cause; the others follow from the abort.
        failure ??= error;
        stop();
      }),
  );
  await Promise.all(workers);
  if (failure !== undefined) throw failure;
}

async function downloadPart(input: DownloadInput, part: ByteRange, opened?: BlobResponse): Promise<void> {
  const { source, partial, signal, onWritten } = input;
  const writer = createPartWriter({ partial, start: part.start, onWritten, recycle: source.recycle });
  let response = opened;
  await retryUntilDone(
    input,
    async () => {
      response ??= await source.open({ start: writer.position(), end: part.end }, signal);
      const current = response;
      response = undefined;
      if (current.end > part.end) {
        current.drop();
        throw registryFailure('the registry supports ranges for some requests and not for others');
      }
      await copy(current, current.start < writer.position() ? skipWritten(writer, current.start) : writer);
      return writer.position() === part.end;
    },
    writer.position,
  );
}

/** For a response that starts before the missing bytes: skips those that are already written. */
function skipWritten(writer: PartWriter, start: number): PartWriter {
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

/** In one stream from the first byte; skips bytes that are already written. */
async function downloadEntireBlob(input: DownloadInput, opened: BlobResponse): Promise<void> {
  const { source, partial, signal, onWritten } = input;
  const { size } = partial;
  let response: BlobResponse | undefined = opened;
  await retryUntilDone(
    input,
    async () => {
      response ??= await source.open({ start: 0, end: size }, signal);
      const current = response;
      response = undefined;
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

/** Writes exactly the announced bytes; bytes received before a failure are written too. */
async function copy({ body, drop, start, end }: BlobResponse, writer: PartWriter): Promise<void> {
  let remaining = end - start;
  try {
    for await (const chunk of body) {
      remaining -= chunk.byteLength;
      if (remaining < 0) throw tooManyBytes();
      await writer.add(chunk);
    }
    if (remaining > 0) throw registryFailure('the registry ended its response too early');
  } catch (error) {
    // All announced bytes have arrived; a connection error after that does not matter.
    if (remaining !== 0 || !isRetryable(error)) throw error;
  } finally {
    drop();
    await writer.flush();
  }
}

/** The bytes before the excess cannot be trusted either. */
function tooManyBytes(): HearthError {
  const message = 'the registry sent more bytes than announced. The incomplete download has been removed; pull again.';
  return new HearthError('digest_mismatch', message);
}
