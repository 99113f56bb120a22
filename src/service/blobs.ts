// Files that clients bring for a model they are about to create.

import { parseDigest } from '../kernel/digest.ts';
import { HearthError } from '../kernel/errors.ts';
import { mediaTypes } from '../store/manifest.ts';
import type { Store } from '../store/store.ts';

/** Throws when it is not there. */
export async function checkBlob(store: Store, digest: string): Promise<void> {
  if (!(await store.hasBlob(parseDigest(digest))))
    throw new HearthError('blob_not_found', `blob "${digest}" not found`);
}

export interface ReceivedBlob {
  /** False when it was there already; then nothing was read. */
  readonly created: boolean;
  readonly path: string;
}

export async function receiveBlob(
  store: Store,
  digest: string,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<ReceivedBlob> {
  const expected = parseDigest(digest);
  const path = store.blobPath(expected);
  if (await store.hasBlob(expected)) return { created: false, path };
  await store.writeBlob(source, { expected, mediaType: mediaTypes.model, signal });
  return { created: true, path };
}
