// Paths in the store's folder. The layout is Ollama's, so that an existing store can be used unchanged.
//
//   manifests/<host>/<namespace>/<model>/<tag>
//   blobs/sha256-<64 hex digits>
//   blobs/sha256-<64 hex digits>-download…           an incomplete download and its journal
//   blobs/sha256-<64 hex digits>-partial…            an incomplete download by Ollama
//   blobs/sha256-<64 hex digits>-translated-…        a part of the blob in another form
//   packages/<64 hex digits>/                        an incomplete download of a package
//
// All paths are built here, from parts that are validated again: whatever a caller passes, no path leaves these
// folders. The folders themselves may be links, because people move them to larger disks; links below them are not
// followed.

import { join } from 'node:path';
import { type Digest, hexOf, parseDigest } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { type ModelName, parseModelName } from '../../name.ts';
import { isTemporaryName } from './temporary-file.ts';

export function createStoreLayout(root: string) {
  const manifests = join(root, 'manifests');
  const blobs = join(root, 'blobs');
  const packages = join(root, 'packages');
  const blob = (digest: Digest): string => join(blobs, `sha256-${hexOf(parseDigest(digest))}`);
  return {
    root,
    manifests,
    blobs,
    packages,
    blob,
    /** The data file of an incomplete download. */
    partial: (digest: Digest): string => `${blob(digest)}-download`,
    /** Lists the ranges that the data file has. */
    journal: (digest: Digest): string => `${blob(digest)}-download-journal`,
    manifest({ host, namespace, model, tag }: ModelName): string {
      const checked = parseModelName(`${host}/${namespace}/${model}:${tag}`);
      return join(manifests, checked.host, checked.namespace, checked.model, checked.tag);
    },
    /** The folder of an incomplete download of a package, by the digest of its name. */
    package: (key: Digest): string => join(packages, hexOf(parseDigest(key))),
    /** A file next to the two folders. */
    note(name: string): string {
      if (!/^[a-z0-9][a-z0-9.-]*$/.test(name)) throw new HearthError('internal', `invalid note name "${name}"`);
      return join(root, name);
    },
  };
}

export type StoreLayout = ReturnType<typeof createStoreLayout>;

/** The kind of a file in the blobs folder, by its name. */
export type BlobFile =
  | { readonly kind: 'blob' | 'legacy' | 'partial' | 'derived'; readonly digest: Digest }
  | { readonly kind: 'temporary' | 'foreign temporary' | 'other' };

export function parseBlobFile(name: string): BlobFile {
  if (isTemporaryName(name)) return { kind: 'temporary' };
  const [, separator, hex, suffix] =
    /^sha256([:-])([0-9a-f]{64})(-partial(?:-\d+)?|-download(?:-journal)?|-translated-[a-z0-9-]+)?$/.exec(name) ?? [];
  // Ollama's name for an upload in progress.
  if (hex === undefined) return { kind: /^sha256-\d{1,20}$/.test(name) ? 'foreign temporary' : 'other' };
  const digest = parseDigest(`sha256:${hex}`);
  if (suffix?.startsWith('-translated-')) return { kind: 'derived', digest };
  if (suffix !== undefined) return { kind: 'partial', digest };
  return { kind: separator === ':' ? 'legacy' : 'blob', digest };
}
