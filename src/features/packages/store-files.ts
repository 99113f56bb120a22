// Writes the files of a packaged model to the store as blobs, straight from the archive.

import type { Digest } from '../../base/digest.ts';
import { HearthError } from '../../base/errors.ts';
import { mediaTypes } from '../../models/store/manifests/manifest.ts';
import type { Store } from '../../models/store/store.ts';
import { fileProgress, type ModelProgress } from '../../server/services/management/model-progress.ts';
import type { PackagedFile } from './find-model-files.ts';
import type { OpenPackage } from './open-package.ts';

interface StoreFilesOptions {
  readonly store: Store;
  readonly signal: AbortSignal;
  readonly report: (progress: ModelProgress) => void;
  /** Protects a blob until the model is created. */
  readonly hold: (digest: Digest) => void;
  /** Called for blobs that did not exist before. */
  readonly onWritten: (digest: Digest) => void;
}

/** Returns the digests by the name of the file. */
export async function storeFiles(
  { archive, digests }: Pick<OpenPackage, 'archive' | 'digests'>,
  files: readonly PackagedFile[],
  { store, signal, report, hold, onWritten }: StoreFilesOptions,
): Promise<Readonly<Record<string, Digest>>> {
  const names = new Map(files.map(({ entry, name }) => [entry.path, name]));
  const stored = new Map<string, Digest>();
  const keep = (path: string, digest: Digest): void => {
    hold(digest);
    stored.set(names.get(path) as string, digest);
  };
  await archive.extract(new Set(names.keys()), async (entry, content) => {
    const { path, size } = entry;
    const expected = digests.get(path);
    const status = `unpacking ${path}`;
    if (expected !== undefined && (await store.hasBlob(expected))) {
      report(fileProgress(status, { digest: path, size }, size));
      return keep(path, expected);
    }
    const confirm = (received: Digest): void => {
      if (expected !== undefined && received !== expected) throw mismatch(path);
    };
    const source = withProgress(content, (completed) =>
      report(fileProgress(status, { digest: path, size }, completed)),
    );
    const { digest } = await store.writeBlob(source, { mediaType: mediaTypes.model, confirm, signal });
    keep(path, digest);
    onWritten(digest);
  });
  // In the order of the files: a split model starts with its first part.
  return Object.fromEntries(files.map(({ name }) => [name, stored.get(name) as Digest]));
}

function mismatch(path: string): HearthError {
  return new HearthError('digest_mismatch', `the file ${path} does not match its hash in the package`);
}

// Bytes between two reports.
const reportInterval = 4 * 2 ** 20;

async function* withProgress(
  content: AsyncIterable<Uint8Array>,
  report: (completed: number) => void,
): AsyncGenerator<Uint8Array> {
  let completed = 0;
  let reported = 0;
  report(0);
  for await (const chunk of content) {
    yield chunk;
    completed += chunk.length;
    if (completed - reported < reportInterval) continue;
    report(completed);
    reported = completed;
  }
  report(completed);
}
