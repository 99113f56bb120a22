// Downloads in progress, one per blob. Callers that need the same blob share its download and see its progress. When
// the last caller leaves, the download is canceled and its bytes are kept.

import { createDeferred } from '../../../base/deferred.ts';
import type { Digest } from '../../../base/digest.ts';
import { HearthError, requestCanceled, toHearthError } from '../../../base/errors.ts';
import { countBytes } from '../../../base/files/byte-ranges.ts';
import type { Clock } from '../../../base/time/clock.ts';
import type { Store } from '../../store/store.ts';
import type { BlobSource } from '../download/blob-source.ts';
import { downloadBlob } from '../download/download-blob.ts';
import type { RemoteLayer } from '../manifests/parse-manifest.ts';
import { progressInterval } from './stream-progress.ts';

interface BlobTransferInput {
  readonly layer: RemoteLayer;
  /** URL of the repository. */
  readonly from: string;
  readonly open: () => BlobSource;
  readonly signal: AbortSignal;
}

interface TransfersOptions {
  readonly store: Store;
  readonly clock: Clock;
}

interface Transfer {
  readonly from: string;
  readonly controller: AbortController;
  /** Resolves when the transfer is over, however it ended. */
  readonly settled: Promise<void>;
  completed: number;
  followers: number;
  outcome: { readonly error?: HearthError } | undefined;
  readonly wake: Set<() => void>;
}

export function createTransfers({ store, clock }: TransfersOptions) {
  const running = new Map<Digest, Transfer>();
  let closed = false;

  const begin = ({ layer, from, open }: BlobTransferInput): Transfer => {
    const settled = createDeferred<void>();
    const transfer: Transfer = {
      from,
      controller: new AbortController(),
      settled: settled.promise,
      // Unknown until the partial file is open.
      completed: -1,
      followers: 0,
      outcome: undefined,
      wake: new Set(),
    };
    running.set(layer.digest, transfer);
    const end = (error?: HearthError): void => {
      transfer.outcome = error === undefined ? {} : { error };
      running.delete(layer.digest);
      for (const wake of transfer.wake) wake();
      settled.resolve();
    };
    runTransfer({ store, clock, layer, source: open(), transfer }).then(
      () => end(),
      (error: unknown) => end(toHearthError(error)),
    );
    return transfer;
  };

  /** Joins the running transfer or starts one; undefined if the blob exists. */
  const join = async (input: BlobTransferInput): Promise<Transfer | undefined> => {
    for (;;) {
      if (closed) throw new HearthError('shutting_down', 'the server is about to stop');
      if (await store.hasBlob(input.layer.digest)) return undefined;
      const found = running.get(input.layer.digest);
      const transfer = found ?? begin(input);
      if (!transfer.controller.signal.aborted) {
        // Counted synchronously, so that the transfer is not canceled in between.
        transfer.followers++;
        return transfer;
      }
      // The transfer is being canceled.
      await transfer.settled;
    }
  };

  const leave = async (transfer: Transfer): Promise<void> => {
    transfer.followers--;
    if (transfer.followers > 0 || transfer.outcome !== undefined) return;
    transfer.controller.abort();
    await transfer.settled;
  };

  return {
    /** Yields the number of downloaded bytes. When it ends, the blob is in the store. */
    async *follow(input: BlobTransferInput): AsyncGenerator<number> {
      const reported: ReportedProgress = { bytes: -1 };
      for (;;) {
        const transfer = await join(input);
        if (transfer === undefined) return yield input.layer.size;
        try {
          return yield* watch({ transfer, clock, signal: input.signal, reported });
        } catch (error) {
          // A transfer from another repository may fail for reasons that do not apply to this one.
          if (transfer.from === input.from || input.signal.aborted || closed) throw error;
        } finally {
          await leave(transfer);
        }
      }
    },
    /** Cancels all downloads; their bytes are kept. */
    async close(): Promise<void> {
      closed = true;
      const all = [...running.values()];
      for (const { controller } of all) controller.abort();
      await Promise.all(all.map(({ settled }) => settled));
    },
  };
}

interface RunInput extends TransfersOptions {
  readonly layer: RemoteLayer;
  readonly source: BlobSource;
  readonly transfer: Transfer;
}

async function runTransfer({ store, clock, layer, source, transfer }: RunInput): Promise<void> {
  const { digest, size } = layer;
  const { signal } = transfer.controller;
  const release = store.holdBlobs([digest]);
  try {
    const partial = await store.openPartial(digest, size);
    const onWritten = (): void => {
      transfer.completed = countBytes(partial.ranges());
    };
    onWritten();
    try {
      await downloadBlob({ source, partial, clock, signal, onWritten });
      await partial.complete();
    } catch (error) {
      if (toHearthError(error).code === 'digest_mismatch') await partial.discard();
      throw error;
    } finally {
      await partial.close();
    }
  } finally {
    release();
  }
}

/** The progress reported to one caller never decreases, even if another transfer takes over. */
interface ReportedProgress {
  bytes: number;
}

interface WatchInput {
  readonly transfer: Transfer;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly reported: ReportedProgress;
}

async function* watch({ transfer, clock, signal, reported }: WatchInput): AsyncGenerator<number> {
  for (;;) {
    const { outcome, completed } = transfer;
    if (outcome?.error) throw outcome.error;
    if (completed > reported.bytes) yield completed;
    reported.bytes = Math.max(reported.bytes, completed);
    if (outcome) return;
    await waitForProgress(transfer, clock, signal);
  }
}

/** Resolves after the progress interval or at the end of the transfer; rejects when the caller aborts. */
function waitForProgress(transfer: Transfer, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (error?: HearthError): void => {
      timer.cancel();
      transfer.wake.delete(wake);
      signal.removeEventListener('abort', onAbort);
      if (error === undefined) resolve();
      else reject(error);
    };
    const wake = (): void => finish();
    const onAbort = (): void => finish(requestCanceled());
    const timer = clock.after(progressInterval, wake);
    transfer.wake.add(wake);
    signal.addEventListener('abort', onAbort);
    if (signal.aborted) onAbort();
    else if (transfer.outcome !== undefined) finish();
  });
}
