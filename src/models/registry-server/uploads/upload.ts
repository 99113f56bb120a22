// One upload: the parts of a blob, in as many requests as the client likes, straight into a file of the store. Its digest
// is known when the last part is here; until then the file has no name, and if it never comes, nothing is left.

import type { Digest } from '../../../base/digest.ts';
import { HearthError, messageOf } from '../../../base/errors.ts';
import { toAbortableIterable } from '../../store/files/abortable-iterable.ts';
import { type Layer, mediaTypes } from '../../store/manifests/manifest.ts';
import type { Store } from '../../store/store.ts';
import { protocolError } from '../protocol-error.ts';
import { createBodyPipe } from './body-pipe.ts';

export interface UploadPart {
  readonly source: AsyncIterable<Uint8Array>;
  /** Where the client believes the part begins. */
  readonly from?: number;
}

export interface Upload {
  readonly id: string;
  /** `namespace/model` */
  readonly repository: string;
  /** How many bytes are here. */
  offset(): number;
  /** What came before a line broke stays, and counts. */
  append(part: UploadPart): Promise<void>;
  /** With a last part, which may be empty. When that is here the upload is over, whether the digest fits or not. */
  finish(digest: Digest, part: UploadPart): Promise<Layer>;
  /** Resolves when nothing is left of it. */
  cancel(reason: string): Promise<void>;
}

export interface UploadOptions {
  readonly id: string;
  readonly repository: string;
  readonly store: Store;
  readonly maxBytes: number;
  readonly onActivity: () => void;
  readonly onEnd: () => void;
}

export function createUpload({ id, repository, store, maxBytes, onActivity, onEnd }: UploadOptions): Upload {
  const bodyPipe = createBodyPipe<Uint8Array>();
  const ended = new AbortController();
  let offset = 0;
  let expected: Digest | undefined;
  let writing: Promise<Layer> | undefined;
  let turn: { readonly stop: AbortController; readonly done: Promise<void> } | undefined;

  const confirm = (received: Digest): void => {
    if (received !== expected)
      throw protocolError('DIGEST_INVALID', `the digest was said to be ${expected}, but what came has ${received}`);
  };
  // Only when there is something to write: an upload that was begun and left costs nothing.
  const startWriting = (): Promise<Layer> => {
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
        const error = protocolError('SIZE_INVALID', `this library takes blobs of up to ${maxBytes} bytes`);
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
    // Whoever sends anew has given up what it sent before, though the dead connection may not be known as such yet.
    while (turn !== undefined) {
      turn.stop.abort();
      await turn.done;
    }
    if (ended.signal.aborted || expected !== undefined)
      throw protocolError('BLOB_UPLOAD_UNKNOWN', 'this upload is over; begin another one');
    if (from !== undefined && from !== offset)
      throw protocolError('RANGE_INVALID', `the next part has to begin at ${offset}, not at ${from}`, {
        range: formatUploadRange(offset),
      });
    onActivity();
    const stop = new AbortController();
    const receiving = receive(source, stop.signal);
    const done = receiving
      .catch(() => {})
      .then(() => {
        turn = undefined;
      });
    turn = { stop, done };
    try {
      await receiving;
    } catch (error) {
      // Whatever the writer died of, there will be no more of this upload.
      if (writing !== undefined && (await hasFailed(writing))) end(toError(error));
      throw error;
    }
  };

  return {
    id,
    repository,
    offset: () => offset,
    append,
    async finish(digest, part) {
      await append(part);
      expected = digest;
      bodyPipe.end();
      try {
        writing ??= startWriting();
        return await writing;
      } finally {
        end(new HearthError('cancelled', 'the upload is over'));
      }
    },
    async cancel(reason) {
      end(new HearthError('cancelled', reason));
      await writing?.catch(() => {});
    },
  };
}

/** The protocol has no way of writing that nothing is there yet. */
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
