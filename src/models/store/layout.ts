// Where things are in the store's folder. The same layout as the widespread one, so that an existing store can be
// used as it is.
//
//   manifests/<host>/<namespace>/<model>/<tag>
//   blobs/sha256-<64 hex digits>
//   blobs/sha256-<64 hex digits>-download…           a download that is not complete, and its journal
//   blobs/sha256-<64 hex digits>-partial…            the same by another server
//
// Paths are made here and nowhere else, and only of parts that were checked here once more: whatever a caller passes,
// no path leads out of the two folders. The folders themselves may be links (people move them to larger disks); below
// them no link is followed.

import { join } from 'node:path';
import { type Digest, hexOf, parseDigest } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { type ModelName, parseModelName } from '../name.ts';
import { isTemporaryName } from './files/temporary-file.ts';

export interface Layout {
  readonly root: string;
  readonly manifests: string;
  readonly blobs: string;
  blob(digest: Digest): string;
  /** A download that is not complete, and what says how much of it is there. */
  partial(digest: Digest): string;
  journal(digest: Digest): string;
  manifest(name: ModelName): string;
  /** A file beside the two folders. */
  note(name: string): string;
}

export function createLayout(root: string): Layout {
  const manifests = join(root, 'manifests');
  const blobs = join(root, 'blobs');
  const blob = (digest: Digest): string => join(blobs, `sha256-${hexOf(parseDigest(digest))}`);
  return {
    root,
    manifests,
    blobs,
    blob,
    partial: (digest) => `${blob(digest)}-download`,
    journal: (digest) => `${blob(digest)}-download-journal`,
    manifest({ host, namespace, model, tag }) {
      const checked = parseModelName(`${host}/${namespace}/${model}:${tag}`);
      return join(manifests, checked.host, checked.namespace, checked.model, checked.tag);
    },
    note(name) {
      if (!/^[a-z0-9][a-z0-9.-]*$/.test(name)) throw new HearthError('internal', `"${name}" is no name for a note`);
      return join(root, name);
    },
  };
}

/** What a file in the folder of blobs is, by its name. */
export type BlobFile =
  | { readonly kind: 'blob' | 'legacy' | 'partial'; readonly digest: Digest }
  | { readonly kind: 'temporary' | 'foreign temporary' | 'other' };

export function parseBlobFile(name: string): BlobFile {
  if (isTemporaryName(name)) return { kind: 'temporary' };
  const [, separator, hex, partial] =
    /^sha256([:-])([0-9a-f]{64})(-partial(?:-\d+)?|-download(?:-journal)?)?$/.exec(name) ?? [];
  // What other servers call an upload that is under way.
  if (hex === undefined) return { kind: /^sha256-\d{1,20}$/.test(name) ? 'foreign temporary' : 'other' };
  const digest = parseDigest(`sha256:${hex}`);
  if (partial !== undefined) return { kind: 'partial', digest };
  return { kind: separator === ':' ? 'legacy' : 'blob', digest };
}
