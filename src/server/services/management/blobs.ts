// Files that clients upload before they create a model.

import type { Digest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { mediaTypes } from '../../../models/store/manifests/manifest.ts';
import type { Store } from '../../../models/store/store.ts';

/** Throws if the blob does not exist. */
export async function checkBlob(store: Store, digest: Digest): Promise<void> {
  if (!(await store.hasBlob(digest))) throw new HearthError('blob_not_found', `blob "${digest}" not found`);
}

export interface ReceivedBlob {
  /** False: the blob already existed, and nothing was read. */
  readonly created: boolean;
  readonly path: string;
}

export async function receiveBlob(
  store: Store,
  digest: Digest,
  source: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<ReceivedBlob> {
  const path = store.blobPath(digest);
  if (await store.hasBlob(digest)) return { created: false, path };
  await store.writeBlob(source, { expected: digest, mediaType: mediaTypes.model, signal });
  return { created: true, path };
}
