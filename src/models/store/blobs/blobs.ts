// The blobs of a store: files named by their SHA-256. A named blob is complete and was verified.

import { rm } from 'node:fs/promises';
import { type Digest, digestOf } from '../../../base/digest.ts';
import { HearthError } from '../../../base/errors.ts';
import { lstatIfPresent } from '../../../base/files/undefined-if-missing.ts';
import { type DerivedPart, derivedParts, derivedPath } from '../../derived-file.ts';
import { createConcurrencyLimit } from '../files/concurrency-limit.ts';
import { adoptFile, linkFile, syncFile, writeDurably, writeInto, writeNew } from '../files/durable-file.ts';
import type { StoreLayout } from '../files/layout.ts';
import { readSmallFile } from '../files/read-small-file.ts';
import type { ManifestLayer } from '../manifests/manifest.ts';
import type { BlobGuard } from './blob-guard.ts';
import { type HashedBytes, hashFile, writeHashed } from './hash-stream.ts';

type LinkBlobOptions = Pick<WriteBlobOptions, 'mediaType' | 'expected'>;

interface WriteBlobOptions {
  readonly mediaType: string;
  /** If the sender gave the digest in advance. */
  readonly expected?: Digest;
  /** If the sender gives the digest at the end: called before the blob is named; throws to reject it. */
  readonly confirm?: (received: Digest) => void;
  /** Aborts the write at once. The caller closes a source that is silent. */
  readonly signal?: AbortSignal;
}

// For texts and parameters; weights are never read into memory.
const maxReadableBlob = 16 * 2 ** 20;
// Mainly for configs: listing models reads one per model.
const maxCachedBlob = 4096;
const maxCachedBlobs = 4096;
const maxOpenFiles = 32;

export function createBlobs(layout: StoreLayout, guard: BlobGuard) {
  const cache = new Map<Digest, Buffer>();
  const limitReads = createConcurrencyLimit(maxOpenFiles);

  /** Undefined if there is no such blob. A symbolic link is not a blob. */
  const sizeOf = async (digest: Digest): Promise<number | undefined> => {
    await guard.waitForRemoval(digest);
    // Every request asks for several blobs.
    const info = lstatIfPresent(layout.blob(digest));
    return info?.isFile() ? info.size : undefined;
  };
  /** Keeps the blob for a while for the caller. */
  const reservedSizeOf = (digest: Digest): Promise<number | undefined> => {
    guard.reserve(digest);
    return sizeOf(digest);
  };
  const existingSizeOf = async (digest: Digest): Promise<number> => {
    const size = await sizeOf(digest);
    if (size === undefined) throw damaged(digest, 'is missing from the store');
    return size;
  };
  const addToCache = (digest: Digest, content: Buffer): void => {
    if (content.byteLength > maxCachedBlob) return;
    if (cache.size >= maxCachedBlobs) cache.clear();
    cache.set(digest, content);
  };

  const read = async (digest: Digest): Promise<Buffer> => {
    const size = await existingSizeOf(digest);
    if (size > maxReadableBlob) throw damaged(digest, 'is too large');
    const content = await readSmallFile(layout.blob(digest), size);
    if (digestOf(content) !== digest) throw damaged(digest, 'is corrupt: its content does not match its digest');
    addToCache(digest, content);
    return content;
  };

  /** Renames the file that `write` creates to its digest, unless that blob exists. */
  const storeUnderDigest = async (write: (temporary: string) => Promise<HashedBytes>): Promise<HashedBytes> => {
    let received: HashedBytes | undefined;
    await writeInto(layout.blobs, async (temporary) => {
      const bytes = await write(temporary);
      received = bytes;
      // Another request may have added the same blob in the meantime and may be using it.
      return (await reservedSizeOf(bytes.digest)) === undefined ? layout.blob(bytes.digest) : undefined;
    });
    return received as HashedBytes;
  };
  const receive = (
    source: AsyncIterable<Uint8Array>,
    { expected, confirm, signal }: WriteBlobOptions,
  ): Promise<HashedBytes> =>
    storeUnderDigest(async (temporary) => {
      const bytes = await writeNew(temporary, (file) => writeHashed(file, source, signal));
      if (expected !== undefined && bytes.digest !== expected) throw mismatch(expected, bytes.digest);
      confirm?.(bytes.digest);
      return bytes;
    });

  const derivations = new Map<string, Promise<void>>();
  const derivedOf = (digest: Digest): string[] => derivedParts.map((part) => derivedPath(layout.blob(digest), part));
  const derive = async (digest: Digest, path: string, write: (path: string) => Promise<void>): Promise<void> => {
    const release = guard.hold([digest]);
    try {
      await existingSizeOf(digest);
      if (lstatIfPresent(path)?.isFile()) return;
      await writeInto(layout.blobs, async (temporary) => {
        await write(temporary);
        await syncFile(temporary);
        return path;
      });
    } finally {
      release();
    }
  };

  return {
    has: async (digest: Digest): Promise<boolean> => (await reservedSizeOf(digest)) !== undefined,
    async locate(digest: Digest): Promise<string> {
      await existingSizeOf(digest);
      return layout.blob(digest);
    },
    async read({ digest }: ManifestLayer): Promise<Buffer> {
      const content = cache.get(digest) ?? (await limitReads(() => read(digest)));
      // A copy, because the cached buffer is shared.
      return Buffer.from(content);
    },
    async put(content: Uint8Array, mediaType: string): Promise<ManifestLayer> {
      const digest = digestOf(content);
      if ((await reservedSizeOf(digest)) === undefined) await writeDurably(layout.blob(digest), content);
      return { mediaType, digest, size: content.byteLength };
    },
    async write(source: AsyncIterable<Uint8Array>, options: WriteBlobOptions): Promise<ManifestLayer> {
      const { mediaType, expected } = options;
      const present = expected && (await reservedSizeOf(expected));
      if (expected !== undefined && present !== undefined) return { mediaType, digest: expected, size: present };
      return { mediaType, ...(await receive(source, options)) };
    },
    async adopt(source: string, digest: Digest, mediaType: string): Promise<ManifestLayer> {
      if ((await reservedSizeOf(digest)) === undefined) {
        await adoptFile(source, layout.blob(digest), async (file) => {
          if ((await hashFile(file)).digest !== digest)
            throw new HearthError('store_damaged', `${source} does not match its digest ${digest}`);
        });
      }
      return { mediaType, digest, size: await existingSizeOf(digest) };
    },
    async link(source: string, { mediaType, expected }: LinkBlobOptions): Promise<ManifestLayer> {
      const present = expected && (await reservedSizeOf(expected));
      if (expected !== undefined && present !== undefined) return { mediaType, digest: expected, size: present };
      const bytes = await storeUnderDigest(async (temporary) => {
        await linkFile(source, temporary);
        const hashed = await hashFile(temporary);
        if (expected !== undefined && hashed.digest !== expected) throw mismatch(expected, hashed.digest);
        await syncFile(temporary);
        return hashed;
      });
      return { mediaType, ...bytes };
    },
    async make(write: (path: string) => Promise<void>, mediaType: string): Promise<ManifestLayer> {
      const bytes = await storeUnderDigest(async (temporary) => {
        await write(temporary);
        await syncFile(temporary);
        return hashFile(temporary);
      });
      return { mediaType, ...bytes };
    },
    remove: (digest: Digest): Promise<void> =>
      guard.remove(digest, async () => {
        cache.delete(digest);
        for (const path of [layout.blob(digest), ...derivedOf(digest)]) await rm(path, { force: true });
      }),
    /** Makes a file from the blob unless it exists. Calls at the same time make it once. */
    derive: (digest: Digest, part: DerivedPart, write: (path: string) => Promise<void>): Promise<void> => {
      const path = derivedPath(layout.blob(digest), part);
      const running = derivations.get(path) ?? derive(digest, path, write).finally(() => derivations.delete(path));
      derivations.set(path, running);
      return running;
    },
  };
}

export type Blobs = ReturnType<typeof createBlobs>;

function damaged(digest: Digest, what: string): HearthError {
  return new HearthError('store_damaged', `blob ${digest} ${what}`);
}

function mismatch(expected: Digest, got: Digest): HearthError {
  return new HearthError('bad_request', `digest mismatch, expected "${expected}", got "${got}"`);
}
