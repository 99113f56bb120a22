// Files that clients bring for a model they are about to create.

import { parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';

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
