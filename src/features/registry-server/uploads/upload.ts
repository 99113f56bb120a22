// One blob upload over any number of requests, written directly to a temporary file in the store. The digest is checked
// after the last part; if the upload does not finish, nothing is left.

import type { Digest } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { toAbortableIterable } from '../../../models/store/files/abortable-iterable.ts';
import { type ManifestLayer, mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';
import { protocolError } from '../protocol-error.ts';
import { createBodyPipe } from './body-pipe.ts';

export interface UploadPart {
  readonly source: AsyncIterable<Uint8Array>;
  /** Start of the part according to the client. */
  readonly from?: number;
}

interface UploadOptions {
  readonly id: string;
  readonly repository: string;
  readonly store: Store;
  readonly maxBytes: number;
  readonly onActivity: () => void;
  readonly onEnd: () => void;
}

export function createUpload({ id, repository, store, maxBytes, onActivity, onEnd }: UploadOptions) {
  const bodyPipe = createBodyPipe<Uint8Array>();
  const ended = new AbortController();
  let offset = 0;
  let expected: Digest | undefined;
  let writing: Promise<ManifestLayer> | undefined;
  let current: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  const confirm = (received: Digest): void => {
    if (received !== expected)
      throw protocolError('DIGEST_INVALID', `digest mismatch: expected ${expected}, received ${received}`);
  };
  // Started with the first byte: an upload that is started and abandoned costs nothing.
  const startWriting = (): Promise<ManifestLayer> => {
    const started = store.writeBlob(bodyPipe, { mediaType: mediaTypes.model, confirm, signal: ended.signal });
    started.catch(bodyPipe.fail);
    return started;
  };
  const end = (error: Error): void => {
    if (ended.signal.aborted) return;
    ended.abort();
    bodyPipe.fail(error);
    onEnd();
  };

  const receive = async (source: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> => {
    for await (const chunk of toAbortableIterable(source, signal)) {
      if (chunk.byteLength === 0) continue;
      if (offset + chunk.byteLength > maxBytes) {
        const error = protocolError('SIZE_INVALID', `a blob may have at most ${maxBytes} bytes`);
        end(error);
        throw error;
      }
      writing ??= startWriting();
      await bodyPipe.write(chunk);
      offset += chunk.byteLength;
      onActivity();
    }
  };
  const append = async ({ source, from }: UploadPart): Promise<void> => {
    // A new request replaces the previous one, whose connection may be dead without this server knowing it yet.
    while (current !== undefined) {
      current.stop.abort();
      await current.done;
    }
    if (ended.signal.aborted || expected !== undefined)
      throw protocolError('BLOB_UPLOAD_UNKNOWN', 'this upload has ended; start a new one');
    if (from !== undefined && from !== offset)
      throw protocolError('RANGE_INVALID', `the next part must start at ${offset}, not at ${from}`, {
        range: formatUploadRange(offset),
      });
    onActivity();
    const stop = new AbortController();
    const receiving = receive(source, stop.signal);
    const done = receiving
      .catch(() => {})
      .then(() => {
        current = undefined;
      });
    current = { stop, done };
    try {
      await receiving;
    } catch (error) {
      // The upload cannot continue after a failed write.
      if (writing !== undefined && (await hasFailed(writing))) end(toError(error));
      throw error;
    }
  };

  return {
    id,
    /** `namespace/model` */
    repository,
    /** Number of bytes received. */
    offset: (): number => offset,
    /** Bytes received before a disconnect are kept. */
    append,
    /** With a last part, which may be empty. Ends the upload whether the digest matches or not. */
    async finish(digest: Digest, part: UploadPart): Promise<ManifestLayer> {
      await append(part);
      expected = digest;
      bodyPipe.end();
      try {
        writing ??= startWriting();
        return await writing;
      } finally {
        end(new HearthError('cancelled', 'the upload has ended'));
      }
    },
    /** Resolves when nothing is left of it. */
    async cancel(reason: string): Promise<void> {
      end(new HearthError('cancelled', reason));
      await writing?.catch(() => {});
    },
  };
}

export type Upload = ReturnType<typeof createUpload>;

/** The protocol cannot express an empty range: "0-0" also means no bytes. */
export function formatUploadRange(offset: number): string {
  return `0-${Math.max(0, offset - 1)}`;
}

async function hasFailed(writing: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending');
  try {
    await Promise.race([writing, Promise.resolve(pending)]);
    return false;
  } catch {
    return true;
  }
}

function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new HearthError('internal', messageOf(thrown));
}
