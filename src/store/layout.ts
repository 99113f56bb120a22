// Where things are in the store's folder. The same layout as the widespread one, so that an existing store can be
// used as it is.
//
//   manifests/<host>/<namespace>/<model>/<tag>
//   blobs/sha256-<64 hex digits>

import { join } from 'node:path';
import { type Digest, hexOf } from '../kernel/digest.ts';
import type { ModelName } from '../model/name.ts';

export interface Layout {
  readonly root: string;
  readonly manifests: string;
  readonly blobs: string;
  blob(digest: Digest): string;
  manifest(name: ModelName): string;
}

export function createLayout(root: string): Layout {
  const manifests = join(root, 'manifests');
  const blobs = join(root, 'blobs');
  return {
    root,
    manifests,
    blobs,
    blob: (digest) => join(blobs, `sha256-${hexOf(digest)}`),
    manifest: ({ host, namespace, model, tag }) => join(manifests, host, namespace, model, tag),
  };
}
